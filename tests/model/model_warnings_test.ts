import assert from "node:assert/strict";
import { inferModel } from "../../src/model/infer_model.ts";
import { modelWarnings } from "../../src/model/warnings/model_warnings.ts";
import { compile } from "./cdl/memory_host.ts";

function warns(text: string, ...messages: readonly string[]): void {
  const parsed = compile(text);
  const found = modelWarnings(parsed, inferModel(parsed));
  const shown = found.map(({ text, location }) => `${location?.line}:${location?.col}: ${text}`);
  assert.deepEqual(shown, messages, text);
}

const BASE = "entity A { key id : Integer; name : String; }\n";

Deno.test("modelWarnings() finds annotations of what is not there", () => {
  warns(`${BASE}annotate B with @x;`, '2:10: Annotated definition "B" is unknown, did you mean "A"?');
  warns(
    `${BASE}annotate A with { nam @x; name @x; }`,
    '2:19: Annotated element "nam" of "A" is unknown, did you mean "name"?',
  );
  warns(`${BASE}annotate A with actions { go @x; }`, '2:27: Annotated operation "go" of "A" is unknown');
});

Deno.test("modelWarnings() finds values of annotations that have the wrong kind", () => {
  warns("@requires: 1 service S { @readonly: 'x' entity A { key id : Integer @mandatory: 1; } }", ...[
    "1:22: Annotation @requires has a value of kind number, expected string or array",
    "1:48: Annotation @readonly has a value of kind string, expected boolean or expression",
    "1:56: Annotation @mandatory has a value of kind number, expected boolean or expression",
  ]);
  warns("@readonly: null @path: '/x' @Own.Term: 1 service S {}");
});

Deno.test("modelWarnings() finds comparisons with null in conditions of associations, also in parentheses", () => {
  warns(
    "entity A { key id : Integer; m : Association to A on m.id = id and (m.id = 1 or (m.id = null)); }",
    '1:30: A comparison with null by "=" is never true: expected "is null"',
  );
});

Deno.test("modelWarnings() finds comparisons with null and associations that lead nowhere", () => {
  warns(
    `${BASE}entity V as select from A { id } where name = null and (id <> null or name is null);`,
    '2:8: A comparison with null by "<>" is never true: expected "is not null"',
    '2:8: A comparison with null by "=" is never true: expected "is null"',
  );
  warns(
    "entity A { key id : Integer; m : Association to many A; }",
    '1:30: "m" of "A" leads to many without a condition, so it leads nowhere: expected "on"',
  );
  warns(
    "entity A { key id : Integer; m : Association; }",
    '1:30: "m" of "A" leads nowhere: expected "to" and an entity',
  );
});

Deno.test("modelWarnings() finds elements without type", () => {
  warns(
    "entity A { key id : Integer; t; s { u : String; }; c = id + 1; } entity V as select from A { id, t };",
    '1:30: "t" of "A" has no type: it becomes a text',
  );
});

Deno.test("modelWarnings() finds localized elements that have no texts", () => {
  warns(
    `type Name { last : localized String; }
entity A { key id : Integer; title : localized String; name : Name;
  notes : Composition of many { key pos : Integer; text : localized String; }; }
entity B { text : localized String; }
entity C as projection on A;`,
    '1:13: "name.last" of "A" cannot be localized: it is in a structure',
    '4:12: "text" of "B" cannot be localized: the entity has no key',
    '3:52: "text" of "A.notes" cannot be localized: the entity has the key "up_", an association',
  );
});

Deno.test("modelWarnings() finds privileges with a condition at services", () => {
  warns(
    "@restrict: [{ grant: 'READ' }, { grant: '*', where: 'id = 1' }] service S {}",
    '1:73: A privilege with "where" at service "S" grants nothing: expected it at entities of the service',
  );
  warns("@restrict: [{ grant: '*', where: true }] service S {}");
});

Deno.test("modelWarnings() passes over what only looks like a mistake", () => {
  // functions of the database itself, keys by includes, single rows, services of others
  warns(
    "aspect K { key id : Integer; } entity E : K { name : String; }\n" +
      "service S { entity V as select from E { *, json_extract(name, '$.a') as a : String };\n" +
      "@odata.singleton entity One { name : String; } }\n" +
      "@cds.external service T { entity A { name : String; } }",
  );
  // backlinks to what is included, projected, or a projection of it
  warns(
    "aspect P { key id : Integer; items : Composition of many I on items.up = $self; }\n" +
      "entity A : P {} entity I { key id : Integer; up : Association to A; }\n" +
      "service S { entity Shown as projection on A; entity Rows as projection on I; }",
  );
  warns(
    "type D : Decimal(4,4); type R : String enum { a; b = 'c' } entity A { key id : Integer; d : D; r : R; " +
      "s : String(10) @assert.range: ['a', 'b'] @assert.format: 'x'; n : Integer @assert.range: [1, 1]; }",
  );
  warns("@requires: ['admin', 'any', 'authenticated-user', 'many'] service S {}");
});
