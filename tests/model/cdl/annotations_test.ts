import assert from "node:assert/strict";
import { compile, definition, elements, rejects } from "./memory_host.ts";

function expectAnnotations(text: string, expected: unknown): void {
  const { kind: _kind, elements: _elements, ...annotations } = definition(`${text} entity E {}`, "E");
  assert.deepEqual(annotations, expected, text);
}

Deno.test("compileCdl() reads annotation values of every form", () => {
  expectAnnotations("@a @b: 42 @c: -1.5 @d: 'it''s' @e: null @f: false", {
    ...{ "@a": true, "@b": 42, "@c": -1.5, "@d": "it's", "@e": null, "@f": false },
  });
  expectAnnotations("@a: #asc @b: x.y @c: [1, 'two', { three: 3 }, #four, z, [5]]", {
    "@a": { "#": "asc" },
    "@b": { "=": "x.y" },
    "@c": [1, "two", { three: 3 }, { "#": "four" }, { "=": "z" }, [5]],
  });
  expectAnnotations("@a: (x * 2) @b: (x) @c: (1)", {
    "@a": { xpr: [{ ref: ["x"] }, "*", { val: 2 }] },
    "@b": { ref: ["x"] },
    "@c": { val: 1 },
  });
});

Deno.test("compileCdl() flattens records, except inside arrays", () => {
  expectAnnotations("@A: { b, c: 1, d: { e: 'x' }, $value: 2 }", {
    ...{ "@A.b": true, "@A.c": 1, "@A.d.e": "x", "@A": 2 },
  });
  expectAnnotations("@A: { $edmJson: { $Path: 'x' } }", { "@A": { $edmJson: { $Path: "x" } } });
  expectAnnotations("@A: [{ $Type: 'T', b: { c: 1 }, @UI.Importance: #High }]", {
    "@A": [{ $Type: "T", b: { c: 1 }, "@UI.Importance": { "#": "High" } }],
  });
});

Deno.test("compileCdl() keeps qualifiers and annotated annotations in the key", () => {
  expectAnnotations("@Common.Label#short: 'S' @Common.Text.@UI.TextArrangement: #TextOnly @![a b]", {
    "@Common.Label#short": "S",
    "@Common.Text.@UI.TextArrangement": { "#": "TextOnly" },
    "@a b": true,
  });
  expectAnnotations("@(UI.FieldGroup#G: { Data: [] }, b: 1, @c)", {
    "@UI.FieldGroup#G.Data": [],
    "@b": 1,
    "@c": true,
  });
});

Deno.test("compileCdl() reads annotations before, around and after elements", () => {
  const { x } = elements("@a x @(b, c: 1) : Integer @d default 1 @e: 'e';");
  assert.deepEqual(x, {
    ...{ "@a": true, "@b": true, "@c": 1, "@d": true, "@e": "e" },
    type: "cds.Integer",
    default: { val: 1 },
  });
});

Deno.test("compileCdl() gives an annotation after a closing brace to the next item, unless on the same line", () => {
  const { s, next } = elements("s { a : Integer; }\n@n next : Integer;");
  assert.deepEqual([s["@n"], next["@n"]], [undefined, true]);
  assert.equal(elements("s : many { a : Integer; } @n;").s["@n"], true);
  assert.equal(elements("s : String enum { a; }\n@n;").s["@n"], true);
  const { t, key } = elements("t : String enum { a; }\n@n: [{ x: 1 }] @o.p.@q #r : -1\nkey : Integer;");
  assert.deepEqual([t["@n"], key["@n"], key["@o.p.@q#r"]], [undefined, [{ x: 1 }], -1]);
  assert.deepEqual(elements("s : String enum { a; }\n@n default 'a';").s["@n"], true);
  const types = "type T : String enum { a }\n@n: #a.b\nentity B {} annotate T with {}\n@m entity C {}";
  const { definitions: { T, B, C } = {} } = compile(types);
  assert.deepEqual([T["@n"], B["@n"], C["@m"]], [undefined, { "#": "a.b" }, true]);
  const csn = compile("entity A {}\n@n entity B {}");
  assert.deepEqual([csn.definitions?.A["@n"], csn.definitions?.B["@n"]], [undefined, true]);
});

Deno.test("compileCdl() keeps extensions apart, in the order of the text", () => {
  const base = "aspect A {} entity E { x : Integer; } service S { action a(p : Integer) returns String; } ";
  const { extensions } = compile(
    `${base} annotate E with @t: 1 { x @u; y { z @v } } extend E with A; extend E with { w : String @k; extend x { n : Date; } } ` +
      "annotate S.a with @t (p @q) returns @r; annotate E:y.z with @deep; extend E with actions { action go(); }",
  );
  assert.deepEqual(extensions, [
    { annotate: "E", "@t": 1, elements: { x: { "@u": true }, y: { elements: { z: { "@v": true } } } } },
    { extend: "E", includes: ["A"] },
    {
      extend: "E",
      elements: {
        w: { type: "cds.String", "@k": true },
        x: { kind: "extend", elements: { n: { type: "cds.Date" } } },
      },
    },
    { annotate: "S.a", "@t": true, params: { p: { "@q": true } }, returns: { "@r": true } },
    { annotate: "E", elements: { y: { elements: { z: { "@deep": true } } } } },
    { extend: "E", actions: { go: { kind: "action" } } },
  ]);
});

Deno.test("compileCdl() annotates elements and symbols behind the word for them, too", () => {
  const base = "entity E { x : Integer; } type T : String enum { a; }";
  const { extensions } = compile(
    `${base} annotate E with @t elements { x @u; } annotate T with enum { a @v; } extend E with elements { y : Date; }`,
  );
  assert.deepEqual(extensions, [
    { annotate: "E", "@t": true, elements: { x: { "@u": true } } },
    { annotate: "T", enum: { a: { "@v": true } } },
    { extend: "E", elements: { y: { type: "cds.Date" } } },
  ]);
});

Deno.test("compileCdl() extends services with definitions, projections with columns, types with facets and symbols", () => {
  const base =
    "entity E { x : String; } type T : String(5) enum { a } service S { entity P as projection on E { x }; } ";
  const csn = compile(
    `${base} extend service S with { entity Q as projection on P; } extend S with { @a type U : T; } extend projection S.P with { x as y } ` +
      "extend S.P with columns { x as z } extend T with (length: 9); extend type T with enum { b } extend S with @r: 1;",
  );
  assert.deepEqual(csn.definitions?.["S.Q"].projection, { from: { ref: ["S.P"] } });
  assert.equal(csn.definitions?.["S.U"].type, "T");
  assert.deepEqual(csn.extensions, [
    { extend: "S.P", columns: [{ ref: ["x"], as: "y" }] },
    { extend: "S.P", columns: [{ ref: ["x"], as: "z" }] },
    { extend: "T", length: 9 },
    { extend: "T", enum: { b: {} } },
    { extend: "S", "@r": 1 },
  ]);
});

Deno.test("compileCdl() finds definitions of extensions that stand in contexts and in other extensions", () => {
  const csn = compile(
    "context C { service S {} extend service S with { type T : String; context D {} extend context D with { type U : Date; } } " +
      "entity E { t : S.T; u : S.D.U; } }",
  );
  assert.equal(csn.definitions?.["C.E"].elements?.t.type, "C.S.T");
  assert.equal(csn.definitions?.["C.E"].elements?.u.type, "C.S.D.U");
  assert.equal(csn.definitions?.["C.S.D.U"].type, "cds.Date");
});

Deno.test("compileCdl() annotates inside services, actions of entities, and what does not exist", () => {
  const { extensions } = compile(
    "entity A { x : Integer; } service S { entity X as projection on A actions { action go(p : String); }; annotate X with { x @t; } " +
      "annotate X with actions { go @g (p @h); } } annotate No.Where with @t;",
  );
  assert.deepEqual(extensions, [
    { annotate: "S.X", elements: { x: { "@t": true } } },
    { annotate: "S.X", actions: { go: { "@g": true, params: { p: { "@h": true } } } } },
    { annotate: "No.Where", "@t": true },
  ]);
});

Deno.test("compileCdl() keeps the three dots of arrays for those who apply them", () => {
  const { extensions } = compile(
    "annotate E with @L: [..., 1] @M: [1, ... up to { a: 2 }, 3, ...]; entity E {}",
  );
  assert.deepEqual(extensions, [
    { annotate: "E", "@L": [{ "...": true }, 1], "@M": [1, { "...": { a: 2 } }, 3, { "...": true }] },
  ]);
});

Deno.test("compileCdl() rejects what is no annotation", () => {
  rejects("@a: ; entity E {}", 'm.cds:1:5: Found ";", expected an annotation value');
  rejects("@a: [1 2] entity E {}", 'm.cds:1:8: Found "2", expected ","');
});
