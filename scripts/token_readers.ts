/**
 * Who may look into the token arrays of expressions (`xpr`): what makes trees of them, grammars, and the printer. All others
 * walk trees.
 *
 * @module
 */

/** Files and folders below `src/` that make or print token arrays. */
const READERS: readonly string[] = ["algebra/from_cqn", "cqn/", "model/cdl/"];

/** Files that do not read trees yet; no file is added here. */
const NOT_YET: ReadonlySet<string> = new Set([
  "hcql/client_query.ts",
  "model/infer/check_query.ts",
  "model/infer/check_references.ts",
  "model/infer/view_associations.ts",
  "model/search.ts",
  "model/warnings/model_warnings.ts",
  "odata/plan/options/plan_values.ts",
  "odata/remote/local_projection.ts",
  "odata/remote/remote_read.ts",
  "service/authorization/restrict_query.ts",
  "service/authorization/restrictions.ts",
  "service/rules/constraints.ts",
  "service/validation/element_rules.ts",
]);

/** Whether a file below `src/` may look into token arrays. */
export function mayReadTokens(pathInSrc: string): boolean {
  return READERS.some((place) => pathInSrc.startsWith(place)) || NOT_YET.has(pathInSrc);
}
