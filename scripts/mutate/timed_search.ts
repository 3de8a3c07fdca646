/**
 * Looks for tests that notice changes, for all changes at once and as long as there is time. Each change is shown to its nearest
 * test, then each that is left to the next one, so that all get about the same time: what a near test notices costs little, and
 * what none of them notices has the time that remains.
 *
 * @module
 */

import type { Lane } from "./lane.ts";
import { mostWordsFirst, type NearTests } from "./near_tests.ts";
import { describeFailures, type Failure, reachOf, type TestReach, testsThatLoad } from "./reach.ts";
import type { Outcome, Verdict } from "./run_mutants.ts";
import type { Switched } from "./switches.ts";
import { type FileOutcome, tryAnew, tryFile } from "./try_file.ts";

/** What tests there are, and the time. */
export interface TimedSearchOptions {
  /** Paths of all test files. */
  readonly tests: readonly string[];
  /** Those of them that start processes or workers, whose switches nobody counts. */
  readonly starters: ReadonlySet<string>;
  /** The tests near a source file. */
  readonly nearOf: (file: string) => NearTests;
  readonly lanes: readonly Lane[];
  /** When to end, though changes are undecided. */
  readonly end: number;
  /** Hears how it goes. */
  readonly note: (text: string) => void;
  /** Hears of each change that is decided. */
  readonly decided: (verdict: Verdict) => void;
}

/** How long the tests of its room may run once more with a change on from the start. */
const MOST_ANEW_MS = 40_000;

/** How many tests stand in for those of a room that has none. */
const NEAREST = 5;

/** A change, and what is known of it. */
interface Candidate extends Switched {
  /** The test files of its room that load it. */
  readonly own: ReadonlySet<string>;
  /** Test files that it was not shown to yet, nearest first. */
  readonly waiting: string[];
  /** Test files that reached it, and passed. */
  readonly passed: Set<string>;
  /** How many lanes are at work on it. */
  lanes: number;
  tests: number;
  ms: number;
  /** Whether the tests of its room ran, or are running, with it on from the start. */
  isTriedAnew: boolean;
  /** Whether a test could not be asked: that the others pass says nothing then. */
  isUncertain: boolean;
  outcome?: Outcome;
}

/** What a lane does next: show a change to a test, or without one, to those of its room with the change on from the start. */
interface Step {
  readonly change: Candidate;
  readonly test?: string;
}

/** A test that failed with a change on, or did not end. */
interface Noticed {
  readonly outcome: "noticed" | "timed out";
  readonly test: string;
}

/**
 * Shows changes to the tests that may notice them.
 *
 * @returns what to say of tests that fail without a change. A change survived only where all test files ran that load its module
 *   or start processes, and those that reach it passed; where the time ends before, it is undecided
 */
export async function searchInTime(
  sample: readonly Switched[],
  options: TimedSearchOptions,
): Promise<{ readonly verdicts: readonly Verdict[]; readonly failed?: string }> {
  const search = new TimedSearch(sample, options);
  await Promise.all(options.lanes.map((lane) => search.workIn(lane)));
  return search.end();
}

class TimedSearch {
  readonly #options: TimedSearchOptions;
  readonly #changes: readonly Candidate[];
  readonly #reaches = new Map<string, Promise<TestReach | Failure | undefined>>();
  readonly #failures = new Map<string, string>();
  readonly #verdicts: Verdict[] = [];

  constructor(sample: readonly Switched[], options: TimedSearchOptions) {
    this.#options = options;
    this.#changes = sample.map((switched) => candidateOf(switched, options));
  }

  /** Does one step after the other until none is left, or no time. */
  async workIn(lane: Lane): Promise<void> {
    for (let step = this.#next(); step && Date.now() < this.#options.end; step = this.#next()) {
      const { change, test } = step;
      const start = performance.now();
      change.lanes++;
      const noticed = test === undefined
        ? await this.#showAnew(change, lane)
        : await this.#show(change, test, lane);
      change.lanes--;
      change.ms += performance.now() - start;
      if (noticed) this.#decide(change, noticed.outcome, noticed.test);
      else this.#judgeUnnoticed(change);
    }
  }

  /** Ends what is not decided. */
  end(): { readonly verdicts: readonly Verdict[]; readonly failed?: string } {
    for (const change of this.#changes) if (!change.outcome) this.#decide(change, "undecided");
    return { verdicts: this.#verdicts, failed: describeFailures(this.#failures) };
  }

  /** Of the changes that fewest lanes are at work on, the one that took the least time so far. */
  #next(): Step | undefined {
    const [change] = this.#changes
      .filter((one) => !one.outcome && (one.waiting.length > 0 || isReadyAnew(one)))
      .sort((a, b) => a.lanes - b.lanes || a.ms - b.ms);
    if (!change) return undefined;
    if (!isReadyAnew(change)) return { change, test: change.waiting.shift() };
    change.isTriedAnew = true;
    return { change };
  }

  async #show(change: Candidate, test: string, lane: Lane): Promise<Noticed | undefined> {
    const reach = await this.#reachOf(test, lane);
    if (!reach || "failure" in reach) {
      change.isUncertain = true;
      return undefined;
    }
    const { id } = change;
    if (change.outcome || !(reach.ids.has(id) || this.#options.starters.has(test))) return undefined;
    const outcome = await tryFile(reach, { id, lane, end: this.#options.end });
    if (outcome === "unseen" && reach.ids.has(id)) change.isUncertain = true;
    return hear(change, test, outcome);
  }

  /** Runs tests of its room with a change on from the start: what they find built was built with it. */
  async #showAnew(change: Candidate, lane: Lane): Promise<Noticed | undefined> {
    const { id, own, passed } = change;
    const end = Math.min(this.#options.end, Date.now() + MOST_ANEW_MS);
    let noticed: Noticed | undefined;
    for (const test of own) {
      const reach = await this.#reaches.get(test);
      if (!reach || "failure" in reach || reach.isApart || (passed.size > 0 && !passed.has(test))) continue;
      const outcome = await tryAnew(reach, { id, lane, end });
      noticed = hear(change, test, outcome);
      if (outcome !== "passed") break;
    }
    lane.aside.renew();
    return noticed;
  }

  /** What no test of its room noticed goes on to all others, unless they cannot decide it. */
  #judgeUnnoticed(change: Candidate): void {
    if (change.outcome || change.lanes > 0 || !change.isTriedAnew) return;
    if (change.isUncertain) this.#decide(change, "undecided");
    else if (change.waiting.length === 0) {
      this.#decide(change, change.passed.size > 0 ? "survived" : "not reached");
    }
  }

  #decide(change: Candidate, outcome: Outcome, by?: string): void {
    if (change.outcome) return;
    change.outcome = outcome;
    const { mutant, tests, ms } = change;
    const verdict = { mutant, outcome, tests, ms: Math.round(ms), ...(by !== undefined && { by }) };
    this.#verdicts.push(verdict);
    this.#options.decided(verdict);
  }

  /** Each test file runs once without a change. */
  #reachOf(test: string, lane: Lane): Promise<TestReach | Failure | undefined> {
    const known = this.#reaches.get(test);
    if (known) return known;
    const reach = reachOf(test, lane, this.#options).then((found) => {
      if (found && "failure" in found) this.#failures.set(test, found.failure);
      return found;
    });
    this.#reaches.set(test, reach);
    return reach;
  }
}

/** Keeps how a test went. */
function hear(change: Candidate, test: string, outcome: FileOutcome): Noticed | undefined {
  change.tests++;
  if (outcome === "noticed" || outcome === "timed out") return { outcome, test };
  if (outcome === "passed") change.passed.add(test);
  else if (outcome === "out of time") change.isUncertain = true;
  return undefined;
}

function candidateOf(switched: Switched, { tests, starters, nearOf }: TimedSearchOptions): Candidate {
  const { file } = switched.mutant;
  const near = nearOf(file);
  const loaders = testsThatLoad(file, tests);
  const nearest = near.inOrder.filter((test) => loaders.has(test));
  const others = mostWordsFirst(file, [...loaders.union(starters).difference(new Set(nearest))]);
  const waiting = [...nearest, ...others];
  const own = new Set(nearest.filter((test) => near.own.has(test)));
  return {
    ...switched,
    own: own.size > 0 ? own : new Set(waiting.slice(0, NEAREST)),
    waiting,
    passed: new Set(),
    ...{ lanes: 0, tests: 0, ms: 0, isTriedAnew: false, isUncertain: false },
  };
}

/** Whether all tests of its room had their turn, and none noticed it. */
function isReadyAnew({ own, waiting, lanes, isTriedAnew }: Candidate): boolean {
  return !isTriedAnew && lanes === 0 && !waiting.some((test) => own.has(test));
}
