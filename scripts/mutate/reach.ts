/**
 * Which test files reach a line of `src`, measured once per content of a test file and of what it imports.
 *
 * @module
 */

import { SourceMap } from "node:module";
import { sha256 } from "@oslojs/crypto/sha2";
import { encodeHexLowerCase } from "@oslojs/encoding";
import ts from "typescript";
import { type Box, failingFiles, isFile } from "./box.ts";
import type { Range, Reach } from "./record_reach.ts";

/** What a test file reaches. */
export interface TestReach {
  readonly test: string;
  /** How long the file takes. */
  readonly ms: number;
  /** Lines by source file, counted from 1, and lines that have code at all. */
  readonly reached: Readonly<Record<string, readonly number[]>>;
  readonly coded: Readonly<Record<string, readonly number[]>>;
}

/** How measuring goes. */
export interface MeasureOptions {
  /** The folder of measurements. */
  readonly cache: string;
  /** The copy of the tree in which changes will be tried: what fails there without one would notice anything. */
  readonly box: Box;
  /** Where Deno keeps transpiled texts. */
  readonly genFolder: string;
  /** Hears how many files still have to be run. */
  readonly onMissing: (count: number) => void;
  /** When to end, though files are left that nothing is known of then. */
  readonly end: number;
}

/** What the last run printed in which a test failed. */
const FAILED_RUN = "dist/mutate/failed_run.txt";

/** How many files one run measures; an interruption loses no more. */
const FILES_PER_RUN = 24;

/**
 * Measures what has no measurement of the same content yet. What passes is kept even where another file fails, so that the
 * next run repeats only what is missing.
 *
 * @param tests paths of test files
 * @returns one per test file that was measured in time
 * @throws Error when a test fails, naming its file
 */
export async function measureReach(tests: readonly string[], options: MeasureOptions): Promise<TestReach[]> {
  const { cache, box, genFolder, onMissing, end } = options;
  Deno.mkdirSync(cache, { recursive: true });
  const keys = new Map(tests.map((test) => [test, `${cache}/${contentKey(test)}.json`]));
  const missing = tests.filter((test) => !isFile(keys.get(test)!));
  const failures: string[] = [];
  for (let from = 0; from < missing.length && Date.now() < end; from += FILES_PER_RUN) {
    onMissing(missing.length - from);
    const { reaches, failed } = await recordReach(missing.slice(from, from + FILES_PER_RUN), box, end);
    for (const reach of reaches) {
      const lines = toLines(reach, `${genFolder}/file${box.folder}`);
      Deno.writeTextFileSync(keys.get(reach.test)!, JSON.stringify(lines));
    }
    failures.push(...failed);
  }
  if (failures.length > 0) {
    throw new Error(`the tests fail before any change: ${failures.sort().join(", ")} (${FAILED_RUN})`);
  }
  return tests.filter((test) => isFile(keys.get(test)!))
    .map((test) => JSON.parse(Deno.readTextFileSync(keys.get(test)!)));
}

/** What the files that pass reach, and which fail. */
async function recordReach(
  tests: readonly string[],
  box: Box,
  end: number,
): Promise<{ readonly reaches: readonly Reach[]; readonly failed: readonly string[] }> {
  const folder = `${box.folder}/dist/reach`;
  Deno.mkdirSync(folder, { recursive: true });
  try {
    const { code, output, timedOut } = await box.runTests(tests, {
      parallel: true,
      timeoutMs: end - Date.now(),
      env: { REACH_FOLDER: folder },
      preload: new URL("./record_reach.ts", import.meta.url).href,
    });
    const failing = failingFiles(output);
    const reaches = readReaches(folder).filter(({ test }) => !failing.has(test));
    if (code !== 0) Deno.writeTextFileSync(FAILED_RUN, output);
    // Without a file that failed, as where a module is not found, nothing ran to its end.
    if (code !== 0 && failing.size === 0 && !timedOut) {
      return { reaches: [], failed: [output.trim().split("\n").at(-1)!] };
    }
    return { reaches, failed: [...failing] };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function readReaches(folder: string): Reach[] {
  return [...Deno.readDirSync(folder)].map(({ name }) =>
    JSON.parse(Deno.readTextFileSync(`${folder}/${name}`))
  );
}

/** Offsets of what V8 ran become lines of the sources, by the source maps of Deno's cache. */
function toLines({ test, ms, scripts }: Reach, transpiled: string): TestReach {
  const reached: Record<string, number[]> = {};
  const coded: Record<string, number[]> = {};
  for (const [file, ranges] of Object.entries(scripts)) {
    const lines = linesOf(file, transpiled);
    coded[file] = [...new Set(lines.map(([, line]) => line))];
    reached[file] = [
      ...new Set(lines.filter(([offset]) => timesAt(offset, ranges) > 0).map(([, line]) => line)),
    ];
  }
  return { test, ms, reached, coded };
}

const mapped = new Map<string, readonly (readonly [offset: number, line: number])[]>();

/** Where each line of the transpiled text starts, and the line of the source that it comes from. */
function linesOf(file: string, transpiled: string): readonly (readonly [number, number])[] {
  const known = mapped.get(file);
  if (known) return known;
  const text = Deno.readTextFileSync(`${transpiled}/${file}.js`);
  const encoded = /sourceMappingURL=data:application\/json;base64,([\w+/=]+)/.exec(text)?.[1];
  if (encoded === undefined) throw new Error(`${file}: its transpiled text has no source map`);
  const map = new SourceMap(JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(encoded))));
  const lines: [number, number][] = [];
  let offset = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const column = line.search(/[^\s})\];,]/);
    const entry: { readonly originalLine?: number } = column < 0 ? {} : map.findEntry(index, column);
    if (entry.originalLine !== undefined) lines.push([offset + column, entry.originalLine + 1]);
    offset += line.length + 1;
  }
  mapped.set(file, lines);
  return lines;
}

/** The count of the smallest range around an offset. */
function timesAt(offset: number, ranges: readonly Range[]): number {
  let smallest = Infinity;
  let times = 0;
  for (const [start, end, count] of ranges) {
    if (start > offset || end <= offset || end - start > smallest) continue;
    smallest = end - start;
    times = count;
  }
  return times;
}

/** A digest of a test file and of all files of the project that it imports. */
function contentKey(test: string): string {
  const files = new Set([test]);
  for (const file of files) for (const other of importsOf(file)) files.add(other);
  return digest([...files].sort().map((file) => `${file} ${digestOf(file)}`).join("\n")).slice(0, 32);
}

const digests = new Map<string, string>();

function digestOf(file: string): string {
  const found = digests.get(file) ?? digest(Deno.readTextFileSync(file));
  digests.set(file, found);
  return found;
}

function digest(text: string): string {
  return encodeHexLowerCase(sha256(new TextEncoder().encode(text)));
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
    .filter((path: string) => path.endsWith(".ts") && isFile(path));
  imports.set(file, found);
  return found;
}
