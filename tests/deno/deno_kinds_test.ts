import assert from "node:assert/strict";
import { compileFiles, compileText, compileTexts } from "../../src/deno/compiler.ts";
import { compileSourceWith, denoKinds, fileIn, filesIn, storesIn } from "../../src/deno/deno_kinds.ts";
import type { DatabaseOptions } from "../../src/service/database.ts";
import { channelOptions } from "../messaging/channels.ts";
import { withProject } from "./project.ts";

Deno.test("a message box lies below the root of the project, in the home, or where its absolute path says", async () => {
  const home = Deno.env.get("HOME");
  await withProject({ "shop/package.json": "{}", "home/.profile": "" }, async (folder) => {
    const root = `${folder}/shop`;
    const create = await storesIn(root).channels!["file-based-messaging"]!();
    const boxes = {
      "near.box": `${root}/near.box`,
      [`${folder}/far.box`]: `${folder}/far.box`,
      "~": `${folder}/home`,
      "~/own.box": `${folder}/home/own.box`,
      "~own.box": `${root}/~own.box`,
    };
    Deno.env.set("HOME", `${folder}/home`);
    try {
      for (const [file, box] of Object.entries(boxes)) {
        const channel = await create(channelOptions({ file }));
        await channel.connect();
        await channel.close();
        assert.ok((await Deno.stat(`${box}.d`)).isDirectory, file);
      }
    } finally {
      if (home === undefined) Deno.env.delete("HOME");
      else Deno.env.set("HOME", home);
    }
  });
});

Deno.test("each kind of a server process is loaded by its name", async () => {
  const { databases, channels, protocols, telemetry, metrics, buckets, console } = denoKinds;
  const loaded = async (load: (() => unknown) | undefined) =>
    ((await load!()) as { readonly name: string }).name;
  const kinds = { ...databases, ...channels, ...protocols, telemetry, metrics };
  const names = await Promise.all(
    Object.entries(kinds).map(async ([kind, load]) => [kind, await loaded(load as () => unknown)]),
  );
  assert.deepEqual(Object.fromEntries(names), {
    ...{ postgres: "createPostgresDatabase", sqlite: "createSqliteDatabase" },
    "file-based-messaging": "createFileChannel",
    "http-messaging": "createHttpChannel",
    "nats-messaging": "createNatsChannel",
    "rabbitmq-messaging": "createRabbitChannel",
    "redis-messaging": "createRedisChannel",
    "enterprise-messaging": "createAmqpChannel",
    ...{ hcql: "createHcqlAdapter", mcp: "createMcpAdapter" },
    ...{ telemetry: "createOpenTelemetry", metrics: "createOpenMetrics" },
  });
  assert.equal((await buckets!())({} as never).constructor.name, "RedisQuotas");
  assert.ok((await console!()).size > 0);
});

Deno.test("a module that is a class or function as a whole is its default", () =>
  withProject({ "a.cjs": "module.exports = class A {};", "b.ts": "export const b = 1;" }, async (folder) => {
    const { importModule } = denoKinds;
    assert.equal((await importModule!(`${folder}/a.cjs`) as { default: { name: string } }).default.name, "A");
    assert.equal((await importModule!(`${folder}/b.ts`)).b, 1);
  }));

Deno.test("files of databases lie below the root of the project, or where their absolute path says", async () => {
  const table = {
    "db.sqlite": "/srv/shop/db.sqlite",
    "data/db.sqlite": "/srv/shop/data/db.sqlite",
    "sqlite:db.sqlite": "/srv/shop/db.sqlite",
    "file:db.sqlite": "/srv/shop/db.sqlite",
    "file:///far/db.sqlite": "/far/db.sqlite",
    "/far/db.sqlite": "/far/db.sqlite",
    ":memory:": ":memory:",
    "sqlite::memory:": ":memory:",
    "": "",
  };
  for (const [given, file] of Object.entries(table)) assert.equal(fileIn("/srv/shop", given), file, given);
  const seen: unknown[] = [];
  const create = filesIn("/srv/shop", ({ options }) => {
    seen.push(options);
    throw new Error("not opened");
  });
  const opened = (options: unknown) =>
    assert.throws(() => create({ options } as DatabaseOptions), /not opened/);
  opened({ kind: "sqlite", credentials: { url: "a", database: "b", user: "c" } });
  opened({ credentials: { url: 7 } });
  opened({ kind: "sqlite" });
  assert.deepEqual(seen, [
    { kind: "sqlite", credentials: { url: "/srv/shop/a", database: "/srv/shop/b", user: "c" } },
    { credentials: { url: 7 } },
    { kind: "sqlite" },
  ]);
  assert.equal(typeof await storesIn("/srv/shop").databases!.sqlite!(), "function");
  assert.deepEqual(Object.keys(storesIn("/srv/shop").databases!).sort(), ["postgres", "sqlite"]);
});

Deno.test("an engine opens its file below the root of the project", () =>
  withProject({ "x": "" }, async (folder) => {
    const create = await storesIn(folder).databases!.sqlite!();
    const model = (await import("../../src/model/link_model.ts")).linkModel({ definitions: {} });
    const options = { kind: "sqlite", credentials: { url: "own.sqlite" } };
    const database = await create({ model, options, warn: () => {} } as unknown as DatabaseOptions);
    await database.deploy();
    await database.close();
    assert.ok(Deno.statSync(`${folder}/own.sqlite`).isFile);
  }));

Deno.test("a model is compiled of a text, of texts by names, or of files whose names mean paths", () =>
  withProject({ "c.cds": "entity C {}" }, (folder) => {
    const compiler = { compileFiles, compileText, compileTexts };
    const compile = compileSourceWith(
      compiler as never,
      (names) => names.map((name) => `${folder}/${name}.cds`),
    );
    const names = (source: Parameters<typeof compile>[0]) => Object.keys(compile(source).definitions ?? {});
    assert.deepEqual(names("entity A {}"), ["A"]);
    assert.deepEqual(names({ "b.cds": "entity B {}" }), ["B"]);
    assert.deepEqual(names(["c"]), ["C"]);
  }));
