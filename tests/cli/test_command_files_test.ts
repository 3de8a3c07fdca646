/** Which files `fw test` runs: a script of a shell stands for the processes that run them. */

import assert from "node:assert/strict";
import { testCommand } from "../../src/cli/test_command.ts";
import { withProject } from "../deno/project.ts";
import { withShell } from "./shell_processes.ts";

const NAMES = ["a.test.js", "b_test.ts", "c.spec.mjs", "test/d.test.cts", "test/deep/e_spec.ts"];
const OTHERS = [
  "f.js",
  "g.test.css",
  "test.js",
  "node_modules/h.test.js",
  "gen/i.test.js",
  "dist/j.test.js",
  ".git/k.test.js",
];
const FILES = Object.fromEntries([...NAMES, ...OTHERS].map((name) => [name, ""]));

/** Runs the command, where the tests in some files fail; gives what was run. */
async function outcome(words: (folder: string) => readonly string[], failing: readonly string[] = []) {
  let found: { readonly code: number; readonly ran: readonly string[]; readonly output: string } | undefined;
  await withProject(FILES, (given) => {
    const folder = Deno.realPathSync(given);
    const script = `for last in "$@"; do :; done; case "$last" in ${
      failing.map((name) => `*/${name}) exit 3;; `).join("")
    } esac; exit 0`;
    return withShell(script, async ({ started, output }) => {
      const code = await testCommand({ name: "test", words: words(folder), options: {} });
      for (const args of started) {
        assert.deepEqual(args.slice(0, 4), ["test", "-A", "--no-check", "--quiet"]);
        assert.match(args.at(-3)!, /^file:.*\/src\/test\/runner\/run_test_file\.ts$/);
        assert.equal(args.at(-2), "--");
      }
      found = { code, ran: started.map((args) => args.at(-1)!.slice(folder.length + 1)), output: output() };
    });
  });
  return found!;
}

Deno.test("fw test runs the test files of a folder, apart from those that are none of the project", async () => {
  const { code, ran, output } = await outcome((folder) => [folder]);
  assert.deepEqual([code, ran.toSorted(), output], [0, NAMES, "5 of 5 test files passed\n"]);
});

Deno.test("fw test runs the files it is given, whatever they are called", async () => {
  const { ran, output } = await outcome((folder) => [`${folder}/f.js`]);
  assert.deepEqual([ran, output], [["f.js"], ""]);
  assert.deepEqual((await outcome((folder) => [`${folder}/a.test.js`, `${folder}/test/`])).ran, [
    ...["a.test.js", "test/d.test.cts", "test/deep/e_spec.ts"],
  ]);
});

Deno.test("fw test fails where tests of a file do, and runs the others", async () => {
  const { code, ran, output } = await outcome((folder) => [folder], ["a.test.js", "b_test.ts"]);
  assert.deepEqual([code, ran.length, output], [1, 5, "3 of 5 test files passed\n"]);
  const single = await outcome((folder) => [`${folder}/f.js`], ["f.js"]);
  assert.deepEqual([single.code, single.output], [1, ""]);
});

Deno.test("fw test takes the working directory where it is given nothing", async () => {
  const { cwd } = Deno;
  let folder = "";
  try {
    const { ran } = await outcome((given) => {
      folder = given;
      Object.assign(Deno, { cwd: () => folder });
      return [];
    });
    assert.deepEqual(ran.toSorted(), NAMES);
  } finally {
    Object.assign(Deno, { cwd });
  }
});

Deno.test("what is no test is a mistake", async () => {
  const folder = "/nowhere/at/all";
  await assert.rejects(outcome(() => [folder]), { text: "There is no such file or folder", file: folder });
  await assert.rejects(outcome((root) => [`${root}/g.test.css`]), {
    text: "Expected a test, a file in JavaScript or TypeScript",
  });
  const { ran } = await outcome((root) => [`${root}/dist`, `${root}/.git`]);
  assert.deepEqual(ran, ["dist/j.test.js", ".git/k.test.js"], "those of folders that are named");
  await withProject({ "a.js": "" }, async (root) => {
    await assert.rejects(testCommand({ name: "test", words: [root], options: {} }), {
      message: "No test file found: expected names like books.test.js or books_test.ts",
    });
  });
});
