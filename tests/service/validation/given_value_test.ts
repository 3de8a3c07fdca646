/** What callers give for elements and parameters, and which rows need no further look. */

import assert from "node:assert/strict";
import type { Row } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import type { LinkedElement } from "../../../src/model/linked.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { rulesOf } from "../../../src/service/validation/element_rules.ts";
import {
  areAcceptedParameters,
  backLinkOf,
  childKey,
  defaultStringLength,
  hasLooseIds,
  isAcceptedChange,
  isAcceptedRow,
  isAcceptedTree,
  isBlank,
  parameterIn,
  valueIn,
  valueOfKey,
} from "../../../src/service/validation/given_value.ts";

const model = linkModel(parseCdl(`
  entity Kinds { key code : String; key no : Integer; }
  entity Rows { key ID : Integer; text : String(3); @mandatory must : String; @mandatory filled : String default 'f';
    needed : String not null; given : String not null default 'x'; @readonly ro : String; @assert.range: [1, 9] range : Integer;
    @Core.Immutable fixed : String; tags : many String; kind : Association to Kinds;
    parts : Composition of many Parts on parts.row = $self; one : Composition of one Parts; other : Composition of many Kinds on other.no = ID; }
  entity Parts { key ID : Integer; row : Association to Rows not null; name : String(3); own : Integer not null;
    subs : Composition of many Subs on subs.part = $self; }
  entity Subs { key part : Association to Parts; key pos : Integer; virtual key mark : String; }
`));
const rows = model.entity("Rows")!;
const parts = model.entity("Parts")!;

Deno.test("a foreign key is given by its own name, or nested in its association", () => {
  const rule = rulesOf(rows).find(({ flat }) => flat.name === "kind_code")!;
  const cases: readonly (readonly [row: Row, value: unknown, ofKey: unknown])[] = [
    [{}, undefined, undefined],
    [{ kind_code: "a", kind: { code: "b" } }, "a", "a"],
    [{ kind_code: null, kind: { code: "b" } }, null, null],
    [{ kind: { code: "b" } }, "b", "b"],
    [{ kind: {} }, undefined, undefined],
    [{ kind: null }, null, undefined],
    [{ kind: "b" }, undefined, undefined],
  ];
  for (const [row, value, ofKey] of cases) {
    assert.deepEqual(
      [valueIn(row, rule), valueOfKey(row, "kind", "kind_code")],
      [value, ofKey],
      JSON.stringify(row),
    );
  }
  const text = rulesOf(rows).find(({ flat }) => flat.name === "text")!;
  assert.equal(valueIn({ text: "t" }, text), "t");
});

Deno.test("what is given for an association is its first foreign key, or the first that is missing", () => {
  const { text: plain, kind } = rows.elements as unknown as Record<string, LinkedElement>; // both are there
  assert.deepEqual(parameterIn({ text: 1 }, plain!), { name: "text", value: 1 });
  assert.deepEqual(parameterIn({ kind_code: "a", kind: { no: 1 } }, kind!), {
    name: "kind_code",
    value: "a",
  });
  assert.deepEqual(parameterIn({ kind_code: "a" }, kind!), { name: "kind_no", value: undefined });
  assert.deepEqual(parameterIn({ kind_code: "a", kind_no: null }, kind!), { name: "kind_no", value: null });
  assert.deepEqual(parameterIn({}, kind!), { name: "kind_code", value: undefined });
});

Deno.test("blank are null and texts of spaces; settings have their defaults", () => {
  assert.deepEqual([null, "", " \t", "a", 0, false].map(isBlank), [true, true, true, false, false, false]);
  assert.equal(defaultStringLength({ env: {} }), 255);
  assert.equal(defaultStringLength({ env: { model: { default_string_length: 5 } } }), 5);
  const loose = [{}, { features: {} }, { features: { strict_uuid: true } }, {
    features: { strict_uuid: false },
  }];
  assert.deepEqual(loose.map((env) => hasLooseIds({ env })), [false, false, false, true]);
});

const LEAST = { ID: 1, must: "m", needed: "n" };

/** What a row has beside the least, and whether nothing has to be looked at then. */
const MEMBERS: readonly (readonly [members: Row, isAccepted: boolean])[] = [
  [{}, true],
  [{ text: "abc", range: 9, filled: "a", given: "b", fixed: "c" }, true],
  [{ text: undefined, unknown: undefined }, true],
  [{ text: null }, true],
  [{ text: "abcd" }, false],
  [{ text: 1 }, false],
  [{ text: "\ud800" }, false],
  [{ range: 10 }, false],
  [{ must: undefined }, false],
  [{ must: " " }, false],
  [{ must: null }, false],
  [{ needed: undefined }, false],
  [{ needed: null }, false],
  [{ given: null }, false],
  [{ ro: "x" }, false],
  [{ tags: ["a"] }, false],
  [{ kind: { code: "a" } }, false],
  [{ unknown: 1 }, false],
];

Deno.test("a new row is accepted where each value is, and each that is missing may be", () => {
  for (const [members, isAccepted] of MEMBERS) {
    assert.equal(isAcceptedRow(rows, { ...LEAST, ...members }, 255), isAccepted, JSON.stringify(members));
  }
  assert.equal(isAcceptedRow(rows, { ...LEAST, needed: "abc" }, 2), false);
});

Deno.test("a change is accepted where it changes values that may be changed, and nothing else", () => {
  const cases: readonly (readonly [data: Row, isAccepted: boolean])[] = [
    [{ text: "abc" }, true],
    [{ text: "abc", range: 1, unknown: undefined }, true],
    [{}, false],
    [{ text: undefined }, false],
    [{ ID: 1 }, false],
    [{ fixed: "x" }, false],
    [{ ro: "x" }, false],
    [{ must: null }, false],
    [{ text: "abcd" }, false],
    [{ text: "a", unknown: 1 }, false],
    [{ text: "a", parts: [] }, false],
  ];
  for (const [data, isAccepted] of cases) {
    assert.equal(isAcceptedChange(rows, data, 255), isAccepted, JSON.stringify(data));
  }
});

Deno.test("a new row with parts is accepted where all of them are, but for what ties them to it", () => {
  const links = { parts: new Set(["row_ID"]), subs: new Set(["part_ID"]) } as Record<
    string,
    ReadonlySet<string>
  >;
  const rules = { defaultStringLength: 255, linksOf: ({ name }: LinkedElement) => links[name] };
  const isAccepted = (members: Row) => isAcceptedTree(rows, { ...LEAST, ...members }, rules);
  const part = { ID: 1, own: 1 };
  const accepted: readonly Row[] = [
    {},
    { parts: [] },
    { parts: [part, { ...part, name: "abc" }] },
    { parts: [{ ...part, row_ID: 1, subs: [{ pos: 1 }, { pos: 2, part_ID: 1 }] }] },
    { text: "a", parts: [part], other: undefined },
  ];
  for (const members of accepted) assert.equal(isAccepted(members), true, JSON.stringify(members));
  const others: readonly Row[] = [
    { text: "abcd" },
    { parts: [part, { ...part, name: "abcd" }] },
    { parts: [{ ID: 1 }] },
    { parts: [{ ...part, subs: [{}] }] },
    { parts: part as never },
    { parts: [1] },
    { parts: null },
    { parts: [part], unknown: 1 },
    { parts: [part], kind: { code: "a" } },
    { one: part as never },
    // what ties its rows is not known
    { other: [{ code: "a", no: 1 }] },
  ];
  for (const members of others) assert.equal(isAccepted(members), false, JSON.stringify(members));
  assert.equal(isAcceptedTree(parts, part, rules), false);
});

Deno.test("the association of parts to their whole is that of the condition of the composition", () => {
  assert.equal(backLinkOf(rows.elements.parts!), "row");
  assert.equal(backLinkOf(rows.elements.other!), "no");
  assert.equal(backLinkOf(rows.elements.one!), undefined);
});

Deno.test("a part is named by its own keys, where all are given", () => {
  assert.equal(childKey(parts, { ID: 2 }), "(ID=2)");
  assert.equal(childKey(parts, { ID: null }), undefined);
  assert.equal(childKey(parts, {}), undefined);
  assert.equal(childKey(model.entity("Subs")!, { pos: 0 }), "(pos=0)");
  assert.equal(childKey(model.entity("Kinds")!, { code: "a", no: 1 }), "(code='a',no=1)");
  assert.equal(childKey(model.entity("Kinds")!, { code: "a" }), undefined);
});

Deno.test("parameters are accepted where validation finds nothing in them (7.3)", () => {
  const operation = (params: string) =>
    linkModel(parseCdl(`service S { action run(${params}); type T : String enum { a; } }`))
      .definitions["S.run"]!;
  const accepted = (params: string, values: Row) =>
    areAcceptedParameters((operation(params) as unknown as { params: never }).params, values, 5);
  const cases: readonly [params: string, values: Row, isAccepted: boolean][] = [
    ["a : Integer", { a: 1 }, true],
    ["a : Integer", {}, true],
    ["a : Integer", { a: null }, true],
    ["a : Integer", { a: "x" }, false],
    ["a : String", { a: "" }, true],
    ["a : String", { a: "12345" }, true],
    ["a : String", { a: "123456" }, false],
    ["a : String @assert.format: 'b+'", { a: "bb" }, true],
    ["a : String @assert.format: 'b+'", { a: "" }, false],
    ["a : String @assert.format: 'b+'", { a: " " }, false],
    ["a : String @assert.format: 'b+'", { a: null }, true],
    ["a : Integer @assert.range: [1, 3]", { a: null }, true],
    ["a : Integer @assert.range: [1, 3]", { a: 4 }, false],
    ["@mandatory a : String", {}, false],
    ["@mandatory a : String", { a: null }, false],
    ["@mandatory a : String", { a: " " }, false],
    ["@mandatory a : String", { a: "b" }, true],
    ["a : Integer not null", {}, false],
    ["a : Integer not null", { a: null }, false],
    ["a : Integer not null", { a: 0 }, true],
    ["a : Integer, b : Integer", { a: 1, b: "x" }, false],
    ["a : many Integer", { a: [1] }, false],
    ["a : { b : Integer }", { a: { b: 1 } }, false],
  ];
  for (const [params, values, isAccepted] of cases) {
    assert.equal(accepted(params, values), isAccepted, `${params} ${JSON.stringify(values)}`);
  }
});
