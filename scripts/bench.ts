/**
 * `deno task bench [--json] [--only TEXT]`: each row beside a hand-written handler for the same bytes in the same run, as
 * ratios. Both answer `Request`s in this process, turn by turn, so that the machine's speed of the minute counts for
 * both. At the end, what tokens cost. With `--only` nothing runs but the requests whose rows have the text in their name.
 *
 * @module
 */

import { createRuntime } from "../mod.ts";
import { denoKinds } from "../src/deno/mod.ts";
import { BENCH_MODEL, benchAuthors, benchBooks } from "./bench/bench_model.ts";
import { type ChannelSides, channelSides } from "./bench/channels.ts";
import { coldCompile, compileGrowth, type CompileRow } from "./bench/compile.ts";
import { type GrowthRow, growthRows } from "./bench/growth.ts";
import { outboxSides } from "./bench/outbox.ts";
import { parseRates } from "./bench/parse_urls.ts";
import { postgresSides } from "./bench/postgres.ts";
import { streamFigures } from "./bench/streaming.ts";
import { type TokenRow, tokenRows } from "./bench/verified_token.ts";
import { handWritten } from "./bench/hand_written.ts";
import { parseArgs } from "./parse_args.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** One comparison: operations per second of both sides. */
interface BenchRow {
  readonly name: string;
  readonly unit: "requests/s" | "urls/s" | "messages/s" | "MB" | GrowthRow["unit"] | CompileRow["unit"];
  readonly ours: number;
  readonly baseline: number;
  readonly ratio: number;
}

const ROOT = "http://localhost/odata/v4/bench";
/** Megabytes that a stream may take. */
const STREAM_MB = 100;
const ROUNDS = 9;
const ROUND_MS = 120;
/** Messages that are published at once. */
const IN_FLIGHT = 50;
/** Servers run for long: what is compared is compiled code. */
const WARM_UP_REQUESTS = 5000;

let nextKey = 100_000;
const BATCH = JSON.stringify({
  requests: Array.from({ length: 10 }, (_, i) => ({ id: `r${i}`, method: "GET", url: `Books(${i + 1})` })),
});
const ENCODER = new TextEncoder();

/** Requests by row; inserts take a new key each time. */
const REQUESTS: Readonly<Record<string, (key: number) => Request>> = {
  "by key": (key) => new Request(`${ROOT}/Books(${key % 1000 + 1})`),
  "list of 5": () => new Request(`${ROOT}/Books?$top=5`),
  "filter": (key) =>
    new Request(`${ROOT}/Books?$filter=stock gt ${key % 100} and contains(title,'7')&$top=20`),
  "expand": () => new Request(`${ROOT}/Authors?$expand=books&$top=5`),
  "insert": (key) => {
    const body = {
      ID: key,
      title: "New",
      descr: "A new one",
      stock: 1,
      price: 2.5,
      published: "2024-02-29",
      author_ID: 1,
    };
    return post(`${ROOT}/Books`, JSON.stringify(body));
  },
  "batch of 10": () => post(`${ROOT}/$batch`, BATCH),
};

/** A body arrives as bytes, and clients say how many there are. */
function post(url: string, text: string): Request {
  const body = ENCODER.encode(text);
  const headers = { "content-type": "application/json", "content-length": String(body.byteLength) };
  return new Request(url, { method: "POST", headers, body });
}

async function main(): Promise<void> {
  const { options } = parseArgs(Deno.args, ["only"]);
  const { only = "" } = options;
  const runtime = createRuntime({
    model: BENCH_MODEL,
    kinds: denoKinds,
    data: new Map([["store.Authors", benchAuthors()], ["store.Books", benchBooks()]]),
    env: { log: { levels: { default: "error" } } },
  });
  await runtime.start();
  const wanted = Object.entries(REQUESTS).filter(([name]) => name.includes(String(only)));
  await warmUp(runtime.fetch, wanted.map(([, request]) => request));
  await runtime.reset();
  const rows: BenchRow[] = [];
  for (const [name, request] of wanted) {
    const baseline = handWritten();
    await assertSameBytes(name, request, { ours: runtime.fetch, baseline });
    rows.push(await compare(name, request, { ours: runtime.fetch, baseline }));
    if (!options.json) print(rows.at(-1)!);
  }
  if (only !== "") {
    if (options.json) console.log(JSON.stringify({ rows }));
    return await runtime.close();
  }
  const outbox = await outboxSides();
  await warmUpBy(REQUESTS.insert, [outbox.ours, outbox.baseline]);
  rows.push(await compare("emit with outbox", REQUESTS.insert, outbox));
  if (!options.json) print(rows.at(-1)!);
  await outbox.close();
  const postgres = await postgresSides();
  if (postgres) {
    const request = REQUESTS["by key"];
    await warmUpBy(request, [postgres.ours, postgres.baseline]);
    await assertSameBytes("postgres by key", request, postgres);
    rows.push(await compare("postgres by key", request, postgres));
    if (!options.json) print(rows.at(-1)!);
    await postgres.close();
  }
  for await (const sides of channelSides()) {
    rows.push(await compareChannel(sides));
    if (!options.json) print(rows.at(-1)!);
    await sides.close();
  }
  for (const { name, ...rates } of parseRates(ROUNDS)) {
    rows.push(toRow(name, "urls/s", rates));
    if (!options.json) print(rows.at(-1)!);
  }
  for await (const row of moreRows(options.json === true)) rows.push(row);
  const tokens = await tokenRows();
  if (options.json) console.log(JSON.stringify({ rows: [...rows, ...tokens] }));
  else tokens.forEach(printToken);
  await runtime.close();
}

/** Streams, with the memory that they take, and how costs grow. */
async function* moreRows(quiet: boolean): AsyncGenerator<BenchRow> {
  for await (const { engine, ours, baseline, extraMb } of streamFigures()) {
    const row: BenchRow = {
      name: `${engine} stream of 1,000,000`,
      unit: "rows/s",
      ours,
      baseline,
      ratio: round2(ours / baseline),
    };
    if (!quiet) print(row);
    yield row;
    // the bound is what is compared with
    const memory = {
      name: `${engine} stream, extra memory`,
      unit: "MB",
      ours: extraMb,
      baseline: STREAM_MB,
    } as const;
    if (!quiet) console.log(`${memory.name}: ${extraMb} MB, at most ${STREAM_MB} MB`);
    yield { ...memory, ratio: round2(extraMb / STREAM_MB) };
  }
  if (!quiet) console.log("\nThe cost of one row, column and level, beside that in the smallest case:");
  for await (const row of growthRows()) {
    if (!quiet) print(row, "smallest");
    yield row;
  }
  for (const row of compileGrowth()) {
    if (!quiet) print(row, "smallest");
    yield row;
  }
  const cold = await coldCompile();
  if (!quiet) print(cold, "an empty process");
  yield cold;
}

async function warmUpBy(request: (key: number) => Request, handlers: readonly Handler[]): Promise<void> {
  for (let i = 0; i < WARM_UP_REQUESTS; i++) {
    for (const handler of handlers) await (await handler(request(nextKey++))).text();
  }
}

async function warmUp(ours: Handler, requests: readonly ((key: number) => Request)[]): Promise<void> {
  const baseline = handWritten();
  for (let i = 0; i < WARM_UP_REQUESTS; i++) {
    for (const request of requests) {
      const key = nextKey++;
      for (const handler of [ours, baseline]) await (await handler(request(key))).text();
    }
  }
}

interface Sides {
  readonly ours: Handler;
  readonly baseline: Handler;
}

async function assertSameBytes(name: string, request: (key: number) => Request, sides: Sides): Promise<void> {
  const key = nextKey++;
  const [ours, baseline] = [await sides.ours(request(key)), await sides.baseline(request(key))];
  const [left, right] = [await ours.text(), await baseline.text()];
  if (left !== right || ours.status !== baseline.status) {
    throw new Error(
      `"${name}" does not answer the same bytes:\n${left.slice(0, 400)}\n${right.slice(0, 400)}`,
    );
  }
}

async function compare(name: string, request: (key: number) => Request, sides: Sides): Promise<BenchRow> {
  const results = { ours: [] as number[], baseline: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const side of ["ours", "baseline"] as const) {
      const perSecond = await measure(sides[side], request);
      if (round >= 0) results[side].push(perSecond);
    }
  }
  return toRow(name, "requests/s", results);
}

async function measure(handler: Handler, request: (key: number) => Request): Promise<number> {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < ROUND_MS) {
    for (let i = 0; i < 20; i++) await (await handler(request(nextKey++))).text();
    count += 20;
  }
  return count / (performance.now() - start) * 1000;
}

/** Messages per second, as many at once as a chunk of the outbox may hold in flight. */
async function compareChannel(sides: ChannelSides): Promise<BenchRow> {
  const results = { ours: [] as number[], baseline: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const side of ["ours", "baseline"] as const) {
      const start = performance.now();
      let count = 0;
      for (; performance.now() - start < ROUND_MS; count += IN_FLIGHT) {
        await Promise.all(Array.from({ length: IN_FLIGHT }, () => sides[side]()));
      }
      if (round >= 0) results[side].push(count / (performance.now() - start) * 1000);
    }
  }
  return toRow(sides.name, "messages/s", results);
}

function toRow(
  name: string,
  unit: BenchRow["unit"],
  results: { ours: number[]; baseline: number[] },
): BenchRow {
  const [ours, baseline] = [median(results.ours), median(results.baseline)];
  return {
    name,
    unit,
    ours: Math.round(ours),
    baseline: Math.round(baseline),
    ratio: round2(ours / baseline),
  };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

function print({ name, unit, ours, baseline, ratio }: BenchRow, beside = "by hand"): void {
  const figures = `${String(ours).padStart(8)} ${unit}, ${beside} ${String(baseline).padStart(8)}`;
  console.log(`${name.padEnd(16)} ${figures}  ratio ${ratio.toFixed(2)}`);
}

function printToken({ name, unit, added }: TokenRow): void {
  console.log(`${name.padEnd(14)} adds ${added.toFixed(1)} ${unit} to a request after its first use`);
}

if (import.meta.main) await main();
