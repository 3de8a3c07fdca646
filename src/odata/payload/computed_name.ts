/**
 * What `$compute` adds to a structure that rows hold flat, or as a part of JSON: columns beside it.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { MemberShape } from "../plan/plan.ts";

/**
 * The name of the column with a value.
 *
 * @param structure the structure
 * @param name the name that `$compute` gives
 * @returns `size@compute.area`
 */
export function computedColumn(structure: string, name: string): string {
  return `${structure}@compute.${name}`;
}

/**
 * A structure with what is computed beside its members.
 *
 * @param value the structure
 * @param row the row that holds it
 * @param options the name of the structure in the row, and what is shown of it
 */
export function withComputedMembers(
  value: Row,
  row: Row,
  { name, shape }: { readonly name: string; readonly shape: MemberShape | undefined },
): Row {
  if (!shape?.computed) return value;
  const computed = [...shape.computed.keys()].map((own) => [own, row[computedColumn(name, own)]] as const);
  return { ...value, ...Object.fromEntries(computed) };
}
