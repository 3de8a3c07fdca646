/**
 * D1 for tests: the real `workerd` with empty databases, by `miniflare`.
 *
 * @module
 */

import { Miniflare } from "miniflare";
import type { D1Binding } from "../../src/db/d1/mod.ts";

const DATABASES = 150;

/** Gives databases, each of them once. */
export interface D1Server {
  /** An empty database. */
  take(): Promise<D1Binding>;
  stop(): Promise<void>;
}

/** Starts a server. */
export function startD1(): D1Server {
  const names = Array.from({ length: DATABASES }, (_, at) => `DB${at}`);
  const server = new Miniflare({
    modules: true,
    script: "export default { fetch() { return new Response(null, { status: 404 }); } }",
    d1Databases: names,
  });
  let next = 0;
  return {
    take: async () => await server.getD1Database(names[next++]) as unknown as D1Binding,
    stop: () => server.dispose(),
  };
}
