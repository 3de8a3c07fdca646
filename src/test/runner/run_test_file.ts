/**
 * Runs one test file: `deno test -A run_test_file.ts -- <file>`. Its suites and tests become steps of a test of Deno.
 *
 * @module
 */

import "../../globals.ts";
import { answerModule } from "../../deno/answered_modules.ts";
import * as compiler from "../../deno/compiler.ts";
import { holdCompiler } from "../../deno/load_model.ts";
import { projectKinds } from "../../deno/load_project.ts";
import { loadModuleFile } from "../../deno/require_module.ts";
import { setBareKinds } from "../../fw/bare_runtime.ts";
import { projectPlace } from "../../fw/project_place.ts";
import { assert, should } from "../expect/chai_assert.ts";
import { expect } from "../expect/expect.ts";
import { fwTest } from "../project_suite.ts";
import * as suite from "./file_suite.ts";
import { runSuite } from "./run_suite.ts";

const [file] = Deno.args;
const { calling, collected, fileSuite, GLOBALS } = suite;

projectPlace.root = Deno.cwd();
holdCompiler(compiler);
setBareKinds(projectKinds(Deno.cwd(), []));
Object.assign(globalThis, GLOBALS);
answerTestModules();

await loadModuleFile(file);
await collected();

// Tests may end work of their own late, or never: the process ends with them. ES modules that import `node:test` have
// registered theirs already.
if (fileSuite.entries.length > 0) {
  Deno.test({
    name: file.slice(file.lastIndexOf("/") + 1),
    sanitizeExit: false,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: (context) => runSuite(fileSuite, context, calling),
  });
}

function answerTestModules(): void {
  const nodeTest = () => {
    calling.hasContext = true;
    return suite.test;
  };
  answerModule("node:test", { exports: nodeTest });
  for (const name of ["@cap-js/cds-test", "@sap/cds/test", "@sap/cds/lib/test"]) {
    answerModule(name, { exports: () => fwTest });
  }
  for (const name of ["@jest/globals", "vitest", "mocha"]) answerModule(name, { exports: () => suite });
  const chai = { expect, assert, use: suite.use, should };
  answerModule("chai", { exports: () => chai, isFallback: true });
  for (const name of ["chai-as-promised", "chai-subset"]) {
    answerModule(name, { exports: () => () => {}, isFallback: true });
  }
}
