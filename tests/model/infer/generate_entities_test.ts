import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { CsnDefinition } from "../../../src/model/csn.ts";
import { inferModel } from "../../../src/model/infer_model.ts";
import { problemsOf } from "./problems_of.ts";

function definitionsOf(text: string): Record<string, CsnDefinition> {
  return JSON.parse(JSON.stringify(inferModel(parseCdl(text)).definitions));
}

Deno.test("the entity of a composition of an aspect has what is said of the aspect, and of itself by its name [csn-cqn 5]", () => {
  const part = (composition: string, more = "") =>
    definitionsOf(`@title: 'P' aspect P { key pos : Integer; note : String; } actions { action act(); };
      entity E { key id : Integer; key no : Integer; parts : ${composition}; } ${more}`);
  const named = part("Composition of many P");
  assert.deepEqual(named["E.parts"]["@title"], "P");
  assert.deepEqual(Object.keys(named["E.parts"].actions!), ["act"]);
  assert.deepEqual(Object.keys(named["E.parts"].elements!), ["up_", "pos", "note"]);
  assert.deepEqual(named["E.parts"].elements!.up_.keys, [{ ref: ["id"] }, { ref: ["no"] }]);
  assert.deepEqual(named.E.elements!.parts.cardinality, { max: "*" });
  const own = part("Composition of { key pos : Integer; }")["E.parts"];
  assert.deepEqual([own["@title"], own.actions, Object.keys(own.elements!)], [undefined, undefined, [
    "up_",
    "pos",
  ]]);
  assert.deepEqual(part("Composition of P").E.elements!.parts.cardinality, { max: 1 });
  const annotated =
    part("Composition of many P", "annotate E.parts with @title: 'Own' { note @title: 'Note' };")["E.parts"];
  assert.deepEqual([annotated["@title"], annotated.elements!.note["@title"]], ["Own", "Note"]);
  const extended = part("Composition of many P", "extend E.parts with { more : Date; };")["E.parts"];
  assert.deepEqual(Object.keys(extended.elements!), ["up_", "pos", "note", "more"]);
});

Deno.test("compositions of aspects need a key, an aspect that is there, and a name that is free", () => {
  const P = "aspect P { key pos : Integer; }";
  const cases: readonly (readonly [text: string, ...problems: string[]])[] = [
    [
      `${P} entity E { id : Integer; parts : Composition of many P; }`,
      'Entity "E" needs a key for its composition of an aspect',
    ],
    [
      `${P} entity E { key id : Integer; parts : Composition of many P; } entity E.parts { key id : Integer; }`,
      'Duplicate definition "E.parts": the name is needed for the composition of an aspect',
    ],
  ];
  for (const [text, ...problems] of cases) assert.deepEqual(problemsOf(text), problems, text);
});

Deno.test("entities with localized elements and plain keys have texts, with the names of them left free [csn-cqn 5]", () => {
  const texts = (text: string) => {
    const { [`E.texts`]: found } = definitionsOf(text);
    return found && Object.entries(found.elements!).map(([name, { key }]) => key ? `key ${name}` : name);
  };
  const name = "name : localized String;";
  assert.deepEqual(texts(`entity E { key id : Integer; ${name} }`), ["key locale", "key id", "name"]);
  for (
    const without of [
      "entity E { key id : Integer; name : String; }",
      `entity E { ${name} }`,
      "entity E { key name : localized String; }",
      "entity E { key id : Integer; virtual name : localized String; }",
      `entity A { key id : Integer; } entity E { key a : Association to A; ${name} }`,
      `type E { ${name} }`,
      `entity A { key id : Integer; ${name} } entity E as select from A { id, name };`,
    ]
  ) assert.equal(texts(without), undefined, without);
  assert.deepEqual(texts(`entity E { key id : Integer; ${name} } entity E.texts { key own : Integer; }`), [
    "key own",
  ]);
  assert.deepEqual(texts(`@fiori.draft.enabled entity E { key id : Integer; ${name} }`), [
    "key ID_texts",
    "locale",
    "id",
    "name",
  ]);
  const locale = (more: string) =>
    definitionsOf(`${more} entity E { key id : Integer; ${name} }`)["E.texts"].elements!.locale;
  assert.deepEqual(locale(""), { key: true, type: "cds.String", length: 14 });
  assert.deepEqual(locale("type sap.common.Locale : String(9);"), {
    key: true,
    type: "sap.common.Locale",
    length: 9,
  });
  const taken = (element: string) => [`Element "${element}" of "E" collides with its localized texts`];
  const cases: readonly (readonly [element: string, draft: readonly string[], plain: readonly string[]])[] = [
    ["texts", taken("texts"), taken("texts")],
    ["localized", taken("localized"), taken("localized")],
    ["ID_texts", taken("ID_texts"), []],
    ["other", [], []],
  ];
  for (const [element, draft, plain] of cases) {
    const entity = `entity E { key id : Integer; ${name} ![${element}] : Integer; }`;
    assert.deepEqual(problemsOf(`@fiori.draft.enabled ${entity}`), draft, element);
    assert.deepEqual(problemsOf(`@fiori.draft.enabled: false ${entity}`), plain, element);
    assert.deepEqual(problemsOf(entity), plain, element);
  }
});
