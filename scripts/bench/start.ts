/**
 * `deno task bench start`: the example from source, as `fw build --server` writes it, and as edge bundle in `workerd`, each
 * beside a server that holds nothing, from the start of the process to its first answer. Processor time and memory are read
 * from `/proc`, so it runs on Linux only.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startWorkerd } from "../workerd.ts";

/** What starts took, turn by turn. */
export interface StartFigures {
  readonly name: string;
  readonly unit: "ms" | "ms CPU" | "MB";
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

/** One start: milliseconds and megabytes. */
interface Start {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
}

const SIDES = ["source", "built", "workerd"] as const;
const FIGURES = [["cpu", "ms CPU"], ["wall", "ms"], ["memory", "MB"]] as const;
/** How often each side is started. */
const STARTS = 11;
/** Names of the rows. */
export const START_NAMES: readonly string[] = SIDES.flatMap((side) =>
  FIGURES.map(([figure]) => rowName(side, figure))
);
const ROOT = fileURLToPath(import.meta.resolve("../.."));
const EXAMPLE = `${ROOT}examples/bookshop`;
const PATH = "/odata/v4/catalog/Books?$top=1";
const EMPTY = `const { addr } = Deno.serve({ port: 0, onListen() {} }, () => new Response("{}"));
console.log("http://localhost:" + addr.port);
`;
const EMPTY_WORKER = 'export default { fetch: () => new Response("{}") };\n';

/**
 * Starts each side, in turns.
 *
 * @param isWanted whether to measure the row of a name
 * @throws Error when a side does not start, or answers an error
 */
export async function* startFigures(isWanted: (name: string) => boolean): AsyncGenerator<StartFigures> {
  const folder = await Deno.makeTempDir({ prefix: "fw-start-" });
  try {
    for (const side of SIDES) {
      const wanted = FIGURES.filter(([figure]) => isWanted(rowName(side, figure)));
      if (wanted.length === 0) continue;
      const { ours, baseline } = await startsOf(await STARTED[side](folder));
      for (const [figure, unit] of wanted) {
        const [mine, empty] = [ours, baseline].map((all) => all.map((one) => one[figure]));
        yield { name: rowName(side, figure), unit, ours: mine!, baseline: empty! };
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts of what is measured, and of what holds nothing. */
interface Pair {
  readonly ours: () => Promise<Start>;
  readonly empty: () => Promise<Start>;
}

const STARTED: Readonly<Record<(typeof SIDES)[number], (folder: string) => Promise<Pair>>> = {
  source: (folder) => inDeno(`${EXAMPLE}/main.ts`, folder),
  built: async (folder) => await inDeno(await build(folder), folder),
  async workerd(folder) {
    const [bundle, empty] = [`${folder}/edge.js`, `${folder}/empty.js`];
    await run(Deno.execPath(), ["task", `--cwd=${ROOT}`, "bundle"]);
    await Deno.copyFile(`${ROOT}dist/edge.js`, bundle);
    await Deno.writeTextFile(empty, EMPTY_WORKER);
    return { ours: () => startWorker(bundle), empty: () => startWorker(empty) };
  },
};

async function inDeno(file: string, folder: string): Promise<Pair> {
  const empty = `${folder}/empty.ts`;
  await Deno.writeTextFile(empty, EMPTY);
  return { ours: () => start(file, folder), empty: () => start(empty, folder) };
}

async function startsOf(pair: Pair): Promise<{ readonly ours: Start[]; readonly baseline: Start[] }> {
  const ours: Start[] = [];
  const baseline: Start[] = [];
  // the first of them fills caches
  for (let round = -1; round < STARTS; round++) {
    const [one, empty] = [await pair.ours(), await pair.empty()];
    if (round < 0) continue;
    ours.push(one);
    baseline.push(empty);
  }
  return { ours, baseline };
}

async function startWorker(module: string): Promise<Start> {
  const server = await startWorkerd(module, PATH);
  try {
    return { wall: server.coldStartMs, ...await usageOf(server.pid) };
  } finally {
    await server.stop();
  }
}

function rowName(side: string, figure: string): string {
  return `start ${side}, ${figure}`;
}

/** The example as one file, of the profile that it has from source. */
async function build(folder: string): Promise<string> {
  const project = `${folder}/bookshop`;
  await run("cp", ["-r", EXAMPLE, project]);
  const command = ["build", project, "--server", "--profile", "development"];
  await run(Deno.execPath(), [...DENO, `${ROOT}src/cli/mod.ts`, ...command]);
  return `${project}/gen/server.mjs`;
}

const DENO = ["run", "-A", `--config=${ROOT}deno.json`, `--lock=${ROOT}deno.lock`];

async function run(program: string, args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] }), "exit");
  if (code !== 0) throw new Error(`"${program} ${args.join(" ")}" has ended with ${code}`);
}

async function start(file: string, folder: string): Promise<Start> {
  const began = performance.now();
  const server = spawn(Deno.execPath(), [...DENO, file], {
    env: { ...Deno.env.toObject(), PORT: "0", NO_COLOR: "1" },
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  try {
    const response = await fetch((await originOf(server.stdout, file)) + PATH);
    const text = await response.text();
    const wall = performance.now() - began;
    if (!response.ok) throw new Error(`${file} answers ${response.status}: ${text}`);
    return { wall, ...await usageOf(server.pid!) };
  } finally {
    server.kill();
    await ended;
  }
}

/** Reads what a server prints until it tells where it listens. */
async function originOf(output: AsyncIterable<Uint8Array>, file: string): Promise<string> {
  const decoder = new TextDecoder();
  let printed = "";
  for await (const bytes of output) {
    printed += decoder.decode(bytes, { stream: true });
    const [origin] = /http:\/\/localhost:\d+(?=\s)/.exec(printed) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error(`${file} has ended before it listened:\n${printed}`);
}

/** What all threads of a process took, which `schedstat` tells by the nanosecond, and what is in memory. */
async function usageOf(pid: number): Promise<Omit<Start, "wall">> {
  let cpu = 0;
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const [ran] = (await Deno.readTextFile(`/proc/${pid}/task/${name}/schedstat`)).split(" ");
    cpu += Number(ran) / 1e6;
  }
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`)) ?? [];
  return { cpu, memory: Number(kilobytes) / 1024 };
}
