/** Which statements a pool prepares, without a server. */

import assert from "node:assert/strict";
import { Pool } from "../../src/db/postgres/pool.ts";

const HOUR_MS = 3_600_000;

function poolOf(options: Readonly<Record<string, unknown>> = {}): Pool {
  const credentials = { host: "127.0.0.1", port: 1, user: "u", password: "p", database: "d" };
  return new Pool({ credentials, pool: {}, statementMs: 0, schema: "public", ...options });
}

Deno.test("a statement that is repeated has a name, unless it says that it must not be prepared", () => {
  const pool = poolOf();
  const statement = { sql: "SELECT $1", values: ["x"], answerBytes: 9 };
  assert.deepEqual(pool.prepared(statement), { ...statement, name: undefined });
  assert.deepEqual(pool.prepared(statement), { ...statement, name: "fw1" });
  assert.deepEqual(pool.prepared({ ...statement, simple: true }), { ...statement, name: undefined });
});

Deno.test("others are prepared in place of 500 statements after an hour, when all connections are others", () => {
  const now = Date.now;
  let ms = 0;
  Date.now = () => ms;
  try {
    const pool = poolOf();
    const nameOf = (sql: string) => {
      pool.prepared({ sql, values: [] });
      return pool.prepared({ sql, values: [] }).name;
    };
    for (let n = 1; n <= 500; n++) assert.equal(nameOf(`SELECT ${n}`), `fw${n}`);
    ms = HOUR_MS - 1;
    assert.equal(nameOf("SELECT 'more'"), undefined);
    ms = HOUR_MS;
    assert.equal(nameOf("SELECT 'more'"), "fw501");
  } finally {
    Date.now = now;
  }
});
