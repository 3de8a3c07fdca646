import assert from "node:assert/strict";
import type { Csn, CsnElement } from "../../../src/model/csn.ts";
import { defaultProblem, elementProblems } from "../../../src/model/warnings/element_problems.ts";

type Given = CsnElement & Readonly<Record<string, unknown>>;
const NOWHERE = { name: "A", key: "e", definitions: {} };

/** Elements by what is said about them. */
const SAID: Readonly<Record<string, readonly Given[]>> = {
  "has 3 digits behind the point of 2 in all: the number of all digits stands first": [
    { type: "cds.Decimal", precision: 2, scale: 3 },
  ],
  "has the length 0, so nothing fits": [{ type: "cds.String", length: 0 }, {
    type: "cds.Integer",
    length: 0,
  }],
  "has a length, which Integer does not take: it has no effect": [{ type: "cds.Integer", length: 5 }],
  "has a length, which UUID does not take: it has no effect": [{ type: "cds.UUID", length: 36 }],
  'has the symbol "b" that is "x", expected a whole number': [
    { type: "cds.Integer", enum: { a: { val: 1 }, b: { val: "x" } } },
  ],
  "takes no value: @assert.range begins with 5 and ends with 1": [{
    type: "cds.Integer",
    "@assert.range": [5, 1],
  }],
  "takes no value: @assert.range begins with b and ends with a": [{
    type: "cds.String",
    "@assert.range": ["b", "a"],
  }],
  "has an @assert.format, which has no effect: expected it at texts": [
    ...["cds.Integer", "cds.Date", "cds.Boolean"].map((type) => ({ type, "@assert.format": "x" })),
  ],
  "has an @assert.target, which has no effect: expected it at associations": [
    { type: "cds.Integer", "@assert.target": true },
  ],
  "": [
    ...[{ type: "cds.Decimal", precision: 3, scale: "variable" }, { type: "cds.Decimal", scale: 3 }] as const,
    ...[{ type: "cds.Decimal", precision: 3, scale: 3 }, { type: "cds.Decimal", precision: 9 }, {
      type: "cds.Decimal",
    }],
    ...["String", "LargeString", "Binary", "LargeBinary", "Vector", "hana.CHAR"].map((name) => ({
      type: `cds.${name}`,
      length: 1,
    })),
    ...[{ type: "my.Text", length: 0 }, { type: "my.Number", precision: 1, scale: 5 }, { length: 0 }],
    ...[{ type: "cds.Integer", enum: { a: { val: 1 }, b: {}, c: { val: null } } }, {
      enum: { a: { val: "x" } },
    }],
    ...[[1, 5], [1, 1], ["a", "b"], [5, "a"], [5, "1"], ["z", { "=": "_" }], [5], [{ "=": "b" }, {
      "=": "a",
    }], true].map((range) => ({
      type: "cds.Integer",
      "@assert.range": range,
    })),
    { type: "cds.Integer", "@assert.range": [[3, 4], [1, 2]] },
    { type: "cds.DateTime", "@assert.range": ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000Z"] },
    ...["cds.String", "cds.LargeString", "cds.UUID", "my.Text"].map((type) => ({
      type,
      "@assert.format": "x",
    })),
    ...[{ type: "cds.Integer", "@assert.format": null }, { type: "cds.Integer", "@assert.target": false }],
    { type: "cds.Association", target: "B", "@assert.target": true },
  ] as readonly Given[],
};

Deno.test("elementProblems() finds sizes, symbols and checks that fit no value, or have no effect", () => {
  for (const [text, elements] of Object.entries(SAID)) {
    for (const element of elements) {
      assert.deepEqual(elementProblems(element, NOWHERE), text === "" ? [] : [text], JSON.stringify(element));
    }
  }
});

const to = (target: string): CsnElement => ({ type: "cds.Association", target });
const DEFINITIONS: NonNullable<Csn["definitions"]> = {
  Books: {
    kind: "entity",
    elements: { author: to("Authors"), reader: to("People"), title: { type: "cds.String" } },
  },
  Authors: { kind: "entity", includes: ["managed"] },
  People: { kind: "entity", includes: ["named"] },
  Friends: { kind: "entity", includes: ["named"] },
  Writers: { kind: "entity", projection: { from: { ref: ["Authors"] } } },
  Poets: { kind: "entity", query: { SELECT: { from: { ref: ["Writers"] } } } },
  Titles: { kind: "entity", projection: { from: { ref: ["Authors", "books"] } } },
  managed: { kind: "aspect" },
  named: { kind: "aspect" },
};
const SELF = { ref: ["$self"] };
const backlink = (on: CsnElement["on"], target = "Books"): CsnElement => ({
  type: "cds.Association",
  target,
  on,
});
const problemOf = (name: string, element: CsnElement) =>
  elementProblems(element, { name, key: "books", definitions: DEFINITIONS });

Deno.test("elementProblems() finds backlinks along what leads to something else", () => {
  const along = (name: string) => backlink([{ ref: ["books", name] }, "=", SELF]);
  const leads = (name: string, to: string, of: string) => [
    `never leads anywhere: "${name}" of "Books" leads to "${to}", not to "${of}"`,
  ];
  assert.deepEqual(problemOf("People", along("author")), leads("author", "Authors", "People"));
  assert.deepEqual(problemOf("Authors", along("reader")), leads("reader", "People", "Authors"));
  assert.deepEqual(problemOf("Titles", along("author")), leads("author", "Authors", "Titles"));
  const second = backlink([{ ref: ["books", "title"] }, "=", { val: "x" }, "and", ...along("author").on!]);
  assert.deepEqual(problemOf("People", second), leads("author", "Authors", "People"));
  for (const name of ["Authors", "Writers", "Poets"]) {
    assert.deepEqual(problemOf(name, along("author")), [], name);
  }
  // what both include is an origin they have in common
  assert.deepEqual(problemOf("Friends", along("reader")), []);
});

Deno.test("elementProblems() passes over conditions that are no backlinks", () => {
  const cases: readonly CsnElement[] = [
    backlink([{ ref: ["books", "nothing"] }, "=", SELF]),
    backlink([{ ref: ["books", "title"] }, "=", SELF]),
    backlink([{ ref: ["others", "author"] }, "=", SELF]),
    backlink([{ ref: ["books", "author", "ID"] }, "=", SELF]),
    backlink([{ ref: ["books"] }, "=", SELF]),
    backlink([{ ref: ["books", "author"] }, "<>", SELF]),
    backlink([{ ref: ["books", "author"] }, "=", { ref: ["$self", "ID"] }]),
    backlink([{ ref: ["books", "author"] }, "=", { ref: ["ID"] }]),
    backlink([{ val: 1 }, "=", SELF]),
    backlink(["(", { ref: ["books", "author"] }, ")", "=", SELF]),
    backlink(["=", SELF]),
    backlink([{ ref: ["books", "author"] }, "=", SELF], "Nothing"),
    to("Books"),
  ];
  for (const element of cases) assert.deepEqual(problemOf("People", element), [], JSON.stringify(element));
});

/** Defaults that are right, and those that are not, by type and what was expected. */
const DEFAULTS: Readonly<
  Record<string, readonly [expected: string, right: readonly unknown[], wrong: readonly unknown[]]>
> = {
  "cds.Boolean": ["true or false", [true, false, 0, 1], [2, "true", ""]],
  ...Object.fromEntries(
    ["UInt8", "Int16", "Int32", "Integer", "Int64", "Integer64"].map((name) => [`cds.${name}`, [
      "a whole number",
      [0, -1, "12", "1e3"],
      [1.5, "x", "", true, "1.5"],
    ]]),
  ),
  "cds.Decimal": ["a number like 12.34", [0, 1.5, "1.5", "-2"], ["x", "", true]],
  "cds.Double": ["a number like 12.34", [0, 1.5, "1e400"], ["x", "", false]],
  "cds.Date": ["a date like '2026-12-31'", ["2026-12-31"], ["2026-12", "31.12.2026", 2026, "2026-12-31T"]],
  "cds.Time": ["a time like '13:45:00'", ["13:45", "13:45:00"], ["13", "13:45:0", 13, "13:45:00.5"]],
};

Deno.test("defaultProblem() tells what a default was expected to be", () => {
  for (const [type, [expected, right, wrong]] of Object.entries(DEFAULTS)) {
    for (const val of right) {
      assert.equal(defaultProblem({ type, default: { val } } as CsnElement), undefined, `${type} ${val}`);
    }
    for (const val of wrong) {
      const said = defaultProblem({ type, default: { val } } as CsnElement);
      assert.equal(said, `is ${JSON.stringify(val)}, expected ${expected}`, `${type} ${val}`);
    }
  }
  const others = [
    { type: "cds.Integer" },
    { type: "cds.Integer", default: { val: null } },
    { default: { val: "x" } },
    {
      type: "cds.Integer",
      default: { ref: ["$now"] },
    },
    { type: "cds.String", default: { val: 1 } },
    { type: "toString", default: { val: 1 } },
    { type: "cds.Integer", default: null },
  ];
  for (const element of others) {
    assert.equal(defaultProblem(element as CsnElement), undefined, JSON.stringify(element));
  }
});
