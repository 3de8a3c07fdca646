/**
 * `fw test [files]`: runs the tests of a project, in the styles of jest, mocha and `node:test`.
 *
 * @module
 */

import { listFiles, listFolders } from "../deno/text_files.ts";
import { projectRoot } from "../deno/project_root.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { configurationOptions } from "./project_configuration.ts";
import type { Command } from "./parse_command.ts";

/** What `fw help test` prints. */
export const TEST_HELP = `Usage: fw test [file or folder ...]

Runs test files (*.test.js, *.spec.ts, *_test.ts, ...; default: those of the working directory), each in a process of its own.
They find describe, it, test, before, after, beforeEach, afterEach, expect and jest.fn as globals, or import them from
node:test, and in CommonJS from @jest/globals, vitest, mocha or chai. require("@sap/cds") and
require("@cap-js/cds-test") are answered; for ES modules, "imports" of deno.json name @fw/runtime and @fw/runtime/test:

  const cds = require("@sap/cds");
  const { GET, expect } = cds.test(__dirname + "/..");
  it("reads", async () => expect((await GET("/odata/v4/catalog/Books")).status).to.equal(200));

Arguments behind files narrow nothing: every test of a file runs.

Examples: fw test
          fw test test/books.test.js`;

const IS_TEST = /(?:[._](?:test|spec))\.(?:[cm]?js|[cm]?ts)$/;

const MODULE = /\.[cm]?[jt]s$/;

/** Folders without tests of the project. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", "gen", "dist"]);

/** Runs the command. */
export async function testCommand({ words }: Command): Promise<number> {
  const files = (words.length > 0 ? words : ["."]).flatMap(testFilesOf);
  if (files.length === 0) {
    throw new ConfigurationError("No test file found: expected names like books.test.js or books_test.ts");
  }
  let failed = 0;
  for (const file of files) if (await runFile(file) !== 0) failed++;
  if (files.length > 1) console.log(`${files.length - failed} of ${files.length} test files passed`);
  return failed === 0 ? 0 : 1;
}

function testFilesOf(word: string): readonly string[] {
  const path = projectRoot(word);
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (cause) {
    throw new ConfigurationError("There is no such file or folder", { file: word }, { cause });
  }
  if (!info.isFile) return testsBelow(path);
  if (MODULE.test(path)) return [path];
  throw new ConfigurationError("Expected a test, a file in JavaScript or TypeScript", { file: word });
}

function testsBelow(folder: string): readonly string[] {
  const folders = listFolders(folder).filter((name) => !name.startsWith(".") && !LEFT_OUT.has(name));
  return [
    ...listFiles(folder, "").filter((file) => IS_TEST.test(file)),
    ...folders.flatMap((name) => testsBelow(`${folder}/${name}`)),
  ];
}

/** A file in a process of its own, as it may change the environment, and leave anything behind. */
async function runFile(file: string): Promise<number> {
  const runner = import.meta.resolve("../test/runner/run_test_file.ts");
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--quiet", ...configurationOptions(Deno.cwd()), runner, "--", file],
    stdin: "null",
  }).spawn().status;
  return code;
}
