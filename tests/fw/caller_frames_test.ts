/**
 * Errors of queries name the code that asked: on all ways to a database, and before the frames of the framework.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import fw, { DELETE, INSERT, SELECT, UPDATE } from "../../mod.ts";
import { postgresDatabase, server } from "../db/postgres.ts";
import { withShop } from "./shop.ts";

const HERE = /^\s+at .*caller_frames_test\.ts:\d+:\d+/;
const BOOKS = "shop.Books";

const WRONG: Readonly<Record<string, () => unknown>> = {
  "an awaited SELECT": async () => await SELECT.from(BOOKS).where({ titel: "x" }),
  "an awaited SELECT of columns": async () => await SELECT.from(BOOKS).columns("titel"),
  "an order": async () => await SELECT.from(BOOKS).orderBy("titel"),
  "an awaited UPDATE": async () => await UPDATE(BOOKS, 1).set({ stock: 1 }).where({ titel: 1 }),
  "an element that is set": async () => await UPDATE(BOOKS, 1).set({ titel: "x" }),
  "an element of an entry": async () => await INSERT.into(BOOKS).entries({ ID: 9, titel: "x" }),
  "rows of a stream": async () =>
    await INSERT.into(BOOKS).entries(Readable.from([{ ID: 9 }, { ID: 9 }]) as never),
  "an awaited DELETE": async () => await DELETE.from(BOOKS).where({ titel: "x" }),
  "a key that is undefined": async () => await SELECT.one.from(BOOKS, undefined),
  "run of the database": async () => await fw.db!.run(SELECT.from(BOOKS).where({ titel: "x" })),
  "run of several queries": async () =>
    await fw.db!.run([SELECT.from(BOOKS), SELECT.from(BOOKS).columns("titel")]),
  "plain SQL": async () => await fw.db!.run("SELECT titel FROM nowhere"),
  "a query on a service": async (): Promise<unknown> =>
    await (await fw.connect.to("shop.CatalogService")).read("Books").where({ titel: "x" }),
  "a comparison of wrong types": async () => await SELECT.from(BOOKS).where({ stock: "many" }),
};

async function expectFrames(
  fail: () => unknown,
  options: Parameters<typeof withShop>[0] = {},
): Promise<void> {
  await withShop(options, async (runtime) => {
    const service = runtime.services["shop.CatalogService"];
    service.prepend((srv) => srv.on("hello", fail));
    await assert.rejects(
      () => service.send("hello", {}),
      ({ stack, message }: Error) => {
        const [first, ...others] = stack!.slice(stack!.indexOf(message) + message.length).trim().split("\n");
        assert.match(`  ${first}`, HERE, stack);
        assert.ok(others.some((frame) => frame.includes("/src/")), stack);
        return true;
      },
    );
  });
}

for (const [name, fail] of Object.entries(WRONG)) {
  Deno.test(`the stack of what fails begins in the code of the application: ${name} (api 8)`, () =>
    expectFrames(fail));
}

Deno.test({
  name: "the stack of what PostgreSQL refuses begins in the code of the application (api 8)",
  ignore: !server.isThere,
  fn: () =>
    expectFrames(async () => await SELECT.from(BOOKS).columns("nofunction(stock) as x"), {
      env: { requires: { db: { kind: "test" } } },
      kinds: { databases: { test: () => ({ model }) => postgresDatabase(model) as never } },
    }),
});
