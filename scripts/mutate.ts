/**
 * `deno task mutate`: would a test notice? Changes one operator, condition, constant, returned value, statement or `await`
 * of `src` at a time, in a copy of the working tree, and runs the tests that reach it. Without `--seed`, the seed follows
 * the commit. `--only` changes files at or below these paths only, `--tests` runs test files below these only. `--changed`
 * samples lines that changed with the last addition to the list of equivalent changes or since, and the seed follows that
 * commit: more tests leave the sample as it is. `--minutes` ends after that time and shows changes to tests near them first:
 * one survived where all tests that can reach it passed, and is undecided where they could not all run. `--seconds` ends the
 * search for a test that notices a change after that time: it counts as survived, so scores are never too good.
 * Exit code 1: a change that is not on the list survived; 2: nothing could be run, or tests failed before any change.
 *
 * @module
 */

import { sha256 } from "@oslojs/crypto/sha2";
import { encodeHexLowerCase } from "@oslojs/encoding";
import { Box } from "./mutate/box.ts";
import { type Changes, changesSinceFloor, git } from "./mutate/changes.ts";
import { isAbout, readEquivalents, staleEntries } from "./mutate/equivalents.ts";
import { findMutants, type Mutant, roomOf } from "./mutate/find_mutants.ts";
import { Lane } from "./mutate/lane.ts";
import { nearTests } from "./mutate/near_tests.ts";
import { measureReach, type TestReach, testsThatStartOthers } from "./mutate/reach.ts";
import { runMutant, type Verdict } from "./mutate/run_mutants.ts";
import { printVerdict, summary } from "./mutate/report.ts";
import { type Switched, withSwitches, withTextsToldOf } from "./mutate/switches.ts";
import { searchInTime } from "./mutate/timed_search.ts";
import { taskArgs } from "./parse_args.ts";
import { sourceFiles } from "./source_files.ts";

/** The test of this tool, which looks at the sources as they are. */
const OWN_TEST = "tests/scripts/mutate_test.ts";

const { options } = taskArgs(
  "deno task mutate [--sample N] [--seed N] [--only PATH,…] [--tests PATH,…] [--jobs N] [--changed] [--minutes N] [--seconds N] [--json]",
);

try {
  Deno.exit(await mutate());
} catch (error) {
  console.error(`mutate: ${error instanceof Error ? error.message : String(error)}`);
  Deno.exit(2);
}

async function mutate(): Promise<number> {
  const start = Date.now();
  const changes = options.changed ? changesSinceFloor() : undefined;
  if (options.changed && !changes) {
    note("--changed: the history of this clone does not tell what changed, so nothing is sampled");
  }
  const seed = String(options.seed ?? (changes?.floor ?? git("rev-parse", "HEAD")).slice(0, 7));
  const equivalents = readEquivalents();
  for (const stale of staleEntries(equivalents)) note(stale);
  const texts = new Map(sourcesToChange().map((file) => [file, Deno.readTextFileSync(file)]));
  const mutants = [...texts].flatMap(([file, text]) => findMutants(file, text)).filter((mutant) =>
    !equivalents.some((entry) => isAbout(entry, mutant)) && (!options.changed || isChanged(mutant, changes))
  );
  const sample = sampleOf(mutants, Number(options.sample ?? 100), seed);
  using box = openBox(sample, texts);
  const count = Math.max(1, Number(options.jobs ?? usualJobs()));
  const lanes = Array.from({ length: count }, () => new Lane(box, sample.length));
  endOnSignals(box, lanes);
  try {
    note(`${sample.length} of ${mutants.length} changes, seed ${seed}`);
    const { verdicts, failed } = options.minutes === undefined
      ? await searchAll(sample, lanes)
      : await searchWithin(sample, { lanes, changes, end: start + 60_000 * Number(options.minutes) });
    if (failed !== undefined) note(`mutate: ${failed}`);
    console.log(options.json ? JSON.stringify({ seed, verdicts }) : summary(verdicts));
    if (failed !== undefined) return 2;
    return verdicts.some(({ outcome }) => outcome === "survived") ? 1 : 0;
  } finally {
    for (const lane of lanes) lane.renew();
  }
}

/** Tests wait for other processes and for time to pass, so where time is short more run at a time than there are processors. */
function usualJobs(): number {
  return navigator.hardwareConcurrency + (options.minutes === undefined ? 0 : 2);
}

function isChanged({ file, line }: Mutant, changes: Changes | undefined): boolean {
  return changes?.lines.get(file)?.has(line) ?? false;
}

interface Found {
  readonly verdicts: readonly Verdict[];
  /** What to say of tests that fail without a change. */
  readonly failed?: string;
}

async function searchAll(sample: readonly Switched[], lanes: readonly Lane[]): Promise<Found> {
  const { reaches, failed } = await measureReach(testFiles(), { lanes, note });
  return { verdicts: await runAll(sample, { lanes, reaches }), failed };
}

async function searchWithin(
  sample: readonly Switched[],
  { lanes, changes, end }: {
    readonly lanes: readonly Lane[];
    readonly changes: Changes | undefined;
    readonly end: number;
  },
): Promise<Found> {
  const tests = testFiles();
  const starters = testsThatStartOthers(tests);
  const nearOf = (file: string) => nearTests(file, tests, changes?.testsWith.get(file));
  let count = 0;
  const decided = (verdict: Verdict) => note(`${++count}/${sample.length} ${printVerdict(verdict)}`);
  return await searchInTime(sample, { tests, starters, nearOf, lanes, end, note, decided });
}

/** Every lane takes the next mutant when it has ended one. */
async function runAll(
  sample: readonly Switched[],
  { lanes, reaches }: { readonly lanes: readonly Lane[]; readonly reaches: readonly TestReach[] },
): Promise<Verdict[]> {
  const starters = testsThatStartOthers(testFiles());
  const noticers = new Map<string, Set<string>>();
  const verdicts: Verdict[] = [];
  const waiting = [...sample];
  await Promise.all(lanes.map(async (lane) => {
    for (let switched = waiting.shift(); switched; switched = waiting.shift()) {
      const { file } = switched.mutant;
      const verdict = await runMutant(switched, {
        lane,
        known: { reaches, starters, noticers },
        mostMs: 1000 * Number(options.seconds ?? Infinity),
      });
      verdicts.push(verdict);
      const room = roomOf(file);
      if (verdict.by !== undefined) noticers.set(room, (noticers.get(room) ?? new Set()).add(verdict.by));
      note(`${verdicts.length}/${sample.length} ${printVerdict(verdict)}`);
    }
  }));
  return verdicts;
}

/** A copy of the tree with the switches of a sample in it. */
function openBox(sample: readonly Switched[], texts: ReadonlyMap<string, string>): Box {
  const box = new Box();
  const switched = Map.groupBy(sample, ({ mutant }) => mutant.file);
  for (const file of sourceFiles("src")) {
    const text = texts.get(file) ?? Deno.readTextFileSync(file);
    const own = switched.get(file);
    box.write(file, withTextsToldOf(own ? withSwitches(text, own) : text));
  }
  return box;
}

function endOnSignals(box: Box, lanes: readonly Lane[]): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      for (const lane of lanes) lane.renew();
      box[Symbol.dispose]();
      console.error("mutate: interrupted; the working tree is as it was");
      Deno.exit(2);
    });
  }
}

function sourcesToChange(): string[] {
  const sources = sourceFiles("src").filter((file) => !file.endsWith("_test.ts"));
  const paths = String(options.only ?? "src").split(",").map((path) => path.replace(/\/$/, ""));
  const files = paths.flatMap((path) => {
    const below = sources.filter((file) => file === path || file.startsWith(`${path}/`));
    if (below.length === 0) {
      throw new Error(`--only ${path}: there is no source in it; expected a path below src`);
    }
    return below;
  });
  return [...new Set(files)];
}

function testFiles(): string[] {
  const paths = String(options.tests ?? "").split(",");
  const files = sourceFiles("tests", "src").filter((file) =>
    file.endsWith("_test.ts") && file !== OWN_TEST && paths.some((path) => file.startsWith(path))
  );
  if (files.length === 0) throw new Error(`--tests ${options.tests}: there is no test file in it`);
  return files;
}

/** Each change has a place of its own in the order of a seed, so a sample changes only where the source does. */
function sampleOf(mutants: readonly Mutant[], size: number, seed: string): Switched[] {
  const places = new Map(mutants.map((mutant) => [mutant, placeOf(mutant, seed)]));
  return mutants.toSorted((a, b) => places.get(a)! < places.get(b)! ? -1 : 1).slice(0, size)
    .map((mutant, i) => ({ id: i + 1, mutant }));
}

function placeOf({ file, context, original, replacement }: Mutant, seed: string): string {
  const text = [seed, file, context, original, replacement].join("\n");
  return encodeHexLowerCase(sha256(new TextEncoder().encode(text)));
}

/** Progress goes beside the result. */
function note(text: string): void {
  console.error(text);
}
