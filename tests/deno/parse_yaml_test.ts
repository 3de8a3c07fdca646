/** YAML that people have written. */

import assert from "node:assert/strict";
import { parseYaml, writeYaml } from "../../src/deno/parse_yaml.ts";

Deno.test("YAML is read with and without a byte order mark; an empty text is an object without members", () => {
  assert.deepEqual(parseYaml("a:\n  - 1\n  - b: x\n", "a.yaml"), { a: [1, { b: "x" }] });
  assert.deepEqual(parseYaml("\uFEFFa: 1", "a.yaml"), { a: 1 });
  assert.deepEqual(parseYaml("", "a.yaml"), {});
  assert.deepEqual(parseYaml("# nothing\n", "a.yaml"), {});
  assert.equal(parseYaml("false", "a.yaml"), false);
});

Deno.test("mistakes in YAML have their line, and show nothing of the text", () => {
  const tabs = "Not valid YAML: lines are indented by spaces, not by tabs";
  const table: readonly (readonly [string, string])[] = [
    ["a:\n\tsecret: 1", `a.yaml:2: ${tabs}`],
    ["\ta: secret", `a.yaml:1: ${tabs}`],
    ["a: 1\nb: [\nc: secret\n", "a.yaml:4: Not valid YAML"],
    ["a: secret\nb: 'x\n", "a.yaml:3: Not valid YAML"],
  ];
  for (const [text, said] of table) {
    assert.throws(
      () => parseYaml(text, "a.yaml"),
      { name: "ConfigurationError", message: said },
      JSON.stringify(text),
    );
  }
});

Deno.test("tabs are fine in JSON, in lines without text, in front of comments and behind spaces", () => {
  assert.deepEqual(parseYaml('{\n\t"a": 1\n}', "a.yaml"), { a: 1 });
  assert.deepEqual(parseYaml(" [\n\t1\n]", "a.yaml"), [1]);
  assert.deepEqual(parseYaml("a: 1\n\t\nb: 2\n\t# c\n", "a.yaml"), { a: 1, b: 2 });
  assert.deepEqual(parseYaml("a: x\ty\n", "a.yaml"), { a: "x\ty" });
});

Deno.test("values are written as YAML without members that have no value", () => {
  const value = { a: undefined, b: { c: [1, "x"] }, d: () => 1 };
  assert.equal(writeYaml(value), "b:\n  c:\n    - 1\n    - x\n");
  assert.deepEqual(parseYaml(writeYaml(value), "a.yaml"), { b: { c: [1, "x"] } });
});
