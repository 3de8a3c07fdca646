/** Which statements are prepared on PostgreSQL: what is run again, as long as there are not too many. */

import assert from "node:assert/strict";
import { isStale, PreparedTexts, StaleStatementError } from "../../src/db/postgres/prepared_texts.ts";

Deno.test("a statement is prepared when it runs again, under a name that it keeps", () => {
  const texts = new PreparedTexts(1000);
  assert.deepEqual([
    texts.nameOf("a"),
    texts.nameOf("b"),
    texts.nameOf("a"),
    texts.nameOf("a"),
    texts.nameOf("b"),
  ], [
    ...[undefined, undefined, "fw1", "fw1", "fw2"],
  ]);
  texts.rename("a", "fw1");
  assert.equal(texts.nameOf("a"), "fw3");
  texts.rename("a", "fw1");
  texts.rename("c", "fw1");
  assert.deepEqual([texts.nameOf("a"), texts.nameOf("c")], ["fw3", undefined]);
});

Deno.test("500 statements are prepared, and others in their place once all connections are others", () => {
  const now = Date.now;
  let ms = 0;
  Date.now = () => ms;
  try {
    const texts = new PreparedTexts(1000);
    const twice = (sql: string) => (texts.nameOf(sql), texts.nameOf(sql));
    for (let n = 1; n <= 500; n++) assert.equal(twice(`sql ${n}`), `fw${n}`);
    ms = 999;
    assert.equal(twice("more"), undefined);
    assert.equal(texts.nameOf("sql 500"), "fw500");
    ms = 1000;
    assert.equal(twice("more"), "fw501");
    assert.equal(twice("sql 1"), "fw502", "all others are forgotten");
  } finally {
    Date.now = now;
  }
});

Deno.test("2,000 statements that were run once are remembered", () => {
  const texts = new PreparedTexts(1000);
  for (let n = 0; n < 2000; n++) texts.nameOf(`sql ${n}`);
  assert.equal(texts.nameOf("sql 0"), "fw1");
  texts.nameOf("one");
  texts.nameOf("another");
  assert.equal(texts.nameOf("sql 1"), undefined, "they are forgotten together");
  assert.equal(texts.nameOf("another"), "fw2");
});

Deno.test("a prepared statement is stale where the server says so from the places that find it", () => {
  const places = [
    "RevalidateCachedQuery",
    "FetchPreparedStatement",
    "transformAssignedExpr",
    "op_error",
    "select_common_type",
  ];
  for (const routine of places) assert.equal(isStale({ routine }), true);
  for (const error of [{ routine: "other" }, {}, undefined, new Error("x")]) {
    assert.equal(isStale(error), false);
  }
  const cause = new Error("x");
  assert.deepEqual([new StaleStatementError(cause).cause, new StaleStatementError(cause).message], [
    cause,
    "A prepared statement is stale",
  ]);
});
