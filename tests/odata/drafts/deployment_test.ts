/**
 * Drafts across versions of a model, with feature toggles, and on D1 (drafts 0 "Engines"; "activation against a changed
 * model").
 */

import assert from "node:assert/strict";
import { createRuntime, type Csn, type Row, type Runtime, type RuntimeOptions } from "../../../mod.ts";
import { d1Database } from "../../../src/db/d1/mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { toggleOf } from "../../../src/model/toggles.ts";
import { startD1 } from "../../db/miniflare.ts";
import { sendLine } from "./send_line.ts";

const ACTIVE = "Orders(ID=1,IsActiveEntity=true)";
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";

/** A shop whose orders have some elements more. */
function shop(elements: string, more = ""): Csn {
  const source = `
    context my {
      entity Orders { key ID : Integer; title : String(40); ${elements}
        items : Composition of many Items on items.order = $self; }
      entity Items { key ID : Integer; order : Association to Orders; amount : Integer; }
    }
    @requires: 'any' service Shop {
      @odata.draft.enabled entity Orders as projection on my.Orders;
      entity Items as projection on my.Items;
    }
    ${more}`;
  return compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? source : undefined });
}

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- answers are looked at member by member
  readonly body: any;
}

type Send = (request: string, body?: unknown, user?: string) => Promise<Answer>;

async function withShop(
  options: Pick<RuntimeOptions, "model" | "kinds" | "toggles"> & { readonly db: object },
  run: (send: Send, runtime: Runtime) => Promise<void>,
): Promise<void> {
  const { db, ...rest } = options;
  const runtime = createRuntime({
    kinds: denoKinds,
    ...rest,
    env: { requires: { auth: { kind: "mocked" }, db }, log: { levels: { default: "silent" } } },
    data: new Map<string, Row[]>([
      ["my.Orders", [{ ID: 1, title: "first" }]],
      ["my.Items", [1, 2].map((ID) => ({ ID, order_ID: 1, amount: ID }))],
    ]),
  });
  await runtime.start();
  const send: Send = (request, body, user = "dave") => sendLine(runtime, request, { user, body });
  try {
    await run(send, runtime);
  } finally {
    await runtime.close();
  }
}

Deno.test("drafts stay when the model gets and loses elements, and are activated as the model is now", async () => {
  const folder = await Deno.makeTempDir();
  const db = { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } };
  try {
    await withShop({ model: shop("old : String(10);"), db }, async (send) => {
      await send(`POST ${ACTIVE}/draftEdit`, {});
      await send(`PATCH ${DRAFT}`, { title: "changed" });
      await send(`DELETE ${DRAFT}/items(ID=1,IsActiveEntity=false)`);
    });
    await withShop({ model: shop("note : String(10); size : Integer default 3;"), db }, async (send) => {
      const kept = await send(`GET ${DRAFT}`);
      assert.deepEqual([kept.status, kept.body.title, kept.body.note], [200, "changed", null]);
      assert.equal((await send(`PATCH ${DRAFT}`, { note: "new" })).status, 200);
      assert.equal((await send(`POST ${DRAFT}/draftActivate`, {})).status, 200);
      const { body } = await send(`GET ${ACTIVE}?$expand=items`);
      assert.deepEqual([body.title, body.note, body.size, body.items.length], ["changed", "new", 3, 1]);
      assert.equal((await send(`GET ${DRAFT}`)).status, 404);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("drafts have what feature toggles add for those who have them, and keep it for the others", async () => {
  const base = shop("");
  const toggles = { isbn: toggleOf(base, shop("", "extend my.Orders with { isbn : String(13); }")) };
  await withShop({ model: base, toggles, db: { kind: "sqlite" } }, async (send) => {
    await send(`POST ${ACTIVE}/draftEdit`, {}, "fred");
    assert.equal((await send(`PATCH ${DRAFT}`, { isbn: "111" }, "fred")).body.isbn, "111");
    assert.equal((await send(`POST ${DRAFT}/draftActivate`, {}, "fred")).status, 200);
    await send(`POST ${ACTIVE}/draftEdit`, {});
    assert.equal((await send(`PATCH ${DRAFT}`, { isbn: "222" })).status, 400);
    assert.equal((await send(`GET ${DRAFT}`)).body.isbn, undefined);
    await send(`PATCH ${DRAFT}`, { title: "of dave" });
    assert.equal((await send(`POST ${DRAFT}/draftActivate`, {})).status, 200);
    const { body } = await send(`GET ${ACTIVE}`, undefined, "fred");
    assert.deepEqual([body.title, body.isbn], ["of dave", "111"]);
  });
});

Deno.test("drafts are made, changed, listed, activated and discarded on D1", async () => {
  const server = startD1();
  try {
    const kinds = { ...denoKinds, databases: { d1: () => d1Database(server.take()) } };
    await withShop({ model: shop(""), kinds, db: { kind: "d1" } }, async (send) => {
      assert.equal((await send(`POST ${ACTIVE}/draftEdit`, {})).status, 201);
      await send(`PATCH ${DRAFT}`, { title: "changed" });
      await send(`POST ${DRAFT}/items`, { ID: 3, amount: 3 });
      const all = "$filter=IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null";
      assert.deepEqual((await send(`GET Orders?${all}`)).body.value.map((row: Row) => row.title), [
        "changed",
      ]);
      const sums = await send(
        "GET Items?$apply=filter(IsActiveEntity eq false)/aggregate(amount with sum as s)",
      );
      assert.deepEqual(sums.body.value, [{ s: 6, IsActiveEntity: false }]);
      assert.equal((await send(`POST ${DRAFT}/draftActivate`, {})).status, 200);
      const { body } = await send(`GET ${ACTIVE}?$expand=items`);
      assert.deepEqual([body.title, body.items.length], ["changed", 3]);
      assert.equal((await send("POST Orders", { ID: 2 })).status, 201);
      assert.equal((await send("DELETE Orders(ID=2,IsActiveEntity=false)")).status, 204);
      assert.equal((await send("GET Orders/$count?$filter=IsActiveEntity eq false")).body, "0");
    });
  } finally {
    await server.stop();
  }
});
