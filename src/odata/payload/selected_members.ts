/**
 * Selected properties of structures inside of rows (Protocol 11.2.5.1).
 *
 * @module
 */

import type { MemberShape } from "../plan/plan.ts";

/**
 * The part of a structure, or of the structures in a collection, that is selected.
 *
 * @param value the value of a row
 * @param shape what is selected; undefined for all
 * @returns a copy with the selected properties, in their order
 */
export function selectedMembers(value: unknown, shape: MemberShape | undefined): unknown {
  const select = shape?.select;
  if (select === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => selectedMembers(member, shape));
  const entries = Object.entries(value).filter(([name]) => select.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, selectedMembers(inner, select.get(name))]));
}
