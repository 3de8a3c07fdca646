/**
 * Services that clients talk to over a port.
 *
 * @module
 */

import postgres from "postgres";
import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { serveProject } from "../../src/deno/serve_project.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { uniqueName } from "../contract/services.ts";
import { REPOSITORY } from "../deno/project.ts";

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
const GIVEN = Deno.env.get("FW_TEST_CLIENTS_DB");

/** The configuration of a service, and what its database leaves behind. */
function environment(): { readonly env: Readonly<Record<string, unknown>>; clean(): Promise<void> } {
  const schema = uniqueName();
  const given = GIVEN === undefined ? undefined : JSON.parse(GIVEN);
  const db = given ? { ...given, credentials: { ...given.credentials, schema } } : IN_MEMORY;
  const env = { requires: { messaging: false, db }, log: { levels: { default: "silent" } } };
  return { env, clean: async () => given && await dropSchema(given.credentials, schema) };
}

async function dropSchema(credentials: Readonly<Record<string, unknown>>, schema: string): Promise<void> {
  const sql = postgres({ ...credentials, max: 1, onnotice: () => {}, prepare: false, fetch_types: false });
  await sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await sql.end();
}

/** Serves a project; users are those of development. */
export async function serveFolder(folder: string): Promise<ClientServer> {
  const { env, clean } = environment();
  const server = await serveProject(folder, { port: 0, print: () => {}, variables: {}, env });
  return { url: server.url, read: reader(server.runtime), stop: () => server.stop().then(clean) };
}

/** Serves the bookshop. */
export const serveBookshop = (): Promise<ClientServer> => serveFolder(`${REPOSITORY}examples/bookshop`);

/** Serves the fixture `reference`. */
export async function serveReference(): Promise<ClientServer> {
  const { env, clean } = environment();
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

function reader(runtime: Runtime): ClientServer["read"] {
  return async (query) => {
    const db = await runtime.connect("db");
    return await db.run(query as never) as readonly Row[];
  };
}
