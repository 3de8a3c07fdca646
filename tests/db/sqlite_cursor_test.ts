/** Rows of SQLite in groups, and what its errors mean (db/README). */

import assert from "node:assert/strict";
import { CURSOR_ROWS, CURSOR_TEXT } from "../../src/db/read/cursor_groups.ts";
import { SqliteConnection } from "../../src/db/sqlite/connection.ts";
import { isBusy, readGroups, SqliteCursor, sqliteError } from "../../src/db/sqlite/sqlite_cursor.ts";
import type { CursorRow } from "../../src/service/row_cursor.ts";
import { testModel } from "./fixture.ts";

const MODEL = testModel();

/** A cursor over groups of numbers, and what happens to it. */
function cursorOf(groups: readonly (readonly number[])[], failure?: Error) {
  const events: string[] = [];
  function* read(): Generator<readonly CursorRow[], void> {
    try {
      for (const group of groups) {
        events.push(`read ${group}`);
        yield group.map((ID) => ({ ID }));
      }
      if (failure) throw failure;
    } finally {
      events.push("ended");
    }
  }
  const release = () => events.push("released");
  const cursor = new SqliteCursor({ isText: false, count: 3, groups: read(), release });
  const ids = () => cursor.next().map((row) => (row as { readonly ID: number }).ID);
  return { cursor, events, ids };
}

Deno.test("a cursor gives its groups, then nothing, and gives back the connection at its end", () => {
  const { cursor, events, ids } = cursorOf([[1, 2], [3]]);
  assert.deepEqual([cursor.isText, cursor.count, cursor.isDetached], [false, 3, false]);
  assert.deepEqual([ids(), ids()], [[1, 2], [3]]);
  assert.deepEqual(events, ["read 1,2", "read 3"]);
  assert.deepEqual([ids(), ids()], [[], []]);
  assert.deepEqual(events, ["read 1,2", "read 3", "ended", "released"]);
  cursor.close();
  assert.equal(events.length, 4);
});

Deno.test("a cursor that is closed before its end stops reading, gives back the connection once and gives nothing more", () => {
  const { cursor, events, ids } = cursorOf([[1], [2]]);
  ids();
  cursor.close();
  cursor.close();
  assert.deepEqual(events, ["read 1", "ended", "released"]);
  assert.throws(() => ids(), /cursor/i);
  cursor.drain();
  assert.throws(() => ids(), /cursor/i);
});

Deno.test("a cursor that is drained reads all and gives back the connection, and still gives its groups", () => {
  const { cursor, events, ids } = cursorOf([[1], [2], [3]]);
  ids();
  cursor.drain();
  const all = ["read 1", "read 2", "read 3", "ended", "released"];
  assert.deepEqual(events, all);
  cursor.drain();
  assert.deepEqual([ids(), ids(), ids(), ids()], [[2], [3], [], []]);
  assert.deepEqual(events, all);
});

Deno.test("what fails while a cursor is drained is thrown behind the groups that were read", () => {
  const failure = new Error("disk");
  const { cursor, events, ids } = cursorOf([[1], [2]], failure);
  cursor.drain();
  assert.deepEqual(events, ["read 1", "read 2", "ended", "released"]);
  assert.deepEqual([ids(), ids()], [[1], [2]]);
  assert.throws(() => ids(), failure);
});

Deno.test("a cursor that is detached ends with its transaction", () => {
  const { cursor } = cursorOf([]);
  cursor.detach();
  assert.equal(cursor.isDetached, true);
});

/** An error of the driver. */
const error = (errcode: number, message: string) => Object.assign(new Error(message), { errcode });

/** Errors of SQLite by extended code and text, and what clients see of them; undefined is the error itself. */
const ERRORS: readonly (readonly [errcode: number, message: string, seen: object | undefined])[] = [
  [1555, "UNIQUE constraint failed: my_Books.ID", { code: "ENTITY_ALREADY_EXISTS", args: ["my.Books"] }],
  [2579, "UNIQUE constraint failed: my_Books.rowid", { code: "ENTITY_ALREADY_EXISTS", args: ["my.Books"] }],
  [1555, "UNIQUE constraint failed: other.ID", { code: "ENTITY_ALREADY_EXISTS", args: ["other"] }],
  [2067, "UNIQUE constraint failed: a.b, a.c", { code: "UNIQUE_CONSTRAINT_VIOLATION", target: "b" }],
  [1299, "NOT NULL constraint failed: my_Books.title", { code: "ASSERT_NOT_NULL", target: "title" }],
  [787, "FOREIGN KEY constraint failed", { status: 400, code: "FK_CONSTRAINT_VIOLATION" }],
  [5, "database is locked", { status: 503 }],
  [517, "database is locked", { status: 503 }],
  [10, "disk I/O error", { status: 503 }],
  [778, "disk I/O error", { status: 503 }],
  [13, "database or disk is full", { status: 503 }],
  [1, "no such function: abc", { status: 501, message: 'The function "abc" is not supported' }],
  [
    ...[1, "wrong number of arguments to function abc()"] as const,
    { status: 501, message: 'The function "abc" is not supported' },
  ],
  [1, "integer overflow", { status: 400, code: "VALUE_OUT_OF_RANGE" }],
  [1, "an integer overflow", undefined],
  ...[
    "ESCAPE expression must be a single character",
    "at most 64 tables in a join",
    "Expression tree is too large (maximum depth 1000)",
    "parser stack overflow",
    "too many SQL variables",
    "too many terms in compound SELECT",
    "too many columns in result set",
  ].map((message) => [1, message, { status: 400 }] as const),
  [1, "no such table: too many columns", undefined],
  [1, 'near "x": syntax error', undefined],
  [9, "interrupted", undefined],
];

Deno.test("errors of SQLite are those that clients may see, with the error as cause, or the error itself", () => {
  for (const [errcode, message, seen] of ERRORS) {
    const cause = error(errcode, message);
    const found = sqliteError(cause, MODEL);
    if (seen === undefined) {
      assert.equal(found, cause, message);
      continue;
    }
    const given = found as Readonly<Record<string, unknown>>;
    assert.notEqual(given, cause, message);
    assert.equal(given.cause, cause, message);
    for (const [name, value] of Object.entries(seen)) assert.deepEqual(given[name], value, message);
  }
});

Deno.test("what is no error of SQLite stays what it is", () => {
  for (const one of [new Error("integer overflow"), { errcode: 5 }, "text", undefined]) {
    assert.equal(sqliteError(one, MODEL), one);
    assert.equal(isBusy(one), false);
  }
});

Deno.test("others have locked the database where the primary code says so", () => {
  assert.deepEqual([5, 261, 517, 6, 10, 13, 1].map((code) => isBusy(error(code, "x"))), [
    ...[true, true, true, false, false, false, false],
  ]);
});

Deno.test("groups of rows are read as plain objects, texts as they are, errors with their meaning", () => {
  function* given(): Generator<readonly CursorRow[], void> {
    yield ["{}", Object.assign(Object.create(null), { ID: 1 })];
    throw error(13, "full");
  }
  const readers = [(row: Record<string, unknown>) => void (row.more = true)];
  const groups = readGroups(given(), { readers: readers as never, model: MODEL });
  assert.deepEqual(groups.next().value, ["{}", { ID: 1, more: true }]);
  assert.throws(() => groups.next(), { status: 503 });
});

Deno.test("all rows come in groups, as rows and as texts, however many there are", () => {
  const db = new SqliteConnection({ file: ":memory:", timeoutMs: 1000 });
  try {
    for (const count of [0, 1, 2, CURSOR_ROWS - 1, CURSOR_ROWS, CURSOR_ROWS + 1, 2 * CURSOR_ROWS]) {
      const all = Array.from({ length: count }, (_, at) => at + 1);
      const numbers = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) " +
        `SELECT n FROM r LIMIT ${count}`;
      const rows = [...db.groups({ sql: numbers }, [], { asText: false })];
      assert.deepEqual(rows.flat().map((row) => Number((row as { readonly n: number }).n)), all);
      const json = `SELECT n || '${"x".repeat(CURSOR_TEXT / 2)}' AS json FROM (${numbers}) LIMIT 5`;
      const texts = [...db.groups({ sql: json }, [], { asText: true })];
      assert.deepEqual(texts.flat().map((text) => parseInt(text as string)), all.slice(0, 5));
      for (const group of [...rows, ...texts]) assert.ok(group.length > 0);
    }
  } finally {
    db.close();
  }
});
