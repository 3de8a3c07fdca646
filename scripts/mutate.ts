/**
 * `deno task mutate [--sample N] [--seed N] [--only PATH] [--tests PATH,…] [--jobs N] [--changed] [--minutes N] [--json]`:
 * would a test notice? Changes one operator, condition, constant, returned value, statement or `await` of `src` at a time, in a
 * copy of the working tree, and runs the tests that reach it. Without `--seed`, the seed follows the commit. `--tests` runs test
 * files below these paths only. `--changed` samples lines that changed since the list of equivalent changes did, and the seed
 * follows the commit that changed it: more tests leave the sample as it is. `--minutes` ends after that time and runs only tests
 * near a change: it survived where all tests of its room that reach it passed, and is undecided where they could not all run.
 * Exit code 1: a change that is not on the list survived; 2: nothing could be run.
 *
 * @module
 */

import { sha256 } from "@oslojs/crypto/sha2";
import { encodeHexLowerCase } from "@oslojs/encoding";
import { Box } from "./mutate/box.ts";
import { type Changes, changesSinceFloor, git } from "./mutate/changes.ts";
import { readEquivalents } from "./mutate/equivalents.ts";
import { findMutants, type Mutant, roomOf } from "./mutate/find_mutants.ts";
import { nearestFirst, type NearTests, nearTests } from "./mutate/near_tests.ts";
import { measureReach, type TestReach } from "./mutate/reach.ts";
import { runMutant, runNear, testsOf, type Verdict } from "./mutate/run_mutants.ts";
import { printVerdict, summary } from "./mutate/report.ts";
import { parseArgs } from "./parse_args.ts";
import { sourceFiles } from "./source_files.ts";

const CACHE = "dist/mutate/reach";
const { options } = parseArgs(Deno.args, ["sample", "seed", "only", "jobs", "minutes", "tests"]);

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
  const isEquivalent = readEquivalents();
  const texts = new Map(sourcesToChange().map((file) => [file, Deno.readTextFileSync(file)]));
  const mutants = [...texts].flatMap(([file, text]) => findMutants(file, text))
    .filter((mutant) => !isEquivalent(mutant) && (!options.changed || isChanged(mutant, changes)));
  const sample = sampleOf(mutants, Number(options.sample ?? 100), seed);
  const near = options.minutes === undefined ? undefined : testsNear(sample, changes);
  const ends = endsAfter(start);
  const boxes = openBoxes(Math.max(1, Number(options.jobs ?? navigator.hardwareConcurrency)));
  try {
    note(`${sample.length} of ${mutants.length} changes, seed ${seed}`);
    const reaches = await measureReach(near ? nearestFirst([...near.values()]) : testFiles(), {
      ...{ cache: CACHE, box: boxes[0], genFolder: genFolder(), end: ends.measuring },
      onMissing: (count) => note(`measuring what ${count} test files reach`),
    });
    const verdicts = await runAll(sample, { boxes, reaches, texts, near, end: ends.running });
    console.log(options.json ? JSON.stringify({ seed, verdicts }) : summary(verdicts));
    return verdicts.some(({ outcome }) => outcome === "survived") ? 1 : 0;
  } finally {
    for (const box of boxes) box[Symbol.dispose]();
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

function testsNear(sample: readonly Mutant[], changes: Changes | undefined): Map<string, NearTests> {
  const tests = testFiles();
  return new Map(sample.map(({ file }) => [file, nearTests(file, tests, changes?.testsWith.get(file))]));
}

/** Every copy takes the next mutant when it has ended one. */
async function runAll(
  sample: readonly Mutant[],
  { boxes, reaches, texts, near, end }: {
    readonly boxes: readonly Box[];
    readonly reaches: readonly TestReach[];
    readonly texts: ReadonlyMap<string, string>;
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
  await Promise.all(boxes.map(async (box) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const text = texts.get(mutant.file)!;
      const known = { reaches, starters, noticers };
      const verdict = near
        ? await runNear(mutant, text, { box, near: near.get(mutant.file)!, known, end })
        : await runMutant(mutant, text, { box, tests: testsOf(mutant, known) });
      verdicts.push(verdict);
      const room = roomOf(mutant.file);
      if (verdict.by !== undefined) noticers.set(room, (noticers.get(room) ?? new Set()).add(verdict.by));
      note(`${verdicts.length}/${sample.length} ${printVerdict(verdict)}`);
    }
  }));
  return verdicts;
}

function openBoxes(count: number): Box[] {
  const boxes = Array.from({ length: count }, () => new Box());
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      for (const box of boxes) box[Symbol.dispose]();
      console.error("mutate: interrupted; the working tree is as it was");
      Deno.exit(2);
    });
  }
  return boxes;
}

/** Where Deno keeps transpiled texts. */
function genFolder(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).typescriptCache;
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
function sampleOf(mutants: readonly Mutant[], size: number, seed: string): readonly Mutant[] {
  const places = new Map(mutants.map((mutant) => [mutant, placeOf(mutant, seed)]));
  return mutants.toSorted((a, b) => places.get(a)! < places.get(b)! ? -1 : 1).slice(0, size);
}

function placeOf({ file, context, original, replacement }: Mutant, seed: string): string {
  const text = [seed, file, context, original, replacement].join("\n");
  return encodeHexLowerCase(sha256(new TextEncoder().encode(text)));
}

/** Progress goes beside the result. */
function note(text: string): void {
  console.error(text);
}
