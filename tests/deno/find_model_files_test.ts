/** Which files a project is compiled from. */

import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { Remarks } from "../../src/config/remarks.ts";
import { findModelFiles, findModelSources, projectFolders } from "../../src/deno/find_model_files.ts";
import { withProject } from "./project.ts";

type Files = readonly string[];

function envOf(env: Partial<Environment>): Environment {
  return { requires: {}, remarks: new Remarks(), production: false, isLenient: false, ...env } as Environment;
}

/** What is found in a folder with these files, without the path of the folder. */
async function foundIn(files: Files, env: Partial<Environment>, find = findModelFiles): Promise<Files> {
  let found: Files = [];
  await withProject(Object.fromEntries(files.map((file) => [file, ""])), (folder) => {
    found = find(folder, envOf(env)).map((file) => file.slice(folder.length + 1));
  });
  return found;
}

Deno.test("folders of a project have their usual names, or configured ones as plain paths", () => {
  assert.deepEqual(projectFolders(envOf({})), { db: "db", srv: "srv", app: "app", fts: "fts" });
  const folders = { db: "./data/", srv: "a/./b//", app: "", fts: "features" };
  assert.deepEqual(projectFolders(envOf({ folders })), {
    ...{ db: "data", srv: "a/./b", app: "", fts: "features" },
  });
});

Deno.test("sources are the .cds files in the folders; of those at the root only the usual ones beside them", async () => {
  const root = ["index.cds", "more.cds", "schema.cds", "services.cds"];
  const folders = ["app/a.cds", "db/b.cds", "db/c.txt", "db/deep/d.cds", "srv/e.cds", "test/f.cds"];
  const sources = (files: Files, env: Partial<Environment> = {}) => foundIn(files, env, findModelSources);
  assert.deepEqual(await sources(root), root);
  assert.deepEqual(await sources([...root, "test/f.cds"]), root);
  assert.deepEqual(await sources([...folders, ...root, "my_index.cds"]), [
    ...["db/b.cds", "srv/e.cds", "app/a.cds", "index.cds", "schema.cds", "services.cds"],
  ]);
  assert.deepEqual(await sources(folders, { folders: { db: "./db/deep/", srv: "none" } }), [
    ...["db/deep/d.cds", "app/a.cds"],
  ]);
  assert.deepEqual(await sources([]), []);
});

Deno.test("further folders with models are named, one by one or all in one", async () => {
  const files = [
    "db/a.cds",
    "more/b.cds",
    "parts/one/c.cds",
    "parts/two/d.cds",
    "parts/e.cds",
    "fts/x/f.cds",
  ];
  const sources = (folders: Readonly<Record<string, unknown>>) =>
    foundIn(files, { folders }, findModelSources);
  assert.deepEqual(await sources({ more: "./more/" }), ["db/a.cds", "more/b.cds"]);
  assert.deepEqual(await sources({ parts: ["parts/*", "more"] }), [
    ...["db/a.cds", "parts/one/c.cds", "parts/two/d.cds", "more/b.cds"],
  ]);
  assert.deepEqual(await sources({ fts: "fts/x", app: "none" }), ["db/a.cds"]);
  assert.deepEqual(await sources({ none: "none/*" }), ["db/a.cds"]);
});

Deno.test("a built model stands alone in production; a compiled one where there is no source", async () => {
  const built = ["gen/csn.json", "gen/notes.json"];
  const [source, compiled] = [["db/a.cds"], ["csn.json"]];
  const production = { production: true };
  assert.deepEqual(await foundIn([...built, ...source, ...compiled], production), ["gen/csn.json"]);
  assert.deepEqual(await foundIn([...built, ...source, ...compiled], {}), source);
  assert.deepEqual(await foundIn(["gen/notes.json", ...source], production), source);
  assert.deepEqual(await foundIn([...compiled, "other.json"], {}), compiled);
});

Deno.test("models that entries of requires name are compiled with the sources, each once, or alone", async () => {
  const files = [
    "db/a.cds",
    "srv/external/API.csn",
    "srv/external/B.cds",
    "srv/external/notes.txt",
    "x/index.cds",
  ];
  const requires = (...models: readonly unknown[]) =>
    ({
      requires: Object.fromEntries(
        models.map((model, index) => [`r${index}`, model === undefined ? undefined : { model }]),
      ),
    }) as Partial<Environment>;
  const found = (...models: readonly unknown[]) => foundIn(files, requires(...models));
  assert.deepEqual(await found("srv/external/API"), ["db/a.cds", "srv/external/API.csn"]);
  assert.deepEqual(await found("srv\\external\\API.csn"), ["db/a.cds", "srv/external/API.csn"]);
  assert.deepEqual(await found("./srv/external/"), ["db/a.cds", "srv/external/B.cds"]);
  assert.deepEqual(await found("srv/external"), ["db/a.cds", "srv/external/B.cds"]);
  assert.deepEqual(await found("./db"), ["db/a.cds"]);
  assert.deepEqual(await found("x"), ["db/a.cds", "x/index.cds"]);
  assert.deepEqual(await found("db/a", ["db/a.cds", "x"]), ["db/a.cds", "x/index.cds"]);
  assert.deepEqual(await found("*", undefined, ["*"], []), ["db/a.cds"]);
  assert.deepEqual(await foundIn(["srv/external/B.cds"], requires("srv/external/B")), ["srv/external/B.cds"]);
});

Deno.test("a model that an entry names by its absolute path is found there, as file or folder", () =>
  withProject({ "shop/db/a.cds": "", "far/b.cds": "", "far/c.cds": "" }, (folder) => {
    const found = (model: string) =>
      findModelFiles(`${folder}/shop`, envOf({ requires: { r: { model } } })).map((file) =>
        file.slice(folder.length + 1)
      );
    assert.deepEqual(found(`${folder}/far/b`), ["shop/db/a.cds", "far/b.cds"]);
    assert.deepEqual(found(`${folder}/far/`), ["shop/db/a.cds", "far/b.cds", "far/c.cds"]);
  }));

Deno.test("a model of a package that is not installed is left out with a remark; others that are missing stop the start", () =>
  withProject({ "db/a.cds": "", "node_modules/@acme/there/b.cds": "" }, (folder) => {
    const found = (model: string, isLenient = false) => {
      const remarks = new Remarks();
      const env = envOf({ requires: { shop: { model } }, remarks, isLenient });
      const files = findModelFiles(folder, env).map((file) => file.slice(folder.length + 1));
      return [files, remarks.take()];
    };
    assert.deepEqual(found("@acme/there/b"), [["db/a.cds", "node_modules/@acme/there/b.cds"], []]);
    const absent =
      '"requires.shop.model" names "@acme/none/b", but the package is not installed: its model is left out';
    assert.deepEqual(found("@acme/none/b"), [["db/a.cds"], [absent]]);
    for (const model of ["@acme/there/none", "none", "@acme"]) {
      const said =
        `"fw.requires.shop.model" names "${model}", but there is no such model: expected a .cds or ` +
        ".csn file, with or without its suffix, or a folder of them, relative to the project";
      assert.throws(() => found(model), { name: "ConfigurationError", message: said });
      assert.deepEqual(found(model, true), [["db/a.cds"], [said]]);
    }
  }));

Deno.test("a project without model says where one is expected, and a folder that is none what it is", () =>
  withProject({ "file": "", "empty/x.txt": "" }, (folder) => {
    const env = envOf({ folders: { srv: "services/" } });
    const saying = (name: string, message: string) =>
      assert.throws(() => findModelFiles(`${folder}/${name}`, env), { name: "ConfigurationError", message });
    saying("none", `${folder}/none: There is no such folder`);
    saying("file", `${folder}/file: Expected the folder of a project`);
    const empty = `${folder}/empty`;
    saying(
      "empty",
      `No model found: expected .cds files in ${empty}/db or ${empty}/services, or ${empty}/csn.json`,
    );
  }));
