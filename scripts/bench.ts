/**
 * `deno task bench`: each row beside a hand-written handler for the same bytes in the same run, as
 * ratios. Both answer `Request`s in this process, turn by turn, so that the machine's speed of the minute counts for both: the ratio is the median of those of turns next to each other. At the end, how costs grow, and what tokens cost. With `--only` nothing runs but the rows that have the text in
 * their name. With `http`, both sides are processes of their own that answer over loopback; with `processes`, two of them
 * share one PostgreSQL; with `start`, what counts is what processes take until they have answered once.
 *
 * @module
 */

import { createRuntime } from "../mod.ts";
import { denoKinds } from "../src/deno/mod.ts";
import {
  APPLICATION_NAMES,
  type ApplicationRow,
  applicationRows,
  requestCounts,
} from "./bench/application.ts";
import { BENCH_MODEL, benchAuthors, benchBooks } from "./bench/bench_model.ts";
import { CHANNEL_NAMES, type ChannelSides, channelSides } from "./bench/channels.ts";
import { COMPILE_NAMES, type CompileRow, compileRows } from "./bench/compile.ts";
import { DRAFT_NAMES, draftRows } from "./bench/drafts.ts";
import { HTTP_NAMES, httpRates } from "./bench/http.ts";
import { GROWTH_NAMES, type GrowthRow, growthRows } from "./bench/growth.ts";
import { outboxSides } from "./bench/outbox.ts";
import { PROCESS_NAMES, processRates } from "./bench/two_processes.ts";
import { PARSE_NAMES, parseRates } from "./bench/parse_urls.ts";
import { postgresSides } from "./bench/postgres.ts";
import { START_NAMES, type StartFigures, startFigures } from "./bench/start.ts";
import { STREAM_NAMES, streamFigures, streamNames } from "./bench/streaming.ts";
import { TOKEN_NAMES, type TokenRow, tokenRows } from "./bench/verified_token.ts";
import { handWritten } from "./bench/hand_written.ts";
import { taskArgs } from "./parse_args.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** One comparison: operations per second of both sides. */
interface BenchRow {
  readonly name: string;
  readonly unit:
    | "requests/s"
    | "requests/CPU s"
    | "urls/s"
    | "messages/s"
    | StartFigures["unit"]
    | GrowthRow["unit"]
    | CompileRow["unit"];
  readonly ours: number;
  readonly baseline: number;
  readonly ratio: number;
  /** What the baseline is, if it is not the same by hand. */
  readonly beside?: string;
  /** How often a request of ours enters the storage of the current context. */
  readonly contextEntries?: number;
  /** How often a request of ours, and one by hand, goes on behind a promise. */
  readonly waits?: readonly [ours: number, baseline: number];
}

const ROOT = "http://localhost/odata/v4/bench";
/** Megabytes that a stream may take. */
const STREAM_MB = 100;
/** Both sides take turns often, because the speed of machines changes within seconds. */
const ROUNDS = 21;
const ROUND_MS = 60;
/** Rounds over HTTP. */
const HTTP_ROUNDS = 7;
/** Requests between two looks at the clock. */
const REQUESTS_IN_TURN = 20;
/** Requests at once where the answer waits for another process: which processor runs it would count, one at a time. */
const REQUESTS_AT_ONCE = 10;
/** Messages that are published at once. */
const IN_FLIGHT = 50;
/** Servers run for long: what is compared is compiled code. Rows of slow requests are warm after less of them. */
const WARM_UP_REQUESTS = 30_000;
const WARM_UP_MS = 4000;
/** Rounds of each side that do not count: what data are reset by makes the engine compile some of the code again. */
const WARM_UP_ROUNDS = 10;

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
  "filter, percent-encoded": (key) =>
    new Request(`${ROOT}/Books?$filter=stock%20gt%20${key % 100}%20and%20contains(title,%277%27)&$top=20`),
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
  "update": (key) =>
    withBody("PATCH", `${ROOT}/Books(${key % 1000 + 1})`, JSON.stringify({ descr: `As of ${key}` })),
  "batch of 10": () => post(`${ROOT}/$batch`, BATCH),
};

function post(url: string, text: string): Request {
  return withBody("POST", url, text);
}

/** A body arrives as bytes, and clients say how many there are. */
function withBody(method: string, url: string, text: string): Request {
  const body = ENCODER.encode(text);
  const headers = { "content-type": "application/json", "content-length": String(body.byteLength) };
  return new Request(url, { method, headers, body });
}

const POSTGRES_NAMES = [
  "postgres by key",
  "postgres by key, one at a time",
  "postgres insert with before that reads",
];

/** Rows that are measured together; nothing is set up for groups of which no row is wanted. */
interface Group {
  readonly names: readonly string[];
  /** Measures the rows that are wanted. */
  readonly rows: (isWanted: (name: string) => boolean) => AsyncIterable<BenchRow | TokenRow>;
}

const GROUPS: readonly Group[] = [
  { names: Object.keys(REQUESTS), rows: requestRows },
  { names: [...APPLICATION_NAMES, ...DRAFT_NAMES], rows: comparedRows },
  { names: ["emit with outbox"], rows: outboxRows },
  { names: POSTGRES_NAMES, rows: postgresRows },
  { names: CHANNEL_NAMES, rows: channelRows },
  { names: PARSE_NAMES, rows: parseRows },
  { names: STREAM_NAMES, rows: streamRows },
  { names: GROWTH_NAMES, rows: growthRows },
  { names: COMPILE_NAMES, rows: compileRows },
  { names: TOKEN_NAMES, rows: tokenRows },
];

/** What runs by its name only: it takes processes of its own, and minutes. */
const BY_NAME: ReadonlyMap<string | undefined, readonly Group[]> = new Map([
  ["http", [{ names: HTTP_NAMES, rows: httpRows }]],
  ["processes", [{ names: PROCESS_NAMES, rows: (isWanted) => httpRows(isWanted, processRates) }]],
  ["start", [{ names: START_NAMES, rows: startRows }]],
]);

async function main(): Promise<void> {
  const { options, rest } = taskArgs("deno task bench [http|processes|start] [--json] [--only TEXT]");
  const { only = "", json } = options;
  const isWanted = (name: string) => name.includes(String(only));
  const groups = BY_NAME.get(rest[0]) ?? GROUPS;
  const wanted = groups.filter(({ names }) => names.some(isWanted));
  if (wanted.length === 0) {
    const names = groups.flatMap((group) => group.names).join(", ");
    console.error(`No row has "${only}" in its name; there are: ${names}`);
    Deno.exit(1);
  }
  const rows: (BenchRow | TokenRow)[] = [];
  for (const group of wanted) {
    for await (const row of group.rows(isWanted)) {
      rows.push(row);
      if (!json) print(row);
    }
  }
  if (json) console.log(JSON.stringify({ rows }));
}

async function* requestRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  const runtime = createRuntime({
    model: BENCH_MODEL,
    kinds: denoKinds,
    data: new Map([["store.Authors", benchAuthors()], ["store.Books", benchBooks()]]),
    env: { log: { levels: { default: "error" } } },
  });
  await runtime.start();
  const wanted = Object.entries(REQUESTS).filter(([name]) => isWanted(name));
  await warmUp([runtime.fetch, handWritten()], wanted.map(([, request]) => request));
  for (const [name, request] of wanted) {
    await runtime.reset();
    const baseline = handWritten();
    await assertSameBytes(name, request, { ours: runtime.fetch, baseline });
    yield await compare(name, request, { ours: runtime.fetch, baseline });
  }
  await runtime.close();
}

async function* comparedRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  for (const source of [applicationRows, draftRows]) yield* comparedWith(source(isWanted));
}

async function* comparedWith(
  groups: AsyncGenerator<readonly ApplicationRow[]>,
): AsyncGenerator<BenchRow> {
  for await (const rows of groups) {
    for (const row of rows) await assertSameBytes(row.name, row.request, row);
    await warmUpAll(rows);
    for (const row of rows) {
      const { beside } = row;
      const compared = await compare(row.name, row.request, row);
      const own = await requestCounts(row.ours, row.request(nextKey++));
      const byHand = await requestCounts(row.baseline, row.request(nextKey++));
      yield {
        ...compared,
        ...(beside && { beside }),
        contextEntries: own.contextEntries,
        waits: [own.waits, byHand.waits],
      };
    }
  }
}

async function warmUpAll(rows: readonly ApplicationRow[]): Promise<void> {
  const [first] = rows;
  if (first) await warmUp([first.ours, first.baseline], rows.map(({ request }) => request));
}

async function* outboxRows(): AsyncGenerator<BenchRow> {
  const outbox = await outboxSides();
  await warmUp([outbox.ours, outbox.baseline], [REQUESTS.insert]);
  yield { ...await compare("emit with outbox", REQUESTS.insert, outbox), beside: "row by hand in a handler" };
  await outbox.close();
}

async function* postgresRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  const postgres = await postgresSides();
  if (!postgres) return;
  const request = REQUESTS["by key"];
  const wanted = [request, ...(isWanted(POSTGRES_NAMES[2]!) ? [REQUESTS.insert!] : [])];
  await warmUp([postgres.ours, postgres.baseline], wanted);
  const [atOnce, oneAtATime, inserts] = POSTGRES_NAMES;
  await assertSameBytes(atOnce!, request, postgres);
  // first, as long as both sides have one connection
  if (isWanted(oneAtATime!)) yield await compare(oneAtATime!, request, postgres);
  const sides = { ...postgres, atOnce: REQUESTS_AT_ONCE };
  if (isWanted(atOnce!)) yield await compare(atOnce!, request, sides);
  if (isWanted(inserts!)) yield await compare(inserts!, REQUESTS.insert!, sides);
  await postgres.close();
}

async function* channelRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  for await (const sides of channelSides(isWanted)) {
    yield await compareChannel(sides);
    await sides.close();
  }
}

async function* parseRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  for (const { name, ...rates } of parseRates(ROUNDS)) {
    if (isWanted(name)) yield await Promise.resolve(toRow(name, "urls/s", rates));
  }
}

async function* httpRows(isWanted: (name: string) => boolean, ratesOf = httpRates): AsyncGenerator<BenchRow> {
  for await (const { name, beside, ...rates } of ratesOf(isWanted, HTTP_ROUNDS)) {
    yield { ...toRow(name, "requests/CPU s", rates), beside };
  }
}

async function* startRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  for await (const { name, unit, ...figures } of startFigures(isWanted)) {
    yield { ...toRow(name, unit, figures), beside: "empty server" };
  }
}

/** Streams, with the memory that they take: its bound is what is compared with. */
async function* streamRows(isWanted: (name: string) => boolean): AsyncGenerator<BenchRow> {
  for await (const { engine, ours, baseline, extraMb } of streamFigures(isWanted)) {
    const [rows, memory] = streamNames(engine);
    yield { name: rows!, unit: "rows/s", ours, baseline, ratio: round2(ours / baseline) };
    const ratio = round2(extraMb / STREAM_MB);
    yield { name: memory!, unit: "MB", ours: extraMb, baseline: STREAM_MB, ratio, beside: "at most" };
  }
}

/** Sends the requests of all rows in turns, as clients do, to each of the handlers. */
async function warmUp(
  handlers: readonly Handler[],
  requests: readonly ((key: number) => Request)[],
): Promise<void> {
  const rows = requests.map((request) => ({ request, tookMs: 0 }));
  for (let i = 0; i < WARM_UP_REQUESTS; i++) {
    for (const row of rows.filter(({ tookMs }) => tookMs < WARM_UP_MS)) {
      const start = performance.now();
      for (const handler of handlers) await (await handler(row.request(nextKey++))).text();
      row.tookMs += performance.now() - start;
    }
  }
}

interface Sides {
  readonly ours: Handler;
  readonly baseline: Handler;
  /** Resolves when what requests have left behind is done; it counts as part of them. */
  readonly settled?: () => Promise<void>;
  /** How many requests are under way at the same time; default: 1. */
  readonly atOnce?: number;
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
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const side of ["ours", "baseline"] as const) {
      const perSecond = await measure(sides[side], request, sides);
      if (round >= 0) results[side].push(perSecond);
    }
  }
  return toRow(name, "requests/s", results);
}

async function measure(
  handler: Handler,
  request: (key: number) => Request,
  { settled, atOnce = 1 }: Pick<Sides, "settled" | "atOnce">,
): Promise<number> {
  const send = async () => {
    for (let i = 0; i < REQUESTS_IN_TURN; i++) await (await handler(request(nextKey++))).text();
  };
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < ROUND_MS) {
    await Promise.all(Array.from({ length: atOnce }, send));
    count += REQUESTS_IN_TURN * atOnce;
  }
  await settled?.();
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
  results: { readonly ours: readonly number[]; readonly baseline: readonly number[] },
): BenchRow {
  const ratios = results.ours.map((perSecond, turn) => perSecond / results.baseline[turn]);
  return {
    name,
    unit,
    ours: Math.round(median(results.ours)),
    baseline: Math.round(median(results.baseline)),
    ratio: round2(median(ratios)),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

function print(row: BenchRow | TokenRow): void {
  const { name, unit } = row;
  if ("added" in row) {
    return console.log(
      `${name.padEnd(36)} adds ${row.added.toFixed(1)} ${unit} to a request after its first use`,
    );
  }
  const { ours, baseline, ratio, beside = "by hand" } = row;
  const entries = row.waits
    ? `, enters the context ${row.contextEntries} times, waits ${row.waits.join(" and ")} times`
    : "";
  const figures = `${String(ours).padStart(8)} ${unit}, ${beside} ${String(baseline).padStart(8)}`;
  console.log(`${name.padEnd(36)} ${figures}  ratio ${ratio.toFixed(2)}${entries}`);
}

if (import.meta.main) await main();
