/**
 * `deno task mutate [--sample N] [--seed N] [--only PATH] [--tests PATH,…] [--jobs N] [--changed] [--minutes N] [--seconds N] [--json]`:
 * would a test notice? Changes one operator, condition, constant, returned value, statement or `await` of `src` at a time, in a
 * copy of the working tree, and runs the tests that reach it. Without `--seed`, the seed follows the commit. `--tests` runs test
 * files below these paths only. `--changed` samples lines that changed since the list of equivalent changes did, and the seed
 * follows the commit that changed it: more tests leave the sample as it is. `--minutes` ends after that time and runs only tests
 * near a change: it survived where all tests of its room that reach it passed, and is undecided where they could not all run.
 * `--seconds` ends the search for a test that notices a change after that time: it counts as survived, so scores are never too good.
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
import { nearestFirst, type NearTests, nearTests } from "./mutate/near_tests.ts";
import { measureReach, type TestReach } from "./mutate/reach.ts";
import { runMutant, runNear, type Verdict } from "./mutate/run_mutants.ts";
import { printVerdict, summary } from "./mutate/report.ts";
import { type Switched, withSwitches } from "./mutate/switches.ts";
import { parseArgs } from "./parse_args.ts";
import { sourceFiles } from "./source_files.ts";

const { options } = parseArgs(Deno.args, ["sample", "seed", "only", "jobs", "minutes", "seconds", "tests"]);

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
  const near = options.minutes === undefined ? undefined : testsNear(sample, changes);
  const ends = endsAfter(start);
  using box = openBox(sample, texts);
  const count = Math.max(1, Number(options.jobs ?? navigator.hardwareConcurrency));
  const lanes = Array.from({ length: count }, () => new Lane(box, sample.length));
  endOnSignals(box, lanes);
  try {
    note(`${sample.length} of ${mutants.length} changes, seed ${seed}`);
    const tests = near ? nearestFirst([...near.values()]) : testFiles();
    const { reaches, failed } = await measureReach(tests, { lanes, end: ends.measuring, note });
    if (failed !== undefined) note(`mutate: ${failed}`);
    const verdicts = await runAll(sample, { lanes, reaches, near, end: ends.running });
    console.log(options.json ? JSON.stringify({ seed, verdicts }) : summary(verdicts));
    if (failed !== undefined) return 2;
    return verdicts.some(({ outcome }) => outcome === "survived") ? 1 : 0;
  } finally {
    for (const lane of lanes) lane.renew();
  }
}

/** Measuring takes at most half of the time. */
function endsAfter(start: number): { readonly measuring: number; readonly running: number } {
  const ms = 60_000 * Number(options.minutes ?? Infinity);
  return { measuring: start + ms / 2, running: start + ms };
}

function isChanged({ file, line }: Mutant, changes: Changes | undefined): boolean {
  return changes?.lines.get(file)?.has(line) ?? false;
}

function testsNear(sample: readonly Switched[], changes: Changes | undefined): Map<string, NearTests> {
  const tests = testFiles();
  return new Map(
    sample.map(({ mutant: { file } }) => [file, nearTests(file, tests, changes?.testsWith.get(file))]),
  );
}

/** Every lane takes the next mutant when it has ended one. */
async function runAll(
  sample: readonly Switched[],
  { lanes, reaches, near, end }: {
    readonly lanes: readonly Lane[];
    readonly reaches: readonly TestReach[];
    readonly near: ReadonlyMap<string, NearTests> | undefined;
    readonly end: number;
  },
): Promise<Verdict[]> {
  const starters = new Set(
    testFiles().filter((file) => /Deno\.(execPath|Command)/.test(Deno.readTextFileSync(file))),
  );
  const noticers = new Map<string, Set<string>>();
  const verdicts: Verdict[] = [];
  const waiting = [...sample];
  await Promise.all(lanes.map(async (lane) => {
    for (let switched = waiting.shift(); switched; switched = waiting.shift()) {
      const { file } = switched.mutant;
      const trial = { lane, known: { reaches, starters, noticers }, end };
      const verdict = near
        ? await runNear(switched, near.get(file)!, trial)
        : await runMutant(switched, { ...trial, mostMs: 1000 * Number(options.seconds ?? Infinity) });
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
  for (const [file, switched] of Map.groupBy(sample, ({ mutant }) => mutant.file)) {
    box.write(file, withSwitches(texts.get(file)!, switched));
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
  const only = String(options.only ?? "src").replace(/\/$/, "");
  const files = sourceFiles("src").filter((file) =>
    !file.endsWith("_test.ts") && (file === only || file.startsWith(`${only}/`))
  );
  if (files.length === 0) {
    throw new Error(`--only ${only}: there is no source in it; expected a path below src`);
  }
  return files;
}

function testFiles(): string[] {
  const paths = String(options.tests ?? "").split(",");
  const files = sourceFiles("tests", "src").filter((file) =>
    file.endsWith("_test.ts") && paths.some((path) => file.startsWith(path))
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
