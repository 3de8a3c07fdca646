/**
 * D1 for tests: the real `workerd` with empty databases, by `miniflare`.
 *
 * @module
 */

import { Miniflare } from "miniflare";
import type { D1Binding, D1Statement } from "../../src/db/d1/mod.ts";

/** A Worker that runs batches of statements. From outside each `prepare` and `bind` would be a request of its own. */
const WORKER = `
const given = (value) => Array.isArray(value) ? new Uint8Array(value).buffer : value;
export default {
  async fetch(request, env) {
    const { name, statements } = await request.json();
    try {
      const prepared = statements.map(({ sql, values }) => env[name].prepare(sql).bind(...values.map(given)));
      return Response.json(await env[name].batch(prepared));
    } catch ({ message }) {
      return Response.json({ message }, { status: 500 });
    }
  },
};`;

/** Gives databases, each of them once. */
export interface D1Server {
  /** An empty database. */
  take(): D1Binding;
  stop(): Promise<void>;
}

/** A statement as the Worker takes it. */
class Statement implements D1Statement {
  readonly sql: string;
  readonly values: readonly unknown[];

  constructor(sql: string, values: readonly unknown[] = []) {
    this.sql = sql;
    this.values = values;
  }

  bind(...values: readonly unknown[]): D1Statement {
    // bytes as a list of numbers
    const sent = values.map((value) => value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value);
    return new Statement(this.sql, sent);
  }
}

/**
 * Starts a server.
 *
 * @param databases how many it has: each takes its part of the start
 */
export function startD1(databases = 20): D1Server {
  const names = Array.from({ length: databases }, (_, at) => `DB${at}`);
  const server = new Miniflare({ modules: true, script: WORKER, d1Databases: names });
  const run = async (name: string, statements: readonly D1Statement[]) => {
    const body = JSON.stringify({ name, statements });
    const answer = await server.dispatchFetch("http://localhost", { method: "POST", body });
    const result = await answer.json();
    if (!answer.ok) throw new Error((result as { message: string }).message);
    return result as Awaited<ReturnType<D1Binding["batch"]>>;
  };
  let next = 0;
  return {
    take: () => {
      const name = names[next++]!;
      return { prepare: (sql) => new Statement(sql), batch: (statements) => run(name, statements) };
    },
    stop: () => server.dispose(),
  };
}
