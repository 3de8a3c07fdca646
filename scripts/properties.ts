/**
 * `deno task properties`: random requests at whole applications and
 * the property tests at full size; with `--only` those whose name contains the text: `requests`, `requests/conf`, or
 * part of the path of a test. Other seeds make other cases, so several processes with a seed of their own share a run.
 *
 * @module
 */

import type { Runtime } from "../mod.ts";
import { loadProject } from "../src/deno/load_project.ts";
import { startFixture } from "./fixtures/start_fixture.ts";
import { sourceFiles } from "./source_files.ts";
import { taskArgs } from "./parse_args.ts";
import { type RunOptions, runRequests } from "./properties/run_requests.ts";
import type { Tally } from "./properties/verify_request.ts";

const { options } = taskArgs("deno task properties [--runs N] [--seed N] [--only TEXT] [--cases DIR]");
const runs = Number(options.runs ?? 10_000);
const seed = Number(options.seed ?? Date.now() % 2 ** 31);
const cases = String(options.cases ?? "../shared/conformance");

const only = String(options.only ?? "");

const models = `${cases}/cap/models`;
/** Whole applications by name. */
const APPLICATIONS: Readonly<Record<string, () => Runtime | Promise<Runtime>>> = {
  "requests/bookshop": loadBookshop,
  ...(isFolder(`${models}/conf`)
    ? { "requests/conf": async () => (await startFixture("conf", models)).runtime }
    : {}),
};

let failed = false;
for (const [name, open] of Object.entries(APPLICATIONS)) {
  if (name.includes(only)) await run(name, open, { runs, seed });
}
if (!("requests/conf" in APPLICATIONS) && "requests/conf".includes(only)) {
  console.log(`requests/conf: passed over, there is no ${models}/conf`);
}
const files = sourceFiles("tests").filter((file) =>
  file.includes(only) && /from "fast-check"/.test(Deno.readTextFileSync(file))
);
if (files.length > 0) await runRooms(files, { runs, seed });
Deno.exit(failed ? 1 : 0);

/** The property tests of all rooms, which read their number of runs from the environment. */
async function runRooms(files: readonly string[], { runs, seed }: RunOptions): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--parallel", ...files],
    env: { FW_PROPERTY_RUNS: String(runs), FW_PROPERTY_SEED: String(seed) },
  }).spawn().status;
  console.log(
    `property tests of ${files.length} files with ${runs} runs each, seed ${seed}: exit code ${code}`,
  );
  if (code !== 0) failed = true;
}

/** Runs the property with one application and prints what happened. */
async function run(
  name: string,
  open: () => Runtime | Promise<Runtime>,
  settings: RunOptions,
): Promise<void> {
  const runtime = await open();
  const start = performance.now();
  const report = (tally: Tally) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(
      `${name}: ${figuresOf(tally)}\n  seed ${settings.seed}, ${seconds} s, peak memory ${peakMemory()}`,
    );
  };
  try {
    report(await runRequests(runtime, { ...settings, onProgress: report }));
  } catch (error) {
    failed = true;
    const { message, cause } = error as Error;
    console.error(
      `${name}: seed ${settings.seed}\n${message}\n${cause instanceof Error ? cause.message : ""}`,
    );
  } finally {
    await runtime.close();
  }
}

function figuresOf({ requests, rejected, impossible, slowest, statuses }: Tally): string {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  return `${requests} requests, ${rejected} rejected writes, ${impossible} requests that cannot be sent\n  ${
    counts.join(", ")
  }\n  slowest ${slowest.ms.toFixed(0)} ms: ${slowest.request.slice(0, 200)}`;
}

/** The largest resident set of the process so far, where the system tells it. */
function peakMemory(): string {
  try {
    return /^VmHWM:\s*(.*)$/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1] ?? "unknown";
  } catch {
    return `${Math.round(Deno.memoryUsage().rss / 1e6)} MB now`;
  }
}

async function loadBookshop(): Promise<Runtime> {
  const env = {
    log: { levels: { default: "silent" } },
    requires: { db: { kind: "sqlite", credentials: { url: ":memory:" } }, messaging: false },
  };
  const { runtime } = await loadProject("examples/bookshop", { env, variables: {} });
  return runtime;
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
