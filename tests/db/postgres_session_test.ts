/** What a session makes of statements that the server has forgotten, or whose tables have changed. */

import assert from "node:assert/strict";
import type { OpenConnection } from "../../src/db/postgres/open_connection.ts";
import { Session } from "../../src/db/postgres/session.ts";
import type { BoundStatement, Done, StatementResult } from "../../src/db/postgres/statement_query.ts";

const RESULT = { rows: [{ a: 1 }], fields: [], rowCount: 1, command: "SELECT" } as unknown as StatementResult;
const OTHER = { ...RESULT, rowCount: 2 };
const STALE = Object.assign(new Error("cached plan must not change result type"), {
  routine: "RevalidateCachedQuery",
});

/** Runs a statement alone on a connection that answers as a test says. */
async function runAlone(statement: BoundStatement, error?: Error) {
  const told: string[] = [];
  const session = new Session({} as never, {
    onIdle: () => told.push("idle"),
    onStale: (sql, name) => told.push(`stale ${name}: ${sql}`),
  });
  const open = {
    send: (_statement: BoundStatement, done: Done) => error ? done(error) : done(undefined, RESULT),
    forget: (name: string) => told.push(`forgotten ${name}`),
  } as unknown as OpenConnection;
  const result = await session.runAlone(open, statement, (given, why) => {
    told.push(`again ${given === statement} ${why === error}`);
    return Promise.resolve(OTHER);
  }).catch((thrown) => thrown);
  return { result, told };
}

Deno.test("a statement that runs gives its result, and nobody is told", async () => {
  assert.deepEqual(await runAlone({ sql: "s", values: [], name: "fw1", behind: "begin" }), {
    result: RESULT,
    told: [],
  });
});

Deno.test("a prepared statement that is stale gets another name, and the one who asked decides what is done", async () => {
  assert.deepEqual(await runAlone({ sql: "s", values: [], name: "fw1" }, STALE), {
    result: OTHER,
    told: ["stale fw1: s", "again true true"],
  });
});

Deno.test("a prepared statement in front of another one that is stale is forgotten on this connection", async () => {
  assert.deepEqual(await runAlone({ sql: "s", values: [], behind: "begin" }, STALE), {
    result: OTHER,
    told: ["forgotten begin", "again true true"],
  });
  assert.deepEqual((await runAlone({ sql: "s", values: [], name: "fw1", behind: "begin" }, STALE)).told, [
    ...["forgotten begin", "stale fw1: s", "again true true"],
  ]);
});

Deno.test("all other errors are those of the statement", async () => {
  const error = new Error("syntax");
  for (const more of [{}, { name: "fw1" }, { behind: "begin" }]) {
    assert.deepEqual(await runAlone({ sql: "s", values: [], ...more }, error), { result: error, told: [] });
  }
  assert.deepEqual(await runAlone({ sql: "s", values: [] }, STALE), { result: STALE, told: [] });
});
