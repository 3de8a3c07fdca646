/**
 * From the tables that are there to those that a model wants: what is to be done, and what that costs.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { contentTag } from "../../util/content_tag.ts";
import { type IndexDdl, indexStatements } from "../ddl/index_ddl.ts";
import { modelledSchema, type ViewDdl } from "../ddl/render_ddl.ts";
import { type ColumnShape, renderTable, type TableShape } from "../ddl/schema_shape.ts";
import type { TableOptions } from "../ddl/table_ddl.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import {
  type ChangeStatements,
  columnStep,
  diffSchemas,
  type LaterStep,
  type OnlineStatements,
  type SchemaChanges,
  type TableChange,
  withSurplus,
} from "./diff_schemas.ts";
import {
  DEPLOYED,
  type ExistingColumn,
  type ExistingTable,
  type Findings,
  findingsOf,
  type TableCatalog,
} from "./table_catalog.ts";

/** How a model is brought into a database. */
export interface DeploymentOptions extends TableOptions {
  /** The statements that change tables. */
  readonly statements: ChangeStatements;
  /** What is to be done with tables and columns that only the database has: default `keep`. */
  readonly surplus?: "keep" | "drop";
  /** Nothing is done in the end: nobody is kept waiting. */
  readonly dryRun?: boolean;
  /** What takes long is done later, where the database can do that. */
  readonly online?: boolean;
}

/** A statement with the values of its parameters. */
export interface PlannedStatement {
  readonly sql: string;
  readonly values?: readonly (string | number)[];
}

/** What is to be done. */
export interface DeploymentPlan extends Findings {
  /** The statements in order; none where the database is what the model wants. */
  readonly statements: readonly PlannedStatement[];
  /** What is to be done behind the transaction. */
  readonly later: readonly LaterStep[];
}

/** What a database keeps of its deployment. */
interface Deployed {
  /** Changes with the statements that make everything anew. */
  readonly tag: string;
  readonly tables: readonly TableShape[];
  /** Names of views, each after what it reads. */
  readonly views: readonly string[];
  /** Names of indexes. */
  readonly indexes: readonly string[];
  /** What was still to be done behind the transaction. */
  readonly later?: readonly LaterStep[];
}

/** What a model wants. */
interface Wanted extends Deployed {
  readonly viewStatements: readonly ViewDdl[];
  readonly indexStatements: readonly IndexDdl[];
}

/**
 * Plans a deployment. Nothing is changed.
 *
 * @param catalog the database
 * @param model the linked model
 * @param options dialect, constraints and what to do with the rest
 * @throws ConfigurationError where a table takes the name of a view
 */
export async function planDeployment(
  catalog: TableCatalog,
  model: LinkedModel,
  options: DeploymentOptions,
): Promise<DeploymentPlan> {
  const existing = new Map((await catalog.tables()).map((one) => [one.name.toLowerCase(), one]));
  const wanted = wantedBy(model, options);
  const deployed = existing.has(DEPLOYED) ? parse(await catalog.deployed()) : undefined;
  const mayKeep = options.surplus !== "drop" || deployed === undefined || holdsNoMore(deployed, wanted);
  if (deployed?.tag === wanted.tag && isComplete(deployed, existing) && mayKeep) {
    return { statements: [], losses: [], obstacles: [], later: deployed.later ?? [] };
  }
  const { fits, hasCopies } = options.statements;
  const before = await tablesBefore(catalog, { deployed, wanted, existing, fits });
  const taken = new Set(wanted.views.map((name) => name.toLowerCase()));
  const after = options.surplus === "drop"
    ? wanted.tables
    : withSurplus(before, wanted.tables, { taken, hasCopies });
  assertNoTables(wanted, { existing, before });
  const changes = diffSchemas(before, after);
  const { viewStatements, indexStatements, ...state } = wanted;
  const left = new Set(deployed?.later?.map(({ name }) => name));
  const known = (deployed?.indexes ?? []).filter((name) => !left.has(name));
  const offline = { changes, indexes: indexStatements, known };
  const online = options.online ? options.statements.online : undefined;
  const { changed, indexes, later: added } = online
    ? onlineChanges(offline, online)
    : { changed: changes.changed, indexes: indexStatements, later: [] };
  const altered = changed.map((change) => ({ change, sql: options.statements.change(change) }))
    .filter(({ sql }) => sql.length > 0);
  const touched = [...changes.dropped, ...altered.map(({ change }) => change.before)];
  if (!options.dryRun && touched.length > 0) await catalog.hold?.(touched.map(({ name }) => name));
  const later = [...leftOf(deployed, wanted, added), ...added];
  const statements = [
    ...abandonedOf(deployed, later),
    ...viewsToDrop(existing, deployed, wanted).map((name) => `DROP VIEW ${quote(name)}`),
    ...(deployed?.indexes ?? []).filter((name) => !wanted.indexes.includes(name))
      .map((name) => `DROP INDEX IF EXISTS ${quote(name)}`),
    ...altered.flatMap(({ sql }) => sql),
    ...options.statements.drop(changes.dropped),
    ...changes.created.map((table) => renderTable(table)),
    ...viewStatements.map(({ sql }) => sql),
    ...indexes.map(({ sql }) => sql),
  ].map((sql): PlannedStatement => ({ sql }));
  return {
    statements: [
      ...statements,
      ...stateStatements(
        { ...state, tables: after, ...later.length > 0 && { later } },
        deployed !== undefined,
      ),
    ],
    later,
    ...await findingsOf(changes, catalog),
  };
}

/** What earlier deployments have left, as far as somebody still wants it. */
function leftOf(
  deployed: Deployed | undefined,
  wanted: Wanted,
  added: readonly LaterStep[],
): readonly LaterStep[] {
  const names = new Set([
    ...wanted.indexes,
    ...wanted.tables.flatMap(({ constraints }) => constraints.map(({ name }) => name)),
    ...wanted.tables.flatMap(({ name: table, columns }) =>
      columns.filter(({ notNull }) => notNull).map(({ name }) => columnStep(table, name))
    ),
  ]);
  return (deployed?.later ?? []).filter(({ name }) =>
    names.has(name) && !added.some((one) => one.name === name)
  );
}

/** What removes the remains of earlier steps that nobody wants any more. */
function abandonedOf(deployed: Deployed | undefined, later: readonly LaterStep[]): readonly string[] {
  const wanted = new Set(later.map(({ name }) => name));
  return (deployed?.later ?? []).filter(({ name }) => !wanted.has(name)).flatMap(({ undo = [] }) => undo);
}

/**
 * What a database keeps once all that was left is done.
 *
 * @param text what it kept before
 * @param done the names of what is done
 */
export function withoutLater(text: string, done: ReadonlySet<string>): string {
  const { later = [], ...state } = JSON.parse(text) as Deployed;
  const left = later.filter(({ name }) => !done.has(name));
  return JSON.stringify({ ...state, ...left.length > 0 && { later: left } });
}

function wantedBy(model: LinkedModel, options: DeploymentOptions): Wanted {
  const { tables: modelled, views: viewStatements } = modelledSchema(model, options);
  const tables = modelled.map(({ shape }) => shape);
  const indexes = indexStatements(model);
  const texts = [
    JSON.stringify(tables),
    ...viewStatements.map(({ sql }) => sql),
    ...indexes.map(({ sql }) => sql),
  ];
  return {
    tag: contentTag(texts.join("\n")),
    tables,
    views: viewStatements.map(({ entity }) => sqlName(entity)),
    indexes: indexes.map(({ name }) => name),
    viewStatements,
    indexStatements: indexes,
  };
}

type Existing = ReadonlyMap<string, ExistingTable>;

interface BeforeContext {
  readonly deployed: Deployed | undefined;
  readonly wanted: Wanted;
  readonly existing: Existing;
  readonly fits: ChangeStatements["fits"];
}

/** The tables of the last deployment that are still there; without one, those that have a name the model knows. */
async function tablesBefore(
  catalog: TableCatalog,
  { deployed, wanted, existing, fits }: BeforeContext,
): Promise<readonly TableShape[]> {
  const known = deployed?.tables ?? [];
  const before = known.filter(({ name }) => existing.get(name.toLowerCase())?.isView === false);
  const names = new Set(known.map(({ name }) => name.toLowerCase()));
  for (const table of wanted.tables) {
    for (const one of [table.name, table.was]) {
      const there = one === undefined ? undefined : existing.get(one.toLowerCase());
      if (!there || there.isView || names.has(there.name.toLowerCase())) continue;
      names.add(there.name.toLowerCase());
      before.push(
        await unknownTable(await catalog.columns(there.name), { ...table, name: there.name }, fits),
      );
    }
  }
  return before;
}

/**
 * A table that no deployment of ours has made, as far as the database tells.
 *
 * @param there its columns
 * @param wanted the table that the model wants in its place, under the name that is there
 * @param fits whether a column can stay as it is
 */
function unknownTable(
  there: readonly ExistingColumn[],
  { name, entity, columns: wanted }: TableShape,
  fits: ChangeStatements["fits"],
): TableShape {
  const columns = there.map(({ name, sql, notNull, hasDefault }): ColumnShape => {
    const isNamed = (one: string | undefined) => one?.toLowerCase() === name.toLowerCase();
    const after = wanted.find((one) => isNamed(one.name)) ?? wanted.find(({ was }) => isNamed(was));
    return {
      name,
      sql,
      ...after && !fits(sql, after.sql) && { type: {} },
      ...notNull && { notNull: true as const },
      ...hasDefault && { fallback: "NULL" },
    };
  });
  return { name, entity, columns, constraints: [] };
}

function isComplete({ tables, views }: Deployed, existing: Existing): boolean {
  return tables.every(({ name }) => existing.get(name.toLowerCase())?.isView === false) &&
    views.every((name) => existing.get(name.toLowerCase())?.isView === true);
}

/** Whether earlier deployments have kept no tables or columns that a model does not have. */
function holdsNoMore(deployed: Deployed, wanted: Wanted): boolean {
  return JSON.stringify(deployed.tables) === JSON.stringify(wanted.tables);
}

function assertNoTables(
  { viewStatements }: Wanted,
  { existing, before }: { readonly existing: Existing; readonly before: readonly TableShape[] },
): void {
  const own = new Set(before.map(({ name }) => name.toLowerCase()));
  for (const { entity } of viewStatements) {
    const name = sqlName(entity).toLowerCase();
    if (existing.get(name)?.isView === false && !own.has(name)) {
      throw new ConfigurationError(
        `The table of "${entity.name}" is a table in the database, but a view in the model; ` +
          "change the database by hand, or start with an empty one",
      );
    }
  }
}

/** What reads others goes before them. */
function viewsToDrop(existing: Existing, deployed: Deployed | undefined, wanted: Wanted): readonly string[] {
  const names = [...deployed?.views ?? [], ...wanted.views, ...wanted.tables.map(({ name }) => name)];
  const there = names.map((name) => existing.get(name.toLowerCase())).filter((one) => one?.isView);
  return [...new Set(there.map((one) => one!.name))].toReversed();
}

function stateStatements(state: Deployed, isThere: boolean): readonly PlannedStatement[] {
  const model = JSON.stringify(state);
  return isThere ? [{ sql: `UPDATE "${DEPLOYED}" SET "model" = ? WHERE "ID" = 1`, values: [model] }] : [
    { sql: `CREATE TABLE IF NOT EXISTS "${DEPLOYED}" ("ID" INTEGER PRIMARY KEY, "model" TEXT)` },
    { sql: `INSERT INTO "${DEPLOYED}" ("ID", "model") VALUES (1, ?)`, values: [model] },
  ];
}

function parse(text: string | undefined): Deployed | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}

/** What is done at once, and what is done later. */
interface OnlineChanges {
  readonly changed: readonly TableChange[];
  readonly indexes: readonly IndexDdl[];
  readonly later: readonly LaterStep[];
}

/** What a deployment changes. */
interface OfflineChanges {
  readonly changes: SchemaChanges;
  readonly indexes: readonly IndexDdl[];
  /** Names of the indexes that are there. */
  readonly known: readonly string[];
}

/**
 * Splits changes. Tables that are made now are empty: nothing of them takes long.
 *
 * @param offline all that is to be done
 * @param online the statements of the database
 */
function onlineChanges(
  { changes, indexes, known }: OfflineChanges,
  online: OnlineStatements,
): OnlineChanges {
  const later: LaterStep[] = [];
  const changed = changes.changed.map((change) => ({
    ...change,
    changed: change.changed.map((column) => {
      // a new type or key has every row written or looked at anyway
      if (!column.refusesNull || column.type !== undefined || change.key) return column;
      later.push(online.notNull(change.after.name, column.after));
      return { ...column, refusesNull: false };
    }),
    addedConstraints: change.addedConstraints.flatMap((constraint) => {
      const one = online.constraint(change.after.name, constraint);
      if (one === undefined) return [constraint];
      later.push(one.later);
      return one.definition === undefined ? [] : [{ ...constraint, definition: one.definition }];
    }),
  }));
  const created = new Set(changes.created.map(({ name }) => name));
  const isAtOnce = ({ name, table }: IndexDdl) => created.has(table) || known.includes(name);
  later.push(...indexes.filter((one) => !isAtOnce(one)).map((one) => online.index(one)));
  return { changed, indexes: indexes.filter(isAtOnce), later };
}
