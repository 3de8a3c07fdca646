/** A cursor of PostgreSQL on a connection that answers as a test says: what it sends, and when it gives back the connection. */

import assert from "node:assert/strict";
import { PostgresCursor } from "../../src/db/postgres/postgres_cursor.ts";
import type { Pool } from "../../src/db/postgres/pool.ts";
import type { BoundStatement } from "../../src/db/postgres/statement_query.ts";
import type { Row } from "../../src/cqn/cqn.ts";

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const DECLARED = "DECLARE fw_cursor NO SCROLL CURSOR FOR SELECT n";

interface Options {
  /** Rows that the database has. */
  readonly rows: readonly unknown[];
  /** The statement that fails. */
  readonly failing?: RegExp;
  readonly counting?: boolean;
  /** Tells of rows that were fetched, which takes a while. */
  readonly isSlow?: boolean;
}

/** Opens a cursor, and keeps what is sent and given back. */
function opened({ rows, failing, counting = false, isSlow = false }: Options) {
  const events: string[] = [];
  let at = 0;
  const runAlone = (_open: unknown, { sql, behind }: BoundStatement) => {
    if (behind !== undefined) events.push(behind);
    events.push(sql);
    if (failing?.test(sql)) return Promise.reject(new Error(sql));
    const count = Number(/^FETCH (\d+) FROM fw_cursor$/.exec(sql)?.[1] ?? 0);
    const found = sql === "COUNT" ? [{ count: "7" }] : rows.slice(at, at += count);
    const result = Promise.resolve({ rows: found });
    if (!isSlow || count === 0) return result;
    return new Promise((resolve) => setTimeout(resolve)).then(() => events.push("fetched")).then(() =>
      result
    );
  };
  const session = { runAlone, release: () => events.push("free") };
  const pool = {
    ...{ before: undefined, prepared: (statement: BoundStatement) => statement },
    reserve: () => Promise.resolve({ session, open: { hasPrepared: () => true } }),
  } as unknown as Pool;
  const cursor = PostgresCursor.open(pool, {
    ...{
      select: { sql: "SELECT n", values: [] },
      counting: counting ? { sql: "COUNT", values: [] } : undefined,
    },
    ...{ read: (row: Row) => (typeof row === "string" ? row : { ...row, isRead: true }), isText: true },
    translate: (error) => new Error(`translated ${(error as Error).message}`),
  }, () => events.push("released"));
  return { cursor, events };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

Deno.test("a cursor reads groups until one is not full, commits and gives back the connection", async () => {
  const { cursor, events } = opened({ rows: numbers(170) });
  const rows = await cursor;
  assert.deepEqual([rows.isText, rows.count, rows.isDetached], [true, undefined, false]);
  const first = await rows.next();
  assert.equal(first.length, 50);
  assert.deepEqual(first[0], { n: 0, isRead: true });
  assert.equal((await rows.next()).length, 100);
  assert.equal((await rows.next()).length, 20);
  assert.deepEqual(await rows.next(), []);
  await rows.close();
  assert.deepEqual(events, [
    ...[BEGIN, DECLARED, "FETCH 50 FROM fw_cursor", "FETCH 100 FROM fw_cursor", "FETCH 100 FROM fw_cursor"],
    ...["COMMIT", "free", "released"],
  ]);
  assert.deepEqual(await rows.next(), []);
});

Deno.test("groups of texts have as many rows as make 32768 characters, one at least and 1000 at most", async () => {
  const asked = async (length: number) => {
    const { cursor, events } = opened({ rows: Array.from({ length: 60 }, () => "x".repeat(length)) });
    const rows = await cursor;
    await rows.next();
    await rows.next();
    await rows.close();
    return events[3];
  };
  for (const [length, count] of [[1, 1000], [100, 328], [32768, 1], [99999, 1], [16384, 2], [10000, 4]]) {
    assert.equal(await asked(length!), `FETCH ${count} FROM fw_cursor`);
  }
});

Deno.test("rows are counted in the same transaction before the cursor is declared", async () => {
  const { cursor, events } = opened({ rows: numbers(1), counting: true });
  const rows = await cursor;
  assert.equal(rows.count, 7);
  assert.deepEqual(events, [BEGIN, "COUNT", DECLARED]);
  assert.equal((await rows.next()).length, 1);
  await rows.close();
  assert.deepEqual(events.slice(3), ["FETCH 50 FROM fw_cursor", "COMMIT", "free", "released"]);
});

Deno.test("a cursor that is closed before its end rolls back once and gives nothing more", async () => {
  const { cursor, events } = opened({ rows: numbers(170), isSlow: true });
  const rows = await cursor;
  const pending = rows.next();
  await Promise.all([rows.close(), rows.close()]);
  assert.equal((await pending).length, 50, "what was asked for before comes still");
  assert.deepEqual(events.slice(2), ["FETCH 50 FROM fw_cursor", "fetched", "ROLLBACK", "free", "released"]);
  await assert.rejects(rows.next(), /cursor/i);
  rows.detach();
  assert.equal(rows.isDetached, true);
});

Deno.test("what fails is told in words of ours, and the connection is given back", async () => {
  const declared = opened({ rows: [], failing: /^DECLARE/ });
  await assert.rejects(declared.cursor, { message: `translated ${DECLARED}` });
  assert.deepEqual(declared.events, [BEGIN, DECLARED, "ROLLBACK", "free", "released"]);
  const fetched = opened({ rows: [], failing: /^FETCH/ });
  const rows = await fetched.cursor;
  await assert.rejects(rows.next(), { message: "translated FETCH 50 FROM fw_cursor" });
  await rows.close();
  assert.deepEqual(fetched.events.slice(2), ["FETCH 50 FROM fw_cursor", "ROLLBACK", "free", "released"]);
  const ended = opened({ rows: numbers(1), failing: /^(?:COMMIT|ROLLBACK)/ });
  await (await ended.cursor).next();
  await (await ended.cursor).close();
  assert.deepEqual(ended.events.slice(3), ["COMMIT", "free", "released"]);
});

Deno.test("where no connection comes, nothing is ended", async () => {
  const told: string[] = [];
  const pool = { reserve: () => Promise.reject(new Error("none")) } as unknown as Pool;
  const options = { translate: (error: unknown) => error } as never;
  await assert.rejects(PostgresCursor.open(pool, options, () => told.push("released")), { message: "none" });
  assert.deepEqual(told, ["released"]);
});
