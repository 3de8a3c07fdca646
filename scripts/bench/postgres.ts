/**
 * A read by key, and an insert with a handler, of PostgreSQL, beside a handler with hono and `postgres` for the same bytes.
 *
 * @module
 */

import { Hono } from "hono";
import postgres from "postgres";
import { createRuntime, type Runtime, SELECT, type ServiceRequest } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";
import { BENCH_MODEL, benchAuthors, benchBooks, BOOK_COLUMNS } from "./bench_model.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** Both sides, over one database. */
export interface PostgresSides {
  readonly ours: Handler;
  readonly baseline: Handler;
  close(): Promise<void>;
}

/** Others may measure on the same server. */
const SCHEMA = `fw_bench_${Deno.pid}`;
const ADDRESS = Deno.env.get("TEST_POSTGRES") ?? "127.0.0.1:5432";

/**
 * Connects both sides.
 *
 * @returns undefined, with a line that says so, where no server answers
 */
export async function postgresSides(): Promise<PostgresSides | undefined> {
  const [host, port] = ADDRESS.split(":");
  const credentials = { host, port: Number(port), user: "postgres", database: "test" };
  try {
    (await Deno.connect({ hostname: host, port: Number(port) })).close();
  } catch {
    console.error(`"postgres by key" is left out: PostgreSQL does not answer at ${ADDRESS}`);
    return undefined;
  }
  const sql = postgres({ ...credentials, types: { date: TEXT_DATE }, onnotice: () => {} });
  await sql.unsafe(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  const runtime: Runtime = createRuntime({
    model: BENCH_MODEL,
    kinds: denoKinds,
    data: new Map([["store.Authors", benchAuthors()], ["store.Books", benchBooks()]]),
    env: {
      requires: { db: { kind: "postgres", credentials: { ...credentials, schema: SCHEMA } } },
      log: { levels: { default: "error" } },
    },
    handlers: {
      BenchService: (srv) => {
        srv.before("CREATE", "Books", async (req: ServiceRequest) => {
          const { ID } = req.data as { ID: number };
          const found = await SELECT.one.from("store.Books", ID % 1000 + 1);
          if (!found) req.reject(409, "The book before it is missing");
        });
      },
    },
  });
  await runtime.start();
  return {
    ours: runtime.fetch,
    baseline: handWritten(sql),
    close: async () => {
      await runtime.close();
      await sql.unsafe(`DROP SCHEMA ${SCHEMA} CASCADE`);
      await sql.end();
    },
  };
}

const TEXT_DATE = { to: 1082, from: [1082], serialize: String, parse: String };

function handWritten(sql: Pick<postgres.Sql, "unsafe" | "begin">): Handler {
  const app = new Hono();
  const columns = BOOK_COLUMNS.map((name) => `"${name}"`).join(", ");
  const text = `SELECT ${columns} FROM ${SCHEMA}."store_Books" WHERE "ID" = $1`;
  app.get("/odata/v4/bench/:key", async (c) => {
    const key = /^Books\((\d+)\)$/.exec(c.req.param("key"))?.[1];
    const [row] = key === undefined ? [] : await sql.unsafe(text, [Number(key)], { prepare: true });
    const headers = { "content-type": "application/json", "odata-version": "4.0" };
    if (!row) return new Response('{"error":{"code":"404","message":"Not Found"}}', { status: 404, headers });
    return new Response(JSON.stringify({ "@odata.context": "$metadata#Books/$entity", ...row }), { headers });
  });
  const places = BOOK_COLUMNS.map((_, at) => `$${at + 1}`).join(", ");
  const insert = `INSERT INTO ${SCHEMA}."store_Books" (${columns}) VALUES (${places}) RETURNING ${columns}`;
  app.post("/odata/v4/bench/Books", async (c) => {
    const data = await c.req.json() as Record<string, number | string>;
    const headers = { "content-type": "application/json", "odata-version": "4.0" };
    const row = await sql.begin(async (tx) => {
      const [found] = await tx.unsafe(text, [Number(data.ID) % 1000 + 1], { prepare: true });
      if (!found) return undefined;
      const [added] = await tx.unsafe(insert, BOOK_COLUMNS.map((name) => data[name] ?? null), {
        prepare: true,
      });
      return added;
    });
    if (!row) return new Response('{"error":{"code":"409","message":"Conflict"}}', { status: 409, headers });
    const body = JSON.stringify({ "@odata.context": "$metadata#Books/$entity", ...row });
    return new Response(body, { status: 201, headers: { ...headers, location: `Books(${data.ID})` } });
  });
  return (request) => app.fetch(request);
}
