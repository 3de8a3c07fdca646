/**
 * Runs the tests that reach a change until one fails.
 *
 * @module
 */

import { type Box, failingFiles } from "./box.ts";
import { type Mutant, roomOf } from "./find_mutants.ts";
import type { NearTests } from "./near_tests.ts";
import type { TestReach } from "./reach.ts";

/** What became of a mutant. */
export type Outcome = "noticed" | "timed out" | "survived" | "not reached" | "undecided";

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
/** How long one change may keep the others waiting where the time of all is bounded. */
const MOST_NEAR_MS = 40_000;

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

/** The line of a mutant, or the one above it that the transpiled text has. */
function codedLine({ file, line }: Mutant, reaches: readonly TestReach[]): number | undefined {
  const coded = reaches.find(({ coded }) => coded[file])?.coded[file] ?? [];
  return coded.filter((other) => other <= line).reduce<number | undefined>(
    (nearest, other) => nearest === undefined || other > nearest ? other : nearest,
    undefined,
  );
}

/**
 * Runs the tests near a mutant that reach it, as long as there is time.
 *
 * @returns survived only where all tests of its room are known and those that reach it passed; noticed by none of them and not
 *   known of all, or reached by none: undecided
 */
export async function runNear(
  mutant: Mutant,
  text: string,
  { box, near, known, end }: {
    readonly box: Box;
    readonly near: NearTests;
    readonly known: KnownTests;
    readonly end: number;
  },
): Promise<Verdict> {
  const measured = new Map(known.reaches.map((reach) => [reach.test, reach]));
  const reaches = near.inOrder.flatMap((test) => measured.get(test) ?? []);
  const tests = testsOf(mutant, { ...known, reaches, starters: new Set() });
  const verdict = await runMutant(mutant, text, {
    box,
    tests,
    end: Math.min(end, Date.now() + MOST_NEAR_MS),
  });
  const isJudged = tests.some(({ test }) => near.own.has(test)) && near.own.isSubsetOf(measured);
  const isOpen = verdict.outcome === "not reached" || (verdict.outcome === "survived" && !isJudged);
  return isOpen ? { ...verdict, outcome: "undecided" } : verdict;
}

/**
 * Changes a file of the copy, runs tests, and writes the file back.
 *
 * @param mutant the change
 * @param text the text of its file
 * @param options the copy, the tests to run in this order, and when to end though it is undecided
 */
export async function runMutant(
  mutant: Mutant,
  text: string,
  { box, tests, end = Infinity }: {
    readonly box: Box;
    readonly tests: readonly TestReach[];
    readonly end?: number;
  },
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
      const timeoutMs = LEAST_TIMEOUT_MS + 3 * chunk.reduce((sum, { ms }) => sum + ms, 0);
      const leftMs = end - Date.now();
      if (leftMs <= 0) return ended("undecided", count);
      count += chunk.length;
      const files = chunk.map(({ test }) => test);
      const { code, output, timedOut } = await box.runTests(files, {
        ...{ failFast: true, timeoutMs: Math.min(timeoutMs, leftMs) },
      });
      if (timedOut) return ended(leftMs < timeoutMs ? "undecided" : "timed out", count);
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
