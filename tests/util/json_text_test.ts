import assert from "node:assert/strict";
import { holdsInfinity, isDeeperThan, jsonKeyLine, jsonOr } from "../../src/util/json_text.ts";

Deno.test("jsonKeyLine() finds the line of a key, or of the last one above it that there is", () => {
  const text = '{\n  "b": 1,\n  "a": {\n    "b": 2\n  }\n}';
  const lines = [["a"], ["a", "b"], ["b"], ["a", "x"], []].map((path) => jsonKeyLine(text, path));
  assert.deepEqual(lines, [3, 4, 2, 3, 1]);
});

Deno.test("jsonKeyLine() looks at nesting: keys of other objects, values, comments are no keys of a path", () => {
  for (
    const [lines, path, line] of [
      // of several the outermost counts, and of those the first
      [['{ "other": { "fw": 1 },', '"fw": "text" }'], ["fw"], 2],
      [['{ "fw": 1,', '"other": { "fw": 2 },', '"fw": 3 }'], ["fw"], 1],
      // the deepest counts more than the outermost
      [['{ "a": 1,', '"fw": { "a": {', '"b": 1 } } }'], ["a", "b"], 3],
      // siblings are not inside, whatever stands inside of them
      [['{ "a": { "x": 1 },', '"c": { "b": 1 },', '"b": 1 }'], ["a", "b"], 1],
      [['{ "a": 1,', '"c": { "b": 1 } }'], ["a", "b"], 1],
      [['{ "c": { "a": { "x": {} },', '"b": 1 },', '"a": {', '"b": 1 } }'], ["a", "b"], 4],
      // others may stand between them
      [['{ "a": {', '"[production]": {', '"b": 1 } } }'], ["a", "b"], 3],
      // each member of a list is inside of what the list is
      [['{ "a": [ { "x": [] },', "[],", '{ "b": 1 } ] }'], ["a", "b"], 3],
      [['{ "c": [ { "a": 1 },', '{ "b": 1 } ],', '"a": 1 }'], ["a", "b"], 3],
      // a text is no key and holds none
      [['{ "x": "a",', '"y": "{ \\"a\\":",', '"a": 1 }'], ["a"], 3],
      [['{ "x": "\\\\",', '"a" : 1 }'], ["a"], 2],
      [["{", '"\\u0061\\"": 1 }'], ['a"'], 2],
      // neither does a comment
      [['{ // "a": {', '/* "a": {', '"a": { */', '"a": 1 }'], ["a"], 4],
      [["", '{ "a": 1 }'], ["a"], 2],
      [["no JSON"], ["a"], 1],
      [["]", '"a": 1'], ["a"], 2],
      [["]", '{ "a": 1 }'], ["a"], 2],
    ] as const
  ) assert.equal(jsonKeyLine(lines.join("\n"), path), line, lines.join(" "));
});

Deno.test("isDeeperThan() counts levels of objects and lists, holdsInfinity() looks into all of them", () => {
  for (const [value, depth] of [[1, 0], [{}, 1], [[1, {}], 2], [{ a: [{ b: null }], c: 1 }, 3]] as const) {
    assert.deepEqual([isDeeperThan(value, depth), isDeeperThan(value, depth - 1)], [false, depth > 0]);
  }
  for (const value of [Infinity, -Infinity, [{ a: -Infinity }]]) assert.equal(holdsInfinity(value), true);
  for (const value of [1, null, "Infinity", [{ a: NaN }]]) assert.equal(holdsInfinity(value), false);
});

Deno.test("jsonOr() gives the value of a text, else what is given for it", () => {
  assert.deepEqual(['{"a":[1]}', "null", "", "{", "x"].map((text) => jsonOr(text, "no")), [
    { a: [1] },
    null,
    "no",
    "no",
    "no",
  ]);
});
