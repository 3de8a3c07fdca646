/**
 * Rows as JSON objects written by the database. Functions that start with `$` are the renderer's own.
 *
 * @module
 */

import type { Column, Expression } from "../../cqn/cqn.ts";
import { isBound } from "./references.ts";
import type { Lowering, OutputColumn } from "./scope.ts";

/**
 * The JSON object of a row.
 *
 * @param lowering tells whether values are written for payloads or to be read back
 * @param columns the columns
 */
export function jsonRow(lowering: Pick<Lowering, "payload">, columns: readonly OutputColumn[]): Expression {
  const args = columns.flatMap((column): Expression[] => [
    { val: column.name, literal: "member" },
    jsonValue(lowering, column),
  ]);
  return { func: "$json_object", args };
}

/**
 * The values of a row in the form of payloads, each in a column of its own.
 *
 * @param lowering tells whether values are written for payloads
 * @param columns the columns
 * @returns undefined where a column holds JSON, which is no value of its own
 */
export function payloadValues(
  lowering: Pick<Lowering, "payload">,
  columns: readonly OutputColumn[],
): Column[] | undefined {
  const values = columns.map((column) => ({ ...jsonValue(lowering, column), as: column.name }));
  return values.length === 0 || values.some((value) => "func" in value && JSON_TEXT.has(value.func))
    ? undefined
    : values;
}

/** Functions whose values are JSON. */
const JSON_TEXT: ReadonlySet<string> = new Set(["$json", "$json_boolean"]);

function jsonValue({ payload }: Pick<Lowering, "payload">, column: OutputColumn): Expression {
  const { expression, type, element, nested } = column;
  const by = (func: string): Expression => ({ func, args: [expression] });
  if (nested || element?.$type.items || type === "cds.Map") return by("$json");
  if (type === "cds.Boolean") return by("$json_boolean");
  if (type === "cds.Binary" || type === "cds.LargeBinary") {
    return by(payload ? "$json_base64url" : "$json_base64");
  }
  if (!payload && (type === "cds.Int64" || type === "cds.Integer64")) return by("$json_safe_integer");
  if (payload && type === "cds.Double") return by("$json_double");
  if (type === "cds.Timestamp") return by("$json_timestamp");
  if (type === "cds.DateTime") return by("$json_datetime");
  return by("val" in expression || isBound(expression) ? "$json_literal" : "$json_value");
}
