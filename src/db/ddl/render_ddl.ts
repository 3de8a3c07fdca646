/**
 * The statements that create the tables and views of a model (csn-cqn 14).
 *
 * @module
 */

import { walkQuery } from "../../cqn/walk.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { isInlineView } from "../passes/inline_view.ts";
import { createLowering, lowerQuery } from "../passes/lower_query.ts";
import { stepName } from "../passes/scope.ts";
import type { Dialect } from "../render/dialect.ts";
import { quote, renderQuery } from "../render/render_query.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../view_query.ts";
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
  return [
    ...tables.map((entity): DdlStatement => {
      return { kind: "table", entity, sql: renderTable(tableShape(model, entity, { dialect, foreignKeys })) };
    }),
    ...viewsInOrder(entities).map((entity): DdlStatement => {
      return { kind: "view", entity, sql: createView(model, entity, dialect) };
    }),
  ];
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
 * The entities that have a table or view of their own.
 *
 * @param model the linked model
 */
export function persistentEntities(model: LinkedModel): readonly LinkedEntity[] {
  const lowering = createLowering(model);
  return [...model.entities()].filter((entity) =>
    entity["@cds.persistence.skip"] !== true && entity["@cds.persistence.exists"] !== true &&
    !isInlineView(lowering, entity)
  );
}

function createView(model: LinkedModel, entity: LinkedEntity, dialect: Dialect): string {
  const { query } = lowerQuery(model, viewQuery(entity)!);
  return `CREATE VIEW ${quote(sqlName(entity))} AS ${renderQuery(dialect, query, { inline: true }).sql}`;
}

/** Views in the order of their dependencies; paths along associations count as well. */
function viewsInOrder(entities: readonly LinkedEntity[]): readonly LinkedEntity[] {
  const views = new Map(
    entities.filter(viewQuery).map((entity) => [entity.name, entity]),
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
