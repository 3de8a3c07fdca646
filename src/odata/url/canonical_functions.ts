/**
 * The canonical functions of OData 4.01 Part 2, section 5.1.1, as the table of functions has them.
 *
 * @module
 */

import { type CanonicalFunction, knownFunctions } from "../../algebra/functions.ts";

/** The functions by name in the spelling of the standard. */
export const CANONICAL_FUNCTIONS: ReadonlyMap<string, CanonicalFunction> = new Map(
  [...knownFunctions()].flatMap(([key, { odata }]) => odata ? [[odata.name ?? key, odata] as const] : []),
);

const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(
  [...CANONICAL_FUNCTIONS.keys()].map((name) => [name.toLowerCase(), name]),
);

/**
 * Finds a canonical function, whatever the letter case.
 *
 * @param name the name as written
 * @returns the name in the spelling of the standard, if there is such a function
 */
export function canonicalFunction(name: string): string | undefined {
  if (CANONICAL_FUNCTIONS.has(name)) return name;
  return BY_LOWER_CASE.get(name.toLowerCase());
}
