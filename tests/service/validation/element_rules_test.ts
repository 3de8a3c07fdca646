/** What models say of values: ranges, enums, patterns, and who may set them. */

import assert from "node:assert/strict";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import {
  assertionsOfElement,
  assertionsOfItems,
  type ElementRule,
  rulesOf,
  targetRulesOf,
} from "../../../src/service/validation/element_rules.ts";

/** The first error of a value of an element, by its code and arguments, and the declared text where there is one. */
function errorOf(element: string, value: unknown): readonly unknown[] | undefined {
  const model = linkModel(parseCdl(`entity E { key ID : Integer; ${element}; }`));
  for (const assertion of assertionsOfElement(model.entity("E")!.elements.x!)) {
    const error = assertion(value);
    if (error) {
      return [error.status, error.code, error.args, ...("$message" in error ? [error.$message] : [])];
    }
  }
  return undefined;
}

const outOf = (...args: readonly unknown[]) => [400, "ASSERT_RANGE", args];

Deno.test("values are within one of the ranges: bounds belong to it, in parentheses not, _ is none", () => {
  const ofNumbers = (range: string) => `@assert.range: ${range} x : Integer`;
  const cases: readonly (readonly [
    element: string,
    within: readonly unknown[],
    beyond: readonly unknown[],
    args: readonly unknown[],
  ])[] = [
    [ofNumbers("[1, 3]"), [1, 2, 3, "2"], [0, 4, "x", "0.5"], [1, 3]],
    [ofNumbers("[(1), (3)]"), [2, 1.5], [1, 3], [">1", "<3"]],
    [ofNumbers("[(1), _]"), [2, 1e9], [1, 0], [">1", "<Infinity"]],
    [ofNumbers("[_, 3]"), [-1e9, 3], [4], [">-Infinity", 3]],
    [ofNumbers("[[1, 2], [5, 6]]"), [1, 2, 5, 6], [0, 3, 4, 7], [1, 2]],
    ["@assert.range: ['b', 'd'] x : String", ["b", "c", "d"], ["a", "e", "dd"], ["b", "d"]],
    ["@assert.range: ['2020-01-01', '2020-12-31'] x : Date", ["2020-06-01", new Date(Date.UTC(2020, 5))], [
      "2019-12-31",
      new Date(0),
    ], ["2020-01-01", "2020-12-31"]],
  ];
  for (const [element, within, beyond, args] of cases) {
    for (const value of within) assert.equal(errorOf(element, value), undefined, `${element} ${value}`);
    for (const value of beyond) {
      assert.deepEqual(errorOf(element, value), outOf(value, ...args), `${element} ${value}`);
    }
  }
  const own = "@assert.range: [1, _] @assert.range.message: 'Too little' x : Integer";
  assert.deepEqual(errorOf(own, 0), [400, "ASSERT_RANGE", [1, "Infinity"], "Too little"]);
  const keyed = "@assert.range: [_, (3)] @assert.range.message: '{i18n>tooMuch}' x : Integer";
  assert.deepEqual(errorOf(keyed, 3), [400, "ASSERT_RANGE", ["-Infinity", 3], "tooMuch"]);
  assert.deepEqual(errorOf("@assert.range: [1, 3] @assert.range.message: '' x : Integer", 0), outOf(0, 1, 3));
});

Deno.test("days, times and instants are within a range by what rows hold of them, however they are written", () => {
  const midnight = new Date(Date.UTC(2020, 0));
  const noon = (fraction: string) => `2020-06-01T12:00:00${fraction}`;
  const cases: readonly (readonly [
    element: string,
    within: readonly unknown[],
    beyond: readonly unknown[],
  ])[] = [
    ["@assert.range: ['2019-01-01', '2020-01-01'] x : Date", ["2020-01-01", midnight], ["2020-01-02"]],
    ["@assert.range: ['2019-01-01', ('2020-01-01')] x : Date", ["2019-12-31"], ["2020-01-01", midnight]],
    [`@assert.range: ['${noon("Z")}', _] x : Date`, ["2020-06-02"], ["2020-06-01"]],
    [
      "@assert.range: ['2020-01-01', '2020-06-01T12:00:00.000Z'] x : DateTime",
      [midnight, "2020-01-01T00:00:00Z", noon("Z"), noon(".000Z"), noon(".9Z"), "2020-06-01T14:00:00+02:00"],
      ["2019-12-31T23:59:59Z", "2020-06-01T12:00:01Z", noon("-01:00")],
    ],
    [
      `@assert.range: [('2020-01-01'), ('${noon("Z")}')] x : Timestamp`,
      ["2020-01-01T00:00:00.001Z", "2020-06-01T11:59:59.999Z"],
      [midnight, "2020-01-01T00:00:00Z", noon("Z"), noon(".000Z"), "2020-06-01T13:00:00+01:00"],
    ],
    ["@assert.range: ['08:00', ('18:00:00')] x : Time", ["08:00:00", "08:00", "17:59:59"], ["18:00"]],
  ];
  for (const [element, within, beyond] of cases) {
    for (const value of within) assert.equal(errorOf(element, value), undefined, `${element} ${value}`);
    for (const value of beyond) {
      assert.equal(errorOf(element, value)?.[1], "ASSERT_RANGE", `${element} ${value}`);
    }
  }
  assert.deepEqual(errorOf("@assert.range: [_, '2020-01-01'] x : DateTime", "2020-01-01T00:00:01Z"), [
    ...outOf("2020-01-01T00:00:01Z", ">-Infinity", "2020-01-01"),
  ]);
});

Deno.test("values of enums are their symbols' values, where the model asks for it", () => {
  const of = (annotations: string) => `${annotations} x : String enum { low; high = 'H'; }`;
  const refused = [400, "ASSERT_ENUM", ["x", "low, H"]];
  for (const annotation of ["@assert.range", "@assert.enum"]) {
    assert.equal(errorOf(of(annotation), "low"), undefined);
    assert.equal(errorOf(of(annotation), "H"), undefined);
    assert.deepEqual(errorOf(of(annotation), "x"), refused);
    assert.deepEqual(errorOf(of(annotation), "high")?.[1], "ASSERT_ENUM");
  }
  assert.equal(errorOf(of(""), "x"), undefined);
  assert.equal(errorOf(of("@assert.range: false"), "x"), undefined);
  assert.equal(errorOf("@assert.range x : String", "x"), undefined);
  assert.equal(errorOf(of("@assert.range @assert.range.message: 'No'"), "x")?.[3], "No");
  const both = "@assert.range @assert.range.message: 'No' @assert.enum.message: 'None'";
  assert.equal(errorOf(of(both), "x")?.[3], "None");
});

Deno.test("values match the pattern of @assert.format, in a length that takes no time", () => {
  const digits = "@assert.format: '^[0-9]+$' x : String";
  assert.equal(errorOf(digits, "12"), undefined);
  assert.equal(errorOf(digits, 12), undefined);
  assert.deepEqual(errorOf(digits, "1x"), [400, "ASSERT_FORMAT", ["1x", "^[0-9]+$"]]);
  assert.deepEqual(
    errorOf(digits.replace("x :", "@assert.format.message: 'Digits' x :"), "y")?.[3],
    "Digits",
  );
  // several ways to the same text: all are looked at at once, in values of up to 4096 characters
  const ways = "@assert.format: '^(a|a)*$' x : LargeString";
  assert.equal(errorOf(ways, "a".repeat(4096)), undefined);
  assert.equal(errorOf(ways, "a".repeat(4097))?.[1], "ASSERT_FORMAT");
  assert.equal(errorOf(ways, "b")?.[1], "ASSERT_FORMAT");
  // escapes that Unicode patterns refuse
  assert.equal(errorOf("@assert.format: '^a\\-b$' x : String", "a-b"), undefined);
  assert.throws(() => errorOf("@assert.format: '[' x : String", "a"), /is no regular expression/);
  assert.equal(errorOf("@assert.format: true x : String", "a"), undefined);
});

Deno.test("items have their own rules and those of their element", () => {
  const model = linkModel(
    parseCdl(
      "type Code : String @assert.format: '^a'; entity E { key ID : Integer; @assert.range: ['b', 'd'] x : many Code; }",
    ),
  );
  const codes = assertionsOfItems(model.entity("E")!.elements.x!).map((assertion) => assertion("x")?.code);
  assert.ok(codes.includes("ASSERT_RANGE"), String(codes));
});

const MODEL = linkModel(parseCdl(`
  @restrict: [{ to: 'r' }] entity Hidden { key ID : Integer; }
  entity Open { key ID : Integer; }
  entity E { key ID : UUID; @readonly key code : String; plain : String; @readonly ro : String; @Core.Computed computed : String;
    @odata.etag.counter counter : Integer; calculated : String = plain || code; @cds.on.insert: $now at : Timestamp;
    @Core.Immutable fixed : String; @odata.discriminator kind : String; @mandatory must : String;
    @mandatory.message: '{i18n>must}' @Common.FieldControl: #Mandatory control : String; @Common.FieldControl: #Optional free : String;
    needed : String not null; given : String not null default 'x'; virtual v : String not null;
    open : Association to Open; hidden : Association to Hidden; @assert.target asserted : Association to Open;
    @assert.target @assert.target.message: 'Gone' told : Association to Open;
    many : Association to many Open on many.ID = 1; open_no : Integer;
    @assert.target byCondition : Association to Open on byCondition.ID = open_no;
    unchecked : Association to Open on unchecked.ID = open_no; }
`));

Deno.test("elements are ignored, immutable, mandatory, not null and supplied as the model says", () => {
  const names = (holds: (rule: ElementRule) => boolean) =>
    rulesOf(MODEL.entity("E")!).filter(holds).map(({ flat }) => flat.name);
  assert.deepEqual(names((rule) => rule.isIgnored), ["ro", "computed", "counter", "calculated", "at"]);
  assert.deepEqual(names((rule) => rule.isImmutable), ["fixed", "kind"]);
  assert.deepEqual(names((rule) => rule.isMandatory), ["must", "control"]);
  assert.deepEqual(names((rule) => rule.mandatoryMessage.$message === "must"), ["control"]);
  assert.deepEqual(names((rule) => rule.hasDefault), ["given"]);
  assert.deepEqual(names((rule) => rule.isNotNull), ["ID", "code", "needed", "given"]);
  assert.deepEqual(names((rule) => rule.isSupplied), ["ID", "calculated", "at", "given"]);
});

Deno.test("targets are looked at where the model asserts them, and where rows may be hidden", () => {
  const rules = targetRulesOf(MODEL.entity("E")!).map((
    { association, target, keys, isAsserted, isPart, isHidden, message },
  ) => [
    association,
    target.name,
    keys.map(({ name }) => name).join(),
    isAsserted,
    isPart,
    isHidden,
    message.$message,
  ]);
  assert.deepEqual(rules, [
    ["hidden", "Hidden", "hidden_ID", false, false, false, undefined],
    ["asserted", "Open", "asserted_ID", true, false, false, undefined],
    ["told", "Open", "told_ID", true, false, false, "Gone"],
    ["byCondition", "Open", "open_no", true, false, false, undefined],
  ]);
});
