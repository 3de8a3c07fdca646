/** Where the feature toggles of a project are found (design 5). */

import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { findToggleFiles } from "../../src/deno/load_toggles.ts";
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
