/**
 * Changes that change nothing anybody can see: `tests/mutants.json`.
 *
 * @module
 */

import type { Mutant } from "./find_mutants.ts";

const FILE = "tests/mutants.json";

/** An entry of the list. It names its place by text, so it holds when lines move and ends when the line changes. */
interface Equivalent {
  readonly file: string;
  readonly context: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/**
 * Reads the list.
 *
 * @returns whether a mutant is on it
 * @throws Error when an entry lacks a member or its line is not there any more
 */
export function readEquivalents(): (mutant: Mutant) => boolean {
  const entries: readonly Equivalent[] = JSON.parse(Deno.readTextFileSync(FILE));
  for (const entry of entries) {
    const { file, context, reason } = entry;
    if (!reason) throw new Error(`${FILE}: an entry of ${file} has no reason`);
    const lines = Deno.readTextFileSync(file).split("\n").map((line) => line.trim());
    if (!lines.includes(context)) throw new Error(`${FILE}: ${file} has no line "${context}" any more`);
  }
  return (mutant) =>
    entries.some((entry) =>
      entry.file === mutant.file && entry.context === mutant.context &&
      entry.original === mutant.original && entry.replacement === mutant.replacement
    );
}
