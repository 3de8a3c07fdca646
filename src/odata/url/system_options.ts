/**
 * Names of the system query options of a URL (OData 4.01 Part 2, section 5.1; Data Aggregation; Temporal Data).
 *
 * @module
 */

/** Names in the spelling of the standard, without `$`, by lower case. */
export const SYSTEM_OPTIONS: ReadonlyMap<string, string> = new Map(
  [
    "apply",
    "at",
    "compute",
    "count",
    "deltatoken",
    "expand",
    "filter",
    "format",
    "from",
    "id",
    "index",
    "orderby",
    "schemaversion",
    "search",
    "select",
    "skip",
    "skiptoken",
    "to",
    "toInclusive",
    "top",
  ].map((name) => [name.toLowerCase(), name]),
);

const BY_TEXT: ReadonlyMap<string, string> = new Map(
  [...SYSTEM_OPTIONS.values()].map((name) => [`$${name}`, name]),
);

/**
 * The name of an option that is written with `$`.
 *
 * @param text the option with `$`, in any letter case
 * @returns its name in the spelling of the standard, without `$`; undefined for any other text
 */
export function systemOption(text: string): string | undefined {
  return BY_TEXT.get(text) ?? SYSTEM_OPTIONS.get(text.slice(1).toLowerCase());
}

/** Options that only count with `$`: without it they are custom options. */
export const DOLLAR_REQUIRED: ReadonlySet<string> = new Set([
  "at",
  "deltatoken",
  "from",
  "skiptoken",
  "to",
  "toInclusive",
]);
