/**
 * Services that clients talk to over a port.
 *
 * @module
 */

import postgres from "postgres";
import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { serveProject } from "../../src/deno/serve_project.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials } from "../db/postgres.ts";
import { REPOSITORY } from "../deno/project.ts";
import { startFleet } from "./process_fleet.ts";
import type { ServedApplication } from "./serve_one.ts";

/** A service and the database behind it. */
export interface ClientServer {
  /** Without trailing slash. */
  readonly url: string;
  /** What the database holds, read beside all services. */
  read(query: unknown): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

const IN_MEMORY = { kind: "sqlite", credentials: { url: ":memory:" } };
/** `requires.db` of PostgreSQL, also behind a pooler or with replicas; each service gets a schema of its own. */
const GIVEN = Deno.env.get("TEST_CLIENTS_DB");

/** How many processes serve each application, which needs a database that they share. */
const PROCESSES = Number(Deno.env.get("TEST_CLIENTS_PROCESSES") ?? 1);

/** The configuration of a service, and what its database leaves behind. */
function environment(
  processes: number,
): { readonly env: Readonly<Record<string, unknown>>; clean(): Promise<void> } {
  const schema = uniqueName();
  const { schema: _schema, ...own } = credentials("");
  const shared = processes > 1 ? { kind: "postgres", credentials: own } : undefined;
  const given = GIVEN === undefined ? shared : JSON.parse(GIVEN);
  const db = given ? { ...given, credentials: { ...given.credentials, schema } } : IN_MEMORY;
  const env = { requires: { messaging: false, db }, log: { levels: { default: "silent" } } };
  return { env, clean: async () => given && await dropSchema(given.credentials, schema) };
}

async function dropSchema(credentials: Readonly<Record<string, unknown>>, schema: string): Promise<void> {
  const sql = postgres({ ...credentials, max: 1, onnotice: () => {}, prepare: false, fetch_types: false });
  await sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await sql.end();
}

/** A project that some processes serve together, or as usual. */
export async function serveFolder(folder: string, processes: number = PROCESSES): Promise<ClientServer> {
  const { env, clean } = environment(processes);
  if (processes > 1) return await serveTogether({ folder, env }, { processes, clean });
  const server = await serveProject(folder, { port: 0, print: () => {}, variables: {}, env });
  return { url: server.url, read: reader(server.runtime), stop: () => server.stop().then(clean) };
}

/** Serves the bookshop. */
export const serveBookshop = (processes?: number): Promise<ClientServer> =>
  serveFolder(`${REPOSITORY}examples/bookshop`, processes);

/** Serves the fixture `reference`. */
export async function serveReference(processes: number = PROCESSES): Promise<ClientServer> {
  const { env, clean } = environment(processes);
  if (processes > 1) return await serveTogether({ folder: undefined, env }, { processes, clean });
  const runtime = await startReference(env);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, runtime.fetch);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    read: reader(runtime),
    stop: async () => {
      await server.shutdown();
      await runtime.close();
      await clean();
    },
  };
}

/** The database is read by a runtime that serves nobody. */
async function serveTogether(
  application: ServedApplication,
  { processes, clean }: { readonly processes: number; readonly clean: () => Promise<void> },
): Promise<ClientServer> {
  const fleet = await startFleet(application, processes);
  const { folder, env } = application;
  const runtime = folder === undefined
    ? await startReference(env)
    : (await loadProject(folder, { variables: {}, env, receives: false })).runtime;
  await runtime.start();
  return {
    url: fleet.url,
    read: reader(runtime),
    stop: async () => {
      await fleet.stop();
      await runtime.close();
      await clean();
    },
  };
}

function reader(runtime: Runtime): ClientServer["read"] {
  return async (query) => {
    const db = await runtime.connect("db");
    return await db.run(query as never) as readonly Row[];
  };
}
