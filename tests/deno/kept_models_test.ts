import assert from "node:assert/strict";
import { compileFiles } from "../../src/deno/compiler.ts";
import { keepingCompiler } from "../../src/deno/kept_models.ts";
import type { Csn } from "../../src/model/csn.ts";
import { REPOSITORY, SMALL, withProject } from "./project.ts";
import { startProcess, urlOf } from "./project_processes.ts";

const none = {
  compileFiles(): Csn {
    throw new Error("compiled");
  },
};

function modelFiles(folder: string): readonly string[] {
  return [`${folder}/db/schema.cds`, `${folder}/srv/cat_service.cds`];
}

/** Compiles as a start does that finds nothing. */
function firstStart(folder: string): Csn {
  return keepingCompiler(folder, { compileFiles }, `${folder}/kept`).compileFiles(modelFiles(folder));
}

/** Whether the next start compiles. */
function isCompiled(folder: string): boolean {
  try {
    keepingCompiler(folder, none, `${folder}/kept`).compileFiles(modelFiles(folder));
    return false;
  } catch {
    return true;
  }
}

/** All members, also those that are not enumerable, which hold positions. */
function described(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(Object.getOwnPropertyDescriptors(value));
  return members.map(([name, { value, enumerable }]) => [name, enumerable, described(value)]);
}

Deno.test("keepingCompiler() gives the next start the same model, with all positions", async () => {
  await withProject(SMALL, (folder) => {
    const first = firstStart(folder);
    const next = keepingCompiler(folder, none, `${folder}/kept`).compileFiles(modelFiles(folder));
    assert.deepEqual(described(next), described(first));
    assert.equal(next.definitions?.CatService.$location?.file, `${folder}/srv/cat_service.cds`);
  });
});

Deno.test("keepingCompiler() compiles models again of which a file has changed, or others are found", async () => {
  await withProject(SMALL, async (folder) => {
    firstStart(folder);
    await Deno.writeTextFile(`${folder}/db/schema.cds`, `${SMALL["db/schema.cds"]}entity More {}\n`);
    assert.equal(isCompiled(folder), true);
    assert.ok(firstStart(folder).definitions?.["shop.More"]);
    assert.equal(isCompiled(folder), false);
    const files = modelFiles(folder).slice(0, 1);
    assert.throws(() => keepingCompiler(folder, none, `${folder}/kept`).compileFiles(files), /compiled/);
  });
  const resolved = { ...SMALL, "db/schema.cds": "", "db/schema/index.cds": SMALL["db/schema.cds"] };
  await withProject(resolved, async (folder) => {
    await Deno.remove(`${folder}/db/schema.cds`);
    const files = [`${folder}/srv/cat_service.cds`];
    keepingCompiler(folder, { compileFiles }, `${folder}/kept`).compileFiles(files);
    keepingCompiler(folder, none, `${folder}/kept`).compileFiles(files);
    // it comes before the folder of its name
    await Deno.writeTextFile(`${folder}/db/schema.cds`, SMALL["db/schema.cds"]);
    assert.throws(() => keepingCompiler(folder, none, `${folder}/kept`).compileFiles(files), /compiled/);
  });
});

Deno.test("keepingCompiler() compiles again what another compiler has made, or what cannot be read", async () => {
  await withProject(SMALL, async (folder) => {
    firstStart(folder);
    const [{ name }] = Deno.readDirSync(`${folder}/kept`);
    const file = `${folder}/kept/${name}`;
    const kept = JSON.parse(await Deno.readTextFile(file));
    await Deno.writeTextFile(file, JSON.stringify({ ...kept, made: "before" }));
    assert.equal(isCompiled(folder), true);
    await Deno.writeTextFile(file, "{");
    assert.equal(isCompiled(folder), true);
    firstStart(folder);
    assert.equal(isCompiled(folder), false);
  });
});

Deno.test("keepingCompiler() keeps no model with mistakes", async () => {
  await withProject({ ...SMALL, "db/schema.cds": "entity {" }, async (folder) => {
    assert.throws(() => firstStart(folder), /schema\.cds:1/);
    assert.throws(() => firstStart(folder), /schema\.cds:1/);
    await Deno.writeTextFile(`${folder}/db/schema.cds`, SMALL["db/schema.cds"]);
    assert.ok(firstStart(folder));
  });
});

Deno.test("keepingCompiler() keeps 50 projects", async () => {
  await withProject({}, (folder) => {
    const compiler = { compileFiles: (): Csn => ({ definitions: {} }) };
    for (let i = 0; i < 60; i++) keepingCompiler(`/projects/${i}`, compiler, folder).compileFiles(["a.cds"]);
    assert.equal([...Deno.readDirSync(folder)].length, 50);
    keepingCompiler("/projects/59", none, folder).compileFiles(["a.cds"]);
  });
});

Deno.test({
  name: "keepingCompiler() compiles where it may write nowhere, without asking",
  permissions: { read: true, env: true, write: false },
  fn() {
    const compiler = { compileFiles: (): Csn => ({ definitions: {} }) };
    assert.equal(keepingCompiler("/projects/1", compiler), compiler);
  },
});

Deno.test("a server from sources starts with the model that it kept, until a file changes", async () => {
  await withProject(SMALL, async (folder) => {
    const cache = `${folder}/cache`;
    const statusOf = async (path: string): Promise<number> => {
      const variables = { XDG_CACHE_HOME: cache, DENO_DIR: Deno.env.get("DENO_DIR") ?? denoFolder() };
      const server = startProcess({ args: ["src/cli/mod.ts", "serve", folder], variables });
      try {
        const response = await fetch(`${await urlOf(server)}/odata/v4/cat/${path}`);
        await response.body?.cancel();
        return response.status;
      } finally {
        await server.close();
      }
    };
    assert.equal(await statusOf("hello()"), 200);
    const [{ name }] = Deno.readDirSync(`${cache}/fw/models`);
    const file = `${cache}/fw/models/${name}`;
    const kept = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, kept.replaceAll("CatService.hello", "CatService.hi"));
    assert.equal(await statusOf("hello()"), 404);
    await Deno.writeTextFile(`${folder}/db/schema.cds`, `${SMALL["db/schema.cds"]}// changed\n`);
    assert.equal(await statusOf("hello()"), 200);
  });
});

/** Where Deno keeps what it has downloaded, unless a variable says so. */
function denoFolder(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: REPOSITORY })
    .outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
