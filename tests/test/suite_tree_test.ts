/**
 * Collecting the tests of a file in the styles of jest, mocha and `node:test` (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Outcome, Suite, suiteFunctions, type TestCase } from "../../src/test/runner/suite_tree.ts";

function collect(fill: (functions: ReturnType<typeof suiteFunctions>) => void): Suite {
  const root = new Suite("");
  fill(suiteFunctions(root));
  return root;
}

/** Names, what becomes of each, and why. */
function shown({ entries }: Suite): unknown[] {
  return entries.map((entry) => {
    const { name, mode, reason } = entry;
    const why = reason === undefined ? [] : [reason];
    return entry instanceof Suite ? [name, mode, ...why, shown(entry)] : [name, mode, ...why];
  });
}

Deno.test("tests and suites lie in the suite in whose body they are registered, also behind one that throws", () => {
  const root = collect(({ describe, it }) => {
    it("first", () => {});
    describe("outer", () => {
      describe("inner", () => it("deep", () => {}));
      it("behind", () => {});
    });
    assert.throws(() =>
      describe("wrong", () => {
        throw new Error("no");
      }), /^Error: no$/);
    it("last", () => {});
  });
  assert.deepEqual(shown(root), [
    ["first", "run"],
    ["outer", "run", [["inner", "run", [["deep", "run"]]], ["behind", "run"]]],
    ["wrong", "run", []],
    ["last", "run"],
  ]);
  const outer = root.entries[1] as Suite;
  assert.equal(outer.parent, root);
  assert.equal((outer.entries[0] as Suite).parent, outer);
  assert.equal(root.parent, undefined);
  assert.equal(root.mode, "run");
});

const body = () => {};
const REGISTERED: readonly (readonly [given: readonly unknown[], name: string, outcome: Outcome])[] = [
  [["named", body], "named", { mode: "run" }],
  [[body], "body", { mode: "run" }],
  [["to be written"], "to be written", { mode: "todo" }],
  [["to be written", null], "to be written", { mode: "todo" }],
  [["no body but options", {}], "no body but options", { mode: "run" }],
  [[], "", { mode: "todo" }],
  [["a", { skip: true }, body], "a", { mode: "skip" }],
  [["a", { skip: "why" }, body], "a", { mode: "skip", reason: "why" }],
  [["a", { skip: "" }, body], "a", { mode: "run" }],
  [["a", { only: true }, body], "a", { mode: "only" }],
  [["a", { todo: true }, body], "a", { mode: "todo" }],
  [["a", { todo: "soon" }, body], "a", { mode: "todo", reason: "soon" }],
  [["a", { skip: "why", only: true, todo: "soon" }, body], "a", { mode: "skip", reason: "why" }],
  [["a", { only: true, todo: true }, body], "a", { mode: "only" }],
  [["a", { skip: false, only: false, todo: false }, body], "a", { mode: "run" }],
  [["jest has its options behind", body, { skip: true }], "jest has its options behind", { mode: "skip" }],
  [["mocha has a time limit", body, 5000], "mocha has a time limit", { mode: "run" }],
];

Deno.test("a test has name, options and body in any order; without a body it is yet to be written", () => {
  for (const [given, name, outcome] of REGISTERED) {
    const [test] = collect(({ it }) => it(...given)).entries as [TestCase];
    const { body: found, ...others } = test;
    assert.deepEqual(others, { name, ...outcome });
    if (given.includes(body)) assert.equal(found, body);
    else assert.equal(found(), undefined);
    const [suite] = collect(({ describe }) => describe(...given)).entries as [Suite];
    const { mode, reason } = suite;
    assert.deepEqual({ name: suite.name, mode, reason }, { name, reason: undefined, ...outcome });
  }
});

Deno.test("skip, only and todo are functions that register, too", () => {
  const root = collect(({ describe, it }) => {
    it.skip("a", body);
    it.only("b", body);
    it.todo("c", body);
    it.only.each([1])("e %s", body);
    describe.skip("f", () => it("g", body));
  });
  assert.deepEqual(shown(root), [
    ["a", "skip"],
    ["b", "only"],
    ["c", "todo"],
    ["e 1", "only"],
    ["f", "skip", [["g", "run"]]],
  ]);
});

const TITLES: readonly (readonly [name: string, rows: readonly unknown[], titles: readonly string[]])[] = [
  ["%s and %s", [[1, "b"], [null, undefined]], ["1 and b", "null and undefined"]],
  ["%s", [1, "x", true], ["1", "x", "true"]],
  ["%d %i %f", [[1, 2, 0.5]], ["1 2 0.5"]],
  ["%j %o %p", [[{ a: 1 }, [2], { b: 3 }]], ['{"a":1} [2] {"b":3}']],
  ["100%% %s", [7], ["100% 7"]],
  ["row %#: %s", ["a", "b"], ["row 0: a", "row 1: b"]],
  ["%x %s", [1], ["%x 1"]],
  ["$a is $b", [{ a: 1, b: "two" }], ["1 is two"]],
  ["$missing stays", [{ a: 1 }, null], ["$missing stays", "$missing stays"]],
  ["$empty", [{ empty: null }], ["null"]],
];

Deno.test("the values of a row take the places of the marks in a title", () => {
  for (const [name, rows, titles] of TITLES) {
    const { entries } = collect(({ it }) => it.each(rows)(name, body));
    assert.deepEqual(entries.map((entry) => entry.name), titles);
  }
});

Deno.test("the body of a table is called with the values of its row", () => {
  const given: unknown[] = [];
  const { entries } = collect(({ it }) => {
    it.each([[1, 2], 3, [[4]]])("%s", (...values) => {
      given.push(values);
      return values.length;
    });
  });
  assert.deepEqual(entries.map((entry) => (entry as TestCase).body()), [2, 1, 1]);
  assert.deepEqual(given, [[1, 2], [3], [[4]]]);
});

Deno.test("a suite knows whether anything in it runs alone", () => {
  const cases: readonly (readonly [(functions: ReturnType<typeof suiteFunctions>) => void, boolean])[] = [
    [() => {}, false],
    [({ it }) => it("a", body), false],
    [({ it }) => it.skip("a", body), false],
    [({ it }) => (it("a", body), it.only("b", body)), true],
    [({ describe }) => describe.only("a", body), true],
    [({ describe, it }) => describe("a", () => it("b", body)), false],
    [({ describe, it }) => describe("a", () => describe("b", () => it.only("c", body))), true],
  ];
  for (const [fill, isExpected] of cases) assert.equal(collect(fill).hasOnly, isExpected, String(fill));
});

Deno.test("hooks belong to the suite around them, and need a function", () => {
  const [outside, inside] = [() => {}, () => {}];
  const root = collect(({ describe, hook }) => {
    hook("beforeAll")(outside);
    describe("inner", () => {
      hook("afterEach")("with a name", inside);
      hook("afterEach")(outside);
    });
    assert.throws(() => hook("beforeEach")("nothing"), {
      name: "TypeError",
      message: "Expected a function for beforeEach",
    });
  });
  const none = { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
  assert.deepEqual(root.hooks, { ...none, beforeAll: [outside] });
  assert.deepEqual((root.entries[0] as Suite).hooks, { ...none, afterEach: [inside, outside] });
});

Deno.test("suites are collected when the promises of their bodies have ended", async () => {
  const ended: string[] = [];
  const root = new Suite("");
  const { describe, it, collected } = suiteFunctions(root);
  const later = async (name: string) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    ended.push(name);
  };
  describe("a", () => later("a"));
  describe("b", async () => {
    await later("b");
    describe("c", () => later("c"));
  });
  describe("none", () => "no promise");
  it("beside", body);
  await collected();
  assert.deepEqual(ended, ["a", "b", "c"]);
  describe("wrong", () => Promise.reject(new Error("no suite")));
  await assert.rejects(collected(), /no suite/);
  await collected();
});
