/**
 * Initial data.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { LinkedEntity } from "../model/linked.ts";
import type { DatabaseTransaction } from "../service/database.ts";
import { persistentEntities } from "./ddl/render_ddl.ts";
import { sqlName } from "./sql_name.ts";
import { isTooLong } from "./csv.ts";
import { viewQuery } from "../model/runtime_view.ts";
import { insertUnchecked } from "./write/insert.ts";
import type { StatementRunner } from "./write/statement_runner.ts";

/**
 * Runs something in a transaction of its own.
 *
 * @param begin begins a transaction
 * @param run the work
 * @returns what it gives
 */
export async function runInternally<T extends DatabaseTransaction, R>(
  begin: () => T,
  run: (tx: T) => Promise<R>,
): Promise<R> {
  const tx = begin();
  try {
    const result = await run(tx);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

/**
 * Inserts initial rows into the tables that have none.
 *
 * @param tx a transaction
 * @param data rows by entity name; entities that the model or the database does not have are passed over
 * @param hold keeps others from writing to a table until the transaction ends, where they could
 * @returns the names of the entities whose rows were inserted
 * @throws ConfigurationError with the entity for rows that the database refuses
 */
export async function fillTables(
  tx: DatabaseTransaction & StatementRunner,
  data: ReadonlyMap<string, readonly Row[]>,
  hold?: (table: string) => Promise<void>,
): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const [name, entries] of data) {
    const entity = tx.model.entity(name);
    if (!entity || entity["@cds.persistence.skip"] === true || entries.length === 0) continue;
    if (await hasRows(tx, name)) continue;
    if (hold) {
      await hold(sqlName(entity));
      if (await hasRows(tx, name)) continue;
    }
    try {
      await insertInitial(tx, entity, entries);
    } catch (error) {
      throw refusedRows(name, error, entries);
    }
    filled.push(name);
  }
  return filled;
}

/** Initial rows may hold longer texts than declared: whoever read them let them pass. */
async function insertInitial(
  tx: DatabaseTransaction & StatementRunner,
  entity: LinkedEntity,
  entries: readonly Row[],
): Promise<void> {
  const isLong = (row: Row) => [...entity.$flat.values()].some((flat) => isTooLong(row[flat.name], flat));
  const fitting = entries.filter((row) => !isLong(row));
  if (fitting.length > 0) await tx.run({ INSERT: { into: entity.name, entries: fitting } });
  for (const row of entries.filter(isLong)) await insertUnchecked(tx, entity, row);
}

async function hasRows(tx: StatementRunner, name: string): Promise<boolean> {
  const columns = [{ val: 1, as: "one" }];
  const rows = await tx.select({ SELECT: { from: { ref: [name] }, columns, limit: { rows: { val: 1 } } } });
  return rows.length > 0;
}

/**
 * The error for initial rows that a database refuses; it knows neither the entity nor the row, which is the first that can
 * be meant.
 *
 * @param name of the entity, or of several
 * @param cause what the database threw
 * @param entries the rows, where they are of one entity
 */
export function refusedRows(name: string, cause: unknown, entries: readonly Row[] = []): ConfigurationError {
  const { code, target, args, message } = cause as {
    readonly code?: unknown;
    readonly target?: unknown;
    readonly args?: readonly unknown[];
    readonly message?: unknown;
  };
  const refused = typeof target === "string" ? refusedValue({ code, target, args }, entries) : undefined;
  const reason = refused?.reason ?? [message || code, target].filter((part) => part !== undefined).join(", ");
  const row = refused === undefined || refused.index < 0 ? "" : ` (row ${refused.index + 1})`;
  return new ConfigurationError(`The initial rows of "${name}"${row} cannot be stored: ${reason}`, {}, {
    cause,
  });
}

interface Refusal {
  readonly code: unknown;
  readonly target: string;
  readonly args?: readonly unknown[];
}

/** Which row has what a database does not take, and what it would take. */
function refusedValue(
  { code, target, args = [] }: Refusal,
  entries: readonly Row[],
): { readonly index: number; readonly reason: string } | undefined {
  if (code === "ASSERT_NOT_NULL") {
    const index = entries.findIndex((row) => row[target] === undefined || row[target] === null);
    return { index, reason: `"${target}" has no value, but needs one` };
  }
  if (code !== "ASSERT_DATA_TYPE" || args.length < 2) return undefined;
  const index = entries.findIndex((row) => String(row[target]) === String(args[0]));
  return { index, reason: `"${target}" is ${JSON.stringify(args[0])}, but must be of type ${args[1]}` };
}

/**
 * Deletes all rows, and inserts the initial ones again.
 *
 * @param tx a transaction
 * @param data rows by entity name
 */
export async function refillTables(
  tx: DatabaseTransaction & StatementRunner,
  data: ReadonlyMap<string, readonly Row[]>,
): Promise<void> {
  for (const entity of persistentEntities(tx.model)) {
    if (!viewQuery(entity)) await tx.change({ kind: "delete", table: entity });
  }
  await fillTables(tx, data);
}
