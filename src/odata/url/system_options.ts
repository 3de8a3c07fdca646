/**
 * Names of the system query options of a URL (OData 4.01 Part 2, section 5.1; Data Aggregation; Temporal Data).
 *
 * @module
 */

import { WordTable } from "./word_table.ts";

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

const NAMES: WordTable<string> = new WordTable([], SYSTEM_OPTIONS);

/**
 * The name of a system query option that is written with `$`.
 *
 * @param text the option with `$`, in any letter case
 * @returns its name in the spelling of the standard, without `$`; undefined for any other text
 */
export function systemOption(text: string): string | undefined {
  return NAMES.find(text, 1, text.length);
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
