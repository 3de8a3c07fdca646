/**
 * A runtime with more rows than one text holds, on each engine.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";
import { createRuntime, type Row } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { pause } from "../../src/util/time.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";

/** Rows of `Books`. */
export const ROWS = 2500;
/** Rows of `Tagged`. */
export const TAGGED = 1100;
/** Rows that one text may hold. */
export const BUFFERED = 100;
/** Connections to PostgreSQL: one cursor at a time. */
const CONNECTIONS = 2;

/** How long streams may take to end on a busy machine. */
const SETTLED_MS = 60_000;

const BOOK = {
  ID: { key: true, type: "cds.Integer" },
  title: { type: "cds.String" },
  price: { type: "cds.Decimal", precision: 20, scale: 2 },
} as const;

/** As many rows for each row: more than the buffers of a connection hold. */
const PEERS = {
  type: "cds.Association",
  target: "my.Books",
  cardinality: { max: "*" },
  on: [{ ref: ["peers", "ID"] }, "<=", { val: 40 }],
} as const;

const MODEL = {
  definitions: {
    "my.Books": {
      kind: "entity",
      elements: {
        ...BOOK,
        filler: { type: "cds.String", length: 2000 },
        more: { type: "cds.Map" },
        peers: PEERS,
      },
    },
    "my.Tagged": {
      kind: "entity",
      elements: { ...BOOK, version: { "type": "cds.Integer", "@odata.etag": true } },
    },
    "S": { kind: "service" },
    "S.Books": { kind: "entity", projection: { from: { ref: ["my.Books"] } } },
    "S.Tagged": { kind: "entity", projection: { from: { ref: ["my.Tagged"] } } },
    "R": { kind: "service", "@protocol": "rest" },
    "R.Books": { kind: "entity", projection: { from: { ref: ["my.Books"] } } },
  },
} as const;

/** Engines that the tests run on. */
export type EngineName = "memory" | "sqlite" | "sqlite file" | "postgres";

/** The engines that are there. */
export const ENGINE_NAMES: readonly EngineName[] = [
  "memory",
  "sqlite",
  "sqlite file",
  ...(server.isThere ? ["postgres" as const] : []),
];

/** A runtime, and what its database is busy with. */
export interface Large {
  readonly runtime: Runtime;
  /** Sends GET, or what `init` says. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** What is open in the database: nothing where all was given back. */
  busy(): Promise<unknown>;
  /** Messages of the error log. */
  readonly errors: readonly string[];
}

/** What differs from the defaults. */
export interface LargeOptions {
  readonly limits?: Readonly<Record<string, number>>;
  /** Rows of a page. */
  readonly page?: number;
  readonly handlers?: Implementations;
}

/**
 * Runs a test.
 *
 * @param engine on which
 * @param run the test
 * @param options limits, size of pages, handlers
 */
export async function withLarge(
  engine: EngineName,
  run: (large: Large) => Promise<void>,
  { limits = {}, page = 1_000_000, handlers = {} }: LargeOptions = {},
): Promise<void> {
  const database = await openPlace(engine);
  const errors: string[] = [];
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    handlers,
    data: new Map<string, readonly Row[]>([["my.Books", books()], ["my.Tagged", tagged()]]),
    env: {
      log: { levels: { default: "error" } },
      limits: { bufferedRows: BUFFERED, ...limits },
      query: { limit: { max: page } },
      requires: { db: database.requires },
    },
  });
  const original = console.error;
  console.error = (...values: unknown[]) => void errors.push(values.map(String).join(" "));
  try {
    await runtime.start();
    await run({
      runtime,
      get: (path, init) => runtime.fetch(new Request(`http://localhost/${path}`, init)),
      busy: database.busy,
      errors,
    });
  } finally {
    await runtime.close();
    await database.remove();
    console.error = original;
  }
}

function tagged(): Row[] {
  return books().slice(0, TAGGED).map(({ ID, title, price }) => ({ ID, title, price, version: ID }));
}

function books(): Row[] {
  return Array.from({ length: ROWS }, (_, i) => ({
    ID: i + 1,
    title: `Book ${i + 1}`,
    price: `${i}.50`,
    filler: "x".repeat(500),
  }));
}

interface Place {
  readonly requires: Readonly<Record<string, unknown>>;
  busy(): Promise<unknown>;
  remove(): Promise<void>;
}

async function openPlace(engine: EngineName): Promise<Place> {
  switch (engine) {
    case "memory":
    case "sqlite":
      return { requires: { kind: engine }, busy: () => Promise.resolve([]), remove: () => Promise.resolve() };
    case "sqlite file": {
      const folder = await Deno.makeTempDir();
      const url = `${folder}/large.sqlite`;
      return {
        requires: { kind: "sqlite", credentials: { url } },
        busy: () => Promise.resolve(readersOf(url)),
        remove: () => Deno.remove(folder, { recursive: true }),
      };
    }
    case "postgres": {
      const schema = uniqueName();
      return {
        requires: { kind: "postgres", credentials: credentials(schema), pool: { max: CONNECTIONS } },
        busy: () => locksOf(schema),
        remove: () => dropSchemas(schema),
      };
    }
  }
}

/** Whoever reads an older state keeps the log of changes from being emptied. */
function readersOf(file: string): unknown[] {
  const db = new DatabaseSync(file);
  try {
    db.exec("CREATE TABLE IF NOT EXISTS probe (a)");
    db.exec("DROP TABLE probe");
    db.exec(`ATTACH ':memory:' AS other`);
    db.exec("DETACH other");
    const { busy } = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
    return busy === 0 ? [] : ["the log of changes is in use"];
  } finally {
    db.close();
  }
}

/** Waits until nothing is open any more. */
export async function settled(busy: Large["busy"]): Promise<void> {
  for (const end = Date.now() + SETTLED_MS;; await pause(5)) {
    const open = await busy() as unknown[];
    if (open.length === 0) return;
    if (Date.now() > end) throw new Error(`Still open after ${SETTLED_MS} ms: ${Deno.inspect(open)}`);
  }
}

/** Ends a connection to PostgreSQL as an operator does. */
export async function terminate(pid: number): Promise<void> {
  await asOperator("SELECT pg_terminate_backend($1)", [pid]);
}

/** Locks on tables of a schema, with the sessions that hold them. */
async function locksOf(schema: string): Promise<unknown[]> {
  return await asOperator(
    `SELECT a.pid, a.state, a.query FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
      JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_stat_activity a ON a.pid = l.pid WHERE n.nspname = $1`,
    [schema],
  );
}

/** Runs SQL on a connection of its own. */
async function asOperator(text: string, values: (string | number)[]): Promise<unknown[]> {
  const { schema: _schema, ...given } = credentials("");
  const sql = postgres({ ...given, max: 1, onnotice: () => {}, fetch_types: false });
  try {
    return [...await sql.unsafe(text, values)];
  } finally {
    await sql.end();
  }
}
