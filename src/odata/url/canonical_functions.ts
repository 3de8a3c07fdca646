/**
 * The canonical functions of OData 4.01 Part 2, section 5.1.1, with the number of their arguments.
 *
 * @module
 */

/** Least and greatest number of arguments by name in the spelling of the standard. */
export const CANONICAL_FUNCTIONS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["concat", [2, 2]],
  ["contains", [2, 2]],
  ["endswith", [2, 2]],
  ["indexof", [2, 2]],
  ["length", [1, 1]],
  ["matchesPattern", [2, 2]],
  ["startswith", [2, 2]],
  ["substring", [2, 3]],
  ["tolower", [1, 1]],
  ["toupper", [1, 1]],
  ["trim", [1, 1]],
  ["year", [1, 1]],
  ["month", [1, 1]],
  ["day", [1, 1]],
  ["hour", [1, 1]],
  ["minute", [1, 1]],
  ["second", [1, 1]],
  ["fractionalseconds", [1, 1]],
  ["totalseconds", [1, 1]],
  ["date", [1, 1]],
  ["time", [1, 1]],
  ["totaloffsetminutes", [1, 1]],
  ["mindatetime", [0, 0]],
  ["maxdatetime", [0, 0]],
  ["now", [0, 0]],
  ["round", [1, 1]],
  ["floor", [1, 1]],
  ["ceiling", [1, 1]],
  ["geo.distance", [2, 2]],
  ["geo.length", [1, 1]],
  ["geo.intersects", [2, 2]],
  ["hassubset", [2, 2]],
  ["hassubsequence", [2, 2]],
  ["isdefined", [1, 1]],
]);

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
