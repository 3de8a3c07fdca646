/**
 * The statements that create the tables and views of a model (csn-cqn 14).
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { walkQuery } from "../../cqn/walk.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { isInlineView } from "../passes/inline_view.ts";
import { createLowering, lowerQuery } from "../passes/lower_query.ts";
import { Scope, stepName } from "../passes/scope.ts";
import type { Dialect } from "../render/dialect.ts";
import { quote, renderQuery, SqlWriter } from "../render/render_query.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../view_query.ts";

/**
 * The DDL of a model: tables, then views, each after what it reads.
 *
 * @param model the linked model
 * @param dialect the SQL of the database; default SQLite
 * @returns one statement per entry
 */
export function renderDdl(model: LinkedModel, dialect: Dialect = SQLITE): string[] {
  const entities = persistentEntities(model);
  const tables = entities.filter((entity) => viewQuery(entity) === undefined);
  return [
    ...tables.map((entity) => createTable(model, entity, dialect)),
    ...viewsInOrder(entities).map((entity) => createView(model, entity, dialect)),
  ];
}

/**
 * The entities that have a table or view of their own.
 *
 * @param model the linked model
 */
export function persistentEntities(model: LinkedModel): readonly LinkedEntity[] {
  return [...model.entities()].filter((entity) =>
    entity["@cds.persistence.skip"] !== true && entity["@cds.persistence.exists"] !== true
  );
}

function createTable(model: LinkedModel, entity: LinkedEntity, dialect: Dialect): string {
  const columns = [...entity.$flat.values()]
    .filter((flat) => !flat.virtual && (flat.element.value === undefined || isStored(flat)))
    .map((flat) => `${quote(flat.name)} ${columnDefinition(model, { entity, flat, dialect })}`);
  const keys = entity.$flatKeys.map((flat) => quote(flat.name));
  if (keys.length > 0) columns.push(`PRIMARY KEY(${keys.join(", ")})`);
  columns.push(...uniqueConstraints(entity));
  return `CREATE TABLE ${quote(sqlName(entity))} (\n  ${columns.join(",\n  ")}\n)`;
}

function isStored(flat: FlatElement): boolean {
  return flat.element.value?.stored === true;
}

function columnDefinition(
  model: LinkedModel,
  { entity, flat, dialect }: {
    readonly entity: LinkedEntity;
    readonly flat: FlatElement;
    readonly dialect: Dialect;
  },
): string {
  const type = dialect.columnType(flat.element.$type);
  const { value } = flat.element;
  if (value && !flat.foreignKey4) {
    return `${type} GENERATED ALWAYS AS (${generated(model, { entity, value, dialect })}) STORED`;
  }
  const fallback = defaultText(flat, dialect);
  return `${type}${fallback === undefined ? "" : ` DEFAULT ${fallback}`}${flat.notNull ? " NOT NULL" : ""}`;
}

function generated(
  model: LinkedModel,
  { entity, value, dialect }: {
    readonly entity: LinkedEntity;
    readonly value: Expression;
    readonly dialect: Dialect;
  },
): string {
  const { stored: _stored, ...expression } = value as Expression & { stored?: boolean };
  const lowering = createLowering(model);
  const alias = sqlName(entity);
  const scope = new Scope();
  scope.sources.push({ alias, name: alias, explicit: false, entity });
  const lowered = lowering.expression(expression as Expression, scope);
  const writer = new SqlWriter(dialect, { inline: true });
  // The expression of a generated column knows its own table only, without a name in front.
  return writer.expression(lowered).replaceAll(`${quote(alias)}.`, "");
}

function defaultText(flat: FlatElement, dialect: Dialect): string | undefined {
  const value = flat.foreignKey4 ? undefined : flat.element.default;
  if (value === undefined) return undefined;
  if ("ref" in value) return stepName(value.ref[0]) === "$now" ? dialect.now : undefined;
  if ("val" in value && value.val === null) return undefined;
  const writer = new SqlWriter(dialect, { inline: true });
  const text = writer.expression(value);
  return "val" in value ? text : `(${text})`;
}

/** `@assert.unique.<name>: [elements]` (csn-cqn 14). */
function uniqueConstraints(entity: LinkedEntity): string[] {
  const prefix = "@assert.unique.";
  return Object.entries(entity).filter(([key, value]) => key.startsWith(prefix) && Array.isArray(value)).map(
    ([key, value]) => {
      const columns = (value as readonly unknown[]).flatMap((path) => columnsOfPath(entity, pathText(path)));
      const name = quote(`${sqlName(entity)}_${key.slice(prefix.length)}`);
      return `CONSTRAINT ${name} UNIQUE (${columns.map(quote).join(", ")})`;
    },
  );
}

function pathText(path: unknown): string {
  if (typeof path === "object" && path !== null && "=" in path) return String(path["="]);
  if (typeof path === "object" && path !== null && "ref" in path) return (path.ref as string[]).join(".");
  return String(path);
}

function columnsOfPath(entity: LinkedEntity, path: string): string[] {
  const name = path.replaceAll(".", "_");
  if (entity.$flat.has(name)) return [name];
  return [...entity.$flat.values()].filter((flat) => flat.foreignKey4 === name || flat.path[0] === path)
    .map((flat) => flat.name);
}

function createView(model: LinkedModel, entity: LinkedEntity, dialect: Dialect): string {
  const { query } = lowerQuery(model, viewQuery(entity)!);
  return `CREATE VIEW ${quote(sqlName(entity))} AS ${renderQuery(dialect, query, { inline: true }).sql}`;
}

/** Views in the order of their dependencies; paths along associations count as well. */
function viewsInOrder(entities: readonly LinkedEntity[]): readonly LinkedEntity[] {
  const views = new Map(
    entities.filter((entity) => viewQuery(entity) && !isInlineView(entity)).map((
      entity,
    ) => [entity.name, entity]),
  );
  const ordered = new Set<LinkedEntity>();
  const open = new Set<LinkedEntity>();
  const visit = (entity: LinkedEntity) => {
    if (ordered.has(entity) || open.has(entity)) return;
    open.add(entity);
    for (const name of entitiesRead(entity)) {
      const other = views.get(name);
      if (other) visit(other);
    }
    open.delete(entity);
    ordered.add(entity);
  };
  for (const entity of views.values()) visit(entity);
  return [...ordered];
}

/** Sources of the query; SQLite checks names in views when they are read, so targets of paths may come later. */
function entitiesRead(entity: LinkedEntity): Set<string> {
  const names = new Set<string>();
  walkQuery(viewQuery(entity)!, (expression) => {
    if ("ref" in expression && expression.ref) names.add(stepName(expression.ref[0]));
  });
  return names;
}
