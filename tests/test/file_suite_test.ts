/**
 * The names that test files find as globals, and import from runners of tests (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import * as file from "../../src/test/runner/file_suite.ts";
import type { Suite } from "../../src/test/runner/suite_tree.ts";

Deno.test("all names of a function are the same function", () => {
  const { describe, it, before, after, jest } = file;
  assert.deepEqual(
    [file.suite, file.context, file.test, file.beforeAll, file.afterAll, file.vi],
    [describe, describe, it, before, after, jest],
  );
  assert.deepEqual(file.mock, {
    fn: jest.fn,
    method: jest.spyOn,
    restoreAll: jest.restoreAllMocks,
    reset: jest.resetAllMocks,
  });
  assert.deepEqual(Object.keys(file.GLOBALS), [
    "describe",
    "context",
    "it",
    "test",
    "xdescribe",
    "xit",
    "xtest",
    "before",
    "beforeAll",
    "after",
    "afterAll",
    "beforeEach",
    "afterEach",
    "jest",
    "expect",
  ]);
  for (const [name, value] of Object.entries(file.GLOBALS)) {
    assert.equal(value, (file as Readonly<Record<string, unknown>>)[name], name);
  }
  assert.equal(file.use().expect, file.expect);
  assert.equal(file.calling.hasContext, false);
});

Deno.test("test has what node:test exports", () => {
  const { suite, it, test, before, after, beforeEach, afterEach, mock, describe } = file;
  const members = { describe, suite, it, test, before, after, beforeEach, afterEach, mock };
  for (const [name, value] of Object.entries(members)) {
    assert.equal((test as unknown as Readonly<Record<string, unknown>>)[name], value, name);
  }
});

Deno.test("what is registered lies in the suite of the file", async () => {
  const { describe, it, xdescribe, xit, xtest, before, after, beforeEach, afterEach, fileSuite } = file;
  const hooks = [() => 1, () => 2, () => 3, () => 4] as const;
  try {
    describe("suite", () => {
      before(hooks[0]);
      after(hooks[1]);
      beforeEach(hooks[2]);
      afterEach(hooks[3]);
      it("runs", () => {});
      xit("does not run", () => {});
      xtest("does not run either", () => {});
    });
    xdescribe("suite that does not run", () => {});
    await file.collected();
    const [suite, skipped] = fileSuite.entries as Suite[];
    assert.deepEqual(suite.entries.map(({ mode }) => mode), ["run", "skip", "skip"]);
    assert.equal(skipped.mode, "skip");
    const [beforeAll, afterAll, beforeEachOne, afterEachOne] = hooks;
    assert.deepEqual(suite.hooks, {
      beforeAll: [beforeAll],
      afterAll: [afterAll],
      beforeEach: [beforeEachOne],
      afterEach: [afterEachOne],
    });
  } finally {
    fileSuite.entries.length = 0;
  }
});
