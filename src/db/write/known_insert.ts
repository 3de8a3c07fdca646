/**
 * Inserts of rows by the members that they have.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement } from "../../model/linked.ts";
import type { Supplier } from "../../service/validation/fill_managed.ts";
import { hiddenSuppliers, missingSuppliers } from "./managed_values.ts";
import { isPlainName } from "./normalize_row.ts";
import { type SqlValue, sqlValue } from "./sql_value.ts";
import type { InsertColumns } from "./statement_runner.ts";
import type { WriteTarget } from "./write_target.ts";

/** Into which columns the members of rows go. */
export interface KnownInsert {
  /** All members, also those that are no columns. */
  readonly names: readonly string[];
  /** Whether rows with these members are written as they are: all are plain values, and the key is among them. */
  readonly isWhole: boolean;
  readonly into: InsertColumns;
  /** Members of the row, in the order of the columns, */
  readonly shown: readonly { readonly name: string; readonly column: FlatElement }[];
  /** and behind them what is generated: what the row lacks, and what a projection hides. */
  readonly hidden: readonly Supplier[];
}

/** The inserts into a table by the members of rows. */
interface KnownInserts {
  readonly bySignature: Map<string, KnownInsert>;
  /** That of the row before: mostly the next one has the same members. */
  last?: KnownInsert;
}

const KNOWN_INSERTS: WeakMap<WriteTarget, KnownInserts> = new WeakMap();
/** Sets of columns kept per table; clients choose them. */
const KEPT_COLUMNS = 100;

/**
 * The insert of rows with the same members as a row.
 *
 * @param target entity and table
 * @param row the row
 */
export function knownInsert(target: WriteTarget, row: Row): KnownInsert {
  let kept = KNOWN_INSERTS.get(target);
  if (!kept) KNOWN_INSERTS.set(target, kept = { bySignature: new Map() });
  if (kept.last && hasMembers(row, kept.last.names)) return kept.last;
  const names = Object.keys(row);
  const signature = names.join();
  let known = kept.bySignature.get(signature);
  if (!known) {
    known = createInsert(target, names);
    if (kept.bySignature.size < KEPT_COLUMNS) kept.bySignature.set(signature, known);
  }
  return kept.last = known;
}

/** Whether a row has members of these names, in this order. */
function hasMembers(row: Row, names: readonly string[]): boolean {
  let count = 0;
  for (const name in row) if (names[count++] !== name) return false;
  return count === names.length;
}

function createInsert(target: WriteTarget, names: readonly string[]): KnownInsert {
  const written = names.filter((name) => target.columns.has(name));
  const columns = written.map((name) => target.columns.get(name)!);
  const missing = missingSuppliers(target, names);
  const hidden = [...missing, ...hiddenSuppliers(target, "insert")];
  return {
    names,
    isWhole: names.every((name) => isPlainName(target.entity, name)) && !missing.some(({ flat }) => flat.key),
    into: { table: target.base, columns: [...columns, ...hidden.map(({ flat }) => flat)] },
    shown: written.map((name, index) => ({ name, column: columns[index]! })),
    hidden,
  };
}

/**
 * The insert of a row that is written as it is: without parts, and with its key. It is found where the row before had the
 * same members.
 *
 * @param target entity and table
 * @param row the row
 */
export function knownWhole(target: WriteTarget, row: Row): KnownInsert | undefined {
  const known = KNOWN_INSERTS.get(target)?.last;
  return known?.isWhole && hasMembers(row, known.names) && isGiven(row) ? known : undefined;
}

/**
 * The values of a row, to be bound.
 *
 * @param known the insert
 * @param row values by the names of its members
 * @param context of the statement
 */
export function boundValues({ shown, hidden }: KnownInsert, row: Row, context: EventContext): SqlValue[] {
  const values: SqlValue[] = [];
  for (const { name, column } of shown) values.push(sqlValue(row[name], column));
  for (const { flat, value } of hidden) values.push(sqlValue(value(context), flat));
  return values;
}

/** Whether all members have a value. */
function isGiven(row: Row): boolean {
  for (const name in row) if (row[name] === undefined) return false;
  return true;
}
