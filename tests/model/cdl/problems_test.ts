import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { compile, rejects } from "./memory_host.ts";
import { propertyRuns } from "../../property_runs.ts";

const TYPES = "expected one of the model, or one like String, Integer or Date";

Deno.test("compileCdl() rejects unknown names with the nearest known one", () => {
  rejects("entity A { x : Strin; }", 'm.cds:1:16: Unknown type "Strin" (did you mean "String"?)');
  rejects("entity A { x : Zzzzz; }", `m.cds:1:16: Unknown type "Zzzzz", ${TYPES}`);
  rejects("entity A { x : varchar; }", 'm.cds:1:16: Unknown type "varchar" (did you mean "String"?)');
  rejects("entity A : text {}", 'm.cds:1:12: Unknown aspect "text"');
  rejects(
    "namespace n; entity Books {} entity A { b : Association to Boks; }",
    'm.cds:1:60: Unknown association target "Boks" (did you mean "Books"?)',
  );
  rejects("entity A : Nope {}", 'm.cds:1:12: Unknown aspect "Nope"');
  rejects("service S { entity P as projection on Nowhere; }", 'm.cds:1:39: Unknown query source "Nowhere"');
  rejects(
    "entity A {} entity V as select from A where exists (select from Bee);",
    'm.cds:1:65: Unknown query source "Bee"',
  );
});

Deno.test("compileCdl() rejects duplicates", () => {
  rejects("entity A {}\nentity A {}", 'm.cds:2:8: Duplicate definition "A", which is also in m.cds:1:8');
  rejects("entity A { x : Date; x : Time; }", 'm.cds:1:22: Duplicate element "x" in "A"');
  rejects(
    "entity A {} actions { action a(); function a() returns Date; }",
    'm.cds:1:44: Duplicate operation "a" of "A"',
  );
});

Deno.test("compileCdl() rejects unknown facets and scales that are none", () => {
  rejects(
    "type T : String(len: 5);",
    'm.cds:1:17: Unknown facet "len", expected one of length, precision, scale, srid',
  );
  const scale = "expected a number or one of variable, floating";
  rejects("type T : Decimal(5, fixed);", `m.cds:1:21: Found "fixed", ${scale}`);
  rejects("type T : Decimal(scale: fixed);", `m.cds:1:18: Found "fixed", ${scale}`);
  const facets: readonly (readonly [type: string, facets: object])[] = [
    ["String(7)", { length: 7 }],
    ["String(length: 5)", { length: 5 }],
    ["Decimal(5)", { precision: 5 }],
    ["Decimal(5, 2)", { precision: 5, scale: 2 }],
    ["Decimal(5, floating)", { precision: 5, scale: "floating" }],
    ["Decimal(precision: 5, scale: variable)", { precision: 5, scale: "variable" }],
    ["U(7)", { precision: 7 }],
    ["hana.ST_POINT(4326)", { srid: 4326 }],
  ];
  for (const [type, given] of facets) {
    const { kind: _kind, type: _type, ...found } =
      compile(`type T : ${type}; type U : Decimal;`).definitions!.T;
    assert.deepEqual({ ...found }, given, type);
  }
});

Deno.test("compileCdl() shows several mistakes at once", () => {
  rejects(
    "entity A { x : X1; y : Y1; }",
    `m.cds:1:16: Unknown type "X1", ${TYPES}\nm.cds:1:24: Unknown type "Y1", ${TYPES}`,
  );
});

Deno.test("compileCdl() rejects syntax errors with what was found and expected", () => {
  rejects("entity A { x : Integer", 'm.cds:1:23: Found end of text, expected ";" or "}"');
  rejects("entity A { x : Integer y : Date; }", 'm.cds:1:24: Found "y", expected ";" or "}"');
  rejects("entity A { x : Integer;", 'm.cds:1:24: Found end of text, expected an element or "}"');
  rejects("entiy A {}", 'm.cds:1:1: Found "entiy", expected a definition (did you mean "entity"?)');
  rejects(
    "service S { enttity A {} }",
    'm.cds:1:13: Found "enttity", expected a definition or "}" (did you mean "entity"?)',
  );
  rejects("type T x", 'm.cds:1:8: Found "x", expected ";" or "}"');
  rejects("type T entity A {}", 'm.cds:1:8: Found "entity", expected ";" or "}"');
  rejects("type T : ;", 'm.cds:1:10: Found ";", expected a type');
  rejects("function f();", 'm.cds:1:13: Found ";", expected "returns"');
  rejects(
    "@title: 'oops\nentity A {}",
    "m.cds:1:9: Unterminated string: expected a closing ' on the same line; a ' inside of a text is written ''",
  );
  rejects("@t: `oops", "m.cds:1:5: Unterminated string: expected a closing `");
  rejects("entity ![A {}", "m.cds:1:8: Unterminated delimited name: expected ![name]");
  rejects("entity A {} /* oops", "m.cds:1:13: Unterminated comment: expected a closing */");
  rejects("entity A { x : Date ^ }", 'm.cds:1:21: Found "^", which begins nothing known');
  rejects("entity A { x " + "{ y ".repeat(200), "m.cds:1:410: Nested deeper than 100 levels");
});

const CORPUS = `namespace a; using { cuid } from '@sap/cds/common';
@t: { a: [1, ..., #x], b: (c * 2) } entity E : cuid @(x) { key k : Integer default 1; s : many { x : String(3); };
  e : Association to many E on e.k = $self.k; v = k > 1 ? 'a' : \`b\`; c : Composition of many { key p : UUID; }; }
  actions { action go(in : many $self) returns String; }
service S { entity P as select from E { *, k as l : Date, e { k }, e.{ k } } excluding { s } where k in (1,2) group by k;
  extend projection P with { k as m } annotate P with { k @u; } event V : projection on E; type T : String enum { a; b = 'c' } }
`;

function failsOrderly(text: string): void {
  try {
    compile(text, { docs: true });
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, `${error} for ${text}`);
  }
}

Deno.test("compileCdl() accepts the text that the next test mutates", () => {
  assert.doesNotThrow(() => compile(CORPUS));
});

Deno.test("compileCdl() fails with nothing but ConfigurationError on mutated and random text", () => {
  const tokens = CORPUS.split(/(\s+|\b)/);
  const edit = fc.record({
    at: fc.nat(tokens.length - 1),
    other: fc.nat(tokens.length - 1),
    kind: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const copy = [...tokens];
      for (const { at, other, kind } of edits) {
        copy[at] = kind === 0 ? "" : tokens[other] + (kind === 1 ? copy[at] : "");
      }
      failsOrderly(copy.join(""));
    }),
    propertyRuns(300, 7),
  );
  fc.assert(fc.property(fc.string({ maxLength: 40 }), failsOrderly), propertyRuns(200, 7));
});
