/**
 * A project folder as tests run it (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { projectPlace } from "../../src/fw/project_place.ts";
import { captureLog } from "../../src/test/capture_log.ts";
import { createIdentity, test } from "../../src/test/mod.ts";
import { testedEnvironment, testedProject } from "../../src/test/tested_project.ts";
import { SMALL, withProject } from "../deno/project.ts";

type Members = Readonly<Record<string, unknown>>;

const project = (cds: Members) => ({ ...SMALL, "package.json": JSON.stringify({ name: "shop", cds }) });

/** A database in the configuration of a project, in that of the test; where the rows are then. */
const DATABASES:
  readonly (readonly [configured: unknown, given: unknown, kind: string | undefined, url: string])[] = [
    [undefined, undefined, undefined, ":memory:"],
    [{ kind: "sqlite", credentials: { url: ":memory:" } }, undefined, "sqlite", ":memory:"],
    [{ kind: "sqlite", credentials: { url: "shop.sqlite" } }, undefined, "sqlite", ":memory:"],
    [{ kind: "sqlite", credentials: { database: "shop.sqlite" } }, undefined, "sqlite", ":memory:"],
    [
      { kind: "sqlite", credentials: { url: "a.sqlite" } },
      { credentials: { url: "b.sqlite" } },
      "sqlite",
      "b.sqlite",
    ],
    [
      { kind: "sqlite", credentials: { url: "a.sqlite" } },
      { credentials: { busy: 1 } },
      "sqlite",
      ":memory:",
    ],
    [{ kind: "postgres", credentials: { url: "postgres://h/d" } }, undefined, "postgres", "postgres://h/d"],
  ];

Deno.test("a file of a database is replaced by one in memory, unless the test names it", async () => {
  for (const [configured, given, kind, url] of DATABASES) {
    await withProject(project(configured ? { requires: { db: configured } } : {}), async (folder) => {
      const env = given ? { requires: { db: given } } : undefined;
      const runtime = testedProject({ folder, env });
      const { db } = runtime.env.requires as Readonly<Record<string, Members>>;
      const { url: found, database = found } = (db?.credentials ?? {}) as Members;
      assert.deepEqual([db?.kind, database ?? ":memory:"], [kind, url], JSON.stringify(configured));
      await runtime.close();
    });
  }
});

Deno.test("a tested project is in the profiles development and test, and logs errors only", () =>
  withProject(project({ "[test]": { own: "tested" }, log: { levels: { db: "debug" } } }), async (folder) => {
    const quiet = testedProject({ folder });
    assert.deepEqual(quiet.env.profiles, ["development", "test"]);
    const { own, log } = quiet.env as unknown as { own: unknown; log: { levels: Members } };
    assert.deepEqual([own, log.levels.default, log.levels.db], ["tested", "error", "debug"]);
    const loud = testedProject({ folder, env: { log: { levels: { default: "info" } } } });
    assert.equal((loud.env as unknown as { log: { levels: Members } }).log.levels.default, "info");
    await quiet.close();
    await loud.close();
  }));

Deno.test("a tested project has the model files that are named, and the environment that is given", () =>
  withProject(SMALL, async (folder) => {
    const environment = testedEnvironment(folder);
    Object.assign(environment, { own: 1 });
    const runtime = testedProject({ folder, environment, modelFiles: [`${folder}/db/schema.cds`] });
    assert.deepEqual(Object.keys(runtime.model.definitions).includes("CatService"), false);
    assert.equal((runtime.env as unknown as Members).own, 1);
    await runtime.close();
  }));

Deno.test("the configuration is read again for its folder, that of the project, or another", () =>
  withProject(
    project({ own: "first" }),
    (first) =>
      withProject(
        project({ own: "second", other: { at: 2 } }),
        (second) =>
          withProject(project({ own: "third" }), (third) => {
            const { root } = projectPlace;
            try {
              const environment = testedEnvironment(first);
              const own = (...given: readonly unknown[]) =>
                (environment.for as (...given: readonly unknown[]) => Members)(...given).own;
              projectPlace.root = undefined;
              assert.deepEqual([own("fw"), own("cds"), own({}), own("fw", third)], [
                "first",
                "first",
                "first",
                "third",
              ]);
              projectPlace.root = second;
              assert.deepEqual([own("fw"), own("cds"), own({}), own("fw", third)], [
                "second",
                "second",
                "second",
                "third",
              ]);
              Object.assign(environment, { own: "changed" });
              assert.equal(own("fw", first), "first");
              assert.equal(own("another"), undefined);
              assert.notEqual(environment.for("fw"), environment.for("fw"));
            } finally {
              projectPlace.root = root;
            }
          }),
      ),
  ));

Deno.test("tokens of the identity services of a test are accepted, those of others are not", () =>
  withProject(
    {
      ...SMALL,
      "srv/cat_service.cds": `${
        SMALL["srv/cat_service.cds"]
      }annotate CatService with @(requires: 'authenticated-user');`,
    },
    async (folder) => {
      const identity = createIdentity({ kind: "oauth2" });
      const { GET, close } = test(folder, {}, { identity });
      const path = "/odata/v4/cat/Books/$count";
      const other = await createIdentity({ kind: "oauth2" }).token({ user: "alice" });
      assert.equal((await GET(path, { token: { user: "alice" } })).status, 200);
      assert.equal((await GET(path, { token: other })).status, 401);
      assert.equal((await GET(path)).status, 401);
      await close();
    },
  ));

Deno.test("everything that is written to the console is captured, until it is released", () => {
  const names = ["log", "info", "warn", "error", "debug"] as const;
  const originals = names.map((name) => console[name]);
  const log = captureLog();
  let output: string;
  try {
    for (const name of names) console[name](name, 1, { a: ["b"] }, undefined);
    output = log.output;
    log.clear();
    console.log();
    output += log.output;
  } finally {
    log.release();
  }
  assert.equal(output, names.map((name) => `${name} 1 { a: [ "b" ] } undefined\n`).join("") + "\n");
  assert.deepEqual(names.map((name) => console[name]), originals);
  {
    using _again = captureLog();
    assert.notEqual(console.log, originals[0]);
  }
  assert.equal(console.log, originals[0]);
});
