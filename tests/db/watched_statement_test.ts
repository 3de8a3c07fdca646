/** Whoever watches statements is told of each one, and how it ended. */

import assert from "node:assert/strict";
import { lengthOf, runWatched } from "../../src/db/engine/watched_statement.ts";
import { openConnection } from "../../src/db/sqlite/watched_connection.ts";
import type { StatementWatch } from "../../src/service/database.ts";

/** Keeps what it is told. */
function recorder(): { readonly watch: StatementWatch; readonly told: unknown[] } {
  const told: unknown[] = [];
  const watch: StatementWatch = (sql, values) => {
    told.push([sql, values]);
    return (end) => void told.push(end);
  };
  return { watch, told };
}

Deno.test("a statement is told of before it runs, and its number of rows or error once it has ended", async () => {
  const failure = new Error("no");
  const runs: readonly (readonly [run: () => unknown, result: unknown, end: object])[] = [
    [() => [1, 2, 3], [1, 2, 3], { rows: 3 }],
    [() => Promise.resolve([1]), [1], { rows: 1 }],
    [
      () => {
        throw failure;
      },
      failure,
      { error: failure },
    ],
    [() => Promise.reject(failure), failure, { error: failure }],
  ];
  for (const [run, result, end] of runs) {
    const { watch, told } = recorder();
    const order: unknown[] = [];
    let found: unknown;
    try {
      found = await runWatched(
        { watch, sql: "S", values: [7], rowsOf: (rows) => lengthOf(rows as []) },
        () => {
          order.push(...told);
          return run();
        },
      );
    } catch (error) {
      found = error;
    }
    assert.deepEqual(order, [["S", [7]]]);
    assert.deepEqual(found, result);
    assert.deepEqual(told, [["S", [7]], end]);
  }
});

Deno.test("what a statement gives comes at once where it is no promise, and needs no number of rows", () => {
  const { watch, told } = recorder();
  assert.equal(runWatched({ watch, sql: "S", values: [] }, () => 5), 5);
  assert.deepEqual(told, [["S", []], { rows: undefined }]);
  assert.equal(lengthOf(undefined), undefined);
});

Deno.test("each statement of a watched connection of SQLite is told of once", () => {
  const { watch, told } = recorder();
  const db = openConnection({ file: ":memory:", timeoutMs: 1000, watch });
  try {
    db.execute({ sql: "CREATE TABLE t (n integer)" }, []);
    assert.equal(db.change({ sql: "INSERT INTO t VALUES (?), (2), (3)" }, [1]), 3);
    const select = "SELECT n FROM t ORDER BY n";
    assert.equal(db.all(select, []).length, 3);
    assert.equal(db.read({ sql: select }, []).length, 3);
    db.readExact({ sql: select }, []);
    assert.throws(() => db.all("SELECT x FROM t", []));
    assert.equal(db.all("SELECT 1 AS one", []).length, 1);
    const [error] = told.splice(11, 1) as [{ readonly error: Error }];
    assert.match(error.error.message, /no such column/);
    assert.deepEqual(told, [
      ...[["CREATE TABLE t (n integer)", []], { rows: undefined }],
      ...[["INSERT INTO t VALUES (?), (2), (3)", [1]], { rows: 3 }],
      ...[[select, []], { rows: 3 }, [select, []], { rows: 3 }, [select, []], { rows: 3 }],
      ...[["SELECT x FROM t", []], ["SELECT 1 AS one", []], { rows: 1 }],
    ]);
  } finally {
    db.close();
  }
});

Deno.test("groups of rows are told of with the number of rows that were read", () => {
  const { watch, told } = recorder();
  const db = openConnection({ file: ":memory:", timeoutMs: 1000, watch });
  try {
    const sql = "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3";
    const groups = [...db.groups({ sql }, [], { asText: false })];
    assert.equal(groups.flat().length, 3);
    assert.deepEqual(told, [[sql, []], { rows: 3 }]);
    told.length = 0;
    assert.throws(() => [...db.groups({ sql: "SELECT x" }, [], { asText: false })]);
    const [, end] = told as [unknown, { readonly rows: number; readonly error: Error }];
    assert.equal(told.length, 2);
    assert.equal(end.rows, 0);
    assert.match(end.error.message, /no such column/);
  } finally {
    db.close();
  }
});
