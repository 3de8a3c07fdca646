/**
 * Rows as JSON objects written by the database. Functions that start with `$` are the renderer's own.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
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
    { val: column.name, literal: "name" },
    jsonValue(lowering, column),
  ]);
  return { func: "$json_object", args };
}

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
