import assert from "node:assert/strict";
import { buildProject } from "../../src/deno/build_project.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { outdatedModel } from "../../src/deno/serve_project.ts";
import { SMALL, withProject } from "./project.ts";
import { startProcess, urlOf } from "./project_processes.ts";

/** Production with users, over a file-free database. */
const SETTINGS = JSON.stringify({
  requires: { db: { kind: "sqlite", credentials: { url: ":memory:" } }, auth: { kind: "mocked" } },
});

/** A handler that compiles: what it says while the compiler is not loaded, and what it compiles afterwards. */
const COMPILING = `import fw from "@fw/runtime";
export class CatService extends fw.ApplicationService {
  override init() {
    this.on("hello", async () => {
      let refused = "";
      try { fw.compile("entity A {}"); } catch (error) { refused = String(error); }
      const served = Object.keys((await fw.load("*")).definitions);
      await fw.compile.load();
      return [refused, served.includes("shop.Books"), Object.keys(fw.compile("entity A {}").definitions)].join();
    });
    return super.init();
  }
}
`;

/** Serves the built project, sends a request and stops; gives the answer and the modules that were loaded. */
async function serveCompiled(
  files: Readonly<Record<string, string>>,
  path: string,
): Promise<{ readonly body: string; readonly modules: readonly string[] }> {
  let result: { body: string; modules: readonly string[] } | undefined;
  await withProject({ ...SMALL, ...files, ".fwrc.json": SETTINGS }, async (folder) => {
    await buildProject(folder);
    const coverage = `${folder}/coverage`;
    const server = startProcess({
      args: ["src/cli/mod.ts", "serve", folder],
      variables: { FW_ENV: "production", DENO_COVERAGE_DIR: coverage },
    });
    try {
      const headers = { authorization: `Basic ${btoa("alice:")}` };
      const response = await fetch(`${await urlOf(server)}/odata/v4/cat/${path}`, { headers });
      const body = await response.text();
      server.kill("SIGTERM");
      assert.equal((await server.ended).code, 0, server.output());
      result = {
        body,
        modules: [...Deno.readDirSync(coverage)].map(({ name }) => urlIn(`${coverage}/${name}`)),
      };
    } finally {
      await server.close();
    }
  });
  return result!;
}

/** The module that a file of coverage is about. */
function urlIn(file: string): string {
  return JSON.parse(Deno.readTextFileSync(file)).url;
}

const isCompiler = (module: string) => /\/src\/(model\/cdl|deno\/compiler)/.test(module);

Deno.test("fw serve over a compiled model loads no module of the CDL compiler", async () => {
  const { body, modules } = await serveCompiled({}, "Books(1)");
  assert.equal(JSON.parse(body).title, "Emma");
  assert.ok(modules.some((module) => module.endsWith("/src/deno/load_model.ts")), "coverage names modules");
  assert.deepEqual(modules.filter(isCompiler), []);
});

Deno.test("fw.compile() over a compiled model compiles after fw.compile.load()", async () => {
  const { body, modules } = await serveCompiled({ "srv/cat_service.ts": COMPILING }, "hello()");
  assert.match(JSON.parse(body).value, /not loaded.*await fw\.compile\.load\(\) before,true,A$/);
  assert.ok(modules.some(isCompiler));
});

Deno.test("a start from a compiled model that is older than its sources tells so", () =>
  withProject({ ...SMALL, ".fwrc.json": SETTINGS }, async (folder) => {
    await buildProject(folder);
    const load = (FW_ENV: string) => loadProject(folder, { variables: { FW_ENV } });
    const project = await load("production");
    assert.equal(outdatedModel(project), undefined);
    const later = new Date(Date.now() + 60_000);
    await Deno.utime(`${folder}/srv/cat_service.cds`, later, later);
    const said =
      'gen/csn.json, from which production starts, is older than srv/cat_service.cds: "fw build" writes it anew';
    assert.equal(outdatedModel(project), said);
    const sources = await load("development");
    assert.equal(outdatedModel(sources), undefined);
    await Deno.writeTextFile(`${folder}/srv/later.cds`, "");
    const last = new Date(later.getTime() + 60_000);
    await Deno.utime(`${folder}/srv/later.cds`, last, last);
    const modelFiles = [`${folder}/srv/cat_service.cds`];
    assert.equal(outdatedModel({ ...sources, modelFiles }), undefined, "sources are no compiled model");
  }));
