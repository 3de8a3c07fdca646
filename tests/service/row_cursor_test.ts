/** Rows that are taken from a result one group after the other, and whether there are more. */

import assert from "node:assert/strict";
import type { QueryParams, SelectBody } from "../../src/cqn/cqn.ts";
import { type EngineCursor, readBeyond, RowCursor } from "../../src/service/row_cursor.ts";

const FROM: SelectBody = { from: { ref: ["Books"] } };

Deno.test("a query reads one row beyond its limit, unless only the database knows that", () => {
  const beyond = (limit: SelectBody["limit"], params?: QueryParams) =>
    readBeyond({ SELECT: { ...FROM, limit } }, params);
  const [offset, rows] = [{ val: 5 }, { ref: ["n"], param: true as const }];
  const whole = { SELECT: FROM };
  assert.deepEqual(readBeyond(whole), { query: whole, params: undefined, limit: Infinity });
  const valued = beyond({ rows: { val: 2 }, offset }, { a: 1 });
  assert.deepEqual(valued, {
    query: { SELECT: { ...FROM, limit: { rows: { val: 3 }, offset } } },
    params: { a: 1 },
    limit: 2,
  });
  const query = { SELECT: { ...FROM, limit: { rows } } };
  assert.deepEqual(beyond({ rows }, { n: 2, a: 1 }), { query, params: { n: 3, a: 1 }, limit: 2 });
  const most = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(beyond({ rows }, { n: most })?.params, { n: most });
  assert.equal(beyond({ rows }, { n: "2" }), undefined);
  assert.equal(beyond({ rows }), undefined);
  assert.equal(beyond({ rows: { ref: ["n"] } as never }, { n: 2 }), undefined);
});

/** A cursor over groups of rows, and what was called. */
function cursor(limit: number, ...groups: readonly (readonly string[])[]) {
  const calls: string[] = [];
  const left = [...groups];
  const engine: EngineCursor = {
    isText: true,
    count: 7,
    next: () => {
      calls.push("next");
      return left.shift() ?? [];
    },
    detach: () => void calls.push("detach"),
    close: () => void calls.push("close"),
  };
  return { rows: new RowCursor(engine, limit), calls };
}

Deno.test("a cursor gives as many rows as were asked for, and tells whether there are more", async () => {
  const { rows, calls } = cursor(3, ["a", "b"], ["c", "d"], ["e"]);
  assert.deepEqual([rows.given, rows.hasMore], [0, false]);
  assert.deepEqual(await rows.next(), ["a", "b"]);
  assert.deepEqual([rows.given, rows.hasMore], [2, false]);
  assert.deepEqual(await rows.next(), ["c"]);
  assert.deepEqual([rows.given, rows.hasMore], [3, true]);
  assert.deepEqual(await rows.next(), []);
  assert.deepEqual(calls, ["next", "next"]);
  const exact = cursor(2, ["a", "b"]).rows;
  assert.deepEqual([await exact.next(), exact.hasMore, await exact.next(), exact.given], [
    ["a", "b"],
    false,
    [],
    2,
  ]);
});

Deno.test("a cursor has what that of its engine has", () => {
  const { rows, calls } = cursor(1);
  assert.deepEqual([rows.isText, rows.count], [true, 7]);
  rows.detach();
  void rows.close();
  assert.deepEqual(calls, ["detach", "close"]);
});
