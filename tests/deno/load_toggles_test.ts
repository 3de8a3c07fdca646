/** Where the feature toggles of a project are found (design 5). */

import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { findToggleFiles, loadToggles } from "../../src/deno/load_toggles.ts";
import { compileFiles } from "../../src/deno/compiler.ts";
import { readModelWith } from "../../src/deno/load_model.ts";
import { withProject } from "./project.ts";

const FILES = {
  "fts/red/a.cds": "",
  "fts/red/b.cds": "",
  "fts/blue/c.cds": "",
  "fts/empty/readme.md": "",
  "other/green/d.cds": "",
  "gen/fts/yellow.json": "{}",
  "gen/fts/notes.md": "",
};

Deno.test("toggles are the folders below fts with models, or the built ones where the model is a built one", () =>
  withProject(FILES, (folder) => {
    const found = (env: Partial<Environment>, ...modelFiles: readonly string[]) =>
      [...findToggleFiles(folder, env as Environment, modelFiles.map((file) => `${folder}/${file}`))].map((
        [name, files],
      ) => [name, ...files.map((file) => file.slice(folder.length + 1))].join(" ")).sort();
    const own = ["blue fts/blue/c.cds", "red fts/red/a.cds fts/red/b.cds"];
    assert.deepEqual(found({}, "db/schema.cds"), own);
    assert.deepEqual(found({}, "gen/csn.json"), ["yellow gen/fts/yellow.json"]);
    assert.deepEqual(found({}, "gen/csn.json", "db/schema.cds"), own, "a built model stands alone");
    assert.deepEqual(found({}), own);
    assert.deepEqual(found({ folders: { fts: "other" } }, "db/schema.cds"), ["green other/green/d.cds"]);
    assert.deepEqual(found({ folders: { fts: "nowhere" } }, "db/schema.cds"), []);
    return Promise.resolve();
  }));

Deno.test("a toggle is what its files add to the model, or what was built of it", () =>
  withProject({
    "a.cds": "entity A { key ID : Integer; }",
    "fts/x/x.cds": "using from '../../a'; extend A with { x : String; } entity X {}",
    "y.json": '{ "definitions": { "Y": { "kind": "entity", "elements": {} } } }',
  }, (folder) => {
    const read = readModelWith({ compileFiles });
    const files = [`${folder}/a.cds`];
    const found = new Map([["x", [`${folder}/fts/x/x.cds`]], ["y", [`${folder}/y.json`]]]);
    const { x, y, ...others } = loadToggles(found, { csn: read(files), files, read });
    assert.deepEqual(others, {});
    assert.deepEqual(Object.keys(y!.definitions!), ["Y"]);
    assert.deepEqual(Object.keys(x!.definitions!), ["X"]);
    assert.deepEqual(x!.extensions!.map(({ extend, elements }) => [extend, Object.keys(elements ?? {})]), [[
      "A",
      ["x"],
    ]]);
  }));
