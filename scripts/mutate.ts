/**
 * `deno task mutate [--sample N] [--seed N] [--only PATH] [--tests PATH,…] [--jobs N] [--changed] [--reach FOLDER] [--json]`:
 * would a test notice? Changes one operator, condition, constant, returned value, statement or `await` of `src` at a time, in a
 * copy of the working tree, and runs the tests that reach it. Without `--seed`, the seed follows the commit. `--tests` runs test
 * files below these paths only. `--changed` samples what changed since the list of equivalent changes did. `--reach` takes what
 * a run of the tests recorded that had `--preload scripts/mutate/record_reach.ts` and `REACH_FOLDER=FOLDER`, and measures only what
 * is missing in it. Exit code 1: a change that is not on the list survived; 2: nothing could be run.
 *
 * @module
 */

import fc from "fast-check";
import { Box } from "./mutate/box.ts";
import { readEquivalents } from "./mutate/equivalents.ts";
import { findMutants, type Mutant } from "./mutate/find_mutants.ts";
import { measureReach, type TestReach } from "./mutate/reach.ts";
import { roomOf, runMutant, testsOf, type Verdict } from "./mutate/run_mutants.ts";
import { printVerdict, summary } from "./mutate/report.ts";
import { parseArgs } from "./parse_args.ts";
import { sourceFiles } from "./source_files.ts";

const CACHE = "dist/mutate/reach";
const { options } = parseArgs(Deno.args, ["sample", "seed", "only", "jobs", "reach", "tests"]);

try {
  Deno.exit(await mutate());
} catch (error) {
  console.error(`mutate: ${error instanceof Error ? error.message : String(error)}`);
  Deno.exit(2);
}

async function mutate(): Promise<number> {
  const seed = Number(options.seed ?? parseInt(git("rev-parse", "HEAD").slice(0, 7), 16));
  const isEquivalent = readEquivalents();
  const texts = new Map(sourcesToChange().map((file) => [file, Deno.readTextFileSync(file)]));
  const mutants = [...texts].flatMap(([file, text]) => findMutants(file, text))
    .filter((mutant) => !isEquivalent(mutant));
  const sample = sampleOf(mutants, Number(options.sample ?? 100), seed);
  const boxes = openBoxes(Math.max(1, Number(options.jobs ?? navigator.hardwareConcurrency)));
  try {
    note(`${sample.length} of ${mutants.length} changes, seed ${seed}`);
    const reaches = await measureReach(testFiles(), {
      ...{ cache: CACHE, box: boxes[0], genFolder: genFolder() },
      recorded: options.reach === undefined ? undefined : String(options.reach),
      onMissing: (count) => note(`measuring what ${count} test files reach`),
    });
    const verdicts = await runAll(sample, { boxes, reaches, texts });
    console.log(options.json ? JSON.stringify({ seed, verdicts }) : summary(verdicts));
    return verdicts.some(({ outcome }) => outcome === "survived") ? 1 : 0;
  } finally {
    for (const box of boxes) box[Symbol.dispose]();
  }
}

/** Every copy takes the next mutant when it has ended one. */
async function runAll(
  sample: readonly Mutant[],
  { boxes, reaches, texts }: {
    readonly boxes: readonly Box[];
    readonly reaches: readonly TestReach[];
    readonly texts: ReadonlyMap<string, string>;
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
      const tests = testsOf(mutant, { reaches, starters, noticers });
      const verdict = await runMutant(mutant, texts.get(mutant.file)!, { box, tests });
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
  const changed = options.changed ? changedFiles() : undefined;
  const files = sourceFiles("src").filter((file) =>
    !file.endsWith("_test.ts") && (file === only || file.startsWith(`${only}/`)) &&
    (changed?.has(file) ?? true)
  );
  if (files.length === 0 && !changed) {
    throw new Error(`--only ${only}: there is no source in it; expected a path below src`);
  }
  return files;
}

/** Files that changed since `tests/mutants.json` did; none where the history does not reach that far. */
function changedFiles(): Set<string> {
  const floor = git("log", "-1", "--format=%H", "--", "tests/mutants.json");
  if (floor === "" || git("rev-parse", "--is-shallow-repository") === "true") {
    note("--changed: the history of this clone does not tell what changed, so nothing is sampled");
    return new Set();
  }
  return new Set(git("diff", "--name-only", floor, "--", "src").split("\n"));
}

function testFiles(): string[] {
  const paths = String(options.tests ?? "").split(",");
  const files = sourceFiles("tests", "src").filter((file) =>
    file.endsWith("_test.ts") && paths.some((path) => file.startsWith(path))
  );
  if (files.length === 0) throw new Error(`--tests ${options.tests}: there is no test file in it`);
  return files;
}

function sampleOf(mutants: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  if (mutants.length <= size) return mutants;
  return fc.sample(fc.shuffledSubarray([...mutants], { minLength: size, maxLength: size }), {
    seed,
    numRuns: 1,
  })[0];
}

function git(...args: string[]): string {
  const { success, stdout } = new Deno.Command("git", { args }).outputSync();
  return success ? new TextDecoder().decode(stdout).trim() : "";
}

/** Progress goes beside the result. */
function note(text: string): void {
  console.error(text);
}
