/**
 * Runs the tests that reach a change until one fails.
 *
 * @module
 */

import { type Mutant, roomOf } from "./find_mutants.ts";
import type { Lane } from "./lane.ts";
import { mostWordsFirst, nearTests } from "./near_tests.ts";
import { partReaching, type TestReach, testsThatLoad } from "./reach.ts";
import type { Switched } from "./switches.ts";
import { type FileOutcome, tryAnew, tryFile } from "./try_file.ts";

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
  /** For how long to look for a test that notices it: behind that it survived. */
  readonly mostMs?: number;
}

/**
 * Runs the test files that reach a mutant with it on. What others built before stays built, so those of its room that pass run
 * once more in a host that starts with it; where they do not even reach it again, those that load its module do, too. A mutant
 * of what modules do while they load is tried so at once.
 */
export async function runMutant(
  { id, mutant }: Switched,
  { lane, known, mostMs = Infinity }: TrialOptions,
): Promise<Verdict> {
  const start = performance.now();
  let tests = 0;
  const ended = (outcome: Outcome, by?: string): Verdict => {
    const ms = Math.round(performance.now() - start);
    return { mutant, outcome, tests, ms, ...(by !== undefined && { by }) };
  };
  const reaching = testsOf({ id, mutant }, known);
  if (reaching.length === 0) return ended("not reached");
  const passed = { seeing: new Set<string>(), unseeing: new Set<string>() };
  const firstNoticing = async (
    reaches: readonly TestReach[],
    run: (reach: TestReach) => Promise<FileOutcome>,
  ): Promise<Verdict | undefined> => {
    for (const reach of reaches) {
      if (performance.now() - start >= mostMs) return ended("survived");
      tests++;
      const outcome = await run(reach);
      if (outcome === "noticed" || outcome === "timed out") return ended(outcome, reach.test);
    }
    return undefined;
  };
  const runBuilt = (reaches: readonly TestReach[]) =>
    firstNoticing(reaches, async (reach) => {
      const outcome = await tryFile(reach, { id, lane });
      if (outcome === "passed") passed.seeing.add(reach.test);
      else if (reach.ids.has(id)) passed.unseeing.add(reach.test);
      return outcome;
    });
  const runAnew = async () => {
    try {
      const loaders = loadersOf(mutant, known, passed);
      return await firstNoticing(loaders, (reach) => tryAnew(reach, { id, lane }));
    } finally {
      lane.aside.renew();
    }
  };
  if (!mutant.isOfLoad) return await runBuilt(reaching) ?? await runAnew() ?? ended("survived");
  const loading = reaching.filter((reach) => reach.ids.has(id) && !reach.isApart);
  for (const { test } of loading) passed.unseeing.add(test);
  const others = reaching.filter((reach) => !loading.includes(reach));
  return await runAnew() ?? await runBuilt(others) ?? ended("survived");
}

/** How much longer tests may take that come before those that noticed no other mutant of the room: those near it, and others. */
const PATIENCE = { noticed: 8, near: 4, other: 1 };
/** What any test file takes beside its tests. */
const BASE_MS = 20;

/**
 * Finds the test files that may notice a mutant: those that reach it, the fastest first, where those that noticed another one of
 * its room or are near it count as faster; then starters of its room, or all where nothing else gets there, the nearest first.
 */
function testsOf({ id, mutant }: Switched, { reaches, starters, noticers }: KnownTests): TestReach[] {
  const known = noticers.get(roomOf(mutant.file));
  const { own } = nearTests(mutant.file, reaches.map(({ test }) => test));
  const patience = ({ test }: TestReach) =>
    known?.has(test) ? PATIENCE.noticed : own.has(test) ? PATIENCE.near : PATIENCE.other;
  const found = reaches.filter(({ ids }) => ids.has(id));
  const cost = new Map(found.map((reach) => {
    return [reach, (BASE_MS + partReaching(reach, id).ms) / patience(reach)];
  }));
  found.sort((a, b) => cost.get(a)! - cost.get(b)!);
  const others = reaches.filter(({ test, ids }) =>
    starters.has(test) && !ids.has(id) && (found.length === 0 || own.has(test))
  );
  const inOrder = mostWordsFirst(mutant.file, others.map(({ test }) => test));
  const place = ({ test }: TestReach) => inOrder.indexOf(test);
  return [...found, ...others.sort((a, b) => patience(b) - patience(a) || place(a) - place(b))];
}

/**
 * The test files to run with a mutant on from the start, the nearest first, then the fastest: those of its room that reached it,
 * or that load its module where a file did not reach it again; those files; and where none reached it again, all that load it.
 */
function loadersOf(
  { file }: Mutant,
  { reaches }: KnownTests,
  passed: { readonly seeing: ReadonlySet<string>; readonly unseeing: ReadonlySet<string> },
): TestReach[] {
  const tests = reaches.map(({ test }) => test);
  const loaders = testsThatLoad(file, tests);
  const { own, inOrder } = nearTests(file, tests);
  const rank = ({ test }: TestReach) => inOrder.includes(test) ? inOrder.indexOf(test) : inOrder.length;
  const isRunAnew = (test: string) => {
    if (passed.seeing.size === 0) return true;
    if (passed.unseeing.size > 0) return own.has(test) || passed.unseeing.has(test);
    return own.has(test) && passed.seeing.has(test);
  };
  return reaches.filter(({ test, isApart }) => loaders.has(test) && !isApart && isRunAnew(test))
    .toSorted((a, b) => rank(a) - rank(b) || a.ms - b.ms);
}
