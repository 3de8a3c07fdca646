/**
 * The fault tests of outbox and inbox (`messaging` 9): senders with an outbox, a file channel, receivers with an inbox.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";
import { entries, type FaultReport, until, Worker } from "./harness.ts";
import { pause } from "../../src/util/time.ts";
import type { QueueTask } from "./queue_worker.ts";

const SCRIPT = new URL("./queue_worker.ts", import.meta.url).pathname;
const DRAIN_MS = 90_000;
/** Leases end after two seconds, and every five seconds processes look for work of others. */
const QUIET_MS = 9_000;
/** Messages that one kill may repeat: a chunk of the outbox, which grows with the backlog that a kill leaves. */
const CHUNK = 1_000;

/** How large a run is. */
export interface QueueOptions {
  readonly writers: number;
  /** Transactions of each writer; every tenth is rolled back. */
  readonly transactions: number;
  /** Processes that do nothing but dispatch the outbox of the writers. */
  readonly dispatchers: number;
  readonly receivers: number;
  /** Kills from outside, at random, within the time. */
  readonly kills?: number;
  readonly withinMs?: number;
  /** How likely a process kills itself at each of its steps. */
  readonly killRate?: number;
  /** Receivers store messages first. */
  readonly inboxed?: boolean;
  /** PostgreSQL in the place of SQLite: how to reach it. */
  readonly postgres?: Readonly<Record<string, unknown>>;
}

/** The databases of senders and receivers. */
interface Databases {
  readonly sender: QueueTask["database"];
  readonly receiver: QueueTask["database"];
}

interface Stored {
  readonly id: string;
  readonly key: string;
  readonly sequence: number;
}

/**
 * Processes that share a database and are killed while they emit, dispatch and handle.
 *
 * @param folder an empty folder
 * @param scenario name for the report
 * @param options sizes
 */
export async function killQueues(
  folder: string,
  scenario: string,
  options: QueueOptions,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const { killRate, inboxed, kills = 0, withinMs = 0, postgres } = options;
  const databases = await databasesOf(folder, postgres);
  const worker = (name: string, given: Partial<QueueTask>) =>
    new Worker<QueueTask>({
      ...{
        role: "reader",
        name,
        box: `${folder}/box`,
        journal: `${folder}/${name}.journal`,
        killRate,
        inboxed,
      },
      database: databases.sender,
      ...given,
    }, SCRIPT);
  const writers = range(options.writers).map((n) =>
    worker(`w${n}`, { role: "writer", count: options.transactions })
  );
  const dispatchers = range(options.dispatchers).map((n) => worker(`d${n}`, { isDispatcher: true }));
  const receivers = range(options.receivers).map((n) => worker(`r${n}`, { database: databases.receiver }));
  const all = [...writers, ...dispatchers, ...receivers];
  for (let kill = 0; kill < kills; kill++) {
    await pause(withinMs / (kills + 1));
    const order = all.map((_, n) => all[(kill + n) % all.length]!);
    await until(() => order.some((victim) => victim.hasProgressed && victim.kill()), 3_000);
  }
  await Promise.all(writers.map((writer) => writer.ended));
  const acknowledged = new Set(writers.flatMap(({ task }) => entries(task.journal, "a")));
  const handled = () => new Set(receivers.flatMap(({ task }) => entries(task.journal, "h")));
  await until(() => acknowledged.isSubsetOf(handled()), DRAIN_MS);
  await becomesQuiet(all);
  await Promise.all(all.map((one) => one.stop()));
  return await judge(scenario, databases, { all, writers, startedAt });
}

/**
 * How to reach PostgreSQL: at `TEST_POSTGRES`, by default on this machine.
 *
 * @returns undefined where no server answers
 */
export async function findPostgres(): Promise<QueueOptions["postgres"]> {
  const address = Deno.env.get("TEST_POSTGRES") ?? "127.0.0.1:5432";
  const [host, port] = address.split(":");
  try {
    (await Deno.connect({ hostname: host, port: Number(port) })).close();
    return { host, port: Number(port), user: "postgres", database: "test" };
  } catch {
    console.error(`The plan for PostgreSQL is left out: it does not answer at ${address}`);
    return undefined;
  }
}

/** Files in the folder, or new schemas. */
async function databasesOf(folder: string, given: QueueOptions["postgres"]): Promise<Databases> {
  if (!given) return { sender: `${folder}/sender.sqlite`, receiver: `${folder}/receiver.sqlite` };
  const sql = postgres({ ...given, onnotice: () => {} });
  for (const schema of SCHEMAS) await sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await sql.end();
  const [sender, receiver] = SCHEMAS.map((schema) => ({ ...given, schema }));
  return { sender, receiver };
}

const SCHEMAS = ["fw_faults_sender", "fw_faults_receiver"];

interface Run {
  readonly all: readonly Worker<QueueTask>[];
  readonly writers: readonly Worker<QueueTask>[];
  readonly startedAt: number;
}

async function judge(
  scenario: string,
  { sender, receiver }: Databases,
  { all, writers, startedAt }: Run,
): Promise<FaultReport> {
  const committed = new Set((await read(sender, "faults_Orders")).map(({ id }) => id));
  const effects = await read(receiver, "faults_Effects");
  const distinct = new Set(effects.map(({ id }) => id));
  const published = all.flatMap(({ task }) => entries(task.journal, "p"));
  const acknowledged = new Set(writers.flatMap(({ task }) => entries(task.journal, "a")));
  const kills = all.reduce((sum, { restarts }) => sum + restarts, 0);
  const sums = {
    handledOnce: distinct.size,
    lost: new Set([...committed, ...acknowledged]).difference(distinct).size,
    phantom: distinct.difference(committed).size,
    duplicates: published.length - new Set(published).size,
    duplicateEffects: effects.length - distinct.size,
    outOfOrder: countOutOfOrder(effects),
  };
  const faults: string[] = [];
  if (sums.lost > 0) faults.push(`${sums.lost} messages lost`);
  if (sums.phantom > 0) faults.push(`${sums.phantom} messages without a committed transaction`);
  if (sums.outOfOrder > 0) faults.push(`${sums.outOfOrder} messages out of the order of their key`);
  if (sums.duplicateEffects > 0) faults.push(`${sums.duplicateEffects} effects twice`);
  if (sums.duplicates > kills * CHUNK) {
    faults.push(`${sums.duplicates} published twice, at most ${kills * CHUNK} promised`);
  }
  const emitted = writers.flatMap(({ task }) => entries(task.journal, "i")).length;
  const seconds = Math.round((Date.now() - startedAt) / 100) / 10;
  return { scenario, emitted, acknowledged: acknowledged.size, ...sums, kills, seconds, faults };
}

/**
 * Waits until nothing happens for longer than leases and pauses take. The databases are not looked at before all processes
 * have ended: what is measured here are the processes alone.
 */
async function becomesQuiet(all: readonly Worker<QueueTask>[]): Promise<void> {
  const end = Date.now() + DRAIN_MS;
  for (let size = -1, since = Date.now(); Date.now() < end && Date.now() - since < QUIET_MS;) {
    const now = all.reduce((sum, { task }) => sum + sizeOf(task.journal), 0);
    if (now !== size) [size, since] = [now, Date.now()];
    await pause(100);
  }
}

function sizeOf(journal: string): number {
  try {
    return Deno.statSync(journal).size;
  } catch {
    return 0;
  }
}

/** Rows in the order of their transactions. */
function read(database: QueueTask["database"], table: string): Promise<readonly Stored[]> {
  if (typeof database !== "string") return readPostgres(database, table);
  return Promise.resolve(readSqlite(database, table));
}

async function readPostgres(
  { schema, ...given }: Readonly<Record<string, unknown>>,
  table: string,
): Promise<readonly Stored[]> {
  const sql = postgres({ ...given, onnotice: () => {} });
  try {
    // the handling of a message begins after that of the one before it under its key has ended
    const text = `SELECT message AS id, key, sequence FROM "${schema}"."${table}" ORDER BY at`;
    return await sql.unsafe(text) as unknown as Stored[];
  } finally {
    await sql.end();
  }
}

function readSqlite(file: string, table: string): readonly Stored[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare(`SELECT message AS id, key, sequence FROM ${table} ORDER BY rowid`)
      .all() as unknown as Stored[];
  } finally {
    db.close();
  }
}

function countOutOfOrder(effects: readonly Stored[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const { key, sequence } of effects) {
    if (sequence < (last.get(key) ?? -1)) count++;
    else last.set(key, sequence);
  }
  return count;
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, n) => n);
}
