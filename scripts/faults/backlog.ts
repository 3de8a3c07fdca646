/**
 * The fault test of a backlog: an application finds many rows in its outbox when it starts, answers requests while they leave, ends
 * when it is told to, and goes on when it is started again.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";
import { pause } from "../../src/util/time.ts";
import type { FaultReport } from "./harness.ts";
import { freePort } from "./server_command.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const MODEL = "service Faults { event happened : { n : Integer; } }\n";
const NAME = "backlog";
const TABLE = "fw_outbox_Messages";
/** Every other message has one of so many keys. */
const KEYS = 100;
const START_MS = 60_000;
const DRAIN_MS = 180_000;
/** How often `/health` is asked. */
const ASK_MS = 10;
/** The part of its answers that must be fast. */
const MOST = 0.95;

/** How large a run is. */
export interface BacklogOptions {
  readonly rows: number;
  /** The process is told to end when so many have left, and started again. */
  readonly endAt: number;
  /** PostgreSQL in the place of SQLite: how to reach it. */
  readonly postgres?: Readonly<Record<string, unknown>>;
  /** What is promised; a busy machine keeps none of it, so tests ask for nothing. */
  readonly leastPerSecond?: number;
  readonly mostHealthMs?: number;
}

/** What a process did until so many messages had left. */
interface Drained {
  readonly seconds: number;
  /** Messages that left meanwhile. */
  readonly rows: number;
  readonly healthMs: readonly number[];
  /** How long the end took after SIGTERM. */
  readonly endedMs: number;
}

/**
 * Stores rows as emitted messages are, and has them dispatched to a file channel by a served project.
 *
 * @param folder an empty folder
 * @param options sizes
 */
export async function drainBacklog(folder: string, options: BacklogOptions): Promise<FaultReport> {
  const startedAt = Date.now();
  const schema = `fw_backlog_${crypto.randomUUID().slice(0, 8)}`;
  const credentials = options.postgres && { ...options.postgres, schema };
  writeProject(folder, credentials);
  try {
    await drain(folder, 0); // makes the tables
    await fill(folder, { ...options, schema });
    const drained = [await drain(folder, options.endAt), await drain(folder, options.rows)];
    return judge(folder, options, { startedAt, drained });
  } finally {
    if (credentials) await inPostgres(credentials, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  }
}

function writeProject(folder: string, credentials: Readonly<Record<string, unknown>> | undefined): void {
  const db = credentials
    ? { kind: "postgres", credentials }
    : { kind: "sqlite", credentials: { url: `${folder}/db.sqlite` } };
  const messaging = { kind: "file-based-messaging", file: boxOf(folder) };
  const fw = { requires: { auth: { kind: "dummy" }, db, messaging } };
  Deno.writeTextFileSync(`${folder}/faults.cds`, MODEL);
  Deno.writeTextFileSync(`${folder}/package.json`, JSON.stringify({ name: NAME, fw }));
}

/** The rows of as many emitted events. */
async function fill(
  folder: string,
  { rows, postgres: given, schema }: BacklogOptions & { readonly schema: string },
): Promise<void> {
  const now = new Date().toISOString();
  const partition = `CASE WHEN i % 2 = 0 THEN 0 ELSE 1 + i % ${KEYS} END`;
  const [before, behind] = JSON.stringify({
    ...{ service: "messaging", kind: "publish", event: "Faults.happened", headers: {}, data: { n: 0 } },
  }).split('"n":0');
  const msg = `'${before}"n":' || i || '${behind}'`;
  const columns = ["timestamp", "due", "target", "msg", "partition", "appid", "seq", "ID"];
  const values = [`'${now}'`, `'${now}'`, "'messaging'", msg, partition, `'${NAME}'`, "i"];
  const into = columns.map((name) => `"${name}"`).join(", ");
  if (given) {
    const select = [...values, "gen_random_uuid()"].join(", ");
    return await inPostgres(
      given,
      `INSERT INTO "${schema}"."${TABLE}" (${into}) SELECT ${select} FROM generate_series(1, ${rows}) AS i`,
    );
  }
  const db = new DatabaseSync(`${folder}/db.sqlite`);
  const series =
    `WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ${rows})`;
  const id = "printf('%08x-0000-4000-8000-%012x', i, i)";
  db.exec(`${series} INSERT INTO ${TABLE} (${into}) SELECT ${[...values, id].join(", ")} FROM series`);
  db.close();
}

/** Serves the project until so many messages have left, then tells it to end. */
async function drain(folder: string, until: number): Promise<Drained> {
  const port = freePort();
  const box = new BoxCounter(boxOf(folder));
  const process = serve(folder, port);
  try {
    await answers(port);
    const startedAt = performance.now();
    const before = box.count();
    const healthMs: number[] = [];
    for (const last = Date.now() + DRAIN_MS; box.count() < until && Date.now() < last; await pause(ASK_MS)) {
      healthMs.push(await ask(port));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const rows = box.count() - before;
    const toldAt = performance.now();
    process.kill("SIGTERM");
    await process.status;
    return { seconds, rows, healthMs, endedMs: performance.now() - toldAt };
  } finally {
    end(process);
    await process.status;
  }
}

function serve(folder: string, port: number): Deno.ChildProcess {
  const flags = ["--quiet", "-A", "--no-check", "--no-lock", "--config", `${ROOT}deno.json`];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, `${ROOT}src/cli/mod.ts`, "serve", folder],
    env: { PORT: `${port}`, NO_COLOR: "1" },
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

function end(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}

async function answers(port: number): Promise<void> {
  for (const last = Date.now() + START_MS;; await pause(ASK_MS)) {
    try {
      return void await ask(port);
    } catch (cause) {
      if (Date.now() > last) throw new Error("The project does not answer", { cause });
    }
  }
}

/** How long `/health` takes. */
async function ask(port: number): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  await response.body?.cancel();
  if (!response.ok) throw new Error(`/health answered ${response.status}`);
  return performance.now() - startedAt;
}

function judge(
  folder: string,
  options: BacklogOptions,
  { startedAt, drained }: { readonly startedAt: number; readonly drained: readonly Drained[] },
): FaultReport {
  const got = Deno.readTextFileSync(boxOf(folder)).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line.slice(line.indexOf(" "))).data.n as number);
  const distinct = new Set(got);
  const lost = options.rows - distinct.size;
  const duplicates = got.length - distinct.size;
  const outOfOrder = countOutOfOrder(got);
  const seconds = drained.reduce((sum, one) => sum + one.seconds, 0);
  const perSecond = Math.round(drained.reduce((sum, one) => sum + one.rows, 0) / seconds);
  const answers = drained.flatMap((one) => one.healthMs).toSorted((one, other) => one - other);
  // the slowest ones tell of what else the machine does
  const healthMs = Math.ceil(answers[Math.floor(answers.length * MOST)] ?? 0);
  const slowestMs = Math.ceil(answers.at(-1) ?? 0);
  const endedMs = Math.ceil(Math.max(...drained.map((one) => one.endedMs)));
  const { leastPerSecond = 0, mostHealthMs = Infinity } = options;
  const faults = [
    ...lost > 0 ? [`${lost} messages lost`] : [],
    ...duplicates > 0 ? [`${duplicates} published twice`] : [],
    ...outOfOrder > 0 ? [`${outOfOrder} messages out of the order of their key`] : [],
    ...perSecond < leastPerSecond ? [`${perSecond} messages a second, promised are ${leastPerSecond}`] : [],
    ...healthMs > mostHealthMs ? [`/health took ${healthMs} ms, promised are ${mostHealthMs}`] : [],
  ];
  const database = options.postgres ? "PostgreSQL" : "SQLite";
  return {
    scenario:
      `backlog on ${database}: ${perSecond}/s, /health ${healthMs} ms (slowest ${slowestMs} ms), SIGTERM ${endedMs} ms`,
    emitted: options.rows,
    acknowledged: options.rows,
    handledOnce: distinct.size,
    ...{
      lost,
      phantom: got.filter((n) => n < 1 || n > options.rows).length,
      duplicates,
      outOfOrder,
      kills: 0,
    },
    seconds: Math.round((Date.now() - startedAt) / 100) / 10,
    faults,
  };
}

function countOutOfOrder(got: readonly number[]): number {
  const last = new Map<number, number>();
  let count = 0;
  for (const n of got.filter((n) => n % 2 !== 0)) {
    if (n < (last.get(n % KEYS) ?? 0)) count++;
    else last.set(n % KEYS, n);
  }
  return count;
}

function boxOf(folder: string): string {
  return `${folder}/box`;
}

/** Counts the lines of a box without reading any of them twice. */
class BoxCounter {
  readonly #file: string;
  #offset = 0;
  #count = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Each message ends with a line break, and has one in front. */
  count(): number {
    try {
      using file = Deno.openSync(this.#file);
      file.seekSync(this.#offset, Deno.SeekMode.Start);
      const buffer = new Uint8Array(1024 * 1024);
      for (let read = file.readSync(buffer); read !== null; read = file.readSync(buffer)) {
        this.#offset += read;
        for (let at = 0; at < read; at++) if (buffer[at] === 10) this.#count++;
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return Math.floor(this.#count / 2);
  }
}

async function inPostgres(given: Readonly<Record<string, unknown>>, text: string): Promise<void> {
  const { schema: _, ...options } = given;
  const sql = postgres({ ...options, onnotice: () => {} });
  try {
    await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}
