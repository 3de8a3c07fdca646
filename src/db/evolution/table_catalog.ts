import type { Row } from "../../cqn/cqn.ts";
import { quote } from "../render/render_query.ts";
import { type ColumnShape, DEFAULT_LENGTH } from "../ddl/schema_shape.ts";
import type { ColumnChange, SchemaChanges, TableChange } from "./diff_schemas.ts";

/** A table or view that is there. */
export interface ExistingTable {
  readonly name: string;
  readonly isView: boolean;
}

/** A column that is there. */
export interface ExistingColumn {
  readonly name: string;
  /** Its type in SQL. */
  readonly sql: string;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
}

/** What deploying needs from a database, inside one transaction. */
export interface TableCatalog extends RowProbe {
  /** All tables and views. */
  tables(): Promise<readonly ExistingTable[]>;
  /** The columns of a table. */
  columns(table: string): Promise<readonly ExistingColumn[]>;
  /** The text that `DEPLOYED` holds; the table is there. */
  deployed(): Promise<string | undefined>;
  /**
   * Keeps others out of tables until the transaction ends, so that what is seen of their rows stays true. Missing where
   * nobody else writes meanwhile.
   */
  hold?(tables: readonly string[]): Promise<unknown>;
  /** Runs a statement. */
  run(sql: string, values?: readonly (string | number)[]): Promise<unknown>;
}

/** The table in which a database keeps what it was deployed for. */
export const DEPLOYED = "fw_deployed";

/** The table in which a database keeps what deployments have done. */
export const DEPLOYMENTS = "fw_deployments";

/** Reads what a database was deployed for. */
export const DEPLOYED_QUERY = `SELECT "model" FROM "${DEPLOYED}" WHERE "ID" = 1`;

/**
 * The query for one row of a table.
 *
 * @param table its name
 */
export function rowsQuery(table: string): string {
  return `SELECT 1 FROM ${quote(table)} LIMIT 1`;
}

/**
 * The query for one null in a column.
 *
 * @param table its name
 * @param column its name
 */
export function nullQuery(table: string, column: string): string {
  return `SELECT 1 FROM ${quote(table)} WHERE ${quote(column)} IS NULL LIMIT 1`;
}

/**
 * The query for one text in a column that is longer.
 *
 * @param table its name
 * @param column its name
 * @param characters code points
 */
export function longerQuery(table: string, column: string, characters: number): string {
  return `SELECT 1 FROM ${quote(table)} WHERE length(${quote(column)}) > ${characters} LIMIT 1`;
}

/**
 * What deploying asks for of rows, and of the deployment before.
 *
 * @param all gives the rows of a query
 */
export function rowProbes(
  all: (sql: string) => Promise<readonly Row[]>,
): Pick<TableCatalog, "hasRows" | "hasNull" | "hasLonger" | "deployed"> {
  const isFound = async (sql: string) => (await all(sql)).length > 0;
  return {
    hasRows: (table) => isFound(rowsQuery(table)),
    hasNull: (table, column) => isFound(nullQuery(table, column)),
    hasLonger: (table, column, characters) => isFound(longerQuery(table, column, characters)),
    deployed: async () => (await all(DEPLOYED_QUERY))[0]?.model as string | undefined,
  };
}

/** Looks into the tables as they are before the changes. */
interface RowProbe {
  /** Whether a table has rows. */
  hasRows(table: string): Promise<boolean>;
  /** Whether a column holds null in any row. */
  hasNull(table: string, column: string): Promise<boolean>;
  /** Whether a column holds a text of more characters in any row. */
  hasLonger(table: string, column: string, characters: number): Promise<boolean>;
}

/** What is wrong with changes. */
export interface Findings {
  /** What gets lost. */
  readonly losses: readonly string[];
  /** What cannot be done, whatever may get lost. */
  readonly obstacles: readonly string[];
}

/**
 * Judges changes by the rows that are there. Tables without rows can be changed in any way.
 *
 * @param changes the changes
 * @param probe looks into the tables
 */
export async function findingsOf({ dropped, changed }: SchemaChanges, probe: RowProbe): Promise<Findings> {
  const losses: string[] = [];
  const obstacles: string[] = [];
  for (const { name, entity } of dropped) {
    if (await probe.hasRows(name)) losses.push(`the rows of "${entity}", which the model does not have`);
  }
  for (const change of changed) {
    if (!await probe.hasRows(change.before.name)) continue;
    const { after: { entity }, before, added } = change;
    for (const column of added) {
      const reason = obstacleOf(column, change);
      if (reason) obstacles.push(`"${entity}" has rows, but no column "${column.name}", which ${reason}`);
    }
    losses.push(...await lossesOf(change, probe));
    for (const column of change.changed.filter(({ refusesNull }) => refusesNull)) {
      if (!await probe.hasNull(before.name, column.before.name)) continue;
      const text = `null in column "${column.after.name}" of "${entity}", which must not be null`;
      if (column.after.fallback === undefined) obstacles.push(`${text} and has no default`);
      else losses.push(`${text}: the default takes its place`);
    }
  }
  return { losses, obstacles };
}

/** Why a column cannot be added to a table that has rows. */
function obstacleOf(column: ColumnShape, { after: { key } }: TableChange): string | undefined {
  if (column.fallback !== undefined || column.generated !== undefined) return undefined;
  if (key?.includes(column.name)) return "is part of the key and has no default";
  return column.notNull ? "must not be null and has no default" : undefined;
}

async function lossesOf(
  { before: { name: table }, after: { entity }, dropped, changed }: TableChange,
  probe: RowProbe,
): Promise<string[]> {
  const replaced: ColumnChange[] = [];
  for (const change of changed.filter(replacesValues)) {
    const characters = charactersKept(change);
    const isLost = characters === undefined ||
      await probe.hasLonger(table, change.before.name, characters);
    if (isLost) replaced.push(change);
  }
  return [
    ...dropped.filter(({ generated, copyOf }) => generated === undefined && copyOf === undefined).map((
      { name },
    ) => `the values of column "${name}" of "${entity}", which the model does not have`),
    ...replaced.map(({ before, after }) =>
      `values of column "${after.name}" of "${entity}", which are ${before.sql} and become ${after.sql}`
    ),
    ...changed.filter(({ before, after }) => before.generated === undefined && after.generated !== undefined)
      .map(({ after }) => `the values of column "${after.name}" of "${entity}", which gets calculated`),
  ];
}

/** Characters of a text that gets shorter; undefined for all other changes, which may give a value another form. */
function charactersKept({ before, after }: ColumnChange): number | undefined {
  return TEXTS.has(before.type?.builtin) && after.type?.builtin === "cds.String"
    ? after.type.length ?? DEFAULT_LENGTH
    : undefined;
}

const TEXTS: ReadonlySet<unknown> = new Set(["cds.String", "cds.LargeString", "cds.UUID"]);

function replacesValues({ type, before, after }: ColumnChange): boolean {
  return type === "other" && before.generated === undefined && after.generated === undefined;
}
