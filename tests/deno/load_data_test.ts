/** Files and modules with initial rows: where they are found, and when modules are called. */

import assert from "node:assert/strict";
import type { Environment } from "../../src/config/environment.ts";
import { findDataFiles, findInitModules, loadData, runInitModules } from "../../src/deno/load_data.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Csn } from "../../src/model/csn.ts";
import { User } from "../../src/context/user.ts";
import { withProject } from "./project.ts";

type Find = (folder: string, env: Environment, model: Csn) => readonly string[];

/** What is found in a folder with these files, whose definitions are in those. */
async function foundIn(
  find: Find,
  files: readonly string[],
  { models = [], ...env }: Partial<Environment> & { readonly models?: readonly (string | undefined)[] } = {},
): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await withProject(Object.fromEntries(files.map((file) => [file, ""])), (folder) => {
    const definitions = Object.fromEntries(models.map((file, index) => {
      const path = file?.startsWith("/") ? folder + file : file;
      return [`D${index}`, {
        kind: "entity" as const,
        ...path === undefined ? {} : { $location: { file: path, line: 1, col: 1 } },
      }];
    }));
    const csn = models.length === 0 ? {} : { definitions };
    found = find(folder, { production: false, ...env } as Environment, csn).map((file) =>
      file.slice(folder.length + 1)
    );
  });
  return found;
}

Deno.test("rows lie in data and csv of the folder for data; outside production also with tests and mocked services", async () => {
  const files = [
    ...["db/data/a.csv", "db/data/b.json", "db/data/c.txt", "db/csv/d.csv", "db/other/e.csv", "db/f.csv"],
    ...["srv/external/data/g.csv", "srv/external/csv/h.csv", "test/data/i.json", "test/csv/j.csv"],
  ];
  const own = ["db/data/a.csv", "db/data/b.json", "db/csv/d.csv"];
  const further = ["srv/external/data/g.csv", "test/data/i.json"];
  assert.deepEqual(await foundIn(findDataFiles, files), [...own, ...further]);
  assert.deepEqual(await foundIn(findDataFiles, files, { production: true }), own);
  const models = ["/db/schema.cds", "/srv/external/api.csn", "schema.cds", undefined];
  assert.deepEqual(await foundIn(findDataFiles, files, { models }), [...own, ...further]);
  assert.deepEqual(await foundIn(findDataFiles, files, { models, production: true }), own);
  assert.deepEqual(await foundIn(findDataFiles, files, { folders: { db: "none", srv: "none" } }), [
    "test/data/i.json",
  ]);
});

Deno.test("rows lie beside models, too, unless a file of the same name was found before", async () => {
  const files = [
    ...[
      "db/data/a.csv",
      "srv/data/a.csv",
      "srv/data/b.csv",
      "srv/csv/c.json",
      "far/data/b.csv",
      "far/data/d.csv",
    ],
    ...["unused/data/e.csv"],
  ];
  assert.deepEqual(await foundIn(findDataFiles, files), ["db/data/a.csv"]);
  const found = ["db/data/a.csv", "srv/data/b.csv", "srv/csv/c.json", "far/data/d.csv"];
  assert.deepEqual(await foundIn(findDataFiles, files, { models: ["/srv/x.cds", "/far/y.cds"] }), found);
  // a compiled model names files from the root
  assert.deepEqual(await foundIn(findDataFiles, files, { models: ["srv/x.cds", "far/y.cds"] }), found);
});

Deno.test("files of single languages take the place of the one with all of them", async () => {
  const files = [
    ...["db/data/a.texts.csv", "db/data/a.texts_de.csv", "db/data/b_texts.csv", "db/data/b_texts_fr.csv"],
    ...["db/data/c_texts.csv", "db/data/d_texts_de.csv", "db/data/e.csv", "db/data/e_de.csv"],
  ];
  assert.deepEqual(await foundIn(findDataFiles, files), [
    ...["db/data/a.texts_de.csv", "db/data/b_texts_fr.csv", "db/data/c_texts.csv", "db/data/d_texts_de.csv"],
    ...["db/data/e.csv", "db/data/e_de.csv"],
  ]);
});

Deno.test("modules that add rows are init files of folders for data: the first of each folder, in TypeScript before JavaScript", async () => {
  const files = [
    "db/init.ts",
    "db/init.js",
    "srv/init.js",
    "far/db/init.mjs",
    "far/db/init.cjs",
    "old/db/init.cjs",
  ];
  const models = ["/srv/a.cds", "/far/db/b.cds", "old/db/c.cds", "/none/db/d.cds"];
  assert.deepEqual(await foundIn(findInitModules, files), ["db/init.ts"]);
  assert.deepEqual(await foundIn(findInitModules, files, { models }), [
    ...["db/init.ts", "far/db/init.mjs", "old/db/init.cjs"],
  ]);
  assert.deepEqual(await foundIn(findInitModules, files, { models, folders: { db: "srv" } }), [
    "srv/init.js",
  ]);
});

Deno.test("rows are read by entity, of several files in their order", () =>
  withProject({ "my-A.csv": "ID\n1", "my-A.json": '[{"ID": 2}]', "my-B.csv": "ID\n3" }, (folder) => {
    const element = { ID: { key: true, type: "cds.Integer" } };
    const entity = { kind: "entity" as const, elements: element };
    const model = linkModel({ definitions: { "my.A": entity, "my.B": entity } });
    const rows = loadData(
      ["my-A.csv", "my-A.json", "my-B.csv"].map((name) => `${folder}/${name}`),
      model,
      {},
    );
    assert.deepEqual(Object.fromEntries(rows), { "my.A": [{ ID: 1 }, { ID: 2 }], "my.B": [{ ID: 3 }] });
  }));

/** What modules do with a runtime; each gets a transaction of its own. */
async function calledBy(
  files: Readonly<Record<string, string>>,
  { filled = [] as readonly string[], requires = {} as Readonly<Record<string, unknown>> },
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  Object.assign(globalThis, { seenByInit: seen });
  const db = {
    tx: async (context: { readonly user: User }, run: (tx: unknown) => unknown) => {
      assert.equal(context.user, User.privileged);
      await run(`tx${seen.push("begin")}`);
      seen.push("commit");
    },
  };
  try {
    await withProject(files, async (folder) => {
      const paths = Object.keys(files).map((file) => `${folder}/${file}`);
      await runInitModules(paths, { db, env: { requires }, filled } as unknown as Runtime);
    });
  } finally {
    Reflect.deleteProperty(globalThis, "seenByInit");
  }
  return seen;
}

const SLOW = "await new Promise((resolve) => setTimeout(resolve, 2)); seenByInit.push(tx);";

Deno.test("functions of modules that add rows are called one after the other, where the database is new or forgets", async () => {
  const files = {
    "one.js": `export default async (tx) => { ${SLOW} };`,
    "two.cjs": `module.exports = async (tx) => { ${SLOW} };`,
    "three.ts": "export default 3; (globalThis as any).seenByInit.push('loaded');",
    "four.cjs": "exports.four = () => seenByInit.push('four');",
  };
  const called = ["begin", "tx1", "commit", "begin", "tx4", "commit", "loaded"];
  const stored = { db: { kind: "sqlite", credentials: { url: "db.sqlite" } } };
  assert.deepEqual(await calledBy(files, {}), called);
  assert.deepEqual(await calledBy(files, { requires: { db: { kind: "memory" } } }), called);
  assert.deepEqual(await calledBy(files, { requires: stored, filled: ["my.A"] }), called);
  assert.deepEqual(await calledBy(files, { requires: stored }), ["loaded"]);
  assert.deepEqual(await calledBy(files, { requires: { multitenancy: true }, filled: ["my.A"] }), ["loaded"]);
});

Deno.test("a module that adds rows and fails is told with its place", async () => {
  const failing = { "init.js": "export default async () => { await null;\nthrow new Error('no'); };" };
  await assert.rejects(calledBy(failing, {}), (error: Error) => {
    assert.match(error.message, /\/init\.js:2:\d+: The module cannot add initial rows: no$/);
    return true;
  });
});
