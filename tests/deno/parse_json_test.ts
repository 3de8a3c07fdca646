/** JSON that people have written: where its mistakes are, and what may be meant. */

import assert from "node:assert/strict";
import { doubledKeys, parseJson, parseJsonWithComments } from "../../src/deno/parse_json.ts";

/** What is said of a text. */
function mistakeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.equal((error as Error).name, "ConfigurationError");
    return (error as Error).message;
  }
  throw new Error("no mistake was found");
}

Deno.test("JSON is read with and without a byte order mark, and with comments where Deno takes them", () => {
  assert.deepEqual(parseJson('{"a": [1, null]}', "a.json"), { a: [1, null] });
  assert.deepEqual(parseJson('\uFEFF{"a": 1}', "a.json"), { a: 1 });
  assert.equal(parseJson("false", "a.json"), false);
  const commented = '\uFEFF{\n  // one\n  "a": 1, /* two */\n  "b": [2,],\n}';
  assert.deepEqual(parseJsonWithComments(commented, "a.json"), { a: 1, b: [2] });
  assert.match(mistakeOf(() => parseJson(commented, "a.json")), /^a\.json:2: .*: JSON has no comments$/);
  assert.match(mistakeOf(() => parseJson('{"a": "\uFEFF"', "a.json")), /^a\.json:1: .*close brace expected/);
});

Deno.test("mistakes in JSON have the line, the column, and what may be meant; nothing of the text is shown", () => {
  const quotes = ": names and texts stand in double quotes";
  const table: readonly (readonly [string, string])[] = [
    ["{\n \"a\": 'secret'}", `2: Not valid JSON: invalid symbol in column 7${quotes}`],
    ["{\n a: 1}", `2: Not valid JSON: invalid symbol in column 2${quotes}`],
    ["{\n  _secret: 1}", `2: Not valid JSON: invalid symbol in column 3${quotes}`],
    ["{\n  $secret: 1}", `2: Not valid JSON: invalid symbol in column 3${quotes}`],
    ['{"a": 1,\n}', "2: Not valid JSON: property name expected in column 1: no comma may stand before it"],
    ["[1, ]", "1: Not valid JSON: value expected in column 5: no comma may stand before it"],
    ["[1 }", "1: Not valid JSON: comma expected in column 4"],
    ['{"a": /* x */ 1}', "1: Not valid JSON: invalid comment token in column 7: JSON has no comments"],
    ['{"a": // x\n 1}', "1: Not valid JSON: invalid comment token in column 7: JSON has no comments"],
    ['{"a" 1}', "1: Not valid JSON: colon expected in column 6"],
    ['{"a": 1', "1: Not valid JSON: close brace expected in column 8"],
    ["", "1: Not valid JSON: value expected in column 1"],
  ];
  for (const [text, said] of table) {
    assert.equal(mistakeOf(() => parseJson(text, "a.json")), `a.json:${said}`, text);
    assert.equal(mistakeOf(() => parseJson(`\uFEFF${text}`, "a.json")), `a.json:${said}`, text);
  }
  assert.equal(
    mistakeOf(() => parseJsonWithComments('{"a": 1, b: 2}', "deno.json")),
    `deno.json:1: Not valid JSON: invalid symbol in column 10${quotes}`,
  );
  // both readers differ in what a text may hold
  assert.match(mistakeOf(() => parseJson('{"a": "\t"}', "a.json")), /^a\.json:1: Not valid JSON/);
});

Deno.test("keys that an object has twice are found with their paths and lines", () => {
  const found = (text: string) => doubledKeys(text).map(({ path, line }) => `${path.join(".")}:${line}`);
  assert.deepEqual(found('{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]}'), []);
  assert.deepEqual(found('{"a": 1,\n"a": 2,\n"a": 3}'), ["a:2", "a:3"]);
  assert.deepEqual(found('\uFEFF{"a": 1, // x\n"b": {"c": [{"d": 1,\n"d": {"a": 1}}]},\n"a": 2}'), [
    "b.c.d:3",
    "a:4",
  ]);
});
