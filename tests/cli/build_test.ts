import assert from "node:assert/strict";
import { buildProject } from "../../src/deno/build_project.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

Deno.test("fw compile prints a model as CSN, metadata and SQL", () =>
  withProject(SMALL, async (folder) => {
    const sql = await runCommand("compile", folder, "--to", "sql");
    assert.equal(sql.code, 0);
    assert.match(sql.output, /CREATE TABLE "shop_Books"/);
    assert.match(
      (await runCommand("compile", `${folder}/srv/cat_service.cds`, "--to=edmx")).output,
      /<edmx:Edmx/,
    );
    const csn = JSON.parse((await runCommand("compile", folder)).output);
    assert.ok(csn.definitions["CatService.Books"].elements.title);
    assert.equal((await runCommand("compile", folder, "--to", "pdf")).code, 2);
    assert.equal((await runCommand("compile", folder, "--to", "edmx", "--service", "Cat")).code, 1);
  }));

Deno.test("fw build writes a model from which production starts, with implementations", () =>
  withProject({
    ...SMALL,
    "package.json": JSON.stringify({
      fw: {
        requires: { db: { kind: "sqlite" }, auth: { kind: "mocked" } },
        log: { levels: { default: "silent" } },
      },
    }),
  }, async (folder) => {
    const path = await buildProject(folder);
    const text = await Deno.readTextFile(path);
    assert.equal(path, `${folder}/gen/csn.json`);
    assert.ok(!text.includes(folder));
    await Deno.remove(`${folder}/db/schema.cds`);
    await Deno.remove(`${folder}/srv/cat_service.cds`);
    const project = await loadProject(folder, { variables: { FW_ENV: "production" } });
    assert.deepEqual(project.modelFiles, [path]);
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    const get = async (rest: string) => {
      const response = await project.runtime.fetch(
        new Request(`http://localhost/odata/v4/cat/${rest}`, { headers }),
      );
      return await response.json();
    };
    assert.equal((await get("hello()")).value, "one");
    assert.equal((await get("Books(1)")).title, "Emma");
    await project.runtime.close();
  }));

Deno.test("fw build --without takes names of parts, with commas between them", () =>
  withProject(SMALL, async (folder) => {
    const { code, output } = await runCommand("build", folder, "--edge", "--without", "batch, aply");
    assert.notEqual(code, 0);
    assert.match(output, /A bundle has no part "aply"/);
  }));

Deno.test("fw build --load loads what a start loads, runs nothing of it, and tells mistakes there", () =>
  withProject({
    ...SMALL,
    "srv/server.ts": "export default () => { throw new Error('started'); };\n",
    "db/init.ts": "export default () => { throw new Error('filled'); };\n",
  }, async (folder) => {
    const loaded = await runCommand("build", folder, "--load");
    assert.equal(loaded.code, 0, loaded.output);
    assert.match(loaded.output, /loaded \S+\/srv\/cat_service\.ts, \S+\/srv\/server\.ts, \S+\/db\/init\.ts/);
    await Deno.writeTextFile(`${folder}/server.ts`, 'import "./absent.ts";\n');
    const failed = await runCommand("build", folder, "--load");
    assert.equal(failed.code, 1);
    assert.match(failed.output, /\/server\.ts.*absent\.ts/s);
    assert.equal((await runCommand("build", folder, "--load", "--server")).code, 2);
  }));

Deno.test("fw build writes what feature toggles add, and production starts from it [5.4.3]", () =>
  withProject({
    ...SMALL,
    "fts/isbn/extension.cds":
      "using { shop } from '../../db/schema';\nextend shop.Books with { isbn : String(13); }\n",
    "package.json": JSON.stringify({
      fw: {
        requires: { db: { kind: "sqlite" }, auth: { kind: "mocked" } },
        log: { levels: { default: "silent" } },
      },
    }),
  }, async (folder) => {
    const statusOf = async (environment: string, user: string) => {
      const { runtime } = await loadProject(folder, { variables: { FW_ENV: environment } });
      const response = await runtime.fetch(
        new Request("http://localhost/odata/v4/cat/Books?$select=isbn", {
          headers: { authorization: `Basic ${btoa(`${user}:`)}` },
        }),
      );
      await response.body?.cancel();
      await runtime.close();
      return response.status;
    };
    assert.deepEqual([await statusOf("test", "dave"), await statusOf("test", "fred")], [400, 200]);
    await buildProject(folder);
    assert.ok(!(await Deno.readTextFile(`${folder}/gen/fts/isbn.json`)).includes(folder));
    for (const file of ["db/schema.cds", "srv/cat_service.cds", "fts/isbn/extension.cds"]) {
      await Deno.remove(`${folder}/${file}`);
    }
    assert.deepEqual([await statusOf("production", "dave"), await statusOf("production", "fred")], [
      400,
      200,
    ]);
  }));
