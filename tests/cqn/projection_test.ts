/**
 * Projection functions (api 8).
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Recorder } from "../../src/cqn/builders/projection_recorder.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { type EntityShape, setLockWait } from "../../src/cqn/query_runner.ts";

const Authors: EntityShape = { name: "my.Authors", elements: { ID: {}, name: {}, email: {} } };
const Books: EntityShape = {
  name: "my.Books",
  elements: { ID: {}, title: {}, author: { $target: Authors } },
};

function columnsOf(projection: (row: Recorder) => unknown, entity: string | EntityShape = "Foo"): unknown {
  return JSON.parse(JSON.stringify(SELECT.from(entity, projection).SELECT.columns));
}

Deno.test("projection functions read any name of an entity that no model has", () => {
  assert.deepEqual(columnsOf((foo) => [foo("*"), foo.a, foo.b.as("c"), foo.d.e]), [
    "*",
    { ref: ["a"] },
    { ref: ["b"], as: "c" },
    { ref: ["d", "e"] },
  ]);
  assert.deepEqual(columnsOf((foo) => foo.boo((b) => [b`*`, b.moo.zoo((x) => x.y.z)])), [
    { ref: ["boo"], expand: ["*", { ref: ["moo", "zoo"], expand: [{ ref: ["y", "z"] }] }] },
  ]);
  assert.throws(() => columnsOf(() => {}), /Expected a projection function that reads elements, found none/);
});

Deno.test("projection functions put columns behind a path into the rows by a dot or a parameter called _", () => {
  for (const entity of ["Foo", Books]) {
    const inlined = { ref: ["author"], inline: [{ ref: ["name"] }, { ref: ["ID"] }] };
    assert.deepEqual(columnsOf((book) => book.author((_) => [_.name, _.ID]), entity), [inlined]);
    assert.deepEqual(columnsOf((book) => book.author`.*`, entity), [{ ref: ["author"], inline: ["*"] }]);
    assert.deepEqual(columnsOf((book) => book.author`*`, entity), [{ ref: ["author"], expand: ["*"] }]);
  }
});

Deno.test("projection functions filter and order what is nested by text", () => {
  const [column] = columnsOf((book) => book.author`[name = ${"Emily"} order by ID]`("*"), Books) as object[];
  assert.deepEqual(column, {
    ref: [{ id: "author", where: [{ ref: ["name"] }, "=", { val: "Emily" }], orderBy: [{ ref: ["ID"] }] }],
    expand: ["*"],
  });
});

Deno.test("projection functions take subqueries as columns", () => {
  const query = SELECT.from("Bar", (bar: Recorder) => bar.y);
  const named = { SELECT: { from: { ref: ["Bar"] }, columns: [{ ref: ["y"] }] }, as: "y" };
  assert.deepEqual(columnsOf((foo) => foo(query).as("y")), [named]);
});

Deno.test("limits take expressions in place of numbers, hints a list", () => {
  const select = SELECT.from(Books).limit({ val: 2 }, { val: 3 }).hints("A", ["B"]).SELECT;
  assert.deepEqual(select.limit, { rows: { val: 2 }, offset: { val: 3 } });
  assert.deepEqual(select.hints, ["A", "B"]);
});

Deno.test("locks are waited for as long as the configuration says, where the query does not", () => {
  setLockWait(() => 2);
  try {
    assert.deepEqual(SELECT.from(Books).forUpdate().SELECT.forUpdate, { wait: 2 });
    assert.deepEqual(SELECT.from(Books).forShareLock().SELECT.forShareLock, { wait: 2 });
    assert.deepEqual(SELECT.from(Books).forUpdate({ wait: -1 }).SELECT.forUpdate, {});
  } finally {
    setLockWait(undefined);
  }
});

Deno.test("projection functions read columns of the row itself by text", () => {
  assert.deepEqual(columnsOf((foo) => foo`.*`), ["*"]);
  assert.deepEqual(columnsOf((foo) => foo` * `), ["*"]);
  assert.deepEqual(columnsOf((foo) => foo`a, b as c`), [{ ref: ["a"] }, { ref: ["b"], as: "c" }]);
});
