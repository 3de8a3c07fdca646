import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { csnOf } from "../fw/shop.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, dropSchemas, server } from "./postgres.ts";

const MODEL = csnOf("service Shop { entity Notes { key ID : Integer; text : LargeString; } }");

async function withShop(db: Record<string, unknown>, run: (shop: Runtime) => Promise<void>): Promise<void> {
  const env = { requires: { db, auth: { kind: "mocked" } }, log: { levels: { default: "silent" } } };
  const runtime = createRuntime({ model: MODEL, kinds: denoKinds, env });
  try {
    await runtime.start();
    await run(runtime);
  } finally {
    await runtime.close();
  }
}

/** What becomes of an insert, and whether rows can be read and the runtime wants requests then. */
async function tried(shop: Runtime, ID: number, text = "short"): Promise<unknown> {
  const ask = async (path: string, body?: unknown) => {
    const response = await shop.fetch(
      new Request(`http://localhost${path}`, {
        ...body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
        headers: { "content-type": "application/json", authorization: `Basic ${btoa("alice:")}` },
      }),
    );
    return { response, answer: await response.json() };
  };
  const { response, answer } = await ask("/odata/v4/shop/Notes", { ID, text });
  return [
    response.status,
    response.headers.get("retry-after"),
    answer.error?.message,
    (await ask("/odata/v4/shop/Notes?$select=ID")).answer.value.map((row: { ID: number }) => row.ID),
    (await ask("/ready")).response.status,
  ];
}

async function runSql(shop: Runtime, ...texts: readonly string[]): Promise<void> {
  const db = await shop.connect("db");
  for (const text of texts) await db.run(text as never);
}

const NO_ROOM = [503, "10", "Service Unavailable", [1], 200];

Deno.test("SQLite: where there is no room for a row its request is 503, rows are read, and the next one is stored once there is", async () => {
  await withShop({ kind: "sqlite", credentials: { url: ":memory:" } }, async (shop) => {
    await tried(shop, 1);
    await runSql(shop, "PRAGMA max_page_count = 1");
    assert.deepEqual(await tried(shop, 2, "x".repeat(200_000)), NO_ROOM);
    await runSql(shop, "PRAGMA max_page_count = 100000");
    assert.deepEqual(await tried(shop, 2, "x".repeat(200_000)), [201, null, undefined, [1, 2], 200]);
  });
});

if (server.isThere) {
  Deno.test("PostgreSQL: where the server lacks room, files or the right to write, requests are 503, as long as that is so", async () => {
    const schema = uniqueName();
    try {
      await withShop({ kind: "postgres", credentials: credentials(schema) }, async (shop) => {
        await tried(shop, 1);
        // what the server says when it cannot make a file larger
        const refuse = (state: string) =>
          runSql(
            shop,
            `CREATE OR REPLACE FUNCTION "${schema}".refuse() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN RAISE EXCEPTION USING ERRCODE = $$${state}$$; END'`,
          );
        await refuse("53100");
        await runSql(
          shop,
          `CREATE TRIGGER refused BEFORE INSERT ON "${schema}"."Shop_Notes"
            FOR EACH ROW EXECUTE FUNCTION "${schema}".refuse()`,
        );
        assert.deepEqual(await tried(shop, 2), NO_ROOM);
        await refuse("58030");
        assert.deepEqual((await tried(shop, 2) as unknown[])[0], 503);
        await refuse("25006");
        assert.deepEqual((await tried(shop, 2) as unknown[])[0], 503);
        await runSql(shop, `DROP TRIGGER refused ON "${schema}"."Shop_Notes"`);
        assert.deepEqual(await tried(shop, 2), [201, null, undefined, [1, 2], 200]);
      });
    } finally {
      await dropSchemas(schema);
    }
  });
}
