/**
 * `deno task properties [--runs N] [--seed N] [--only TEXT] [--cases DIR]`: the property tests at full
 * size; with `--only` those in files whose path contains the text, with `--only requests` random requests at whole
 * applications.
 *
 * @module
 */

import type { Runtime } from "../mod.ts";
import { loadProject } from "../src/deno/load_project.ts";
import { startFixture } from "./fixtures/start_fixture.ts";
import { sourceFiles } from "./source_files.ts";
import { parseArgs } from "./parse_args.ts";
import { type RunOptions, runRequests } from "./properties/run_requests.ts";

const { options } = parseArgs(Deno.args, ["runs", "seed", "only", "cases"]);
const runs = Number(options.runs ?? 10_000);
const seed = Number(options.seed ?? Date.now() % 2 ** 31);
const cases = String(options.cases ?? "../shared/conformance");

const only = String(options.only ?? "");

let failed = false;
if (only === "" || only === "requests") await runApplications({ runs, seed });
if (only !== "requests") await runRooms({ runs, seed });
Deno.exit(failed ? 1 : 0);

/** Random requests at whole applications. */
async function runApplications(settings: RunOptions): Promise<void> {
  await run("example bookshop", () => loadBookshop(), settings);
  const models = `${cases}/cap/models`;
  if (!isFolder(`${models}/conf`)) {
    return console.log(`fixture conf: passed over, there is no ${models}/conf`);
  }
  await run("fixture conf", async () => (await startFixture("conf", models)).runtime, settings);
}

/** The property tests of all rooms, which read their number of runs from the environment. */
async function runRooms({ runs, seed }: RunOptions): Promise<void> {
  const files = sourceFiles("tests").filter((file) =>
    file.includes(only) && /from "fast-check"/.test(Deno.readTextFileSync(file))
  );
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
  try {
    const { requests, rejected, impossible, slowest, statuses } = await runRequests(runtime, settings);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(
      `${name}: ${requests} requests in ${seconds} s, seed ${settings.seed}; ${rejected} rejected writes, ${impossible} requests that cannot be sent\n  ${
        counts.join(", ")
      }\n  slowest ${slowest.ms.toFixed(0)} ms: ${
        slowest.request.slice(0, 200)
      }\n  peak memory ${peakMemory()}`,
    );
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
