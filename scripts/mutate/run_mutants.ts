/**
 * Runs the tests that reach a change until one fails.
 *
 * @module
 */

import { type Box, failingFiles } from "./box.ts";
import type { Mutant } from "./find_mutants.ts";
import type { TestReach } from "./reach.ts";

/** What became of a mutant. */
export type Outcome = "noticed" | "timed out" | "survived" | "not reached";

/** A mutant after its run. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
  /** The test file that noticed it. */
  readonly by?: string;
  /** Test files run, and how long. */
  readonly tests: number;
  readonly ms: number;
}

/** How many files one process takes: first a few fast ones, most mutants end there. */
const CHUNKS = [1, 4, 16, 64];
const LEAST_TIMEOUT_MS = 20_000;

/** What is known of the tests. */
export interface KnownTests {
  readonly reaches: readonly TestReach[];
  /** Files that start processes of their own, whose lines nobody counts. */
  readonly starters: ReadonlySet<string>;
  /** Files that noticed a change before, by the room that was changed. */
  readonly noticers: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Finds the test files that reach a mutant: first those that noticed another one of its room, then the fastest. Starters stand
 * in where no other file gets there.
 */
export function testsOf(mutant: Mutant, { reaches, starters, noticers }: KnownTests): TestReach[] {
  const line = codedLine(mutant, reaches);
  const known = noticers.get(roomOf(mutant.file));
  const rank = ({ test }: TestReach) => known?.has(test) ? 0 : 1;
  const inOrder = reaches.toSorted((a, b) => rank(a) - rank(b) || a.ms - b.ms);
  const found = inOrder.filter(({ reached }) => line !== undefined && reached[mutant.file]?.includes(line));
  return found.length > 0 ? found : inOrder.filter(({ test }) => starters.has(test));
}

/** `src/service/authorization/x.ts`: `service/authorization`; `src/errors/x.ts`: `errors`. */
export function roomOf(file: string): string {
  return file.split("/").slice(1, -1).slice(0, 2).join("/") || "src";
}

/** The line of a mutant, or the one above it that the transpiled text has. */
function codedLine({ file, line }: Mutant, reaches: readonly TestReach[]): number | undefined {
  const coded = reaches.find(({ coded }) => coded[file])?.coded[file] ?? [];
  return coded.filter((other) => other <= line).reduce<number | undefined>(
    (nearest, other) => nearest === undefined || other > nearest ? other : nearest,
    undefined,
  );
}

/**
 * Changes a file of the copy, runs tests, and writes the file back.
 *
 * @param mutant the change
 * @param text the text of its file
 * @param options the copy, and the tests to run in this order
 */
export async function runMutant(
  mutant: Mutant,
  text: string,
  { box, tests }: { readonly box: Box; readonly tests: readonly TestReach[] },
): Promise<Verdict> {
  const start = performance.now();
  const ended = (outcome: Outcome, count: number, by?: string): Verdict => {
    const ms = Math.round(performance.now() - start);
    return { mutant, outcome, tests: count, ms, ...(by !== undefined && { by }) };
  };
  if (tests.length === 0) return ended("not reached", 0);
  box.write(mutant.file, text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end));
  try {
    let count = 0;
    for (const chunk of chunksOf(tests)) {
      count += chunk.length;
      const timeoutMs = LEAST_TIMEOUT_MS + 3 * chunk.reduce((sum, { ms }) => sum + ms, 0);
      const files = chunk.map(({ test }) => test);
      const { code, output, timedOut } = await box.runTests(files, { failFast: true, timeoutMs });
      if (timedOut) return ended("timed out", count);
      if (code !== 0) return ended("noticed", count, [...failingFiles(output)][0]);
    }
    return ended("survived", count);
  } finally {
    box.write(mutant.file, text);
  }
}

function* chunksOf(tests: readonly TestReach[]): Generator<readonly TestReach[]> {
  let from = 0;
  for (let i = 0; from < tests.length; i++) {
    const size = CHUNKS[Math.min(i, CHUNKS.length - 1)];
    yield tests.slice(from, from + size);
    from += size;
  }
}
