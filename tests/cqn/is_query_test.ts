import assert from "node:assert/strict";
import { assertQuery, isQuery, querySource } from "../../src/cqn/is_query.ts";
import type { Query } from "../../src/cqn/cqn.ts";

const from = { ref: ["E"] };
const SET = { SET: { op: "union", args: [{ SELECT: { from } }, { SELECT: { from } }] } } as unknown as Query;

/** One query of each kind, and what it reads from or writes to. */
const QUERIES: readonly (readonly [Query, unknown])[] = [
  [{ SELECT: { from } }, from],
  [{ INSERT: { into: "E", entries: [] } }, "E"],
  [{ UPSERT: { into: "E", entries: [] } }, "E"],
  [{ UPDATE: { entity: "E", data: {} } }, "E"],
  [{ DELETE: { from: "E" } }, "E"],
  [SET, undefined],
];

Deno.test("querySource() is what a query of each kind reads from or writes to", () => {
  for (const [query, source] of QUERIES) {
    assert.equal(querySource(query), source, JSON.stringify(query));
    assert.ok(isQuery(query), JSON.stringify(query));
    assert.doesNotThrow(() => assertQuery(query));
  }
});

Deno.test("assertQuery() refuses what is no query, and queries without entity", () => {
  const nothing = { ref: [""] };
  for (
    const value of [{ SELECT: { from: nothing } }, { DELETE: { from: nothing } }, { UPDATE: {} }, {
      INSERT: {},
    }]
  ) {
    assert.throws(() => assertQuery(value), /^TypeError: The query names no entity/, JSON.stringify(value));
  }
  for (
    const [value, found] of [[null, "null"], ["SELECT", "string"], [{}, "object"], [undefined, "undefined"]]
  ) {
    assert.throws(() => assertQuery(value), {
      name: "TypeError",
      message: new RegExp(`, but found ${found}$`),
    });
  }
});
