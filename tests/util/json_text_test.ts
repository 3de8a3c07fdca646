import assert from "node:assert/strict";
import { holdsInfinity, isDeeperThan, jsonKeyLine } from "../../src/util/json_text.ts";

Deno.test("jsonKeyLine() finds the line of a key, or of the last one above it that there is", () => {
  const text = '{\n  "b": 1,\n  "a": {\n    "b": 2\n  }\n}';
  const lines = [["a"], ["a", "b"], ["b"], ["a", "x"], []].map((path) => jsonKeyLine(text, path));
  assert.deepEqual(lines, [3, 4, 2, 3, 1]);
});

Deno.test("isDeeperThan() counts levels of objects and lists, holdsInfinity() looks into all of them", () => {
  for (const [value, depth] of [[1, 0], [{}, 1], [[1, {}], 2], [{ a: [{ b: null }], c: 1 }, 3]] as const) {
    assert.deepEqual([isDeeperThan(value, depth), isDeeperThan(value, depth - 1)], [false, depth > 0]);
  }
  for (const value of [Infinity, -Infinity, [{ a: -Infinity }]]) assert.equal(holdsInfinity(value), true);
  for (const value of [1, null, "Infinity", [{ a: NaN }]]) assert.equal(holdsInfinity(value), false);
});
