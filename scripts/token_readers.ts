/**
 * Who may look into the token arrays of expressions (`xpr`): what makes trees of them, grammars, the printer, and what checks
 * the text of models and queries where it was written. All others walk trees.
 *
 * @module
 */

/** Files and folders below `src/` that make or print token arrays. */
const MAKERS: readonly string[] = ["algebra/from_cqn", "cqn/", "model/cdl/"];

/** Files that read a model or a query as it was written, to name the place of what they refuse or warn of. */
const CHECKERS: ReadonlySet<string> = new Set([
  "hcql/client_query.ts",
  "model/infer/check_query.ts",
  "model/infer/check_references.ts",
  "model/infer/view_associations.ts",
  "model/warnings/model_warnings.ts",
]);

/** Whether a file below `src/` may look into token arrays. */
export function mayReadTokens(pathInSrc: string): boolean {
  return MAKERS.some((place) => pathInSrc.startsWith(place)) || CHECKERS.has(pathInSrc);
}
