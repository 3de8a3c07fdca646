/** What a deployment does, tells and refuses, step by step. */

import assert from "node:assert/strict";
import { deployDatabase, type Deployment, deployTarget } from "../../src/db/deploy_database.ts";
import { SQLITE_CHANGES } from "../../src/db/evolution/sqlite_changes.ts";
import type { TableCatalog } from "../../src/db/evolution/table_catalog.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const ONE = "entity T { key ID : Integer; }";

/** A deployment to a database that has tables without rows, unless a test says otherwise. */
function deployment(cdl: string, changes: Partial<TableCatalog> = {}) {
  const ran: string[] = [];
  const steps: string[] = [];
  const catalog: TableCatalog = {
    tables: () => Promise.resolve([]),
    columns: () => Promise.resolve([]),
    deployed: () => Promise.resolve(undefined),
    hasRows: () => Promise.resolve(false),
    hasNull: () => Promise.resolve(false),
    hasLonger: () => Promise.resolve(false),
    run: (sql) => Promise.resolve(void ran.push(sql)),
    ...changes,
  };
  const target = deployTarget({ model: linkModel(parseCdl(cdl)), options: {} }, {
    dialect: SQLITE,
    statements: SQLITE_CHANGES,
  });
  const given: Deployment = {
    catalog,
    target,
    changed: () => void steps.push("changed"),
    fill: (data) => {
      steps.push(`fill ${[...data.keys()]}`);
      return Promise.resolve(["T"]);
    },
  };
  return { given, ran, steps };
}

const HAND = {
  tables: () => Promise.resolve([{ name: "T", isView: false }]),
  columns: () => Promise.resolve([{ name: "ID", sql: "BLOB", notNull: false, hasDefault: false }]),
  hasRows: () => Promise.resolve(true),
};

Deno.test("tables are made, what depends on them is told, and then they are filled", async () => {
  const { given, ran, steps } = deployment(ONE);
  const told: unknown[][] = [];
  const report = await deployDatabase(given, new Map([["T", []]]), { onStep: (...step) => told.push(step) });
  const create = 'CREATE TABLE "T" (\n  "ID" INT NOT NULL,\n  PRIMARY KEY("ID")\n)';
  const known = 'CREATE TABLE IF NOT EXISTS "fw_deployed" ("ID" INTEGER PRIMARY KEY, "model" TEXT)';
  assert.deepEqual(report, {
    losses: [],
    obstacles: [],
    statements: [create, known],
    later: [],
    filled: ["T"],
  });
  assert.deepEqual(told, [[create, 1, 2], [known, 2, 2]]);
  assert.deepEqual(steps, ["changed", "fill T"]);
  assert.deepEqual(ran.map((sql) => sql.split(" ").slice(0, 6).join(" ").split("\n")[0]), [
    'CREATE TABLE "T" (',
    'CREATE TABLE IF NOT EXISTS "fw_deployed"',
    'INSERT INTO "fw_deployed" ("ID", "model") VALUES',
    'CREATE TABLE IF NOT EXISTS "fw_deployments"',
    'INSERT INTO "fw_deployments" ("at", "statements", "losses")',
    'DELETE FROM "fw_deployments" WHERE "at" NOT',
  ]);
});

Deno.test("a dry run does nothing, and tells the state of the database that it was planned for", async () => {
  const { given, ran, steps } = deployment(ONE);
  const { state, statements, filled } = await deployDatabase(given, new Map(), { dryRun: true });
  assert.deepEqual([ran, steps, filled, statements.length, typeof state], [[], [], [], 2, "string"]);
  const other = deployment(ONE, { ...HAND, tables: () => Promise.resolve([{ name: "X", isView: false }]) });
  assert.notEqual((await deployDatabase(other.given, new Map(), { dryRun: true })).state, state);
});

Deno.test("the state of a database is that of its tables and columns in any order, without the history of deployments", async () => {
  const stateOf = async (tables: readonly string[], columns: readonly string[], isView = false) => {
    const { given } = deployment(ONE, {
      tables: () => Promise.resolve(tables.map((name) => ({ name, isView }))),
      columns: () =>
        Promise.resolve(columns.map((name) => ({ name, sql: "INT", notNull: false, hasDefault: false }))),
    });
    return (await deployDatabase(given, new Map(), { dryRun: true })).state;
  };
  const state = await stateOf(["A", "B"], ["x", "y"]);
  assert.equal(await stateOf(["B", "fw_deployments", "A"], ["y", "x"]), state);
  assert.notEqual(await stateOf(["A", "B"], ["x"]), state);
  assert.notEqual(await stateOf(["A"], ["x", "y"]), state);
  assert.equal(
    await stateOf(["A"], ["x"], true),
    await stateOf(["A"], ["y"], true),
    "views have no columns of their own",
  );
});

Deno.test("a reviewed plan is done as it was reviewed, or not at all", async () => {
  const planned = await deployDatabase(deployment(ONE).given, new Map(), { dryRun: true });
  const expected = { state: planned.state!, statements: planned.statements, losses: planned.losses };
  const done = deployment(ONE);
  await deployDatabase(done.given, new Map(), { expected });
  assert.ok(done.ran.length > 2);
  const refused: readonly [Partial<typeof expected>, RegExp][] = [
    [{ state: "other" }, /^The database has changed since the plan was made: make a new one and review it$/],
    [{ statements: [] }, /^The plan is not what would be done now: the model or the rows have changed since/],
    [{ losses: ["x"] }, /^The plan is not what would be done now/],
  ];
  for (const [changes, message] of refused) {
    const { given, ran } = deployment(ONE);
    const options = { expected: { ...expected, ...changes } };
    await assert.rejects(deployDatabase(given, new Map(), options), { name: "ConfigurationError", message });
    assert.deepEqual(ran, []);
  }
});

Deno.test("what rows would lose is refused, unless it is allowed", async () => {
  const loss = 'values of column "ID" of "T", which are BLOB and become INT';
  const other = {
    columns: () => Promise.resolve([{ name: "ID", sql: "TEXT", notNull: false, hasDefault: false }]),
  };
  const lost = loss.replace("BLOB", "TEXT");
  for (const mode of ["keep", "lossless"] as const) {
    const { given, ran } = deployment(ONE, { ...HAND, ...other });
    await assert.rejects(deployDatabase(given, new Map(), { mode }), {
      name: "ConfigurationError",
      message: `Bringing the database to what the model says would lose ${lost}. ` +
        '"fw deploy --allow-loss" does it; "@fw.renamedFrom" says that something has another name only',
    });
    assert.deepEqual(ran, []);
  }
  const { given, ran } = deployment(ONE, { ...HAND, ...other });
  assert.deepEqual((await deployDatabase(given, new Map(), { mode: "lossy" })).losses, [lost]);
  assert.ok(ran.length > 2);
});

Deno.test("what cannot be done is refused, whatever may get lost", async () => {
  const { given, ran } = deployment("entity T { key ID : Integer; a : Integer not null; }", HAND);
  await assert.rejects(deployDatabase(given, new Map(), { mode: "lossy" }), {
    name: "ConfigurationError",
    message:
      'The database cannot be brought to what the model says: "T" has rows, but no column "a", which must not be ' +
      "null and has no default. Give the element a default, or change the database by hand",
  });
  assert.deepEqual(ran, []);
});

Deno.test("a statement that the database refuses is told with what the database says", async () => {
  const fail = async (error: Error) => {
    const { given, steps } = deployment(ONE, { run: () => Promise.reject(error) });
    let said = "";
    await assert.rejects(deployDatabase(given), (thrown: Error) => {
      said = thrown.message.split(": CREATE")[0]!;
      return thrown.name === "ConfigurationError" && thrown.cause === error;
    });
    assert.deepEqual(steps, []);
    return said;
  };
  const cause = new Error("no room");
  assert.equal(await fail(new Error("refused", { cause })), "The database refused a change (no room)");
  assert.equal(
    await fail(new Error("refused", { cause: "text" })),
    "The database refused a change (refused)",
  );
  assert.equal(await fail(new Error("refused")), "The database refused a change (refused)");
});

Deno.test("foreign keys are checked by the database where the configuration says so", () => {
  const model = linkModel(parseCdl(ONE));
  const target = (assert_integrity?: string) =>
    deployTarget({ model, options: { assert_integrity } }, { dialect: SQLITE, statements: SQLITE_CHANGES })
      .foreignKeys;
  assert.deepEqual([target("db"), target("app"), target()], [true, false, false]);
});
