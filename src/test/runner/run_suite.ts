/**
 * Runs the suites and tests of a file as steps of a test of Deno.
 *
 * @module
 */

import { type HookName, Suite, type TestBody, type TestCase } from "./suite_tree.ts";

/** A test of Deno, or a step of one. */
export interface Steps {
  /** Runs a step; one that fails makes the test fail that it belongs to. */
  step(definition: Step): Promise<unknown>;
}

/** A step of a test of Deno. */
export type Step = Omit<Deno.TestStepDefinition, "fn"> & {
  /** Does the work of the step. */
  readonly fn: (context: Steps) => Promise<void>;
};

/** How tests are called. */
export interface RunOptions {
  /** The tests were written for `node:test`, whose argument is a context; of others it is `done`. */
  readonly hasContext: boolean;
}

interface Scope extends RunOptions {
  /** Only what is marked with `only` runs. */
  readonly onlyMarked: boolean;
}

/**
 * Runs the tests of a file.
 *
 * @param root the suite of the file
 * @param context the test of Deno that they are steps of
 * @param options how tests are called
 */
export async function runSuite(root: Suite, context: Steps, options: RunOptions): Promise<void> {
  await runEntries(root, context, { ...options, onlyMarked: root.hasOnly });
}

async function runEntries(suite: Suite, context: Steps, scope: Scope): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  try {
    for (const hook of suite.hooks.beforeAll) await call(hook, scope, suite.name);
  } catch (error) {
    failure = { error };
  }
  for (const entry of suite.entries) {
    const ignore = isLeftOut(entry, scope);
    await context.step({
      name: ignore ? `${entry.name}, reason: ${reasonOf(entry)}` : entry.name,
      ignore,
      sanitizeExit: false,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async (step) => {
        if (failure) throw failure.error;
        const within = entry.mode === "only"
          ? { ...scope, onlyMarked: entry instanceof Suite && entry.hasOnly }
          : scope;
        if (entry instanceof Suite) await runEntries(entry, step, within);
        else await runCase(suite, entry, scope);
      },
    });
  }
  for (const hook of suite.hooks.afterAll) await call(hook, scope, suite.name);
  if (failure && suite.entries.length === 0) throw failure.error;
}

function isLeftOut(entry: Suite | TestCase, { onlyMarked }: Scope): boolean {
  if (entry.mode === "skip" || entry.mode === "todo") return true;
  return onlyMarked && entry.mode !== "only" && !(entry instanceof Suite && entry.hasOnly);
}

/** Why an entry does not run. */
function reasonOf({ mode, reason }: Suite | TestCase): string {
  if (reason !== undefined) return reason;
  return mode === "skip" ? "marked with skip" : mode === "todo" ? "to do" : "others are marked with only";
}

async function runCase(suite: Suite, { name, body }: TestCase, scope: Scope): Promise<void> {
  const suites: Suite[] = [];
  for (let at: Suite | undefined = suite; at; at = at.parent) suites.unshift(at);
  const hooks = (when: HookName) => suites.flatMap((one) => one.hooks[when]);
  try {
    for (const hook of hooks("beforeEach")) await call(hook, scope, name);
    await call(body, scope, name);
  } finally {
    for (const hook of suites.toReversed().flatMap((one) => one.hooks.afterEach)) {
      await call(hook, scope, name);
    }
  }
}

/** Calls a test or hook; one that takes `done` ends when that is called. */
async function call(body: TestBody, { hasContext }: Scope, name: string): Promise<void> {
  if (hasContext) return void await body(testContext(name) as never);
  if (body.length === 0) return void await body();
  await new Promise<void>((resolve, reject) => {
    const done = (error?: unknown) => error === undefined || error === null ? resolve() : reject(error);
    Promise.resolve((body as (done: unknown) => unknown)(Object.assign(done, { fail: reject }))).catch(
      reject,
    );
  });
}

/** What a test of `node:test` is given. */
function testContext(name: string): object {
  const run = async (...given: readonly unknown[]) => {
    const body = given.find((one) => typeof one === "function") as TestBody | undefined;
    await body?.(testContext(String(given[0])) as never);
  };
  return { name, test: run, diagnostic: () => {}, signal: new AbortController().signal };
}
