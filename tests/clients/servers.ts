/**
 * Services that clients talk to over a port.
 *
 * @module
 */

import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { serveProject } from "../../src/deno/serve_project.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { REPOSITORY } from "../deno/project.ts";

/** A service and the database behind it. */
export interface ClientServer {
  /** Without trailing slash. */
  readonly url: string;
  /** What the database holds, read beside all services. */
  read(query: unknown): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

const ENV = {
  requires: { messaging: false, db: { kind: "sqlite", credentials: { url: ":memory:" } } },
  log: { levels: { default: "silent" } },
};

/** Serves a project; users are those of development. */
export async function serveFolder(folder: string): Promise<ClientServer> {
  const server = await serveProject(folder, { port: 0, print: () => {}, variables: {}, env: ENV });
  return { url: server.url, read: reader(server.runtime), stop: () => server.stop() };
}

/** Serves the bookshop. */
export const serveBookshop = (): Promise<ClientServer> => serveFolder(`${REPOSITORY}examples/bookshop`);

/** Serves the fixture `reference`. */
export async function serveReference(): Promise<ClientServer> {
  const runtime = await startReference(ENV);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, runtime.fetch);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    read: reader(runtime),
    stop: async () => {
      await server.shutdown();
      await runtime.close();
    },
  };
}

function reader(runtime: Runtime): ClientServer["read"] {
  return async (query) => {
    const db = await runtime.connect("db");
    return await db.run(query as never) as readonly Row[];
  };
}
