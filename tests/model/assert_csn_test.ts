import assert from "node:assert/strict";
import { assertCsn } from "../../src/model/assert_csn.ts";
import { importCsdl } from "../../src/model/import/import_csdl.ts";

/** Checks a model with its definitions in lines of their own. */
function check(definitions: unknown): void {
  const text = JSON.stringify({ definitions }, null, 1);
  assertCsn(JSON.parse(text), { file: "csn.json", text });
}

Deno.test("models in CSN that are not of the shape of CSN are told with file and line (csn-cqn 1)", () => {
  const cases: readonly (readonly [definitions: unknown, message: string])[] = [
    [[], 'csn.json:2: Expected an object as "definitions"'],
    [{ A: 5 }, 'csn.json:3: Expected an object as "definitions"."A"'],
    [{ A: { kind: 1 } }, 'csn.json:4: Expected a text as "definitions"."A"."kind"'],
    [{ A: { elements: 5 } }, 'csn.json:4: Expected an object as "definitions"."A"."elements"'],
    [{ A: { elements: { x: null } } }, 'csn.json:5: Expected an object as "definitions"."A"."elements"."x"'],
    [
      { A: { elements: { x: { type: 5 } } } },
      'csn.json:6: Expected a name or a reference as "definitions"."A"."elements"."x"."type"',
    ],
    [
      { A: { elements: { x: { items: 5 } } } },
      'csn.json:6: Expected an object as "definitions"."A"."elements"."x"."items"',
    ],
    [
      { A: { items: { type: 5 } } },
      'csn.json:5: Expected a name or a reference as "definitions"."A"."items"."type"',
    ],
    [
      { A: { elements: { x: { items: { items: { elements: { y: { type: [] } } } } } } } },
      'Expected a name or a reference as "definitions"."A"."elements"."x"."items"."items"."elements"."y"."type"',
    ],
    [
      { A: { elements: { x: { elements: { y: { type: {} } } } } } },
      'Expected a name or a reference as "definitions"."A"."elements"."x"."elements"."y"."type"',
    ],
    [{ A: { returns: [] } }, 'Expected an object as "definitions"."A"'],
    [{ A: { returns: { type: 5 } } }, 'Expected a name or a reference as "definitions"."A"."type"'],
    [
      { A: { params: { p: { items: { type: 5 } } } } },
      'Expected a name or a reference as "definitions"."A"."params"."p"."items"."type"',
    ],
    [{ A: { enum: 5 } }, 'csn.json:4: Expected an object as "definitions"."A"."enum"'],
    [
      { A: { elements: { x: { enum: { low: 1 } } } } },
      'csn.json:7: Expected an object as "definitions"."A"."elements"."x"."enum"."low"',
    ],
    [
      { A: { actions: { a: { params: [] } } } },
      'Expected an object as "definitions"."A"."actions"."a"."params"',
    ],
    [{ A: { query: { SELECT: 5 } } }, 'csn.json:5: Expected an object as "definitions"."A"."query"."SELECT"'],
    [{ A: { query: {} } }, 'csn.json:4: Expected a SELECT or SET as "definitions"."A"."query"'],
    [
      { A: { elements: { b: { target: "A", on: [{ ref: ["b", "x"] }, "="] } } } },
      'csn.json:7: Expected a condition as "definitions"."A"."elements"."b"."on": The expression ends too early',
    ],
    [{ A: { projection: {} } }, 'Expected an object as "definitions"."A"."projection"."from"'],
  ];
  for (const [definitions, message] of cases) {
    assert.throws(() => check(definitions), (error: Error) => {
      assert.equal(error.name, "ConfigurationError");
      assert.ok(error.message.endsWith(message), `${error.message} instead of ${message}`);
      return true;
    });
  }
});

Deno.test("assertCsn() takes models without definitions, and those that are imported", () => {
  assertCsn({}, { file: "csn.json", text: "{}" });
  check(
    importCsdl({ $Version: "4.0", $EntityContainer: "x.C", x: { C: { $Kind: "EntityContainer" } } })
      .definitions,
  );
  check({ A: { elements: { x: { type: { ref: ["B", "y"] } }, z: { items: { elements: {} } } } } });
});
