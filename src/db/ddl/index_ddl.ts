/**
 * Indexes of tables: those that `@fw.index.<name>: [elements]` names, and those by which the rows of associations are
 * found.
 *
 * @module
 */

import type { LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { sharedColumns } from "../../model/links.ts";
import { contentTag } from "../../util/content_tag.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { annotatedColumns, uniqueConstraints } from "../unique_constraints.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import { persistentEntities } from "./render_ddl.ts";

/** An index. */
export interface IndexDdl {
  readonly name: string;
  /** Name of its table in the database. */
  readonly table: string;
  readonly sql: string;
}

/** PostgreSQL cuts off what is longer, and so could take two indexes for one. */
const NAME_BYTES = 63;

/**
 * The statements that create the indexes of a model where they are missing. Associations whose condition compares
 * columns of the target, such as `items.order = $self`, lead to rows that nothing else finds but reading the whole table:
 * their columns have an index, unless they begin the key or another one, or the association says `@fw.index: false`.
 *
 * @param model the linked model, whose tables exist
 */
export function indexStatements(model: LinkedModel): readonly IndexDdl[] {
  const tables = new Set(persistentEntities(model).filter((entity) => viewQuery(entity) === undefined));
  const found = new Map<LinkedEntity, (readonly string[])[]>();
  for (const association of [...tables].flatMap((entity) => [...entity.associations])) {
    const target = association.$target;
    if (!target) continue;
    const columns = searchedColumns(association, target);
    const others = found.get(target) ?? [];
    if (columns.length === 0 || others.some((other) => begins(other, columns))) continue;
    found.set(target, [...others, columns]);
  }
  return [...tables].flatMap((entity) => [
    ...annotatedColumns(entity, "@fw.index.").map(({ name, columns }) =>
      index(entity, columns, `${sqlName(entity)}_${name}`)
    ),
    ...(found.get(entity) ?? []).map((columns) =>
      index(entity, columns, shortName(`${sqlName(entity)}_${columns.join("_")}_fk`))
    ),
  ]);
}

function index(entity: LinkedEntity, columns: readonly string[], name: string): IndexDdl {
  const on = `${quote(sqlName(entity))} (${columns.map(quote).join(", ")})`;
  return { name, table: sqlName(entity), sql: `CREATE INDEX IF NOT EXISTS ${quote(name)} ON ${on}` };
}

/** The columns by which the rows of an association are found, unless there is an index of them. */
function searchedColumns(association: LinkedElement, target: LinkedEntity): readonly string[] {
  if (association.isManaged || association["@fw.index"] === false) return [];
  const columns = [...new Set(sharedColumns(association))].filter((name) => isColumn(target, name));
  const indexed = [
    target.$flatKeys.map(({ name }) => name),
    ...[...uniqueConstraints(target), ...annotatedColumns(target, "@fw.index.")].map(({ columns }) =>
      columns
    ),
  ];
  return indexed.some((others) => begins(others, columns)) ? [] : columns;
}

function isColumn(entity: LinkedEntity, name: string): boolean {
  const flat = entity.$flat.get(name);
  if (!flat || flat.virtual) return false;
  return flat.foreignKey4 !== undefined || !flat.element.value || flat.element.value.stored === true;
}

function begins(index: readonly string[], columns: readonly string[]): boolean {
  const start = index.slice(0, columns.length);
  return columns.every((name) => start.includes(name));
}

function shortName(name: string): string {
  return new TextEncoder().encode(name).length <= NAME_BYTES ? name : `fw_index_${contentTag(name)}`;
}
