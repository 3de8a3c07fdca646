/** What replicas close, none of which is connected here. */

import assert from "node:assert/strict";
import { Pool } from "../../src/db/postgres/pool.ts";
import { Replicas } from "../../src/db/postgres/replicas.ts";

Deno.test("closing replicas waits until the pools of all of them are closed, and that of the primary", async () => {
  const { end } = Pool.prototype;
  const ended: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  Pool.prototype.end = function (this: Pool) {
    ended.push(this.address);
    return gate.then(() => end.call(this));
  };
  try {
    const [primary, ...replicas] = [1, 2, 3].map((port) => ({ host: "h", port, user: "u", database: "d" }));
    const all = new Replicas({
      primary: { credentials: primary!, pool: {}, statementMs: 0, schema: "public" },
      replicas,
    });
    let isClosed = false;
    const closing = all.close().then(() => isClosed = true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual([[...new Set(ended)].toSorted(), isClosed], [["h:1", "h:2", "h:3"], false]);
    open();
    await closing;
  } finally {
    Pool.prototype.end = end;
  }
});
