/**
 * Loaded before each test file: which lines of `src` the file reaches, by V8's own counts. The isolate of a test file is its
 * own, so one parallel run tells it for all files. `REACH_FOLDER` names the folder; one JSON file per test file.
 *
 * @module
 */

import { Session } from "node:inspector";

/** What one test file reached. */
export interface Reach {
  /** The path of the test file below the project. */
  readonly test: string;
  readonly ms: number;
  /** Per source file: ranges of the transpiled text with the number of times they ran, outer ones first. */
  readonly scripts: Readonly<Record<string, readonly Range[]>>;
}

/** Start, end (offsets) and how often. */
export type Range = readonly [number, number, number];

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

// Its name does not begin with FW_: processes that tests start would take it for a key of the configuration.
const folder = Deno.env.get("REACH_FOLDER");
const root = `file://${Deno.cwd()}/`;
if (folder !== undefined) record(folder);

function record(into: string): void {
  const session = new Session();
  session.connect();
  const start = performance.now();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  globalThis.addEventListener("unload", () => {
    session.post("Profiler.takePreciseCoverage", (error, answer) => {
      if (error) throw error;
      const { result } = answer as { result: readonly ScriptCoverage[] };
      const test = Deno.mainModule.slice(root.length);
      const reach: Reach = { test, ms: Math.round(performance.now() - start), scripts: scriptsOf(result) };
      Deno.writeTextFileSync(`${into}/${test.replaceAll("/", "~")}.json`, JSON.stringify(reach));
    });
  });
}

function scriptsOf(coverage: readonly ScriptCoverage[]): Record<string, Range[]> {
  const scripts: Record<string, Range[]> = {};
  for (const { url, functions } of coverage) {
    if (!url.startsWith(`${root}src/`)) continue;
    const ranges = functions.flatMap(({ ranges }) => ranges);
    scripts[url.slice(root.length)] = ranges.map(({ startOffset, endOffset, count }) =>
      [startOffset, endOffset, count] as const
    );
  }
  return scripts;
}
