/** What of a project folder, of options and of a module a project is made from. */

import assert from "node:assert/strict";
import type { AuthenticationStrategy } from "../../src/auth/strategy.ts";
import { changeable } from "../../src/config/changeable.ts";
import { toEnvironment } from "../../src/config/environment.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { findSources, loadProject, projectKinds, projectOfModule } from "../../src/deno/load_project.ts";
import { printedBy, SMALL, withProject } from "./project.ts";

const SILENT = { log: { levels: { default: "silent" } } };
const OPTIONS = { variables: {}, env: SILENT };

Deno.test("a project knows its files, its port and the services that files implement", async () => {
  const files = {
    ...SMALL,
    "package.json": '{ "name": "@me/shop", "version": "1.2.3" }',
    "srv/other.cds": "service Other { function one() returns String; }",
    "srv/other.ts": "export const helper = 1;",
    "fts/isbn/isbn.cds": "using { shop } from '../../db/schema'; extend shop.Books with { isbn : String; }",
  };
  await withProject(files, async (folder) => {
    const project = await loadProject(`${folder}/`, { ...OPTIONS, variables: { PORT: "81" } });
    const { runtime } = project;
    const short = (all: readonly string[]) => all.map((file) => file.slice(folder.length + 1));
    assert.deepEqual([project.folder, project.port], [folder, 81]);
    assert.deepEqual([runtime.name, runtime.version], ["shop", "1.2.3"]);
    assert.deepEqual(short(project.modelFiles), ["db/schema.cds", "srv/cat_service.cds", "srv/other.cds"]);
    assert.deepEqual([...project.toggleFiles].map(([name, all]) => [name, short(all)]), [
      ["isbn", ["fts/isbn/isbn.cds"]],
    ]);
    assert.deepEqual(short(project.dataFiles), ["db/data/shop-Books.csv"]);
    assert.deepEqual(project.configurationFiles, ["package.json"]);
    const sources = await runtime.kinds.modelSources!();
    assert.deepEqual(sources.map(({ name }) => name), short(project.modelFiles));
    assert.equal(sources[0]!.text, SMALL["db/schema.cds"]);
    await runtime.close();
  });
});

Deno.test("the name of the configuration comes before that of the package", async () => {
  for (const [name, expected] of [["configured", "configured"], [undefined, "packaged"]]) {
    const files = { ...SMALL, "package.json": JSON.stringify({ name: "packaged", fw: { name } }) };
    await withProject(files, async (folder) => {
      const { runtime } = await loadProject(folder, OPTIONS);
      assert.equal(runtime.name, expected);
      await runtime.close();
    });
  }
});

Deno.test("model files and configuration may be given instead of found", async () => {
  await withProject({ ...SMALL, "own.cds": "service Own {}" }, (folder) => {
    const environment = changeable(toEnvironment({ server: { port: 5 } }, ["development"]));
    const found = findSources(folder, { variables: {}, environment, modelFiles: [`${folder}/own.cds`] });
    assert.equal(found.configuration.env, environment);
    assert.deepEqual(found.modelFiles, [`${folder}/own.cds`]);
    const { configuration, modelFiles } = findSources(folder, OPTIONS);
    assert.equal(modelFiles.length, 2);
    assert.equal((configuration.env as unknown as { _home: string })._home, folder);
    assert.ok(!Object.keys(configuration.env).includes("_home"));
    // plugins and server.js change it
    Object.assign(configuration.env, { changed: 1 });
  });
});

Deno.test("what a project says that has probably no effect is warned of, and what nobody implements", async () => {
  const { "srv/cat_service.ts": handlers, ...model } = SMALL;
  const files = { ...model, "srv/cat_servce.ts": handlers };
  await withProject(files, async (folder) => {
    const { output } = await printedBy(async () => {
      const { runtime } = await loadProject(folder, { variables: { FW_ENV: "tset" } });
      await runtime.start();
      await runtime.close();
      return 0;
    });
    assert.match(output, /The profile "tset" is not known; did you mean "test"/);
    assert.match(output, /cat_servce\.ts/);
  });
});

Deno.test("rows that do not fit are left out with a warning in development, and stop production", async () => {
  const files = { ...SMALL, "db/data/shop-Books.csv": "ID;titel\n1;Emma\n" };
  const requires = { auth: { kind: "mocked" }, db: { kind: "memory" } };
  await withProject(files, async (folder) => {
    const start = async (variables: Record<string, string>) => {
      const { runtime } = await loadProject(folder, { variables, env: { ...SILENT, requires } });
      try {
        await runtime.start();
      } finally {
        await runtime.close();
      }
    };
    await start({});
    await assert.rejects(start({ FW_ENV: "production" }), /shop-Books\.csv:1.*titel/);
  });
});

Deno.test("names of models mean the model of the project, files, folders, and modules of packages", async () => {
  const files = {
    "db/schema.cds": "",
    "db/more.cds": "",
    "db/deep/index.cds": "",
    "many/a.cds": "",
    "many/b.cds": "",
    "node_modules/pack/package.json": '{ "name": "pack" }',
    "node_modules/pack/index.cds": "",
  };
  const cases: readonly (readonly [name: string, files: readonly string[]])[] = [
    ["*", ["own.cds"]],
    ["db/schema", ["db/schema.cds"]],
    ["db/schema.cds", ["db/schema.cds"]],
    ["./db/schema", ["db/schema.cds"]],
    ["db/deep", ["db/deep/index.cds"]],
    ["db/deep/", ["db/deep/index.cds"]],
    ["many", ["many/a.cds", "many/b.cds"]],
    ["file:many/", ["many/a.cds", "many/b.cds"]],
    ["pack", ["node_modules/pack/index.cds"]],
    ["gone", []],
    ["/gone", []],
  ];
  await withProject(files, async (folder) => {
    const { resolveModel, loadModel } = projectKinds(folder, [`${folder}/own.cds`]);
    for (const [name, found] of cases) {
      assert.deepEqual(resolveModel!([name]), found.map((file) => `${folder}/${file}`), name);
    }
    for (const name of [`${folder}/db/schema`, `file://${folder}/db/schema.cds`]) {
      assert.deepEqual(resolveModel!([name]), [`${folder}/db/schema.cds`], name);
    }
    assert.equal(resolveModel!(["*", "many"]).length, 3);
    await assert.rejects(async () => await loadModel!(["gone"]), new RegExp(`${folder}/gone`));
  });
});

Deno.test("names of modules mean files with and without ending, and packages", async () => {
  const files = {
    "lib/a.ts": "export const a = 'ts';",
    "lib/a.js": "export const a = 'js';",
    "lib/b.mjs": "export const a = 'mjs';",
    "lib/c.cjs": "exports.a = 'cjs';",
    "node_modules/pack/package.json": '{ "name": "pack", "main": "main.js" }',
    "node_modules/pack/main.js": "exports.a = 'pack';",
  };
  await withProject(files, async (folder) => {
    const { importModule } = projectKinds(folder, []);
    const cases: readonly (readonly [string, string])[] = [
      ["lib/a", "ts"],
      ["lib/a.js", "js"],
      ["./lib/b", "mjs"],
      ["lib/c", "cjs"],
      [`${folder}/lib/b`, "mjs"],
      ["pack", "pack"],
    ];
    for (const [name, value] of cases) assert.equal((await importModule!(name)).a, value, name);
    for (const name of ["./pack", "gone", "/gone"]) {
      await assert.rejects(async () => await importModule!(name), name);
    }
  });
});

Deno.test("a project that is one module has no files, counts from the working directory, and is implemented by modules", async () => {
  const definitions = { Shop: { kind: "service" }, Other: { kind: "service" } } as const;
  const before = Deno.env.get("PORT");
  Deno.env.set("PORT", "82");
  try {
    const handlers = { Shop: () => {}, Gone: () => {} };
    const project = projectOfModule({
      model: { definitions },
      env: { ...SILENT, requires: { db: false } },
      handlers,
    });
    assert.deepEqual([project.folder, project.port, project.runtime.root], [Deno.cwd(), 82, Deno.cwd()]);
    const { modelFiles, dataFiles, configurationFiles, toggleFiles } = project;
    assert.deepEqual([modelFiles, dataFiles, configurationFiles, toggleFiles.size], [[], [], [], 0]);
    const implemented = project.implementations.map(({ service, file }) => [service.name, file]);
    assert.deepEqual(implemented, [["Shop", "a module of the bundle"]]);
    await project.runtime.close();
    const later = projectOfModule({
      model: { definitions },
      env: { ...SILENT, requires: { db: false } },
      handlers: () => Promise.resolve({}),
    });
    assert.deepEqual(later.implementations, []);
    await later.runtime.close();
  } finally {
    if (before === undefined) Deno.env.delete("PORT");
    else Deno.env.set("PORT", before);
  }
});

Deno.test("what sends requests and finds out who calls may be given", async () => {
  const fetch = () => Promise.reject(new Error("not sent"));
  const strategy = { name: "own", authenticate: () => undefined } as unknown as AuthenticationStrategy;
  await withProject(SMALL, async (folder) => {
    const given = await loadProject(folder, { ...OPTIONS, fetch, strategy });
    assert.deepEqual([given.runtime.kinds.fetch, given.runtime.kinds.strategy], [fetch, strategy]);
    const own = await loadProject(folder, OPTIONS);
    assert.deepEqual([own.runtime.kinds.fetch, own.runtime.kinds.strategy], [
      denoKinds.fetch,
      denoKinds.strategy,
    ]);
    await given.runtime.close();
    await own.runtime.close();
  });
});

Deno.test("plugins change the model, unless feature toggles extend it as it is written", async () => {
  const files = {
    ...SMALL,
    "package.json": '{ "dependencies": { "plug": "*" } }',
    "node_modules/plug/cds-plugin.js":
      'require("@sap/cds").on("loaded", (csn) => { csn.definitions["shop.Books"]["@seen"] = true; });',
  };
  const toggles = {
    "fts/isbn/isbn.cds": "using { shop } from '../../db/schema'; extend shop.Books with { i : String; }",
  };
  for (const [more, seen] of [[{}, true], [toggles, undefined]] as const) {
    await withProject({ ...files, ...more }, async (folder) => {
      const { runtime } = await loadProject(folder, OPTIONS);
      const definition = runtime.model.definitions["shop.Books"] as unknown as Record<string, unknown>;
      assert.equal(definition["@seen"], seen);
      await runtime.close();
    });
  }
});

Deno.test("routers of Express run as those of the project", async () => {
  await withProject({}, async (folder) => {
    const { nodeRouter } = projectKinds(folder, []);
    const router = (_req: unknown, res: { end(text: string): void }) => res.end("routed");
    const request = new Request("http://shop.test/");
    for (let i = 0; i < 2; i++) {
      const answer = await nodeRouter!(router as never, { request, base: "" } as never) as {
        response: Response;
      };
      assert.equal(await answer.response.text(), "routed");
    }
  });
});
