/** Nested rows that nobody with the roles of the user may write are refused before handlers run, with a database or without (auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";

const TEXT = `
service S {
  entity Orders { key ID: Integer; items: Composition of many Items on items.order = $self; }
  entity Items { key ID: Integer; order: Association to Orders; labels: Composition of many Labels on labels.item = $self; }
  @restrict: [{ to: 'boss' }] entity Labels { key ID: Integer; item: Association to Items; }
}`;

/** Sends requests; gives their status and the events whose handlers ran. */
async function send(
  requests: readonly (readonly [user: string, method: string, path: string, body?: unknown])[],
  db: object,
): Promise<[number, string[]][]> {
  const ran: string[] = [];
  const runtime = createRuntime({
    model: parseCdl(TEXT),
    env: {
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "mocked", users: { boss: { roles: ["boss"] }, nora: {} } }, ...db },
    },
    handlers: {
      S: (srv) =>
        void srv.on(["CREATE", "UPDATE"], "Orders", (req) => {
          ran.push(req.event);
          return req.data;
        }),
    },
  });
  try {
    const answers: [number, string[]][] = [];
    for (const [user, method, path, body] of requests) {
      const headers = { authorization: `Basic ${btoa(`${user}:`)}`, "content-type": "application/json" };
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/s/${path}`, { method, headers, body: JSON.stringify(body) }),
      );
      await response.body?.cancel();
      answers.push([response.status, ran.splice(0)]);
    }
    return answers;
  } finally {
    await runtime.close();
  }
}

for (const [name, db] of Object.entries({ "a database": { db: { kind: "memory" } }, "no database": {} })) {
  Deno.test(`parts of parts are refused before the handler of their whole runs, with ${name}`, async () => {
    const order = { ID: 1, items: [{ ID: 1, labels: [{ ID: 1 }] }] };
    const answers = await send([
      ["nora", "POST", "Orders", order],
      ["nora", "POST", "Orders", { ID: 1, items: [{ ID: 1 }] }],
      ["boss", "POST", "Orders", order],
    ], db);
    assert.deepEqual(answers, [[403, []], [201, ["CREATE"]], [201, ["CREATE"]]]);
  });
}
