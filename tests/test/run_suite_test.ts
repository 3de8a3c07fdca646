/**
 * Running the suites and tests of a file as steps of a test of Deno (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { runSuite, type Step, type Steps } from "../../src/test/runner/run_suite.ts";
import { Suite, type SuiteFunctions, suiteFunctions } from "../../src/test/runner/suite_tree.ts";

type Functions = SuiteFunctions & Readonly<Record<"before" | "after" | "beforeEach" | "afterEach", Hook>>;
type Hook = (body: (...given: never[]) => unknown) => void;

/**
 * Collects a file and runs it.
 *
 * @param fill the code of the file
 * @param hasContext whether tests get a context
 * @returns the outcome of each step, those of a suite behind it; what the run of the file failed with
 */
async function run(fill: (functions: Functions) => void, hasContext = false): Promise<string[]> {
  const root = new Suite("file");
  const functions = suiteFunctions(root);
  const { hook } = functions;
  fill({
    ...functions,
    before: hook("beforeAll"),
    after: hook("afterAll"),
    beforeEach: hook("beforeEach"),
    afterEach: hook("afterEach"),
  });
  const outcomes: string[] = [];
  const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);
  const step = async ({ name, ignore, fn, ...others }: Step): Promise<void> => {
    assert.deepEqual(others, { sanitizeExit: false, sanitizeOps: false, sanitizeResources: false });
    const at = outcomes.push("") - 1;
    const outcome = ignore
      ? "ignored"
      : await fn(steps).then(() => "ok", (error: unknown) => `failed: ${messageOf(error)}`);
    outcomes[at] = `${name} ... ${outcome}`;
  };
  const steps: Steps = { step };
  await runSuite(root, steps, { hasContext }).catch((error: unknown) =>
    void outcomes.push(`file ... failed: ${messageOf(error)}`)
  );
  return outcomes;
}

function fail(message: string): never {
  throw new Error(message);
}

/** Ends later than what does not wait for it. */
async function later(then: () => void): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  then();
}

Deno.test("hooks run around suites and tests, outer ones first before and last after", async () => {
  const log: string[] = [];
  const note = (text: string) => () => later(() => log.push(text));
  const outcomes = await run(({ describe, it, before, after, beforeEach, afterEach }) => {
    before(note("before file"));
    after(note("after file"));
    beforeEach(note("before each"));
    afterEach(note("after each"));
    describe("suite", () => {
      before(note("before suite"));
      after(note("after suite"));
      beforeEach(note("before each of suite"));
      afterEach(note("after each of suite"));
      it("one", note("one"));
    });
    it("two", note("two"));
  });
  assert.deepEqual(outcomes, ["suite ... ok", "one ... ok", "two ... ok"]);
  assert.deepEqual(log, [
    "before file",
    "before suite",
    "before each",
    "before each of suite",
    "one",
    "after each of suite",
    "after each",
    "after suite",
    "before each",
    "two",
    "after each",
    "after file",
  ]);
});

Deno.test("a test fails by itself and by its hooks, and the hooks behind it run", async () => {
  const log: string[] = [];
  const outcomes = await run(({ describe, it, beforeEach, afterEach }) => {
    afterEach(() => log.push("after each"));
    it("fails", () => fail("at once"));
    it("fails late", () => later(() => fail("late")));
    describe("hook before", () => {
      beforeEach(() => fail("no begin"));
      it("does not begin", () => log.push("begun"));
    });
    describe("hook behind", () => {
      afterEach(() => later(() => fail("no end")));
      it("does not end", () => {});
    });
    it("passes", () => log.push("passes"));
  });
  assert.deepEqual(outcomes, [
    "fails ... failed: at once",
    "fails late ... failed: late",
    "hook before ... ok",
    "does not begin ... failed: no begin",
    "hook behind ... ok",
    "does not end ... failed: no end",
    "passes ... ok",
  ]);
  assert.deepEqual(log, ["after each", "after each", "after each", "passes", "after each"]);
});

Deno.test("what fails before a suite makes all its tests fail, or itself where it has none", async () => {
  const log: string[] = [];
  const outcomes = await run(({ describe, it, before, after }) => {
    describe("suite", () => {
      before(() => later(() => fail("no start")));
      before(() => log.push("second hook"));
      after(() => log.push("after"));
      describe("inner", () => it("one", () => log.push("one")));
      it("two", () => log.push("two"));
      it.skip("three", () => log.push("three"));
    });
    describe("empty", () => before(() => fail("nothing")));
    describe("end", () => {
      after(() => later(() => fail("no end")));
      it("four", () => {});
    });
    before(() => log.push("before"));
  });
  assert.deepEqual(outcomes, [
    "suite ... ok",
    "inner ... failed: no start",
    "two ... failed: no start",
    "three, reason: marked with skip ... ignored",
    "empty ... failed: nothing",
    "end ... failed: no end",
    "four ... ok",
  ]);
  assert.deepEqual(log, ["before", "after"]);
});

Deno.test("what does not run says why", async () => {
  const outcomes = await run(({ describe, it }) => {
    it.skip("a", () => fail("runs"));
    it.todo("b", () => fail("runs"));
    it("c", { skip: "too slow" }, () => fail("runs"));
    it("d", { todo: "next" }, () => fail("runs"));
    it("e");
    describe.skip("f", () => it("inner", () => fail("runs")));
    it("g", () => {});
  });
  assert.deepEqual(outcomes, [
    "a, reason: marked with skip ... ignored",
    "b, reason: to do ... ignored",
    "c, reason: too slow ... ignored",
    "d, reason: next ... ignored",
    "e, reason: to do ... ignored",
    "f, reason: marked with skip ... ignored",
    "g ... ok",
  ]);
});

Deno.test("where anything is marked with only, nothing else runs", async () => {
  const outcomes = await run(({ describe, it }) => {
    it("a", () => fail("runs"));
    it.only("b", () => {});
    describe("c", () => {
      it("c1", () => fail("runs"));
      it.only("c2", () => {});
    });
    describe("d", () => it("d1", () => fail("runs")));
    describe.only("e", () => {
      it("e1", () => {});
      it.skip("e2", () => fail("runs"));
    });
    describe.only("f", () => {
      it("f1", () => fail("runs"));
      it.only("f2", () => {});
    });
    it.skip("g", () => fail("runs"));
  });
  const others = "reason: others are marked with only ... ignored";
  assert.deepEqual(outcomes, [
    `a, ${others}`,
    "b ... ok",
    "c ... ok",
    `c1, ${others}`,
    "c2 ... ok",
    `d, ${others}`,
    "e ... ok",
    "e1 ... ok",
    "e2, reason: marked with skip ... ignored",
    "f ... ok",
    `f1, ${others}`,
    "f2 ... ok",
    "g, reason: marked with skip ... ignored",
  ]);
});

type Done = ((error?: unknown) => void) & { readonly fail: (error?: unknown) => void };

Deno.test("a test or hook that takes done ends when that is called", async () => {
  const log: string[] = [];
  const outcomes = await run(({ it, before }) => {
    before((done: Done) => void later(() => (log.push("before"), done())));
    it("calls it", (done: Done) => void later(() => (log.push("calls"), done())));
    it("calls it with null", (done: Done) => done(null));
    it("fails with it", (done: Done) => done(new Error("by done")));
    it("fails with zero", (done: Done) => done(0));
    it("fails by its member", (done: Done) => done.fail(new Error("by fail")));
    it("throws", (_done: Done) => fail("thrown"));
    it("rejects", async (_done: Done) => await later(() => fail("rejected")));
    it("ends", () => void log.push("ends"));
  });
  assert.deepEqual(outcomes, [
    "calls it ... ok",
    "calls it with null ... ok",
    "fails with it ... failed: by done",
    "fails with zero ... failed: 0",
    "fails by its member ... failed: by fail",
    "throws ... failed: thrown",
    "rejects ... failed: rejected",
    "ends ... ok",
  ]);
  assert.deepEqual(log, ["before", "calls", "ends"]);
});

interface TestContext {
  readonly name: string;
  readonly test: (...given: readonly unknown[]) => Promise<void>;
  readonly diagnostic: (text: string) => void;
  readonly signal: AbortSignal;
}

Deno.test("a test of node:test has a context, which runs tests in it", async () => {
  const log: string[] = [];
  const outcomes = await run(({ describe, it, before, beforeEach }) => {
    before((t: TestContext) => later(() => log.push(`before ${t.name}`)));
    beforeEach((t: TestContext) => void log.push(`before each ${t.name}`));
    it("one", async (t: TestContext) => {
      t.diagnostic("said");
      assert.equal(t.signal.aborted, false);
      await t.test("inner", { skip: false }, (inner: TestContext) => later(() => log.push(inner.name)));
      await t.test("without a body");
      log.push(t.name);
    });
    it("two", (t: TestContext) => t.test("inner", () => later(() => fail("in it"))));
    it("three", () => later(() => fail("three")));
    describe("suite", () => {
      before((t: TestContext) => void log.push(`before ${t.name}`));
      it("four", () => {});
    });
  }, true);
  assert.deepEqual(outcomes, [
    "one ... ok",
    "two ... failed: in it",
    "three ... failed: three",
    "suite ... ok",
    "four ... ok",
  ]);
  assert.deepEqual(log, [
    "before file",
    "before each one",
    "inner",
    "one",
    "before each two",
    "before each three",
    "before suite",
    "before each four",
  ]);
});
