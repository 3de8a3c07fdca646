/** Which database of a project is deployed to, read, and made. */

import assert from "node:assert/strict";
import { deploymentsOf, deployProject, withDatabase } from "../../src/deno/deploy_project.ts";
import { isFile } from "../../src/deno/text_files.ts";
import { withProject } from "./project.ts";

const MODEL = {
  "db/schema.cds": "namespace my; entity Books { key ID : Integer; title : String(40); }",
  "db/data/my-Books.csv": "ID,title\n1,one\n",
};

const QUIET = { log: { levels: { default: "silent" } } };

function stored(requires: object = {}): Readonly<Record<string, string>> {
  const db = { kind: "sqlite", credentials: { url: "db.sqlite" } };
  return { ...MODEL, ".fwrc.json": JSON.stringify({ requires: { db, ...requires }, ...QUIET }) };
}

/** The names of the databases that lie in a folder. */
function databasesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /\.sqlite$/.test(name))
    .sort();
}

const EXPECTED =
  /^The project in ".*" names no database that outlives the process: configure "fw\.requires\.db", or name one by --to/;

Deno.test("a deployment makes the configured database with its rows, and is remembered", () =>
  withProject(stored(), async (folder) => {
    assert.deepEqual(await deploymentsOf(folder), []);
    const { statements: planned } = await deployProject(folder, { dryRun: true });
    assert.ok(planned.some((sql) => /create table/i.test(sql)));
    assert.deepEqual(databasesIn(folder), [], "neither to look at it nor to plan makes it");
    await deployProject(folder);
    assert.deepEqual(databasesIn(folder), ["db.sqlite"]);
    assert.equal((await deploymentsOf(folder)).length, 1);
    assert.deepEqual((await deployProject(folder, { dryRun: true })).statements, []);
    await Deno.writeTextFile(`${folder}/db/more.cds`, "entity More { key ID : Integer; }");
    await deployProject(folder);
    assert.equal((await deploymentsOf(folder)).length, 2);
  }));

Deno.test("another database than the configured one is named by its kind and its file", () =>
  withProject(stored(), async (folder) => {
    await deployProject(folder, { to: `sqlite:${folder}/other.sqlite` });
    assert.deepEqual(databasesIn(folder), ["other.sqlite"]);
    assert.equal((await deploymentsOf(folder, { to: `sqlite:${folder}/x/../other.sqlite` })).length, 1);
    assert.equal((await deploymentsOf(folder)).length, 0);
    for (
      const to of [
        "other.sqlite",
        "sqlite:",
        "mysql://host",
        "postgres:host",
        "xpostgres://host",
        "x sqlite:a",
      ]
    ) {
      await assert.rejects(deployProject(folder, { to }), {
        name: "ConfigurationError",
        message: `Expected "sqlite:<file>" or "postgres://…" after --to, but found "${to}"`,
      });
    }
    await assert.rejects(deployProject(folder, { to: "sqlite::memory:" }), {
      name: "ConfigurationError",
      message: EXPECTED,
    });
    assert.deepEqual(databasesIn(folder), ["other.sqlite"]);
  }));

Deno.test("a relative file after --to counts from the working directory", async () => {
  const name = `.deployed-${crypto.randomUUID()}.sqlite`;
  await withProject(stored(), async (folder) => {
    try {
      await deployProject(folder, { to: `sqlite:${name}` });
      assert.ok(isFile(`${Deno.cwd()}/${name}`));
      assert.deepEqual(databasesIn(folder), []);
    } finally {
      for (const { name: found } of [...Deno.readDirSync(".")]) {
        if (found.startsWith(name)) await Deno.remove(found);
      }
    }
  });
});

Deno.test("without a database that outlives the process there is nothing to deploy to", async () => {
  for (
    const db of [
      { kind: "memory" },
      { kind: "sqlite" },
      { kind: "sqlite", credentials: { url: ":memory:" } },
      false,
    ]
  ) {
    await withProject(stored({ db }), async (folder) => {
      const refused = { name: "ConfigurationError", message: EXPECTED };
      await assert.rejects(deployProject(folder), refused, JSON.stringify(db));
      await assert.rejects(deploymentsOf(folder), refused);
    });
  }
});

Deno.test("servers are reached as they are named: nothing is made in place of one that is not there", async () => {
  await withProject(stored(), async (folder) => {
    const nobody = "127.0.0.1:1/shop";
    for (const to of [`postgres://me@${nobody}`, `postgresql://me@${nobody}`]) {
      await assert.rejects(deploymentsOf(folder, { to }), (error: Error) => !/--to/.test(error.message));
    }
    assert.deepEqual(databasesIn(folder), []);
  });
});

Deno.test("each tenant has a database of its own, which is named", () =>
  withProject(stored({ multitenancy: true }), async (folder) => {
    await assert.rejects(deployProject(folder), { message: /name one by --tenant$/ });
    await deployProject(folder, { tenant: "t1" });
    const [file, ...others] = databasesIn(folder);
    assert.match(file!, /t1/);
    assert.deepEqual(others, []);
    assert.equal((await deploymentsOf(folder, { tenant: "t1" })).length, 1);
    assert.equal((await deploymentsOf(folder, { tenant: "t2" })).length, 0);
    assert.deepEqual(databasesIn(folder), [file]);
  }));

Deno.test("a database is closed once the work with it has ended, well or not", () =>
  withProject(stored(), async (folder) => {
    const work = async (fails: boolean) => {
      const events: string[] = [];
      const done = withDatabase(folder, { mayMake: true }, async (database, project) => {
        const { close } = database;
        Object.assign(database, {
          close: async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            await close.apply(database);
            events.push("closed");
          },
        });
        await new Promise((resolve) => setTimeout(resolve, 5));
        events.push(project.folder === folder ? "worked" : project.folder);
        if (fails) throw new RangeError("no");
        return 7;
      });
      if (fails) await assert.rejects(done, RangeError);
      else assert.equal(await done, 7);
      return events;
    };
    assert.deepEqual(await work(false), ["worked", "closed"]);
    assert.deepEqual(await work(true), ["worked", "closed"]);
  }));

Deno.test("rows that a deployment passes over are remarked before it begins", () =>
  withProject({
    ...stored(),
    "db/data/my-None.csv": "ID\n1\n",
    ".fwrc.json": JSON.stringify({
      requires: { db: { kind: "sqlite", credentials: { url: "db.sqlite" } } },
    }),
  }, async (folder) => {
    const { warn } = console;
    const said: string[] = [];
    console.warn = (...parts: readonly unknown[]) => void said.push(parts.join(" "));
    try {
      await deployProject(folder);
    } finally {
      console.warn = warn;
    }
    assert.equal(said.filter((text) => text.includes("my-None.csv")).length, 1, said.join("\n"));
  }));
