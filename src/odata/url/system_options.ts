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

/** Options that only count with `$`: without it they are custom options. */
export const DOLLAR_REQUIRED: ReadonlySet<string> = new Set([
  "at",
  "deltatoken",
  "from",
  "skiptoken",
  "to",
  "toInclusive",
]);
