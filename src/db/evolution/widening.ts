/**
 * Changes of types that keep every value.
 *
 * @module
 */

import { INTEGER_TYPES } from "../../model/builtin_types.ts";
import { DEFAULT_LENGTH, type TypeShape } from "../ddl/schema_shape.ts";

/** From the smallest. */
const INTEGERS: readonly unknown[] = [...INTEGER_TYPES];
/** Digits that the values of integer types have at most. */
const DIGITS: Readonly<Record<string, number>> = {
  "cds.UInt8": 3,
  "cds.Int16": 5,
  "cds.Int32": 10,
  "cds.Integer": 10,
  "cds.Int64": 19,
  "cds.Integer64": 19,
};
const DECIMALS: ReadonlySet<unknown> = new Set(["cds.Decimal", "cds.DecimalFloat"]);
/** Characters of a UUID. */
const UUID_LENGTH = 36;

/**
 * Whether every value of a type is also one of another type, in the form in which the database keeps it.
 *
 * @param before the type the values have
 * @param after the type they get
 */
export function isWidening(before: TypeShape, after: TypeShape): boolean {
  const { builtin: from } = before;
  const { builtin: to } = after;
  if (to === "cds.LargeString") return from === "cds.String" || from === "cds.UUID" || from === to;
  if (to === "cds.String") return characters(before) <= characters(after);
  if (to === "cds.Binary" || to === "cds.LargeBinary") return isWiderBinary(before, after);
  if (DECIMALS.has(to)) return isWiderDecimal(before, after);
  if (INTEGERS.includes(to)) {
    return INTEGERS.includes(from) && INTEGERS.indexOf(from) <= INTEGERS.indexOf(to);
  }
  return from === to;
}

function characters({ builtin, length = DEFAULT_LENGTH }: TypeShape): number {
  if (builtin === "cds.String") return length;
  return builtin === "cds.UUID" ? UUID_LENGTH : Infinity;
}

function isWiderBinary(before: TypeShape, after: TypeShape): boolean {
  if (before.builtin !== "cds.Binary" && before.builtin !== "cds.LargeBinary") return false;
  if (after.builtin === "cds.LargeBinary") return true;
  return before.builtin === "cds.Binary" && (before.length ?? Infinity) <= (after.length ?? Infinity);
}

function isWiderDecimal(before: TypeShape, after: TypeShape): boolean {
  const given = DECIMALS.has(before.builtin) ? before : { precision: DIGITS[before.builtin ?? ""], scale: 0 };
  if (!DECIMALS.has(before.builtin) && given.precision === undefined) return false;
  if (after.precision === undefined) return true;
  if (given.precision === undefined) return false;
  const [fromScale, toScale] = [given.scale ?? 0, after.scale ?? 0];
  if (typeof fromScale !== "number" || typeof toScale !== "number") {
    return fromScale === toScale && given.precision <= after.precision;
  }
  return fromScale <= toScale && given.precision - fromScale <= after.precision - toScale;
}
