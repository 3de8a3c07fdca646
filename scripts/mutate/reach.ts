/**
 * Which changes the tests of a file reach, and how long they take: each file runs once without a change.
 *
 * @module
 */

import ts from "typescript";
import { isFile } from "./box.ts";
import type { Lane } from "./lane.ts";
import type { FileRun } from "./messages.ts";

/** What a test file reaches. */
export interface TestReach {
  readonly test: string;
  /** How long the file takes. */
  readonly ms: number;
  /** Numbers of the changes that it reached. What it found loaded and built is not among them. */
  readonly ids: ReadonlySet<number>;
  /** Those of them that it reached outside its tests. */
  readonly outside: ReadonlySet<number>;
  /** Its tests in their order, with the changes that each reached; empty where it needs processes of its own. */
  readonly tests: readonly OneReach[];
  /** Whether it needs processes of its own, as it fails beside other files. */
  readonly isApart: boolean;
}

/** What one test reaches. */
export interface OneReach {
  readonly ms: number;
  readonly ids: ReadonlySet<number>;
}

/** Tests of a file. */
export interface Part {
  /** Their places in the file. */
  readonly tests: readonly number[];
  /** How long the file takes that runs these only. */
  readonly ms: number;
}

/** Why nothing is known of a test file: what it said when it failed without a change. */
export interface Failure {
  readonly failure: string;
}

/** How measuring goes. */
export interface MeasureOptions {
  /** When to end; without it: when all is known. */
  readonly end?: number;
  /** Hears how it goes. */
  readonly note: (text: string) => void;
}

/** How long a file may take beside others; in a process of its own it takes as long as it takes. */
const MOST_MS = 240_000;

/** After how many files is said how far it is. */
const PROGRESS = 50;

/** What test files said that fail without a change. */
const FAILED_RUN = "dist/mutate/failed_run.txt";

/**
 * Runs test files without a change, several at a time.
 *
 * @param tests their paths
 * @returns one per test file that passed, and what to say of those that fail
 */
export async function measureReach(
  tests: readonly string[],
  { lanes, note }: MeasureOptions & { readonly lanes: readonly Lane[] },
): Promise<{ readonly reaches: readonly TestReach[]; readonly failed?: string }> {
  note(`measuring what ${tests.length} test files reach`);
  const waiting = [...tests];
  const reaches: TestReach[] = [];
  const failures = new Map<string, string>();
  await Promise.all(lanes.map(async (lane) => {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
      const reach = await reachOf(test, lane, { note });
      if (reach && "failure" in reach) failures.set(test, reach.failure);
      else if (reach) reaches.push(reach);
      if (reaches.length % PROGRESS === 0) note(`measured ${reaches.length} of ${tests.length}`);
    }
  }));
  return { reaches, failed: describeFailures(failures) };
}

/** Writes down what test files said that fail without a change; `undefined` where there are none. */
export function describeFailures(failures: ReadonlyMap<string, string>): string | undefined {
  if (failures.size === 0) return undefined;
  Deno.mkdirSync(FAILED_RUN.replace(/\/[^/]*$/, ""), { recursive: true });
  Deno.writeTextFileSync(FAILED_RUN, [...failures].map(([test, text]) => `${test}\n${text}\n`).join("\n"));
  const files = [...failures.keys()].sort().join(", ");
  return `the tests fail before any change: ${files} (${FAILED_RUN})`;
}

/**
 * Runs one test file without a change: in a new host where it fails in one that ran others, then in processes of its own.
 *
 * @returns `undefined` where the time was over before it ended
 */
export async function reachOf(
  test: string,
  lane: Lane,
  { end = Infinity, note }: MeasureOptions,
): Promise<TestReach | Failure | undefined> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const host = await lane.open();
    const run = await host.run({ file: test, mutant: 0 }, Math.min(MOST_MS, end - Date.now()));
    if (run && run.failure === undefined) {
      return reachOfRun(test, run);
    }
    lane.renew();
    if (Date.now() >= end) return undefined;
    note(`${test} failed beside other files: ${(run?.failure ?? "it did not end").split("\n")[0]}`);
  }
  return await reachApart(test, lane, end);
}

function reachOfRun(test: string, { ms, hits, tests: runs }: FileRun): TestReach {
  const tests = runs.map((run) => ({ ms: run.ms, ids: new Set(run.hits) }));
  const outside = new Set(hits);
  const ids = tests.reduce((all, one) => all.union(one.ids), outside);
  return { test, ms, ids, outside, tests, isApart: false };
}

/**
 * The tests of a file that can tell whether a change is on: those that reached it, or all where the file did so outside them, or
 * where nobody counts what it reaches.
 */
export function partReaching({ ms, outside, tests }: TestReach, id: number): Part {
  const places = [...tests.keys()];
  const reaching = places.filter((place) => tests[place].ids.has(id));
  if (outside.has(id) || reaching.length === 0) return { tests: places, ms };
  const others = places.filter((place) => !tests[place].ids.has(id));
  return { tests: reaching, ms: ms - others.reduce((sum, place) => sum + tests[place].ms, 0) };
}

async function reachApart(
  test: string,
  { box }: Lane,
  end: number,
): Promise<TestReach | Failure | undefined> {
  const hits = Deno.makeTempFileSync({ dir: box.folder, suffix: ".json" });
  try {
    const start = performance.now();
    const { code, output, timedOut } = await box.runTests([test], {
      timeoutMs: end - Date.now(),
      preload: new URL("./record_hits.ts", import.meta.url).pathname,
      env: { HITS_FILE: hits },
    });
    if (timedOut) return undefined;
    if (code !== 0) return { failure: output };
    const ids = new Set<number>(JSON.parse(Deno.readTextFileSync(hits)));
    return { test, ms: Math.round(performance.now() - start), ids, outside: ids, tests: [], isApart: true };
  } finally {
    Deno.removeSync(hits);
  }
}

/** The test files that load a file of the project. */
export function testsThatLoad(file: string, tests: readonly string[]): Set<string> {
  return new Set(tests.filter((test) => loadedBy(test).has(file)));
}

/** The test files that start processes or workers, or load what does: nobody counts the switches there. */
export function testsThatStartOthers(tests: readonly string[]): Set<string> {
  return new Set(tests.filter((test) => loadedBy(test).values().some(startsOthers)));
}

/** Whether a file starts processes or workers. */
function startsOthers(file: string): boolean {
  return /\bDeno\.(execPath|Command)\b|\bnew Worker\(/.test(Deno.readTextFileSync(file));
}

const loaded = new Map<string, ReadonlySet<string>>();

/** A test file and all files of the project that it imports. */
function loadedBy(test: string): ReadonlySet<string> {
  const known = loaded.get(test);
  if (known) return known;
  const files = new Set([test]);
  for (const file of files) for (const other of importsOf(file)) files.add(other);
  loaded.set(test, files);
  return files;
}

const imports = new Map<string, readonly string[]>();
let aliases: Readonly<Record<string, string>> | undefined;

function importsOf(file: string): readonly string[] {
  const known = imports.get(file);
  if (known) return known;
  aliases ??= JSON.parse(Deno.readTextFileSync("import_map.json")).imports as Readonly<
    Record<string, string>
  >;
  const found = ts.preProcessFile(Deno.readTextFileSync(file), true, true).importedFiles
    .map(({ fileName }) => aliases![fileName] ?? new URL(fileName, `file:///${file}`).pathname.slice(1))
    .map((path: string) => path.replace(/^\.\//, ""))
    .filter((path: string) => /\.[tj]s$/.test(path) && isFile(path));
  imports.set(file, found);
  return found;
}
