/**
 * Rows as JSON objects written by the database. Functions that start with `$` are the renderer's own.
 *
 * @module
 */

import { call, isBound, literal } from "../../algebra/build.ts";
import type { Expr, TreeColumn } from "../../algebra/tree.ts";
import { AS_IT_IS, type Lowering, type OutputColumn, type PlainValue } from "./scope.ts";

/**
 * The JSON object of a row.
 *
 * @param lowering tells whether values are written for payloads or to be read back
 * @param columns the columns
 */
export function jsonRow(lowering: Pick<Lowering, "payload">, columns: readonly OutputColumn[]): Expr {
  const args = columns.flatMap((column) => [
    literal(column.name, "member"),
    call(jsonFunction(lowering, column), [column.expression]),
  ]);
  return call("$json_object", args);
}

/**
 * A value as JSON that is read back.
 *
 * @param value a lowered value, and its type
 */
export function jsonValue(value: Omit<OutputColumn, "name">): Expr {
  return call(jsonFunction({ payload: false }, value), [value.expression]);
}

/**
 * The values of a row in the form of payloads, each in a column of its own.
 *
 * @param columns the columns
 * @param plainValue gives the functions that do not write JSON
 * @returns undefined where a column holds JSON, which is no value of its own
 */
export function payloadValues(
  columns: readonly OutputColumn[],
  plainValue: PlainValue,
): TreeColumn[] | undefined {
  const values: TreeColumn[] = [];
  for (const column of columns) {
    const func = plainValue(jsonFunction({ payload: true }, column), column.type);
    if (func === undefined) return undefined;
    const value = func === AS_IT_IS ? column.expression : call(func, [column.expression]);
    values.push({ ...value, as: column.name });
  }
  return values.length === 0 ? undefined : values;
}

function jsonFunction({ payload }: Pick<Lowering, "payload">, column: Omit<OutputColumn, "name">): string {
  const { expression, type, element, nested } = column;
  if (nested || element?.$type.items || type === "cds.Map") return "$json";
  if (type === "cds.Boolean") return "$json_boolean";
  if (type === "cds.Binary" || type === "cds.LargeBinary") {
    return payload ? "$json_base64url" : "$json_base64";
  }
  if (!payload && (type === "cds.Int64" || type === "cds.Integer64")) return "$json_safe_integer";
  if (type === "cds.Double") return "$json_double";
  if (type === "cds.Timestamp") return "$json_timestamp";
  if (type === "cds.DateTime") return "$json_datetime";
  return expression.kind === "literal" || isBound(expression) ? "$json_literal" : "$json_value";
}
