import assert from "node:assert/strict";
import type { ClauseTest, Level } from "./conformance/requirement.ts";
import { renderTable, toTable, unfulfilled } from "./conformance/table.ts";

const LEVELS: readonly Level[] = [
  {
    clause: "1.1",
    title: "First",
    requirements: [["1", "MUST", "one"], ["2", "SHOULD", "two"], ["3", "MAY", "three"], ["4", "MAY", "four"]],
  },
  {
    clause: "1.2",
    title: "Second",
    requirements: [["1", "MUST", "all of the first", { level: "1.1" }], ["2", "MUST", "one", {
      rows: ["1.1", 1, 1],
    }]],
  },
];

const test = (clauses: string[], state: ClauseTest["state"], refuses = false): ClauseTest => ({
  name: `test of ${clauses}`,
  clauses,
  file: "x.ts",
  refuses,
  state,
});

const resultsOf = (...tests: ClauseTest[]) =>
  Object.fromEntries(
    toTable(LEVELS, tests).flatMap(({ rows }) => rows).map((row) => [row.clause, row.result]),
  );

Deno.test("a requirement is fulfilled by tests that all passed, sums by all obligations they sum up", () => {
  const refusal = test(["1.1.4"], "passed", true);
  const all = [test(["1.1.1", "1.1.2"], "passed"), test(["1.1.3"], "passed"), refusal];
  assert.deepEqual(resultsOf(...all), {
    "1.1.1": "fulfilled",
    "1.1.2": "fulfilled",
    "1.1.3": "fulfilled",
    "1.1.4": "not offered",
    "1.2.1": "fulfilled",
    "1.2.2": "fulfilled",
  });
  assert.deepEqual(unfulfilled(toTable(LEVELS, all)), []);
  assert.match(renderTable(toTable(LEVELS, all)), /1\.1\.4 +\| MAY +\| four +\| not offered +\|/);
});

Deno.test("one failed test, and one that has not run, leave a requirement unfulfilled", () => {
  const tests = [
    test(["1.1.1"], "passed"),
    test(["1.1.1", "1.1.3"], "failed"),
    test(["1.1.2"], "passed"),
    test(["1.1.2"], "not run"),
  ];
  assert.deepEqual(resultsOf(...tests), {
    "1.1.1": "not fulfilled",
    "1.1.2": "not tested",
    "1.1.3": "not fulfilled",
    "1.1.4": "not tested",
    "1.2.1": "not fulfilled",
    "1.2.2": "not fulfilled",
  });
  assert.equal(unfulfilled(toTable(LEVELS, tests)).length, 6);
});

Deno.test("a MUST that is refused is not fulfilled", () => {
  const tests = [test(["1.1.1"], "passed", true), test(["1.1.2", "1.1.3", "1.1.4"], "passed")];
  assert.deepEqual(unfulfilled(toTable(LEVELS, tests)), [
    "1.1.1 MUST one: not offered",
    "1.2.1 MUST all of the first: not fulfilled",
    "1.2.2 MUST one: not fulfilled",
  ]);
});
