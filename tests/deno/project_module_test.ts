import assert from "node:assert/strict";
import { createRuntime, type Runtime, type RuntimeOptions } from "../../mod.ts";
import { bundleProject } from "../../src/cli/bundle_project.ts";
import { V8_FLAGS } from "../../src/cli/project_files.ts";
import { publishedProject, writeProjectModule } from "../../src/deno/write_project_module.ts";
import { pause } from "../../src/util/time.ts";
import { SMALL, withProject } from "./project.ts";
import { startCli, startProcess, urlOf } from "./project_processes.ts";

const PROJECT = {
  ...SMALL,
  "srv/cat_service.cds": `${SMALL["srv/cat_service.cds"]}
    service AdminService { entity Books as projection on shop.Books; }`,
  "db/schema.cds":
    "namespace shop;\nentity Books { key ID : Integer; @mandatory title : String(40); at : Date; }\n",
  "db/data/shop-Books.csv": "ID;title;at\n1;Emma;2024-02-29\n",
  "_i18n/messages_de.properties": "ASSERT_MANDATORY=Bitte ausf\u00fcllen\n",
  "fts/isbn/isbn.cds":
    "using { shop } from '../../db/schema';\nextend shop.Books with { isbn : String(20); }",
  "deno.json": '{ "name": "@me/shop", "version": "1.2.3" }',
  ".fwrc.json": '{ "odata": { "put_as_upsert": false }, "requires": { "db": { "kind": "memory" } } }',
  ".cdsrc-private.json": '{ "requires": { "db": { "credentials": { "password": "secret-1" } } } }',
  ".env": 'FW_REQUIRES_DB_CREDENTIALS_PASSWORD="secret-2"\nFW_ENV=development\n',
};

Deno.test("fw build --module makes one module of a project, which runs without its folder (README, on the edge)", () =>
  withProject(PROJECT, async (folder) => {
    const path = await writeProjectModule(await publishedProject(folder));
    const text = await Deno.readTextFile(path);
    assert.doesNotMatch(text, /secret-/);
    const { project } = await import(`file://${path}`) as { project: RuntimeOptions };
    assert.deepEqual([project.name, project.version, project.profiles], ["shop", "1.2.3", ["production"]]);
    const users = { alice: { features: ["isbn"] }, bob: {} };
    const requires = { auth: { kind: "mocked", users }, db: { kind: "memory" } };
    const runtime = createRuntime({
      ...project,
      env: { ...project.env, requires, log: { levels: { default: "silent" } } },
    });
    const send = async (path: string, user: string, init: RequestInit = {}) => {
      const headers = {
        "authorization": `Basic ${btoa(`${user}:`)}`,
        "accept-language": "de",
        "content-type": "application/json",
      };
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/${path}`, { ...init, headers }),
      );
      return [response.status, await response.json()];
    };
    try {
      assert.deepEqual((await send("cat/hello()", "bob"))[1].value, "one");
      assert.deepEqual((await send("admin/Books", "bob"))[1].value, [{
        ID: 1,
        title: "Emma",
        at: "2024-02-29",
      }]);
      assert.deepEqual((await send("cat/Books?$select=isbn", "alice"))[1].value, [{ ID: 1, isbn: null }]);
      const [status, { error }] = await send("cat/Books", "bob", { method: "POST", body: '{"ID":2}' });
      assert.deepEqual([status, error.message], [400, "Bitte ausf\u00fcllen"]);
      assert.equal((await send("cat/Books(7)", "bob", { method: "PUT", body: '{"title":"x"}' }))[0], 404);
    } finally {
      await runtime.close();
    }
  }));

Deno.test("the module of a project imports its implementations beside it, each once", () => {
  const handlers = "export default () => {};";
  const files = {
    "srv/old.csn": JSON.stringify({ definitions: { Old: { kind: "service" } } }),
    "srv/old.ts": handlers,
    "srv/shop.cds":
      "using from './old'; @impl: './own.ts' service One {} @impl: 'lib/all.ts' service Two {} service Three {}",
    "srv/shop.ts": handlers,
    "srv/own.ts": handlers,
    "lib/all.ts": handlers,
    "srv/more.cds": "@impl: './own.ts' service More {} @(impl: 'srv/own.ts') service Most {}",
  };
  return withProject(files, async (folder) => {
    const path = await writeProjectModule(await publishedProject(folder));
    assert.equal(path, `${folder}/gen/project.ts`);
    const lines = (await Deno.readTextFile(path)).split("\n");
    const from = new Map(
      lines.flatMap((line) => {
        const [, module, file] = /^import \* as (module\d) from "(.*)";$/.exec(line) ?? [];
        return module === undefined ? [] : [[module, file]];
      }),
    );
    const handling = lines.flatMap((line) => {
      const [, service, module] = /^ {4}"(\w+)": (module\d),$/.exec(line) ?? [];
      return service === undefined ? [] : [[service, from.get(module)]];
    });
    assert.deepEqual(Object.fromEntries(handling), {
      ...{ One: "../srv/own.ts", Two: "../lib/all.ts", Three: "../srv/shop.ts" },
      ...{ More: "../srv/own.ts", Most: "../srv/own.ts", Old: "../srv/old.ts" },
    });
    assert.equal(from.size, 4);
    assert.ok(!lines.some((line) => line.startsWith("  version:")), "it has none");
  });
});

Deno.test("fw build --edge makes one file of project and framework, --server modules, and both serve the project", () =>
  withProject({
    ...SMALL,
    ".fwrc.json":
      '{ "requires": { "db": { "kind": "memory" }, "auth": { "kind": "mocked" } }, "server": { "live": false } }',
    "server.ts":
      'import fw from "@fw/runtime";\nfw.on("listening", () => console.log("server.ts takes part"));\n',
  }, async (folder) => {
    const project = await publishedProject(folder);
    const edge = await bundleProject(project, { target: "edge", without: ["apply", "metadata"] });
    assert.equal(edge.file, `${folder}/gen/edge.js`);
    for (const name of ["remote", "tokens", "drafts", "live", "apply", "outbox", "routes"]) {
      assert.ok(edge.leftOut.includes(name), name);
    }
    await Deno.mkdir(`${folder}/gen/server`, { recursive: true });
    await Deno.writeTextFile(`${folder}/gen/server/chunk-OF-LAST-TIME.js`, "");
    const { result: server, unfinished } = await withSlowModules(() =>
      bundleProject(project, { target: "server" })
    );
    assert.equal(unfinished, 0, "modules that are still being written");
    const modules = [...Deno.readDirSync(`${folder}/gen/server`)].map(({ name }) => name);
    assert.ok(!modules.includes("chunk-OF-LAST-TIME.js"), "modules of the last bundle stay");
    const loaded = await loadedAtStart(`${folder}/gen/server/server.js`);
    assert.ok(
      loaded.later.some((name) => name.startsWith("./postgres_database-")),
      "there is a module for it",
    );
    assert.ok(!loaded.first.some((name) => /postgres_database/.test(name)), "a start loads all databases");
    assert.deepEqual(
      loaded.first.filter((name) => /^node:(?:fs|module|process|stream|http)\b/.test(name)),
      [],
      "modules of Node.js that take long",
    );
    assert.deepEqual(server, { file: `${folder}/gen/server.mjs`, leftOut: [] });
    const [program] = (await Deno.readTextFile(server.file)).split("\n");
    assert.equal(program, `#!/usr/bin/env -S deno run -A --v8-flags=${V8_FLAGS}`);
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(server.file)).mode! & 0o111, 0o111);
    const made = [...Deno.readDirSync(`${folder}/gen`)].map(({ name }) => name).sort();
    assert.deepEqual(made, ["edge.js", "edge.ts", "project.ts", "server", "server.mjs", "server.ts"]);
    // neither below nor awaited by the body of the bundle, which each error would have read again for its lines
    const entry = await Deno.readTextFile(`${folder}/gen/server.ts`);
    assert.match(entry, /^queueMicrotask\(\(\) => serveModule\(/m);
    const { default: runtime } = await import(`file://${edge.file}`) as { default: Runtime };
    try {
      const headers = { authorization: `Basic ${btoa("alice:")}` };
      const get = async (path: string) => {
        const answer = await runtime.fetch(new Request(`http://localhost/odata/v4/cat/${path}`, { headers }));
        return [answer.status, await answer.json()];
      };
      assert.deepEqual((await get("Books?$filter=ID eq 2&$select=title"))[1].value, [{
        ID: 2,
        title: "Persuasion",
      }]);
      assert.equal((await get("hello()"))[1].value, "one");
      for (const path of ["Books?$apply=aggregate($count as n)", "$metadata"]) {
        assert.equal((await get(path))[0], 501, path);
      }
    } finally {
      await runtime.close();
    }
    // what variables say wins over the configuration of the module
    const process = startProcess({
      args: [server.file],
      variables: { FW_SERVER_INDEX: "true", FW_ENV: "staging" },
    });
    try {
      const answer = await fetch(`${await urlOf(process)}/odata/v4/cat/Books(1)/title/$value`, {
        headers: { authorization: `Basic ${btoa("alice:")}` },
      });
      assert.deepEqual([answer.status, await answer.text()], [200, "Emma"]);
      assert.match(process.output(), /profile staging[^]*server\.ts takes part/);
    } finally {
      await process.close();
    }
  }));

/** What the modules that are loaded at the start of a server import, and what is imported later. */
async function loadedAtStart(entry: string) {
  const args = ["info", "--json", entry];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "null" }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly {
      readonly specifier: string;
      readonly dependencies?: readonly Dependency[];
    }[];
  };
  const importsOf = new Map(modules.map(({ specifier, dependencies = [] }) => [specifier, dependencies]));
  const [first, later] = [new Set<string>(), new Set<string>()];
  const follow = (specifier: string) => {
    for (const one of importsOf.get(specifier) ?? []) {
      if (one.isDynamic) later.add(one.specifier);
      else if (!first.has(one.specifier)) {
        first.add(one.specifier);
        if (one.code) follow(one.code.specifier);
      }
    }
  };
  follow(`file://${entry}`);
  return { first: [...first], later: [...later] };
}

interface Dependency {
  readonly specifier: string;
  readonly isDynamic?: boolean;
  readonly code?: { readonly specifier: string };
}

/** The result of what writes modules of a server, slowly, and how many of them were not written when it was there. */
async function withSlowModules<T>(run: () => Promise<T>): Promise<{ result: T; unfinished: number }> {
  const { writeTextFile } = Deno;
  let unfinished = 0;
  Deno.writeTextFile = async (file, ...rest) => {
    unfinished++;
    if (String(file).includes("/gen/server/")) await pause(200);
    await writeTextFile(file, ...rest);
    unfinished--;
  };
  try {
    return { result: await run(), unfinished };
  } finally {
    Deno.writeTextFile = writeTextFile;
  }
}

Deno.test("fw build --main names the module, whose exports gen/server.mjs has", () =>
  withProject({
    ...SMALL,
    "main.ts": 'export const name = "main";\nexport default { fetch: () => new Response("of main") };\n',
  }, async (folder) => {
    const { file } = await bundleProject(await publishedProject(folder), {
      target: "server",
      main: "main.ts",
    });
    const { name, default: served } = await import(`file://${file}`) as {
      readonly name: string;
      readonly default: { fetch(): Response };
    };
    assert.deepEqual([name, await served.fetch().text()], ["main", "of main"]);
  }));

Deno.test("fw build --module takes the profile", () =>
  withProject(SMALL, async (folder) => {
    const { code, output } = await startCli("build", folder, "--module", "--profile", "staging,production")
      .ended;
    assert.deepEqual([code, output.trim()], [0, `wrote ${folder}/gen/project.ts`]);
    assert.match(await Deno.readTextFile(`${folder}/gen/project.ts`), /profiles: \["staging","production"\]/);
  }));
