import assert from "node:assert/strict";
import { sourceFiles } from "../../scripts/source_files.ts";
import { testArguments, testGroups } from "../../scripts/test_groups.ts";

Deno.test("deno task test runs each test file in one group of its folder", () => {
  const groups = testGroups("tests");
  const expected = sourceFiles("tests").filter((file) => file.endsWith("_test.ts"));
  assert.deepEqual(groups.flatMap(({ files }) => files).sort(), expected);
  assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length);
  for (const { name, files } of groups) {
    const folder = name.replace(/(_alone)?_\d+$/, "");
    for (const file of files) assert.ok(file.startsWith(`tests/${folder}/`), `${file} in ${name}`);
    assert.ok(files.length <= 12, name);
  }
});

Deno.test("deno task test runs the test files of the paths that it is given", () => {
  const filesOf = (...paths: string[]) => testGroups("tests", paths).flatMap(({ files }) => files).sort();
  const util = sourceFiles("tests/util").filter((file) => file.endsWith("_test.ts"));
  assert.deepEqual(filesOf("tests/util/"), util);
  assert.deepEqual(filesOf("tests/util", "tests/log/redact_test.ts", "tests/none"), [
    "tests/log/redact_test.ts",
    ...util,
  ]);
});

Deno.test("options of deno test follow the paths, and may have values", () => {
  assert.deepEqual(testArguments(["tests/util", "--filter", "a name", "--fail-fast"]), {
    paths: ["tests/util"],
    options: ["--filter", "a name", "--fail-fast"],
  });
  assert.deepEqual(testArguments(["tests/util"]), { paths: ["tests/util"], options: [] });
});
