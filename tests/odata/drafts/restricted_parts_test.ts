/**
 * Rights in drafts: parts are covered by the restriction of their root, and what drafts lead to is restricted as everywhere
 * (drafts 0 "Items", "Order of checks").
 */

import assert from "node:assert/strict";
import { createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; title : String(40); owner : String(20); vault : Association to Vaults;
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; label : String(40);
      remarks : Composition of many Remarks on remarks.item = $self; }
    entity Remarks { key ID : Integer; item : Association to Items; text : String(40); }
    entity Vaults { key ID : Integer; code : String(20); owner : String(20); }
    entity Logs { key ID : Integer; item : Association to Items; }
  }
  service Shop {
    @odata.draft.enabled
    @restrict: [{ grant: ['READ', 'UPDATE', 'DELETE'], to: 'Clerk', where: (owner = $user or owner = 'all') },
                { grant: 'CREATE', to: 'Clerk' }, { grant: '*', to: 'Boss' }]
    entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
    entity Remarks as projection on my.Remarks;
    entity Logs as projection on my.Logs;
    @restrict: [{ grant: 'READ', where: (owner = $user) }]
    entity Vaults as projection on my.Vaults;
  }`;
const ACTIVE = "Orders(ID=1,IsActiveEntity=true)";
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";
const BY_ID = [{ ref: ["ID"] }, "=" as const, { val: 1 }];

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- answers are looked at member by member
  readonly body: any;
}

async function withShop(
  run: (send: (user: string, request: string, body?: unknown) => Promise<Answer>, db: Runtime) => unknown,
): Promise<void> {
  const users = { ann: { roles: ["Clerk"] }, ben: { roles: ["Clerk"] }, boss: { roles: ["Boss"] }, eve: {} };
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users }, db: { kind: "sqlite" } },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([
      ["my.Orders", [1, 2].map((ID) => ({ ID, title: "t", owner: ID === 1 ? "ann" : "ben", vault_ID: 1 }))],
      ["my.Items", [1, 2].map((ID) => ({ ID, order_ID: ID, label: "l" }))],
      ["my.Remarks", [1, 2].map((ID) => ({ ID, item_ID: ID, text: "r" }))],
      ["my.Vaults", [{ ID: 1, code: "hidden", owner: "boss" }]],
      ["my.Logs", [1, 2].map((ID) => ({ ID, item_ID: ID }))],
    ]),
  });
  await runtime.start();
  try {
    await run((user, request, body) => sendLine(runtime, request, { user, body }), runtime);
  } finally {
    await runtime.close();
  }
}

const ids = ({ body }: Answer): unknown => body.value.map(({ ID }: Row) => ID);

Deno.test("the sets of parts show those of permitted roots, at every level and by every way", async () => {
  await withShop(async (send) => {
    for (const path of ["Items", "Remarks", "Items?$expand=remarks", "Logs(1)/item/remarks"]) {
      assert.deepEqual(ids(await send("ann", `GET ${path}`)), [1], path);
    }
    assert.deepEqual(ids(await send("boss", "GET Items")), [1, 2]);
    assert.equal((await send("ann", "GET Items(ID=2,IsActiveEntity=true)")).status, 404);
    assert.equal((await send("ann", "GET Items/$count")).body, "1");
    assert.equal((await send("ann", "GET Logs(2)/item/remarks")).status, 404);
    const { body } = await send("ann", "GET Logs?$expand=item");
    assert.deepEqual(body.value.map(({ item }: Row) => item === null), [false, true]);
    assert.deepEqual(ids(await send("ann", "GET Logs?$filter=item/label eq 'l'")), [1]);
    for (const path of ["Items", "Remarks(ID=1,IsActiveEntity=true)", "Logs?$expand=item"]) {
      assert.equal((await send("eve", `GET ${path}`)).status, 403, path);
    }
  });
});

Deno.test("who may not write a root is told so at its parts, and nothing of who holds the draft", async () => {
  await withShop(async (send) => {
    await send("boss", `POST ${ACTIVE}/draftEdit`, {});
    const requests: [string, unknown?][] = [
      ["PATCH Items(ID=1,IsActiveEntity=false)", { label: "x" }],
      ["DELETE Items(ID=1,IsActiveEntity=false)"],
      [`POST ${DRAFT}/items`, { ID: 9 }],
      [`PATCH ${DRAFT}/items(ID=1,IsActiveEntity=false)`, { label: "x" }],
      ["POST Items(ID=1,IsActiveEntity=false)/draftPrepare", {}],
      ["GET Items?$filter=IsActiveEntity eq false"],
      ["DELETE Items(ID=2,IsActiveEntity=true)"],
    ];
    for (const [request, body] of requests) {
      const { status, body: { error } } = await send("eve", request, body);
      assert.deepEqual([status, error.code, error.message], [403, "403", "Forbidden"], request);
    }
    assert.equal((await send("ann", "DELETE Items(ID=2,IsActiveEntity=true)")).status, 403);
  });
});

Deno.test("who may change a root may change its parts in drafts, and activate them", async () => {
  await withShop(async (send) => {
    await send("ann", `POST ${ACTIVE}/draftEdit`, {});
    await send("ann", `POST ${DRAFT}/items`, { ID: 9, label: "new", remarks: [{ ID: 9 }] });
    assert.equal((await send("ann", "PATCH Items(ID=1,IsActiveEntity=false)", { label: "x" })).status, 200);
    assert.equal((await send("ann", "DELETE Remarks(ID=1,IsActiveEntity=false)")).status, 204);
    assert.equal((await send("ann", `POST ${DRAFT}/draftActivate`, {})).status, 200);
    assert.deepEqual(ids(await send("ann", "GET Items?$orderby=ID")), [1, 9]);
    assert.deepEqual(ids(await send("ann", "GET Remarks")), [9]);
  });
});

Deno.test("who may not change an instance any more does not activate the draft of it", async () => {
  await withShop(async (send, { services }) => {
    await send("ann", `POST ${ACTIVE}/draftEdit`, {});
    await send("ann", `PATCH ${DRAFT}`, { title: "mine", owner: "all" });
    await services.db!.run({ UPDATE: { entity: "my.Orders", data: { owner: "ben" }, where: BY_ID } });
    assert.equal((await send("ann", `POST ${DRAFT}/draftActivate`, {})).status, 403);
    assert.equal((await send("boss", `GET ${ACTIVE}`)).body.title, "t");
  });
});

Deno.test("what a draft leads to is restricted as everywhere", async () => {
  await withShop(async (send) => {
    await send("ann", `POST ${ACTIVE}/draftEdit`, {});
    const own = "$filter=IsActiveEntity eq false";
    for (
      const path of [
        `${DRAFT}?$expand=vault`,
        `${DRAFT}/items(ID=1,IsActiveEntity=false)/order?$expand=vault`,
      ]
    ) {
      assert.equal((await send("ann", `GET ${path}`)).body.vault, null, path);
    }
    assert.equal((await send("ann", `GET ${DRAFT}/vault`)).status, 204);
    assert.deepEqual(ids(await send("ann", `GET Orders?${own} and vault/code eq 'hidden'`)), []);
    const listed = await send(
      "ann",
      `GET Orders?${own} or SiblingEntity/IsActiveEntity eq null&$expand=vault`,
    );
    assert.deepEqual(listed.body.value.map(({ vault }: Row) => vault), [null]);
    const grouped = await send(
      "ann",
      "GET Orders?$apply=filter(IsActiveEntity eq false)/groupby((vault/code))",
    );
    assert.deepEqual(grouped.body.value, [{ vault: { code: null }, IsActiveEntity: false }]);
    const { body } = await send("ann", `POST ${DRAFT}/draftPrepare?$expand=vault`, {});
    assert.equal(body.vault, null);
  });
});

Deno.test("what may be created and not be read is created, and not shown (Protocol 11.4.2)", async () => {
  await withShop(async (send) => {
    const created = await send("ann", "POST Orders", { ID: 7, owner: "ben", IsActiveEntity: true });
    assert.deepEqual([created.status, created.body], [204, ""]);
    await send("ann", "POST Orders", { ID: 8, owner: "ben" });
    assert.equal((await send("ann", "POST Orders(ID=8,IsActiveEntity=false)/draftActivate", {})).status, 204);
    assert.deepEqual(ids(await send("boss", "GET Orders?$filter=IsActiveEntity eq true&$orderby=ID")), [
      1,
      2,
      7,
      8,
    ]);
    assert.deepEqual(ids(await send("ann", "GET Orders?$filter=IsActiveEntity eq true")), [1]);
  });
});
