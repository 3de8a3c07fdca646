/**
 * Recorded cases that our decisions overrule (wire behaviour, section 12).
 *
 * @module
 */

import drafts from "./overruled_drafts.json" with { type: "json" };

const GROUPS: Readonly<Record<string, readonly number[]>> = {
  "conf-authorization-dev": [1],
  "conf-production-production-dev": [13],
  "conf-authentication-dev": [15],
  "conf-authorization-writes": [2, 4, 5],
  "conf-errors-dev": [1, 16],
  "conf-batch-multipart-reads": [12],
  "conf-batch-json-reads": [10],
  "conf-localization-dev": [5],
  "conf-messages-dev": [7],
  "bookshop-errors-dev": [9, 10],
  // options that a resource does not have, and literals of another type, are refused
  "bookshop-query-count-dev": [6],
  "bookshop-query-filter-dev": [47],
  "bookshop-query-orderby-dev": [6],
  "bookshop-query-paging-dev": [8],
  "bookshop-delete-books": [11],
  "bookshop-query-apply-dev": [11, 15],
  "conf-query-select-dev": [8],
  "conf-deep-insert": [8, 9],
  "conf-media-streams": [11],
  "conf-rest-writes": [4, 15],
  "bookshop-batch-json-books": [3, 5, 6],
};

/** Ids (`group/case`) of overruled cases. */
export const OVERRULED: ReadonlySet<string> = new Set([
  ...Object.entries(GROUPS).flatMap(([group, numbers]) =>
    numbers.map((number) => `${group}/${String(number).padStart(3, "0")}`)
  ),
  // each with the decision that overrules it
  ...Object.keys(drafts),
]);
