import assert from "node:assert/strict";
import { compile, definition, rejects } from "./memory_host.ts";

function names(text: string): string[] {
  return Object.keys(compile(text).definitions ?? {});
}

Deno.test("compileCdl() ends definitions at the end of the text and where the next line begins another one", () => {
  const base = "entity E { key ID : Integer; }\n";
  assert.deepEqual(names(`${base} entity V as projection on E`), ["E", "V"]);
  assert.deepEqual(names(`${base} entity V as projection on E where ID > 1\nentity W as select from E`), [
    ...["E", "V", "W"],
  ]);
  const { definitions } = compile(
    `${base} entity V as projection on E as e\n@readonly\nentity W as projection on E`,
  );
  assert.deepEqual([definitions?.V["@readonly"], definitions?.W["@readonly"]], [undefined, true]);
  assert.deepEqual(names("namespace a\ntype T : String"), ["a.T"]);
  assert.deepEqual(
    names(`${base} service S {\n entity V as projection on E\n entity W as projection on E\n}`),
    [
      ...["E", "S", "S.V", "S.W"],
    ],
  );
});

Deno.test("compileCdl() wants the semicolon between elements, and between definitions of one line", () => {
  rejects("entity E { a : Integer\n b : Integer; }", 'm.cds:2:2: Found "b", expected ";" or "}"');
  rejects(
    "entity E {} entity V as projection on E entity W as projection on E",
    'm.cds:1:41: Found "entity", expected ";" or "}"',
  );
  rejects("type T : String type U : T;", 'm.cds:1:17: Found "type", expected ";" or "}"');
});

Deno.test("compileCdl() gives no item the annotations of the next one where the semicolon lacks", () => {
  const message = 'm.cds:3:1: Found "entity", expected ";" or "}"';
  for (
    const item of ["annotate E with @a", "type T : String", "action a()", "service S"]
  ) {
    rejects(`${item}\n@requires: 'admin'\nentity F {}`, message);
  }
});

Deno.test("compileCdl() reads distinct before and after the source", () => {
  const base = "entity E { key ID : Integer; n : String; } entity V as";
  for (
    const query of [
      "select distinct from E { n }",
      "select from E distinct { n }",
      "select from E as e distinct { n }",
    ]
  ) {
    const found = definition(`${base} ${query};`, "V").query;
    assert.ok(found && "SELECT" in found);
    assert.deepEqual([found.SELECT.distinct, found.SELECT.columns], [true, [{ ref: ["n"] }]], query);
  }
});

Deno.test("compileCdl() takes a colon without aspects, and a comma after the last aspect", () => {
  assert.deepEqual(definition("aspect A : { x : Integer; }", "A"), {
    kind: "aspect",
    elements: { x: { type: "cds.Integer" } },
  });
  assert.deepEqual(definition("aspect A {} entity E : A, { x : Integer; }", "E").includes, ["A"]);
  assert.deepEqual(definition("aspect A {} aspect B {} entity E : A, B { x : Integer; }", "E").includes, [
    "A",
    "B",
  ]);
  rejects("aspect A {} entity E : A A { }", 'm.cds:1:26: Found "A", expected ";" or "}"');
});

Deno.test("compileCdl() takes the last word of its namespace for the whole of it, after all other names", () => {
  const text = "namespace a.b; entity E { key ID : Integer; } service S { entity E as projection on b.E; }";
  assert.deepEqual(definition(text, "a.b.S.E").projection, { from: { ref: ["a.b.E"] } });
  const hidden = "namespace a.b; entity E {} entity b.E {} entity V as projection on b.E;";
  assert.deepEqual(definition(hidden, "a.b.V").projection, { from: { ref: ["a.b.b.E"] } });
});
