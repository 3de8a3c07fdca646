/**
 * Runs the tests that reach a change until one fails.
 *
 * @module
 */

import { type Mutant, roomOf } from "./find_mutants.ts";
import type { Lane } from "./lane.ts";
import { type NearTests, nearTests } from "./near_tests.ts";
import { type TestReach, testsThatLoad } from "./reach.ts";
import type { Switched } from "./switches.ts";
import { tryAnew, tryFile } from "./try_file.ts";

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

/** How long one change may keep the others waiting where the time of all is bounded. */
const MOST_NEAR_MS = 40_000;

/** What is known of the tests. */
export interface KnownTests {
  readonly reaches: readonly TestReach[];
  /** Files that start processes of their own, whose switches nobody counts. */
  readonly starters: ReadonlySet<string>;
  /** Files that noticed a change before, by the room that was changed. */
  readonly noticers: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Where and how long a mutant is tried. */
export interface TrialOptions {
  readonly lane: Lane;
  readonly known: KnownTests;
  /** When to end though it is undecided. */
  readonly end?: number;
  /** For how long to look for a test that notices it: behind that it survived. */
  readonly mostMs?: number;
}

/**
 * Runs the tests near a mutant that reach it, as long as there is time.
 *
 * @returns survived only where all tests of its room are known and those that reach it passed; noticed by none of them and not
 *   known of all, or reached by none: undecided
 */
export async function runNear(
  switched: Switched,
  near: NearTests,
  { lane, known, end = Infinity }: TrialOptions,
): Promise<Verdict> {
  const measured = new Map(known.reaches.map((reach) => [reach.test, reach]));
  const reaches = near.inOrder.flatMap((test) => measured.get(test) ?? []);
  const verdict = await runMutant(switched, {
    lane,
    known: { ...known, reaches, starters: new Set() },
    end: Math.min(end, Date.now() + MOST_NEAR_MS),
  });
  const isJudged = reaches.some(({ test, ids }) => near.own.has(test) && ids.has(switched.id)) &&
    near.own.isSubsetOf(measured);
  const isOpen = verdict.outcome === "not reached" || (verdict.outcome === "survived" && !isJudged);
  return isOpen ? { ...verdict, outcome: "undecided" } : verdict;
}

/**
 * Runs the test files that reach a mutant with it on. Where one passes without reaching it again, because what it reached before
 * stays loaded or built, the files that load its module run once more in a host that starts with it.
 */
export async function runMutant(
  { id, mutant }: Switched,
  { lane, known, end = Infinity, mostMs = Infinity }: TrialOptions,
): Promise<Verdict> {
  const start = performance.now();
  const isOver = () => performance.now() - start >= mostMs;
  let tests = 0;
  const ended = (outcome: Outcome, by?: string): Verdict => {
    const ms = Math.round(performance.now() - start);
    return { mutant, outcome, tests, ms, ...(by !== undefined && { by }) };
  };
  const reaching = testsOf({ id, mutant }, known);
  if (reaching.length === 0) return ended("not reached");
  const passed = { seeing: 0, unseeing: new Set<string>() };
  for (const reach of reaching) {
    if (isOver()) return ended("survived");
    tests++;
    const outcome = await tryFile(reach, { id, lane, end });
    if (outcome === "out of time") return ended("undecided");
    if (outcome === "noticed" || outcome === "timed out") return ended(outcome, reach.test);
    if (outcome === "passed") passed.seeing++;
    else if (reach.ids.has(id)) passed.unseeing.add(reach.test);
  }
  if (passed.unseeing.size === 0) return ended("survived");
  try {
    lane.renew();
    for (const reach of loadersOf(mutant, known, passed)) {
      if (isOver()) break;
      tests++;
      const outcome = await tryAnew(reach, { id, lane, end });
      if (outcome === "out of time") return ended("undecided");
      if (outcome !== "passed") return ended(outcome, reach.test);
    }
  } finally {
    lane.renew();
  }
  return ended("survived");
}

/**
 * Finds the test files that reach a mutant: first those that noticed another one of its room, then those near it, the fastest of
 * each first. Starters stand in where no other file gets there.
 */
function testsOf({ id, mutant }: Switched, { reaches, starters, noticers }: KnownTests): TestReach[] {
  const known = noticers.get(roomOf(mutant.file));
  const { own } = nearTests(mutant.file, reaches.map(({ test }) => test));
  const rank = ({ test }: TestReach) => known?.has(test) ? 0 : own.has(test) ? 1 : 2;
  const inOrder = reaches.toSorted((a, b) => rank(a) - rank(b) || a.ms - b.ms);
  const found = inOrder.filter(({ ids }) => ids.has(id));
  return found.length > 0 ? found : inOrder.filter(({ test }) => starters.has(test));
}

/**
 * The test files that load the module of a mutant, the nearest first, then the fastest; where others passed and reached it, only
 * those of its room and those that did not reach it again.
 */
function loadersOf(
  { file }: Mutant,
  { reaches }: KnownTests,
  passed: { readonly seeing: number; readonly unseeing: ReadonlySet<string> },
): TestReach[] {
  const tests = reaches.map(({ test }) => test);
  const loaders = testsThatLoad(file, tests);
  const { own, inOrder } = nearTests(file, tests);
  const rank = ({ test }: TestReach) => inOrder.includes(test) ? inOrder.indexOf(test) : inOrder.length;
  return reaches.filter(({ test, isApart }) => loaders.has(test) && !isApart)
    .filter(({ test }) => passed.seeing === 0 || own.has(test) || passed.unseeing.has(test))
    .toSorted((a, b) => rank(a) - rank(b) || a.ms - b.ms);
}
