/**
 * The statements that create the tables and views of a model (csn-cqn 14).
 *
 * @module
 */

import type { TreeQuery, TreeSource } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { DropQuery, SchemaQuery } from "../../cqn/cqn.ts";
import { csnOf, linkModel } from "../../model/link_model.ts";
import type {
  FlatElement,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedModel,
  ResolvedType,
} from "../../model/linked.ts";
import { isInlineView, viewTree } from "../passes/inline_view.ts";
import { createLowering, lowerQuery } from "../passes/lower_query.ts";
import type { Dialect } from "../render/dialect.ts";
import { quote, renderQuery } from "../render/render_query.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import {
  assertDistinctNames,
  type ColumnShape,
  renderTable,
  type TableShape,
  type TypeShape,
} from "./schema_shape.ts";
import { type ColumnDdl, tableColumns, tableConstraints, type TableOptions } from "./table_ddl.ts";
import { isNeverNull } from "../../model/valid_slice.ts";
import { stepName } from "../../cqn/steps.ts";

/** A view and the statement that creates it. */
export interface ViewDdl {
  readonly entity: LinkedEntity;
  readonly sql: string;
}

/** What a model wants of a database. */
export interface ModelledSchema {
  readonly tables: readonly { readonly entity: LinkedEntity; readonly shape: TableShape }[];
  /** Each after what it reads. */
  readonly views: readonly ViewDdl[];
}

/**
 * The tables of a model, and the statements that create its views.
 *
 * @param model the linked model
 * @param options the SQL of the database (default SQLite), and whether it checks foreign keys (default not)
 * @throws ConfigurationError for names that the database could not tell apart
 */
export function modelledSchema(
  model: LinkedModel,
  { dialect = SQLITE, foreignKeys = false }: Partial<TableOptions> = {},
): ModelledSchema {
  const entities = persistentEntities(model);
  assertDistinctNames(entities);
  const tables = entities.filter((entity) => viewQuery(entity) === undefined);
  const views = entities.filter((entity) => viewQuery(entity) !== undefined)
    .map((entity): LoweredView => ({ entity, query: lowerQuery(model, viewQuery(entity)!).query }));
  return {
    tables: tables.map((entity) => ({
      entity,
      shape: tableShape(model, entity, { dialect, foreignKeys }),
    })),
    views: viewsInOrder(views).map(({ entity, query }) => ({
      entity,
      sql: createView(entity, query, dialect),
    })),
  };
}

/**
 * The statements of a query that creates or drops a table or view; none for views that are part of the queries on them.
 *
 * @param query the query
 * @param model the linked model, whose entities are meant by names
 * @param options the SQL of the database, and whether it checks foreign keys
 * @throws TypeError for an entity that is unknown
 */
export function schemaStatements(
  query: SchemaQuery,
  model: LinkedModel,
  { dialect = SQLITE, foreignKeys = false }: Partial<TableOptions> = {},
): readonly string[] {
  if ("DROP" in query) return [dropStatement(query.DROP, model)];
  const { entity: given, as } = query.CREATE;
  if (as) {
    const name = quote(sqlName(given));
    return [
      `CREATE TABLE ${name} AS ${renderQuery(dialect, lowerQuery(model, as).query, { inline: true }).sql}`,
    ];
  }
  const isOwn = typeof given === "string" || model.entity(given.name) !== undefined;
  const known = isOwn ? model : withDefinition(model, given);
  const entity = known.entity(nameOf(given));
  if (!entity) throw new TypeError(`There is no entity "${nameOf(given)}" to create`);
  const view = viewQuery(entity);
  if (!view) return [renderTable(tableShape(known, entity, { dialect, foreignKeys }))];
  return isInlineView(createLowering(known), entity)
    ? []
    : [createView(entity, lowerQuery(known, view).query, dialect)];
}

function nameOf(entity: string | { readonly name: string }): string {
  return typeof entity === "string" ? entity : entity.name;
}

/** The model with a definition that somebody made. */
function withDefinition(model: LinkedModel, { name, ...definition }: { readonly name: string }): LinkedModel {
  return linkModel({ definitions: { ...csnOf(model).definitions, [name]: definition } });
}

function dropStatement({ entity, table, view }: DropQuery["DROP"], model: LinkedModel): string {
  const name = entity === undefined ? stepName((table ?? view)?.ref[0] ?? "") : nameOf(entity);
  if (name === "") throw new TypeError("Expected the entity, table or view to drop");
  const known = model.entity(name);
  const isView = view !== undefined ||
    (table === undefined && known !== undefined && viewQuery(known) !== undefined);
  return `DROP ${isView ? "VIEW" : "TABLE"} IF EXISTS ${quote(sqlName(name))}`;
}

/** A view with its query over tables and other views. */
interface LoweredView {
  readonly entity: LinkedEntity;
  readonly query: TreeQuery;
}

/**
 * The DDL of a model as text.
 *
 * @param model the linked model
 * @param options the SQL of the database (default SQLite), and whether it checks foreign keys (default not)
 * @returns one statement per entry
 */
export function renderDdl(model: LinkedModel, options: Partial<TableOptions> = {}): string[] {
  const { tables, views } = modelledSchema(model, options);
  return [...tables.map(({ shape }) => renderTable(shape)), ...views.map(({ sql }) => sql)];
}

/**
 * The entities that have a table or view of their own. Views have none whose sources a model leaves out, as imported
 * models of other systems do, or that are not in the database themselves.
 *
 * @param model the linked model
 */
export function persistentEntities(model: LinkedModel): readonly LinkedEntity[] {
  const known = PERSISTENT.get(model);
  if (known) return known;
  const lowering = createLowering(model);
  const isRead = readability(model);
  const entities = [...model.entities()].filter((entity) =>
    entity["@cds.persistence.skip"] !== true && entity["@cds.persistence.exists"] !== true &&
    entity.$flat.size > 0 && isRead(entity) &&
    !isInlineView(lowering, entity)
  );
  PERSISTENT.set(model, entities);
  return entities;
}

const PERSISTENT: WeakMap<LinkedModel, readonly LinkedEntity[]> = new WeakMap();

function createView(entity: LinkedEntity, query: TreeQuery, dialect: Dialect): string {
  return `CREATE VIEW ${quote(sqlName(entity))} AS ${renderQuery(dialect, query, { inline: true }).sql}`;
}

/** Views in the order of their dependencies; what paths along associations join counts as well. */
function viewsInOrder(views: readonly LoweredView[]): readonly LoweredView[] {
  const byName = new Map(views.map((view) => [sqlName(view.entity), view]));
  const visited = new Set<LoweredView>();
  const ordered: LoweredView[] = [];
  const visit = (view: LoweredView) => {
    if (visited.has(view)) return;
    visited.add(view);
    for (const name of sourcesOf(view.query)) {
      const other = byName.get(name);
      if (other) visit(other);
    }
    ordered.push(view);
  };
  for (const view of views) visit(view);
  return ordered;
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
  const query = viewTree(entity);
  return new Set(query && sourcesOf(query));
}

function sourcesOf(query: TreeQuery): string[] {
  if (query.kind === "set") return query.SET.args.flatMap(sourcesOf);
  const names: string[] = [];
  walkTree(query, (expression) => {
    if (expression.kind === "select") names.push(...sourceNames(expression.SELECT.from));
  });
  return names;
}

function sourceNames(source: TreeSource): string[] {
  if (source.kind === "join") return source.args.flatMap(sourceNames);
  return source.kind === "reference" ? [stepName(source.ref[0]!)] : sourcesOf(source);
}

/** Names an entity or element had before. */
const RENAMED = "@fw.renamedFrom";

/**
 * The table of an entity.
 *
 * @param model the linked model
 * @param entity an entity without query
 * @param options dialect and constraints
 */
function tableShape(model: LinkedModel, entity: LinkedEntity, options: TableOptions): TableShape {
  const was = earlierName(entity, model);
  return {
    name: sqlName(entity),
    entity: entity.name,
    columns: tableColumns(model, entity, options.dialect).map((column) => columnShape(entity, column)),
    key: entity.$rowKeys.map(({ name }) => name),
    constraints: tableConstraints(entity, options),
    ...(was === undefined ? {} : { was: sqlName(was) }),
  };
}

/** The parts and texts of a renamed entity were renamed with it. */
function earlierName(entity: LinkedEntity, model: LinkedModel): string | undefined {
  const own = entity[RENAMED];
  const { name } = entity;
  const space = name.slice(0, name.lastIndexOf(".") + 1);
  if (typeof own === "string") return own.includes(".") ? own : space + own;
  const whole = model.entity(space.slice(0, -1));
  const before = whole && earlierName(whole, model);
  return before === undefined ? undefined : `${before}.${name.slice(space.length)}`;
}

function columnShape(entity: LinkedEntity, column: ColumnDdl): ColumnShape {
  const { flat, name, type, fallback, generated } = column;
  const was = earlierColumn(entity, flat);
  // those that the model calls keys are never null without being told
  const notNull = flat.notNull || (!flat.key && isNeverNull(entity, flat));
  return {
    name,
    sql: type,
    type: typeShape(flat.element.$type),
    ...(notNull && generated === undefined ? { notNull: true as const } : {}),
    ...(fallback === undefined ? {} : { fallback }),
    ...(generated === undefined ? {} : { generated }),
    ...(was === name ? {} : { was }),
  };
}

/** A renamed association or structure gives its name to its columns. */
function earlierColumn({ elements }: LinkedEntity, { path, name }: FlatElement): string {
  const before: string[] = [];
  let inner: LinkedElements | undefined = elements;
  for (const step of path) {
    const element: LinkedElement | undefined = inner?.[step];
    if (!element) break; // a key of what an association leads to
    const own = element[RENAMED];
    before.push(typeof own === "string" ? own : step);
    inner = element.$type.elements;
  }
  const current = path.slice(0, before.length).join("_");
  return before.join("_") + name.slice(current.length);
}

function typeShape({ builtin, length, precision, scale }: ResolvedType): TypeShape {
  return {
    ...(builtin === undefined ? {} : { builtin }),
    ...(length === undefined ? {} : { length }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  };
}
