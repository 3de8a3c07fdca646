/** Change sets with drafts: what Fiori sends to prepare and activate at once (drafts 5, 8). */

import assert from "node:assert/strict";
import { createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; title : String(20) @mandatory;
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; amount : Integer @assert.range: [1, 9]; }
  }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
  }`;
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";

interface Part {
  readonly method: string;
  readonly url: string;
  readonly body: Row;
}

async function withShop(
  run: (
    send: (request: string, body?: unknown) => Promise<Row>,
    changeSet: (...parts: readonly Part[]) => Promise<unknown[]>,
  ) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", users: { ann: {} } }, db: { kind: "sqlite" } },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([["my.Orders", [{ ID: 1, title: "first" }]]]),
  });
  await runtime.start();
  const send = async (request: string, body?: unknown) =>
    (await sendLine(runtime, request, { user: "ann", body })).body as Row;
  try {
    await run(send, async (...parts) => {
      const headers = { "content-type": "application/json" };
      const requests = parts.map((part, at) => ({ ...part, id: String(at), atomicityGroup: "g", headers }));
      const { responses } = await send("POST $batch", { requests });
      return (responses as Row[]).map(({ status }) => status);
    });
  } finally {
    await runtime.close();
  }
}

const post = (url: string, body: Row = {}): Part => ({ method: "POST", url, body });

Deno.test("what an activation in a change set finds wrong is kept with the draft, and nothing else of the set", async () => {
  await withShop(async (send, changeSet) => {
    await send("POST Orders(ID=1,IsActiveEntity=true)/draftEdit", {});
    await send(`PATCH ${DRAFT}`, { title: null });
    const item = { ID: 5, amount: 5 };
    assert.deepEqual(
      await changeSet(
        post(`${DRAFT}/items`, item),
        post(`${DRAFT}/draftPrepare`),
        post(`${DRAFT}/draftActivate`),
      ),
      [424, 424, 400],
    );
    const { DraftMessages, items } = await send(`GET ${DRAFT}?$expand=items`);
    const messages = (DraftMessages as Row[]).map(({ code, target }) => [code, target]);
    assert.deepEqual(messages, [["ASSERT_MANDATORY", `/${DRAFT}/title`]]);
    assert.deepEqual(items, []);
    await send(`PATCH ${DRAFT}`, { title: "second" });
    assert.deepEqual(await changeSet(post(`${DRAFT}/draftPrepare`), post(`${DRAFT}/draftActivate`)), [
      200,
      200,
    ]);
  });
});

Deno.test("a draft is undone that was activated in a change set that fails, without messages", async () => {
  await withShop(async (send, changeSet) => {
    await send("POST Orders(ID=1,IsActiveEntity=true)/draftEdit", {});
    await send(`PATCH ${DRAFT}`, { title: "second" });
    assert.deepEqual(
      await changeSet(post(`${DRAFT}/draftActivate`), post("Orders(ID=9,IsActiveEntity=true)/draftEdit")),
      [
        424,
        404,
      ],
    );
    const { title, DraftMessages } = await send(`GET ${DRAFT}`);
    assert.deepEqual([title, DraftMessages], ["second", []]);
    assert.equal((await send("GET Orders(ID=1,IsActiveEntity=true)")).title, "first");
  });
});

Deno.test("a new draft gets items, changes and is activated in one change set by references to it", async () => {
  await withShop(async (send, changeSet) => {
    const made = await changeSet(
      post("Orders", { ID: 2, title: "new" }),
      post("$0/items", { ID: 20, amount: 2 }),
      { method: "PATCH", url: "$0", body: { title: "changed" } },
      post("$0/draftActivate"),
    );
    assert.deepEqual(made, [201, 201, 200, 201]);
    const { title, items } = await send("GET Orders(ID=2,IsActiveEntity=true)?$expand=items");
    assert.deepEqual([title, (items as Row[])[0]!.amount], ["changed", 2]);
  });
});
