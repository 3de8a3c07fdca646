/**
 * The suite of the test file that this process runs, and the functions that fill it: the globals of jest and mocha, and
 * what `node:test`, `@jest/globals`, `vitest`, `mocha` and `chai` export.
 *
 * @module
 */

import { assert } from "../expect/chai_assert.ts";
import { expect } from "../expect/expect.ts";
import { createMocks, type Mocks } from "./mock_function.ts";
import { type Register, Suite, suiteFunctions } from "./suite_tree.ts";

/** A hook: its body, maybe behind a name. */
export type Hook = (...given: readonly unknown[]) => void;

/** The suite. */
export const fileSuite: Suite = new Suite("");
const functions = suiteFunctions(fileSuite);

/** Ends when all suites were collected. */
export const collected: () => Promise<void> = functions.collected;
/** How tests of this file are called: those for `node:test` get a context. */
export const calling: { hasContext: boolean } = { hasContext: false };

/** Registers a suite. */
export const describe: Register = functions.describe;
/** Registers a suite. */
export const suite: Register = functions.describe;
/** Registers a suite. */
export const context: Register = functions.describe;
/** Registers a test. */
export const it: Register = functions.it;
/** Registers a test; has what `node:test` exports, too. */
export const test: Register = functions.it;
/** Registers a suite that does not run. */
export const xdescribe: Register = functions.describe.skip;
/** Registers a test that does not run. */
export const xit: Register = functions.it.skip;
/** Registers a test that does not run. */
export const xtest: Register = functions.it.skip;
/** Runs before the tests of the suite. */
export const before: Hook = functions.hook("beforeAll");
/** Runs before the tests of the suite. */
export const beforeAll: Hook = before;
/** Runs after the tests of the suite. */
export const after: Hook = functions.hook("afterAll");
/** Runs after the tests of the suite. */
export const afterAll: Hook = after;
/** Runs before each test of the suite. */
export const beforeEach: Hook = functions.hook("beforeEach");
/** Runs after each test of the suite. */
export const afterEach: Hook = functions.hook("afterEach");
/** Mock functions. */
export const jest: Mocks = createMocks();
/** Mock functions. */
export const vi: Mocks = jest;
/** Mock functions under the names of `node:test`. */
export const mock: Readonly<Record<string, unknown>> = {
  fn: jest.fn,
  method: jest.spyOn,
  restoreAll: jest.restoreAllMocks,
  reset: jest.resetAllMocks,
};
/** Gives the assertions of chai: plugins are not needed. */
export const use = (): { readonly expect: typeof expect } => ({ expect });
export { assert, expect };

/** The names that test files find as globals. */
export const GLOBALS: Readonly<Record<string, unknown>> = {
  describe,
  context,
  it,
  test,
  xdescribe,
  xit,
  xtest,
  before,
  beforeAll,
  after,
  afterAll,
  beforeEach,
  afterEach,
  jest,
  expect,
};

Object.assign(test, { describe, suite, it, test, before, after, beforeEach, afterEach, mock });
