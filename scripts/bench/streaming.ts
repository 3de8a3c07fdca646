/**
 * A read of a million rows, beside a handler that streams the same bytes by hand: rows per second, and the memory that the
 * read takes beyond what the process had. Run by itself, in a process of its own, it prints one line of JSON.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";
import { createRuntime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import { BENCH_MODEL, BOOK_COLUMNS } from "./bench_model.ts";

/** What a read came to. */
export interface StreamFigures {
  readonly engine: string;
  /** Rows per second. */
  readonly ours: number;
  readonly baseline: number;
  /** Megabytes at most beyond those before. */
  readonly extraMb: number;
}

const ROWS = 1_000_000;
const SCHEMA = "fw_bench_rows";
const ADDRESS = Deno.env.get("TEST_POSTGRES") ?? "127.0.0.1:5432";
const CHUNK = 64 * 1024;
const COLUMNS = BOOK_COLUMNS.map((name) => `"${name}"`).join(", ");

const ENGINES = ["sqlite", "postgres"];

/** Names of the rows of an engine: of its throughput, and of the memory taken. */
export function streamNames(engine: string): readonly string[] {
  return [`${engine} stream of 1,000,000`, `${engine} stream, extra memory`];
}

/** Names of all rows. */
export const STREAM_NAMES: readonly string[] = ENGINES.flatMap(streamNames);

/**
 * Measures each engine that is there, in a process of its own.
 *
 * @param isWanted whether a row is wanted; both of an engine are measured together
 */
export async function* streamFigures(isWanted: (name: string) => boolean): AsyncGenerator<StreamFigures> {
  for (const engine of ENGINES.filter((engine) => streamNames(engine).some(isWanted))) {
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", import.meta.url, engine],
      stderr: "inherit",
    }).output();
    const text = new TextDecoder().decode(stdout).trim();
    if (success && text !== "") yield JSON.parse(text.split("\n").at(-1)!);
  }
}

/** Where the rows are, and the same read by hand. */
interface Place {
  readonly requires: Readonly<Record<string, unknown>>;
  /** Fills the table. */
  readonly fill: string;
  chunks(): AsyncIterable<string> | Iterable<string>;
  close(): Promise<unknown>;
}

const VALUES = (n: string) =>
  `${n}, 'Title of book ' || ${n}, 'What can be said of book ' || ${n} || ' in a line that is neither short nor long',
    ${n} % 500, 5.5 + ${n} % 40, '1950-03-14', ${n} % 100 + 1`;

async function sqlitePlace(): Promise<Place> {
  const folder = await Deno.makeTempDir();
  const url = `${folder}/rows.sqlite`;
  return {
    requires: { kind: "sqlite", credentials: { url } },
    fill:
      `INSERT INTO "store_Books" (${COLUMNS}) WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s
      WHERE n < ${ROWS}) SELECT ${VALUES("n")} FROM s`,
    *chunks() {
      const db = new DatabaseSync(url, { readOnly: true });
      const members = BOOK_COLUMNS.map((name) => `'${name}', "${name}"`).join(", ");
      const rows = db.prepare(`SELECT json_object(${members}) AS json FROM store_Books ORDER BY ID`)
        .iterate();
      yield* chunksOf(rows as Iterable<{ json: string }>);
      db.close();
    },
    close: () => Deno.remove(folder, { recursive: true }),
  };
}

async function postgresPlace(): Promise<Place | undefined> {
  const [host, port] = ADDRESS.split(":");
  const credentials = { host, port: Number(port), user: "postgres", database: "test" };
  try {
    (await Deno.connect({ hostname: host, port: Number(port) })).close();
  } catch {
    console.error(`The stream from PostgreSQL is left out: it does not answer at ${ADDRESS}`);
    return undefined;
  }
  const sql = postgres({ ...credentials, max: 1, onnotice: () => {} });
  await sql.unsafe(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  const members = BOOK_COLUMNS.map((name) => `'${name}', "${name}"`).join(", ");
  return {
    requires: { kind: "postgres", credentials: { ...credentials, schema: SCHEMA } },
    fill: `INSERT INTO "store_Books" (${COLUMNS}) SELECT ${
      VALUES("n").replace("'1950-03-14'", "DATE '1950-03-14'")
    }
      FROM generate_series(1, ${ROWS}) n`,
    async *chunks() {
      const text =
        `SELECT json_build_object(${members})::text AS json FROM ${SCHEMA}."store_Books" ORDER BY "ID"`;
      for await (const rows of sql.unsafe(text).cursor(500)) {
        yield* chunksOf(rows as unknown as Iterable<{ json: string }>);
      }
    },
    close: async () => {
      await sql.unsafe(`DROP SCHEMA ${SCHEMA} CASCADE`);
      await sql.end();
    },
  };
}

function* chunksOf(rows: Iterable<{ readonly json: string }>): Generator<string> {
  let text = "";
  for (const { json } of rows) {
    text += text === "" ? json : `,${json}`;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

function byHand(chunks: AsyncIterable<string> | Iterable<string>): Response {
  const encoder = new TextEncoder();
  const source = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return new Response(
    new ReadableStream({
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    }, { highWaterMark: 0 }),
  );
}

/** Takes a body, and looks at the memory meanwhile: Linux knows the most that was in use since it was told to forget it. */
async function take(response: Response): Promise<{ rowsPerSecond: number; extraMb: number }> {
  const isLinux = Deno.build.os === "linux";
  if (isLinux) Deno.writeTextFileSync("/proc/self/clear_refs", "5");
  const before = Deno.memoryUsage().rss;
  const start = performance.now();
  let most = before;
  let parts = 0;
  for await (const _part of response.body!) {
    if (!isLinux && ++parts % 5 === 0) most = Math.max(most, Deno.memoryUsage().rss);
  }
  const rowsPerSecond = Math.round(ROWS / (performance.now() - start) * 1000);
  if (isLinux) most = peakBytes();
  return { rowsPerSecond, extraMb: Math.round((most - before) / 1e6) };
}

function peakBytes(): number {
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))![1];
  return Number(kilobytes) * 1024;
}

async function main(engine: string): Promise<void> {
  const place = engine === "sqlite" ? await sqlitePlace() : await postgresPlace();
  if (!place) return;
  const runtime = createRuntime({
    model: BENCH_MODEL,
    kinds: denoKinds,
    env: {
      requires: { db: place.requires },
      query: { limit: { max: 2 * ROWS } },
      log: { levels: { default: "error" } },
    },
  });
  await runtime.start();
  await runtime.db!.run(place.fill);
  const get = (options: string) =>
    runtime.fetch(new Request(`http://localhost/odata/v4/bench/Books?${options}`));
  // code that is compiled once, and what V8 sets aside for short-lived objects, is there already; a tenth of the rows shows
  // that the rest needs no more
  await (await get("$top=100000")).body!.pipeTo(new WritableStream());
  const ours = await take(await get(""));
  const baseline = await take(byHand(place.chunks()));
  console.log(
    JSON.stringify({
      engine,
      ours: ours.rowsPerSecond,
      baseline: baseline.rowsPerSecond,
      extraMb: ours.extraMb,
    }),
  );
  await runtime.close();
  await place.close();
}

if (import.meta.main) await main(Deno.args[0]);
