/**
 * Suite `spec`: which rules of the specification are named by a test.
 *
 * @module
 */

import { sourceFiles } from "../source_files.ts";
import type { SuiteResult } from "./suite_result.ts";

/** Names of tests are string or template literals; ids stand in them in brackets. */
const BRACKETED = /\[(\d[\w.]*)\]/g;
const TEST_NAME = /(?:\btest|\.step)\(\s*(?:\{\s*name:\s*)?(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** Ids that stand in the name of a test of a file. */
function idsOf(text: string): string[] {
  return [...text.matchAll(TEST_NAME)].flatMap((name) => [...name[2].matchAll(BRACKETED)].map((id) => id[1]));
}

/**
 * Counts the rules of `spec-rules.json` that the name of at least one test holds in brackets.
 *
 * @param casesDir folder with `spec-rules.json`
 */
export function runSpecSuite(casesDir: string): SuiteResult {
  const rules: readonly { id: string; rule?: string; text?: string }[] = JSON.parse(
    Deno.readTextFileSync(`${casesDir}/spec-rules.json`),
  );
  const named = new Set(sourceFiles("tests").flatMap((file) => idsOf(Deno.readTextFileSync(file))));
  const known = new Set(rules.map((rule) => rule.id));
  const unknown = [...named].filter((id) => !known.has(id));
  const failed = rules.map((rule) => rule.id).filter((id) => !named.has(id));
  return {
    suite: "spec",
    passed: rules.length - failed.length,
    total: rules.length,
    failed,
    notes: unknown.length > 0 ? [`test names hold unknown ids: ${unknown.join(", ")}`] : [],
  };
}
