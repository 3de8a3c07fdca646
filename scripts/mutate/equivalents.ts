/**
 * Changes that change nothing anybody can see: `tests/mutants.json`.
 *
 * @module
 */

import { isFile } from "./box.ts";
import { findMutants, type Mutant } from "./find_mutants.ts";

const FILE = "tests/mutants.json";

/** An entry of the list. It names its place by text, so it holds when lines move and ends when the line changes. */
export interface Equivalent {
  readonly file: string;
  readonly context: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/**
 * Reads the list.
 *
 * @throws Error when an entry has no reason
 */
export function readEquivalents(): readonly Equivalent[] {
  const entries: readonly Equivalent[] = JSON.parse(Deno.readTextFileSync(FILE));
  for (const { file, reason } of entries) {
    if (!reason) throw new Error(`${FILE}: an entry of ${file} has no reason`);
  }
  return entries;
}

/** Whether an entry is about a mutant. */
export function isAbout({ file, context, original, replacement }: Equivalent, mutant: Mutant): boolean {
  return file === mutant.file && context === mutant.context && original === mutant.original &&
    replacement === mutant.replacement;
}

/** What to do about entries whose change is not there any more. */
export function staleEntries(entries: readonly Equivalent[]): string[] {
  const mutants = new Map<string, readonly Mutant[]>();
  return entries.filter((entry) => {
    const { file } = entry;
    if (!mutants.has(file)) {
      mutants.set(file, isFile(file) ? findMutants(file, Deno.readTextFileSync(file)) : []);
    }
    return !mutants.get(file)!.some((mutant) => isAbout(entry, mutant));
  }).map(({ file, context, original, replacement }) =>
    `${FILE}: ${file} has no "${original}" → "${replacement}" in a line "${context}" any more: ` +
    "correct the entry, or delete it"
  );
}
