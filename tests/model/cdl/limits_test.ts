import assert from "node:assert/strict";
import { renderDdl } from "../../../src/db/ddl/render_ddl.ts";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { compile } from "./memory_host.ts";

const many = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

function use(text: string): void {
  renderDdl(linkModel(inferModel(compile(text))));
}

function refuses(text: string, message: RegExp): void {
  assert.throws(() => use(text), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError, String((error as Error).stack));
    assert.ok(error.line !== undefined, error.message);
    assert.match(error.text, message);
    return true;
  });
}

Deno.test("brackets of all kinds nest 100 levels deep", () => {
  const entity = (value: string) => `entity E { key id : Integer; a = ${value}; }`;
  assert.doesNotThrow(() => use(entity("(".repeat(90) + "id" + ")".repeat(90))));
  assert.doesNotThrow(() => use(`@a: [${"1, ".repeat(200)}1] entity E {}`), "values beside each other");
  for (
    const text of [
      entity("(".repeat(500) + "id" + ")".repeat(500)),
      entity("case when 1 = 1 then ".repeat(500) + "1" + " end".repeat(500)),
      entity("id > 1 ? 1 : ".repeat(500) + "2"),
      `@a: ${"[".repeat(500)}${"]".repeat(500)} entity E {}`,
      `@a: ${"{ b: ".repeat(500)}1${"}".repeat(500)} entity E {}`,
      `type T : ${"many ".repeat(500)}String;`,
      `entity E ${"{ a ".repeat(500)}${"}".repeat(500)}`,
      `context C ${"{ context D ".repeat(500)}${"}".repeat(500)}`,
      `entity E { key id : Integer; } entity V as ${"select from (".repeat(500)}E${")".repeat(500)};`,
    ]
  ) refuses(text, /^Nested deeper than 100 levels$/);
});

Deno.test("paths have 100 steps, and what calculated elements and columns stand for is bounded", () => {
  const path = `e${".e".repeat(200)}.id`;
  refuses(
    `entity E { key id : Integer; e : Association to E; a = ${path}; }`,
    /^Found a path of 202 steps, expected at most 100$/,
  );
  const powers = many(30, (i) => `a${i + 1} = a${i} + a${i};`);
  refuses(`entity E { key id : Integer; a0 = id; ${powers} }`, /stands for more than 10000 others$/);
  const columns = many(30, (i) => `, $self.a${i} + $self.a${i} as a${i + 1}`);
  refuses(
    `entity E { key id : Integer; } entity V as select from E { id as a0 ${columns} };`,
    /stands for more than 10000 others$/,
  );
});

Deno.test("definitions build on each other in chains of 200", () => {
  assert.doesNotThrow(() => use(many(150, (i) => `type T${i} : T${i + 1};`) + "type T150 : String;"));
  assert.doesNotThrow(() =>
    use(many(190, (i) => `entity V${i} as projection on V${i + 1};`) + "entity V190 { key id : Integer; }")
  );
  refuses(
    many(3000, (i) => `type T${i} : T${i + 1};`) + "type T3000 : String;",
    /^More than 200 definitions build on each other$/,
  );
  refuses(
    many(3000, (i) => `aspect A${i} : A${i + 1} {}`) + "aspect A3000 {}",
    /^More than 200 definitions build on each other$/,
  );
  refuses(
    many(3000, (i) => `entity V${i} as projection on V${i + 1};`) + "entity V3000 { key id : Integer; }",
    /^More than 200 definitions build on each other$/,
  );
  refuses(
    many(300, (i) => `entity E${i} { key a : Association to E${i + 1}; }`) +
      "entity E300 { key id : Integer; }",
    /^More than 200 foreign keys build on each other in "E0"$/,
  );
});

Deno.test("long files, long lines and long sums are compiled, longer sums and bytes that are no text are not", () => {
  assert.doesNotThrow(() =>
    use(many(10_000, (i) => i % 10 ? `// ${i}` : `entity E${i} { key id : Integer; }`))
  );
  const sum = (operators: number) =>
    `entity E { key id : Integer; n : String; a = id${" + id".repeat(operators)}; }`;
  assert.doesNotThrow(() => use(sum(900)));
  refuses(sum(5000), /^More than 900 operators in a row/);
  refuses(
    String.fromCharCode(...Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)),
    /^Found "\\u0000"/,
  );
  refuses("entity E { key id : Integer; a : String default 'x", /^Unterminated string/);
  refuses("/* ".repeat(10_000), /^Unterminated comment/);
});
