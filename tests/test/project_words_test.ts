/**
 * The words of `fw.test(…)`: folders, packages, model files (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { modelFilesIn, projectFolder } from "../../src/test/project_words.ts";
import { withProject } from "../deno/project.ts";

const named = (name: string) => JSON.stringify({ name });

const FILES = {
  "app/package.json": named("@ws/app"),
  "app/db/schema.cds": "",
  "app/db/index.cds": "",
  "app/srv/b.cds": "",
  "app/srv/a.cds": "",
  "app/srv/a.js": "",
  "app/srv/more/c.cds": "",
  "app/empty/note.txt": "",
  "app/inner/package.json": named("@ws/inner"),
  "app/inner/near/package.json": named("@ws/hidden-too-deep"),
  "app/node_modules/installed/package.json": named("installed"),
  "app/node_modules/installed/index.cds": "",
  "app/node_modules/installed/srv/x.cds": "",
  "app/node_modules/plain/package.json": named("plain"),
  "app/node_modules/plain/one.cds": "",
  "app/node_modules/plain/two.cds": "",
  "app/both.cds": "",
  "app/node_modules/both/package.json": named("both"),
  "app/node_modules/both/index.cds": "",
  "other/package.json": named("@ws/other"),
  "other/srv/y.cds": "",
  "other/model.cds": "",
  "twin/package.json": named("@ws/inner"),
  "broken/package.json": "{",
  ".dotted/package.json": named("@ws/dotted"),
  "package.json": named("@ws/root"),
} as const;

/** Paths below the folder of a project. */
const below = (folder: string, paths: readonly string[]) => paths.map((path) => `${folder}/${path}`);

Deno.test("a folder counts from where the project is, or is a package, installed or in the workspace", () =>
  withProject(FILES, (folder) => {
    const base = `${folder}/app`;
    const cases: readonly (readonly [words: readonly string[], found: string])[] = [
      [["srv"], "app/srv"],
      [["srv", "more"], "app/srv/more"],
      [["."], "app"],
      [["./srv/../db"], "app/db"],
      [["srv", ".."], "app"],
      [["../other"], "other"],
      [[`${folder}/other/srv`], "other/srv"],
      [[folder, "other"], "other"],
      [["installed"], "app/node_modules/installed"],
      [["installed", "srv"], "app/node_modules/installed/srv"],
      [["@ws/app"], "app"],
      [["@ws/app", "srv"], "app/srv"],
      [["@ws/inner"], "app/inner"],
      [["@ws/other"], "other"],
      [["@ws/other", "srv"], "other/srv"],
      [["@ws/root"], ""],
    ];
    for (const [words, found] of cases) {
      assert.equal(projectFolder(words, base), found === "" ? folder : `${folder}/${found}`, words.join(" "));
    }
  }));

Deno.test("a word that is no folder and no package is a mistake", () =>
  withProject(FILES, (folder) => {
    const base = `${folder}/app`;
    const missing: readonly (readonly string[])[] = [
      ["nothing"],
      ["package.json"],
      [`${folder}/nothing`],
      ["installed", "nothing"],
      ["@ws/other", "model.cds"],
      ["@ws/dotted"],
      ["@ws/hidden-too-deep"],
    ];
    for (const words of missing) {
      assert.throws(() => projectFolder(words, base), {
        name: "ConfigurationError",
        message: new RegExp(`Expected a folder or package to test, but there is no "${words[0]}"`),
        file: base,
      });
    }
  }));

Deno.test("words of the command name model files, folders and packages, besides its options", () =>
  withProject(FILES, (folder) => {
    const installed = "node_modules/installed/index.cds";
    const cases: readonly (readonly [words: readonly string[], found: readonly string[] | undefined])[] = [
      [[], undefined],
      [["all"], undefined],
      [["db/schema.cds"], ["db/schema.cds"]],
      [["db/schema"], ["db/schema.cds"]],
      [["db"], ["db/index.cds"]],
      [["srv"], ["srv/a.cds", "srv/b.cds"]],
      [["./srv/a", "db"], ["srv/a.cds", "db/index.cds"]],
      [[`${folder}/app/srv/b`], ["srv/b.cds"]],
      [["empty"], undefined],
      [["both"], ["both.cds"]],
      [["installed"], [installed]],
      [["plain"], ["node_modules/plain/one.cds", "node_modules/plain/two.cds"]],
      [["@ws/other"], ["../other/model.cds"]],
      [["srv/more", "installed", "nothing"], ["srv/more/c.cds", installed]],
      [["--from", "srv/a,db"], ["srv/a.cds", "db/index.cds"]],
      [["srv/b", "--from", "srv/a"], ["srv/b.cds", "srv/a.cds"]],
      [["--in-memory", "srv/a", "-v"], ["srv/a.cds"]],
      ...["--port", "--project", "--to", "--at", "--service"].map((option) => {
        return [[option, "db", "srv/a"], ["srv/a.cds"]] as const;
      }),
    ];
    for (const [words, found] of cases) {
      const paths = found && below(`${folder}/app`, found).map((path) => path.replace("/app/..", ""));
      assert.deepEqual(modelFilesIn(words, `${folder}/app`), paths, words.join(" "));
    }
  }));

Deno.test("a file is found before a folder of its name", () =>
  withProject({ "cat.cds": "", "cat/index.cds": "", "dog.cds/index.cds": "" }, (folder) => {
    assert.deepEqual(modelFilesIn(["cat"], folder), [`${folder}/cat.cds`]);
    assert.deepEqual(modelFilesIn(["cat/"], folder), [`${folder}/cat.cds`]);
    assert.deepEqual(modelFilesIn(["dog.cds"], folder), [`${folder}/dog.cds/index.cds`]);
  }));
