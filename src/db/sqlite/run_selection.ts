/**
 * SELECTs on a connection of SQLite.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { JsonRows, type Rows } from "../../service/database.ts";
import { bindValues, hasOneEach } from "../bind_values.ts";
import { countingOf, countOf, type Selection, type StatementValues } from "../engine/driver.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import type { Binding } from "../render/binding.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { SqliteConnection } from "./connection.ts";

/** A SELECT to run. */
export type SqliteSelection = Selection<CompiledSelect>;

const TEXT = { payload: true };

/** The result of a SELECT. */
export function resultOn(connection: SqliteConnection, selection: SqliteSelection): Rows | Row | null {
  const compiled = chosen(selection.compiled, selection);
  const rows = connection.read(compiled, valuesOf(compiled.bindings, selection));
  return selection.result(rows, countOf(selection, rows, countsOn(connection, selection)));
}

/** The result of a SELECT as JSON text in the form of payloads. */
export function jsonOn(connection: SqliteConnection, selection: SqliteSelection): JsonRows {
  const rows = payloadOn(connection, selection);
  const count = countOf(selection, rows, countsOn(connection, selection));
  return toJson(rows, { count, one: selection.compiled.one });
}

/** Rows for payloads: their values, or JSON text of those with values that are no values of JavaScript. */
function payloadOn(connection: SqliteConnection, selection: SqliteSelection): (Row | string)[] {
  const compiled = chosen(selection.compiled, selection);
  const rows = compiled.hasValues
    ? connection.readExact(compiled, valuesOf(compiled.bindings, selection))
    : undefined;
  if (rows !== undefined) return rows;
  const text = compiled.hasValues ? chosen(selection.compile(TEXT), selection) : compiled;
  return connection.read(text, valuesOf(text.bindings, selection)).map(({ json }) => json as string);
}

/**
 * The number of rows ignoring the limit, where it is asked for.
 *
 * @param connection the connection
 * @param selection the SELECT
 * @param isNeeded whether the rows do not tell their number; default: where there is a limit
 */
export function countsOn(
  connection: SqliteConnection,
  selection: SqliteSelection,
  isNeeded?: boolean,
): readonly Row[] | undefined {
  const counted = countingOf(selection, isNeeded);
  const counting = counted && chosen(counted, selection);
  return counting && connection.read(counting, valuesOf(counting.bindings, selection));
}

/** The values of placeholders. */
export function valuesOf(bindings: readonly Binding[], from: StatementValues): SqlValue[] {
  const values = bindValues(bindings, from);
  for (let at = 0; at < values.length; at++) values[at] = wholeAsBigInt(values[at]!);
  return values;
}

/** Attributes of users mostly have one value: membership in a list of it takes twice as long as the rest of a statement. */
export function chosen(compiled: CompiledSelect, from: StatementValues): CompiledSelect {
  const { ofOne, bindings } = compiled;
  return ofOne && hasOneEach(bindings, from) ? ofOne() : compiled;
}

/** The driver binds numbers as floating-point ones: `title || 1` would end in `1.0`, large integers lose digits. */
function wholeAsBigInt(value: SqlValue): SqlValue {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value as number) : value;
}

/**
 * JSON of rows.
 *
 * @param rows as values or as JSON text
 * @param options the number of all that match, where it is known; whether one row is asked for
 */
function toJson(
  rows: readonly (Row | string)[],
  { count, one }: { readonly count: number | undefined; readonly one: boolean },
): JsonRows {
  const first = rows[0];
  if (first === undefined) return new JsonRows(one ? "null" : "[]", 0, { count });
  if (one) return new JsonRows(textOf(first), rows.length, { count });
  const json = typeof first === "string" ? `[${rows.join(",")}]` : JSON.stringify(rows);
  return new JsonRows(json, rows.length, { count, last: () => textOf(rows.at(-1)!) });
}

function textOf(row: Row | string): string {
  return typeof row === "string" ? row : JSON.stringify(row);
}
