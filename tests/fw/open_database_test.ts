import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { databaseOpener } from "../../src/fw/open_database.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const CDL = `
  entity Orders { key ID : Integer; total : Decimal(17, 4); small : Decimal(15, 2); free : Decimal; at : Rate; }
  type Rate { exact : Decimal(38, 18); }
  entity Totals as select from Orders { ID, total };
`;
const model = linkModel(compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? CDL : undefined }));

async function warningsOf(kind: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open = await databaseOpener({
    env: { requires: { db: { kind } } },
    model,
    kinds: denoKinds,
    warn: (text) => found.push(text),
  });
  for (const tenant of [undefined, "t1"]) await (await open(tenant)).close();
  return found;
}

Deno.test("an engine that rounds decimals names, once, the elements of tables with more digits than it holds", async () => {
  assert.deepEqual(await warningsOf("sqlite"), [
    "Decimals with more than 15 digits are rounded by sqlite: Orders.total, Orders.at_exact",
  ]);
  assert.deepEqual(await warningsOf("memory"), []);
});

Deno.test("a URL of another database is no file of SQLite, and its password is in no message", async () => {
  for (const url of ["postgres://me:secret@host/shop", "mysql://me:se/cr@et@host/shop"]) {
    for (const kind of ["sqlite", undefined]) {
      const env = { requires: { db: { kind, credentials: { url } } } };
      await assert.rejects(
        databaseOpener({ env, model, kinds: denoKinds }),
        (error: Error) =>
          error.name === "ConfigurationError" && /begins with "(postgres|mysql):\/\/"/.test(error.message) &&
          !/se\/?cr/.test(error.message),
      );
    }
  }
});

Deno.test("the database that a tenant has for itself is not read from replicas of another one", async () => {
  const given: unknown[] = [];
  const open = await databaseOpener({
    env: {
      requires: {
        db: {
          kind: "postgres",
          credentials: { host: "a" },
          replicas: [{ host: "b" }],
          tenants: {
            t1: { credentials: { host: "c" } },
            t2: { credentials: { host: "d" }, replicas: [{ host: "e" }] },
            t3: { timeoutMs: 5 },
          },
        },
      },
    } as never,
    model,
    kinds: {
      ...denoKinds,
      databases: {
        postgres: () => ({ options }) => {
          given.push(options.replicas);
          return {} as never;
        },
      },
    },
  });
  for (const tenant of ["t1", "t2", "t3"]) await open(tenant);
  assert.deepEqual(given, [undefined, [{ host: "e" }], [{ host: "b" }]]);
});
