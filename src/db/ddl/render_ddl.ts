/**
 * The statements that create the tables and views of a model (csn-cqn 14).
 *
 * @module
 */

import type { SelectQuery, SetQuery, Source } from "../../cqn/cqn.ts";
import { walkQuery } from "../../cqn/walk.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { isInlineView } from "../passes/inline_view.ts";
import { createLowering, lowerQuery } from "../passes/lower_query.ts";
import { stepName } from "../passes/scope.ts";
import type { Dialect } from "../render/dialect.ts";
import { quote, renderQuery } from "../render/render_query.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../../model/view_query.ts";
import { assertDistinctNames } from "./distinct_names.ts";
import { renderTable } from "./schema_shape.ts";
import { tableShape } from "./table_shape.ts";
import type { TableOptions } from "./table_ddl.ts";

/** A statement that creates a table or view. */
export interface DdlStatement {
  readonly kind: "table" | "view";
  readonly entity: LinkedEntity;
  readonly sql: string;
}

/**
 * The DDL of a model: tables, then views, each after what it reads.
 *
 * @param model the linked model
 * @param options the SQL of the database (default SQLite), and whether it checks foreign keys (default not)
 * @throws ConfigurationError for names that the database could not tell apart
 */
export function ddlStatements(
  model: LinkedModel,
  options: Partial<TableOptions> = {},
): readonly DdlStatement[] {
  const { dialect = SQLITE, foreignKeys = false } = options;
  const entities = persistentEntities(model);
  assertDistinctNames(entities);
  const tables = entities.filter((entity) => viewQuery(entity) === undefined);
  const views = entities.filter((entity) => viewQuery(entity) !== undefined)
    .map((entity): LoweredView => ({ entity, query: lowerQuery(model, viewQuery(entity)!).query }));
  return [
    ...tables.map((entity): DdlStatement => {
      return { kind: "table", entity, sql: renderTable(tableShape(model, entity, { dialect, foreignKeys })) };
    }),
    ...viewsInOrder(views).map(({ entity, query }): DdlStatement => {
      return { kind: "view", entity, sql: createView(entity, query, dialect) };
    }),
  ];
}

/** A view with its query over tables and other views. */
interface LoweredView {
  readonly entity: LinkedEntity;
  readonly query: SelectQuery | SetQuery;
}

/**
 * The DDL of a model as text.
 *
 * @param model the linked model
 * @param options the SQL of the database (default SQLite), and whether it checks foreign keys (default not)
 * @returns one statement per entry
 */
export function renderDdl(model: LinkedModel, options: Partial<TableOptions> = {}): string[] {
  return ddlStatements(model, options).map(({ sql }) => sql);
}

/**
 * The entities that have a table or view of their own. Views have none whose sources a model leaves out, as imported
 * models of other systems do, or that are not in the database themselves.
 *
 * @param model the linked model
 */
export function persistentEntities(model: LinkedModel): readonly LinkedEntity[] {
  const lowering = createLowering(model);
  const isRead = readability(model);
  return [...model.entities()].filter((entity) =>
    entity["@cds.persistence.skip"] !== true && entity["@cds.persistence.exists"] !== true &&
    entity.$flat.size > 0 && isRead(entity) &&
    !isInlineView(lowering, entity)
  );
}

function createView(entity: LinkedEntity, query: SelectQuery | SetQuery, dialect: Dialect): string {
  return `CREATE VIEW ${quote(sqlName(entity))} AS ${renderQuery(dialect, query, { inline: true }).sql}`;
}

/** Views in the order of their dependencies; what paths along associations join counts as well. */
function viewsInOrder(views: readonly LoweredView[]): readonly LoweredView[] {
  const byName = new Map(views.map((view) => [sqlName(view.entity), view]));
  const ordered = new Set<LoweredView>();
  const open = new Set<LoweredView>();
  const visit = (view: LoweredView) => {
    if (ordered.has(view) || open.has(view)) return;
    open.add(view);
    for (const name of sourcesOf(view.query)) {
      const other = byName.get(name);
      if (other) visit(other);
    }
    open.delete(view);
    ordered.add(view);
  };
  for (const view of views) visit(view);
  return [...ordered];
}

/** Whether all that the views below an entity read is in the database. */
function readability(model: LinkedModel): (entity: LinkedEntity) => boolean {
  const known = new Map<LinkedEntity, boolean>();
  const isRead = (entity: LinkedEntity): boolean => {
    const result = known.get(entity) ?? [...entitiesRead(entity)].every((name) => {
      const source = model.entity(name);
      return source !== undefined && source["@cds.persistence.skip"] !== true && isRead(source);
    });
    known.set(entity, result);
    return result;
  };
  return isRead;
}

/** The sources of the query of a view. */
function entitiesRead(entity: LinkedEntity): Set<string> {
  const query = viewQuery(entity);
  return new Set(query && sourcesOf(query));
}

function sourcesOf(query: SelectQuery | SetQuery): string[] {
  if ("SET" in query) return query.SET.args.flatMap(sourcesOf);
  const names = sourceNames(query.SELECT.from);
  walkQuery(query, (expression) => {
    if ("SELECT" in expression) names.push(...sourceNames(expression.SELECT.from));
  });
  return names;
}

function sourceNames(source: Source): string[] {
  if ("join" in source) return source.args.flatMap(sourceNames);
  return "ref" in source ? [stepName(source.ref[0])] : sourcesOf(source);
}
