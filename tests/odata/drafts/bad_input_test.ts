/**
 * Requests on drafts that are wrong: nothing half done, and a code that says what is wrong (drafts 2, 3, 9).
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; title : String(10); note : String(10);
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; amount : Integer; }
  }
  @protocol: ['odata', 'rest']
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
  }`;
const ACTIVE = "Orders(ID=1,IsActiveEntity=true)";
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";

interface Shop extends AsyncDisposable {
  readonly runtime: Runtime;
  /** Status and code of an answer, or its body where there is no error. */
  send(request: string, body?: unknown, user?: string): Promise<[status: number, found: unknown]>;
}

async function open(fiori: object = {}): Promise<Shop> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } },
        db: { kind: "sqlite" },
      },
      fiori,
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([
      ["my.Orders", [1, 2].map((ID) => ({ ID, title: "first" }))],
      ["my.Items", [{ ID: 1, order_ID: 1, amount: 1 }]],
    ]),
  });
  await runtime.start();
  return {
    runtime,
    async send(request, body, user = "ann") {
      const { status, body: answer } = await sendLine(runtime, request, { user, body });
      return [status, answer.error?.code ?? answer];
    },
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

async function expectAll(
  shop: Shop,
  cases: readonly (readonly [request: string, status: number, code: string, body?: unknown, user?: string])[],
): Promise<void> {
  for (const [request, status, code, body, user] of cases) {
    assert.deepEqual(await shop.send(request, body, user), [status, code], `${user ?? "ann"} ${request}`);
  }
}

/** All rows of drafts. */
async function draftRows({ runtime }: Shop): Promise<unknown[]> {
  const names = ["Shop.Orders.drafts", "Shop.Items.drafts", "DRAFT.DraftAdministrativeData"];
  const rows = names.map((name) => runtime.db!.run({ SELECT: { from: { ref: [name] } } }) as Promise<Row[]>);
  return (await Promise.all(rows)).map(({ length }) => length);
}

Deno.test("actions of drafts on the wrong kind of row are 400, on none 404", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await expectAll(shop, [
    [`POST ${DRAFT}/draftEdit`, 400, "400", {}],
    [`POST ${ACTIVE}/draftActivate`, 400, "400", {}],
    [`POST ${ACTIVE}/draftPrepare`, 400, "400", {}],
    ["POST Orders(ID=9,IsActiveEntity=true)/draftEdit", 404, "404", {}],
    ["POST Orders(ID=9,IsActiveEntity=false)/draftActivate", 404, "DRAFT_NOT_EXISTING", {}],
    ["PATCH Orders(ID=9,IsActiveEntity=false)", 404, "404", { title: "x" }],
    ["DELETE Orders(ID=9,IsActiveEntity=false)", 404, "404"],
    [`PATCH ${DRAFT}/items(ID=9,IsActiveEntity=false)`, 404, "404", { amount: 1 }],
  ]);
  assert.deepEqual(await draftRows(shop), [1, 1, 1]);
});

Deno.test("keys of another form are 4xx with a code", async () => {
  await using shop = await open();
  for (
    const key of [
      "ID='x',IsActiveEntity=true",
      "ID=1,IsActiveEntity=7",
      "IsActiveEntity=true",
      "ID=1,Is=true",
    ]
  ) {
    const [status, code] = await shop.send(`GET Orders(${key})`);
    assert.ok(Number(status) >= 400 && Number(status) < 500 && typeof code === "string", `${key}: ${status}`);
  }
});

Deno.test("a draft of somebody else is not there to read, and locked to write", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  const locked = "DRAFT_LOCKED_BY_ANOTHER_USER";
  await expectAll(shop, [
    [`GET ${DRAFT}`, 404, "404", undefined, "ben"],
    [`GET ${DRAFT}/items`, 404, "404", undefined, "ben"],
    [`PATCH ${DRAFT}`, 403, locked, { title: "x" }, "ben"],
    [`POST ${DRAFT}/items`, 403, locked, { ID: 7 }, "ben"],
    [`DELETE ${DRAFT}/items(ID=1,IsActiveEntity=false)`, 403, locked, undefined, "ben"],
    [`POST ${DRAFT}/draftPrepare`, 403, locked, {}, "ben"],
    [`POST ${DRAFT}/draftActivate`, 403, locked, {}, "ben"],
    [`DELETE ${DRAFT}`, 403, locked, undefined, "ben"],
    [`POST ${ACTIVE}/draftEdit`, 409, "DRAFT_ALREADY_EXISTS", { PreserveChanges: false }, "ben"],
    [`PATCH ${ACTIVE}`, 409, "DRAFT_ALREADY_EXISTS", { title: "x" }, "ben"],
    [`DELETE ${ACTIVE}`, 403, locked, undefined, "ben"],
  ]);
  assert.deepEqual(await draftRows(shop), [1, 1, 1]);
});

Deno.test("an expired draft of somebody else stays locked to write, and is taken over as a whole", async () => {
  await using shop = await open({ draft_lock_timeout: 0 });
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await expectAll(shop, [
    [`PATCH ${DRAFT}`, 403, "DRAFT_LOCKED_BY_ANOTHER_USER", { title: "x" }, "ben"],
    [`DELETE ${ACTIVE}`, 403, "DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS", undefined, "ben"],
    [`POST ${ACTIVE}/draftEdit`, 409, "DRAFT_ALREADY_EXISTS", { PreserveChanges: true }, "ben"],
  ]);
  assert.equal((await shop.send(`POST ${ACTIVE}/draftEdit`, { PreserveChanges: false }, "ben"))[0], 201);
  assert.deepEqual(await draftRows(shop), [1, 1, 1]);
});

Deno.test("of two edits at once one makes a draft, and of two activations one activates it", async () => {
  await using shop = await open();
  const edits = ["ann", "ben"].map((user) => shop.send(`POST ${ACTIVE}/draftEdit`, {}, user));
  assert.deepEqual((await Promise.all(edits)).map(([status]) => status).sort(), [201, 409]);
  assert.deepEqual(await draftRows(shop), [1, 1, 1]);
  const [, { DraftAdministrativeData }] = await shop.send(
    `GET ${ACTIVE}?$expand=DraftAdministrativeData`,
  ) as [
    number,
    { DraftAdministrativeData: { InProcessByUser: string } },
  ];
  const owner = DraftAdministrativeData.InProcessByUser;
  const activations = [1, 2].map(() => shop.send(`POST ${DRAFT}/draftActivate`, {}, owner));
  assert.deepEqual((await Promise.all(activations)).map(([status]) => status).sort(), [200, 404]);
  assert.deepEqual(await draftRows(shop), [0, 0, 0]);
});

Deno.test("a second draft with the same key is 409, a new one without its key 400", async () => {
  await using shop = await open();
  assert.equal((await shop.send("POST Orders", { ID: 5 }))[0], 201);
  await expectAll(shop, [
    ["POST Orders", 409, "ENTITY_ALREADY_EXISTS", { ID: 5 }],
    ["POST Orders", 409, "ENTITY_ALREADY_EXISTS", { ID: 5 }, "ben"],
    ["POST Orders", 400, "ASSERT_MANDATORY", { title: "x" }],
    ["POST Orders", 400, "ASSERT_DATA_TYPE", { ID: 6, title: "longer than ten" }],
    ["PATCH Orders(ID=5,IsActiveEntity=false)", 400, "ASSERT_DATA_TYPE", { title: 7 }],
    ["POST Items", 422, "DRAFT_MODIFICATION_ONLY_VIA_ROOT", { ID: 5 }],
  ]);
  assert.deepEqual(await draftRows(shop), [1, 0, 1]);
});

Deno.test("what tells drafts apart cannot be written", async () => {
  await using shop = await open();
  await shop.send("POST Orders", { ID: 5, HasActiveEntity: true, HasDraftEntity: true });
  const own = "Orders(ID=5,IsActiveEntity=false)";
  await shop.send(`PATCH ${own}`, { HasActiveEntity: true, IsActiveEntity: true, ID: 6, title: "x" });
  const [, row] = await shop.send(`GET ${own}`) as [number, Row];
  assert.deepEqual([row.ID, row.title, row.HasActiveEntity, row.IsActiveEntity], [5, "x", false, false]);
});

Deno.test("a draft of a deleted instance can be discarded", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.runtime.db!.run({ DELETE: { from: "my.Orders", where: [{ ref: ["ID"] }, "=", { val: 1 }] } });
  assert.equal((await shop.send(`GET ${DRAFT}/SiblingEntity`))[0], 204);
  assert.equal((await shop.send(`DELETE ${DRAFT}`))[0], 204);
  assert.deepEqual(await draftRows(shop), [0, 0, 0]);
});

Deno.test("without bypass no protocol changes active instances, but creates and deletes them", async () => {
  await using shop = await open({ bypass_draft: false });
  await expectAll(shop, [
    [`PATCH ${ACTIVE}`, 501, "501", { title: "x" }],
    [`PUT ${ACTIVE}`, 501, "501", { title: "x" }],
    [`PUT ${ACTIVE}/title`, 501, "501", { value: "x" }],
    [`POST ${ACTIVE}/items`, 501, "501", { ID: 8 }],
    ["PATCH /rest/shop/Orders/1", 501, "501", { title: "x" }],
    ["PATCH /rest/shop/Items/1", 501, "501", { amount: 7 }],
  ]);
  assert.equal((await shop.send("POST /rest/shop/Orders", { ID: 6 }))[0], 201);
  assert.equal((await shop.send("DELETE /rest/shop/Orders/2"))[0], 204);
  const [, rows] = await shop.send("GET Orders?$orderby=ID&$expand=items") as [number, { value: Row[] }];
  assert.deepEqual(rows.value.map(({ ID, title, items }) => [ID, title, (items as Row[]).length]), [
    [1, "first", 1],
    [6, null, 0],
  ]);
});

Deno.test("the sibling and the administrative data of a row are only read: writes are 405 and change nothing", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  const rows = await draftRows(shop);
  await expectAll(shop, [
    [`PATCH ${DRAFT}/SiblingEntity`, 405, "405", { title: "past" }],
    [`DELETE ${DRAFT}/SiblingEntity`, 405, "405"],
    [`PATCH ${DRAFT}/SiblingEntity/items(ID=1,IsActiveEntity=true)`, 405, "405", { amount: 7 }],
    [`DELETE ${DRAFT}/DraftAdministrativeData`, 405, "405"],
    ...["IsActiveEntity", "HasActiveEntity", "HasDraftEntity", "DraftMessages"].map((name) =>
      [`DELETE ${DRAFT}/${name}`, 405, "405"] as const
    ),
    [`DELETE ${ACTIVE}/DraftAdministrativeData`, 405, "405", undefined, "ben"],
    [`PATCH ${ACTIVE}/DraftAdministrativeData`, 405, "405", { InProcessByUser: "ben" }, "ben"],
  ]);
  assert.deepEqual(await draftRows(shop), rows);
  const [, active] = await shop.send(`GET ${ACTIVE}`);
  assert.equal((active as Row).title, "first");
});

Deno.test("changes of several instances at once are 501: a draft of one of them keeps others out", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await expectAll(shop, [
    ["PATCH Orders/$each", 501, "501", { title: "past" }, "ben"],
    ["DELETE Orders/$each", 501, "501", undefined, "ben"],
  ]);
  const [, active] = await shop.send(`GET ${ACTIVE}`);
  assert.equal((active as Row).title, "first");
});

Deno.test("a part stays in its draft: nobody moves one into the draft of somebody else (drafts 3)", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {}, "ben");
  await shop.send("POST Orders", { ID: 7, items: [{ ID: 70, amount: 1 }] });
  const part = "Items(ID=70,IsActiveEntity=false)";
  const code = "DRAFT_MODIFICATION_ONLY_VIA_ROOT";
  await expectAll(shop, [
    [`PATCH ${part}`, 422, code, { order_ID: 1 }],
    [`PATCH ${part}`, 422, code, { order: { ID: 1 } }],
    [`PATCH ${part}`, 422, code, { order_ID: 2 }],
    [`PUT ${part}/order_ID`, 422, code, { value: 1 }],
  ]);
  const [status] = await shop.send(`PATCH ${part}`, { order_ID: 7, amount: 2 });
  assert.equal(status, 200);
  const [, items] = await shop.send(`GET ${DRAFT}/items?$select=ID`, undefined, "ben");
  assert.deepEqual((items as { value: Row[] }).value.map(({ ID }) => ID), [1]);
});

Deno.test("flags of drafts in bodies are Booleans, or their texts: anything else is 400 ASSERT_DATA_TYPE", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  const rows = await draftRows(shop);
  for (const value of [5, "x", [], {}]) {
    await expectAll(shop, [
      ["POST Orders", 400, "ASSERT_DATA_TYPE", { ID: 8, IsActiveEntity: value }],
      ["POST Orders", 400, "ASSERT_DATA_TYPE", { ID: 8, items: [{ ID: 8, HasActiveEntity: value }] }],
      [`PATCH ${DRAFT}`, 400, "ASSERT_DATA_TYPE", { HasDraftEntity: value }],
      [`POST ${DRAFT}/items`, 400, "ASSERT_DATA_TYPE", { ID: 8, IsActiveEntity: value }],
    ]);
  }
  assert.deepEqual(await draftRows(shop), rows);
  for (const [ID, text] of [[8, "false"], [9, "true"]] as const) {
    const [, made] = await shop.send("POST Orders", { ID, IsActiveEntity: text });
    assert.equal((made as Row).IsActiveEntity, text === "true");
  }
});

Deno.test("what a READ handler rejects behind a write is answered, and nothing is written", async () => {
  await using shop = await open();
  const service = await shop.runtime.connect("Shop");
  const refuse = (req: { reject(...given: unknown[]): void }) => req.reject(404, "Not on Sundays");
  service.before("READ", "Orders.drafts", refuse as never);
  await expectAll(shop, [["POST Orders", 404, "404", { ID: 8 }]]);
  assert.deepEqual(await draftRows(shop), [0, 0, 0]);
});

Deno.test("REST gives no part to an instance that a draft locks, by its own set either (drafts 3)", async () => {
  await using shop = await open();
  await shop.send("POST /rest/shop/Orders/2/items", { ID: 20, amount: 1 });
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await expectAll(shop, [
    ["POST /rest/shop/Items", 422, "DRAFT_MODIFICATION_ONLY_VIA_ROOT", { ID: 30, order_ID: 1 }, "ben"],
    ["PATCH /rest/shop/Items/20", 409, "DRAFT_ALREADY_EXISTS", { order_ID: 1 }, "ben"],
    ["POST /rest/shop/Orders/1/items", 409, "DRAFT_ALREADY_EXISTS", { ID: 31 }, "ben"],
  ]);
  assert.deepEqual((await shop.send("PATCH /rest/shop/Items/20", { amount: 2 }, "ben"))[0], 200);
  const [, items] = await shop.send("GET /rest/shop/Orders/1/items");
  assert.deepEqual((items as Row[]).map(({ ID }) => ID), [1]);
});
