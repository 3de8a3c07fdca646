/** `fw.deploy(model).to(database)` (api 1): which model, which database, which rows. */

import assert from "node:assert/strict";
import fw, { INSERT, SELECT } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import { csnOf, withShop } from "./shop.ts";

const OWN = "entity Own { key ID : Integer; bar : String default 'x'; }";
const ROWS = [{ ID: 7, bar: "initial" }];

/** Kinds of Deno that have initial rows beside each model, and keep what is asked of them. */
function kindsWith(asked: unknown[]) {
  return {
    ...denoKinds,
    initialData: (model: Csn) => {
      asked.push(Object.keys(model.definitions ?? {}));
      return () => new Map<string, readonly Row[]>([["Own", ROWS]]);
    },
    compiler: () => (source: unknown) => {
      asked.push(source);
      return csnOf(typeof source === "string" ? source : OWN);
    },
  };
}

/** What is asked for when something is deployed, and the rows that are there afterwards. */
async function deployed(model: Parameters<typeof fw.deploy>[0], target?: unknown) {
  const asked: unknown[] = [];
  let outcome: unknown[] = [];
  await withShop({ kinds: kindsWith(asked) }, async (shop) => {
    const db = await (target === undefined
      ? fw.deploy(model)
      : fw.deploy(model).to(target as Parameters<ReturnType<typeof fw.deploy>["to"]>[0]));
    assert.equal(fw.db, db);
    const { kind, credentials } = db.options as { kind?: string; credentials?: { url?: string } };
    const isOther = fw.runtime !== shop;
    assert.equal(isOther, db !== shop.db);
    outcome = [kind, credentials?.url, isOther ? await SELECT.from("Own") : undefined];
    if (isOther) {
      await fw.runtime.close();
    }
  });
  return { asked, outcome };
}

Deno.test("a model is CSN, a text in CDL, or names of files, whose rows beside it are filled in", async () => {
  const names = [["Own"]];
  const cases: readonly [Parameters<typeof fw.deploy>[0], unknown[], Row[]][] = [
    [csnOf(OWN), names, ROWS],
    [linkModel(csnOf(OWN)), [], []],
    [OWN, [OWN, ...names], ROWS],
    ["db/schema.cds", [["db/schema.cds"], ...names], ROWS],
    [" db ", [[" db "], ...names], ROWS],
    [["db", "srv"], [["db", "srv"], ...names], ROWS],
    ["*", [["*"], ...names], ROWS],
    [undefined, [["*"], ...names], ROWS],
  ];
  for (const [model, expected, rows] of cases) {
    const { asked, outcome } = await deployed(model, "sqlite::memory:");
    assert.deepEqual(asked, expected);
    assert.deepEqual(outcome, ["sqlite", ":memory:", rows]);
  }
});

Deno.test("a database is named by its kind, its file, its URL, or an entry of the configuration", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const cases: readonly [unknown, string | undefined, string | undefined][] = [
      ["memory", "memory", undefined],
      ["sqlite::memory:", "sqlite", ":memory:"],
      [`sqlite:${folder}/own.sqlite`, "sqlite", `${folder}/own.sqlite`],
      [{ kind: "memory" }, "memory", undefined],
      [{ kind: "sqlite", credentials: { url: ":memory:" } }, "sqlite", ":memory:"],
    ];
    for (const [target, kind, url] of cases) {
      const { outcome } = await deployed(csnOf(OWN), target);
      assert.deepEqual(outcome, [kind, url, ROWS], JSON.stringify(target));
    }
    for (const run of [undefined, true]) {
      const entry = { kind: "memory", options: { kind: "sqlite" }, ...run && { run } };
      await assert.rejects(deployed(csnOf(OWN), entry), /"fw\.requires\.db\.options" is unknown/);
    }
    await assert.rejects(deployed(csnOf(OWN), "nothing:else"), /"fw\.requires\.db\.kind" is "nothing"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the model in effect is deployed to its own database by initial rows, with no other runtime", async () => {
  for (const model of [undefined, "*"]) {
    for (const by of ["await", "db", "service"]) {
      await withShop({}, async (shop) => {
        await INSERT.into("shop.Books").entries({ ID: 99 });
        const deployment = fw.deploy(model);
        const db = await (by === "await" ? deployment : deployment.to(by === "db" ? "db" : shop.db!));
        assert.deepEqual([db === shop.db, fw.runtime === shop], [true, true]);
        assert.equal((await SELECT.from("shop.Books")).length, 3, `${model} ${by}`);
      });
    }
  }
});

Deno.test("another model goes to a database like that of the current runtime, or of a service", async () => {
  for (const by of ["db", "service"]) {
    await withShop({ kinds: denoKinds, env: { requires: { db: { kind: "memory" } } } }, async (shop) => {
      const db = await fw.deploy(csnOf(OWN)).to(by === "db" ? "db" : shop.db!);
      assert.deepEqual([db.options.kind, fw.runtime === shop], ["memory", false], by);
      assert.deepEqual(await SELECT.from("Own"), []);
      assert.deepEqual([fw.requires.auth?.kind, fw.requires.queue], ["dummy", false]);
      await fw.runtime.close();
    });
  }
});

Deno.test("a deployment that fails rejects, and can be caught like a promise", () =>
  withShop({}, async () => {
    await assert.rejects(async () => await fw.deploy(OWN), /no compiler/);
    const caught = await fw.deploy(OWN).then(() => "done", (error) => (error as Error).name);
    assert.equal(caught, "ConfigurationError");
    assert.equal(await fw.deploy().then((db) => db === fw.db), true);
  }));
