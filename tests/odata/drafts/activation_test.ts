/**
 * What activation writes, who may work with drafts, and what keeps others out.
 */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; title : String(40); note : String(40); price : Integer @assert.range: [0, 100];
      customer : Association to Customers @assert.target; reader : String = $user.id;
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; amount : Integer @assert.range: [1, 9]; }
    entity Customers { key ID : Integer; }
  }
  @protocol: ['odata', 'rest']
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders actions { action close(); };
    entity Items as projection on my.Items;
    entity Customers as projection on my.Customers;
  }
  service Guarded {
    @odata.draft.enabled
    @restrict: [{ grant: 'READ', to: 'Viewer' }, { grant: ['READ', 'CREATE', 'UPDATE', 'DELETE'], to: 'Clerk' }]
    entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
  }`;
const ACTIVE = "Orders(ID=1,IsActiveEntity=true)";
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- answers are looked at member by member
  readonly body: any;
  readonly messages: readonly Row[];
}

interface Shop extends AsyncDisposable {
  readonly runtime: Runtime;
  send(request: string, body?: unknown, user?: string): Promise<Answer>;
}

async function open(
  fiori: object = {},
  users: Record<string, string[]> = {},
  register: (srv: ApplicationService) => void = () => {},
): Promise<Shop> {
  const roles = { ann: ["Clerk"], ben: ["Clerk"], dora: ["Viewer"], ...users };
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: {
        auth: {
          kind: "mocked",
          id_prefix: "",
          users: Object.fromEntries(Object.entries(roles).map(([name, given]) => [name, { roles: given }])),
        },
        db: { kind: "sqlite" },
      },
      fiori,
      log: { levels: { default: "silent" } },
    },
    handlers: {
      Shop: (srv) => {
        srv.on("close", "Orders", (req) => {
          return srv.run({ UPDATE: { entity: req.subject, data: { note: "closed" } } }).then(() => undefined);
        });
        register(srv);
      },
    },
    data: new Map<string, Row[]>([
      ["my.Orders", [{ ID: 1, title: "First", note: "n", price: 5 }]],
      ["my.Items", [{ ID: 1, order_ID: 1, amount: 1 }, { ID: 2, order_ID: 1, amount: 2 }]],
    ]),
  });
  await runtime.start();
  return {
    runtime,
    async send(request, body, user = "ann") {
      const { status, body: answer, headers } = await sendLine(runtime, request, { user, body });
      return { status, body: answer, messages: JSON.parse(headers.get("fw-messages") ?? "[]") };
    },
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

Deno.test("activation leaves what an action changed of the active instance meanwhile", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send(`PATCH ${DRAFT}`, { title: "Mine" });
  await shop.send(`POST ${ACTIVE}/close`, {}, "ben");
  const { status, body, messages } = await shop.send(`POST ${DRAFT}/draftActivate`, {});
  assert.equal(status, 200);
  assert.deepEqual([body.title, body.note, body.price], ["Mine", "closed", 5]);
  assert.deepEqual(messages, []);
});

Deno.test("of an element that was changed on both sides, activation takes the draft, with a warning", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send(`PATCH ${DRAFT}`, { note: "mine" });
  await shop.send(`POST ${ACTIVE}/close`, {}, "ben");
  const { body, messages } = await shop.send(`POST ${DRAFT}/draftActivate`, {});
  assert.equal(body.note, "mine");
  assert.deepEqual(messages.map(({ code, target, numericSeverity }) => [code, target, numericSeverity]), [
    ["DRAFT_CHANGED_MEANWHILE", "note", 3],
  ]);
});

Deno.test("activation leaves parts that others added, changed and deleted, where the draft did not touch them", async () => {
  await using shop = await open();
  const db = shop.runtime.db!;
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send(`PATCH ${DRAFT}/items(ID=1,IsActiveEntity=false)`, { amount: 9 });
  await shop.send(`POST ${DRAFT}/items`, { ID: 4, amount: 4 });
  await db.run({ INSERT: { into: "my.Items", entries: [{ ID: 3, order_ID: 1, amount: 3 }] } });
  await db.run({ DELETE: { from: "my.Items", where: [{ ref: ["ID"] }, "=", { val: 2 }] } });
  const { status, messages } = await shop.send(`POST ${DRAFT}/draftActivate`, {});
  assert.equal(status, 200);
  assert.deepEqual(messages, []);
  const { body } = await shop.send(`GET ${ACTIVE}/items?$orderby=ID`);
  assert.deepEqual(body.value.map(({ ID, amount }: Row) => [ID, amount]), [[1, 9], [3, 3], [4, 4]]);
});

Deno.test("a new draft does not replace the instance that somebody made with its key", async () => {
  await using shop = await open();
  assert.equal((await shop.send("POST Orders", { ID: 1, title: "Other" })).status, 201);
  const { status, body } = await shop.send(`POST ${DRAFT}/draftActivate`, {});
  assert.deepEqual([status, body.error.code], [409, "ENTITY_ALREADY_EXISTS"]);
  assert.equal((await shop.send(`GET ${ACTIVE}`)).body.title, "First");
  assert.equal((await shop.send(`GET ${DRAFT}`)).body.title, "Other");
});

Deno.test("the draft of a deleted instance can be activated", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.runtime.db!.run({ DELETE: { from: "my.Orders", where: [{ ref: ["ID"] }, "=", { val: 1 }] } });
  assert.equal((await shop.send(`POST ${DRAFT}/draftActivate`, {})).status, 201);
  const { body } = await shop.send(`GET ${ACTIVE}?$expand=items`);
  assert.deepEqual([body.title, body.items.length], ["First", 2]);
});

Deno.test("what activation finds without other rows is told before the rest", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send(`PATCH ${DRAFT}`, { price: 500, customer_ID: 77 });
  const first = await shop.send(`POST ${DRAFT}/draftActivate`, {});
  assert.deepEqual([first.status, first.body.error.code, first.body.error.target], [
    400,
    "ASSERT_RANGE",
    "in/price",
  ]);
  await shop.send(`PATCH ${DRAFT}`, { price: 50 });
  assert.equal((await shop.send(`POST ${DRAFT}/draftActivate`, {})).body.error.code, "ASSERT_TARGET");
});

Deno.test("targets that handlers of the activation set are answered as they are, those of checks start at the parameter (drafts 5)", async () => {
  const cases: readonly [code: string, target?: string, answered?: string][] = [
    ["OWN", "title", "title"],
    ["OWN"],
    ["ASSERT_RANGE", "price", "in/price"],
    ["ASSERT_RANGE"],
  ];
  let single: string | undefined;
  await using shop = await open({}, {}, (srv) => {
    srv.before("SAVE", "Orders", (req) => {
      for (const [code, target] of cases) {
        const error = { status: 400, code, message: "no", target };
        if (single === `${code} ${target}`) req.reject(error);
        if (single === undefined) req.error(error);
      }
    });
  });
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  const all = (await shop.send(`POST ${DRAFT}/draftActivate`, {})).body.error;
  assert.deepEqual(
    [all.target, all.details.map(({ code, target }: Row) => [code, target])],
    ["in", cases.map(([code, , answered]) => [code, answered])],
  );
  for (const one of cases) {
    single = `${one[0]} ${one[1]}`;
    const { error } = (await shop.send(`POST ${DRAFT}/draftActivate`, {})).body;
    assert.deepEqual([error.code, error.target], [one[0], one[2]]);
  }
});

Deno.test("messages of writes through the set of a part have the path from the root", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send("PATCH Items(ID=1,IsActiveEntity=false)", { amount: 77 });
  const { body } = await shop.send(`GET ${DRAFT}?$select=DraftMessages`);
  assert.deepEqual(body.DraftMessages.map(({ target }: Row) => target), [
    "/Orders(ID=1,IsActiveEntity=false)/items(ID=1,IsActiveEntity=false)/amount",
  ]);
  const parts = await shop.send(`GET ${DRAFT}/items?$orderby=ID`);
  assert.deepEqual(parts.body.value.map(({ DraftMessages }: Row) => (DraftMessages as Row[]).length), [1, 0]);
});

Deno.test("who may not write is told so, and nothing of who holds the draft", async () => {
  await using shop = await open();
  const root = "/odata/v4/guarded/";
  await shop.send(`POST ${root}${ACTIVE}/draftEdit`, {});
  for (
    const request of [
      `PATCH ${root}${DRAFT}`,
      `POST ${root}${DRAFT}/draftPrepare`,
      `POST ${root}${DRAFT}/draftActivate`,
      `DELETE ${root}${DRAFT}`,
    ]
  ) {
    const body = request.startsWith("DELETE") ? undefined : {};
    const refused = await shop.send(request, body, "dora");
    assert.deepEqual([refused.status, refused.body.error.code], [403, "403"], request);
    const locked = await shop.send(request, body, "ben");
    assert.deepEqual([locked.status, locked.body.error.code], [403, "DRAFT_LOCKED_BY_ANOTHER_USER"], request);
  }
});

Deno.test("REST does not write what has a draft", async () => {
  await using shop = await open();
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  const changed = await shop.send("PATCH /rest/shop/Orders/1", { title: "Rest" }, "ben");
  assert.deepEqual([changed.status, changed.body.error.code], [409, "DRAFT_ALREADY_EXISTS"]);
  const part = await shop.send("PATCH /rest/shop/Items/1", { amount: 5 }, "ben");
  assert.equal(part.status, 409);
  const deleted = await shop.send("DELETE /rest/shop/Orders/1", undefined, "ben");
  assert.deepEqual([deleted.status, deleted.body.error.code], [
    403,
    "DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS",
  ]);
  const { body } = await shop.send(`GET ${ACTIVE}?$expand=items`);
  assert.deepEqual([body.title, body.items[0].amount], ["First", 1]);
  await shop.send(`DELETE ${DRAFT}`);
  assert.equal((await shop.send("PATCH /rest/shop/Orders/1", { title: "Rest" })).status, 200);
});

Deno.test("drafts past their time go by a task of the queue", async () => {
  await using shop = await open({ draft_deletion_timeout: 1 });
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  const db = shop.runtime.db!;
  const tasks = await db.run({ SELECT: { from: { ref: ["fw.outbox.Messages"] } } }) as Row[];
  assert.deepEqual(tasks.map(({ task }) => task), ["draftCleanup"]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await shop.runtime.services.Shop!.send("draftCleanup");
  for (const name of ["Shop.Orders.drafts", "Shop.Items.drafts", "DRAFT.DraftAdministrativeData"]) {
    assert.deepEqual(await db.run({ SELECT: { from: { ref: [name] } } }), [], name);
  }
});

Deno.test("drafts are read in the context of the request, where no handler is registered", async () => {
  await using shop = await open();
  const root = "/odata/v4/guarded/";
  await shop.send(`POST ${root}${ACTIVE}/draftEdit`, {});
  for (const path of ["Orders?$filter=IsActiveEntity eq false&$select=reader", `${DRAFT}?$select=reader`]) {
    const { body } = await shop.send(`GET ${root}${path}`);
    assert.equal((body.value?.[0] ?? body).reader, "ann", path);
  }
});

Deno.test("who has no grant any more does not see the own drafts", async () => {
  await using shop = await open({}, { ann: ["Clerk"], eve: [] });
  const root = "/odata/v4/guarded/";
  await shop.send(`POST ${root}${ACTIVE}/draftEdit`, {});
  await shop.runtime.db!.run({
    UPDATE: { entity: "DRAFT.DraftAdministrativeData", data: { CreatedByUser: "eve" } },
  });
  for (const path of [DRAFT, "Orders?$filter=IsActiveEntity eq false", `${DRAFT}/title`]) {
    assert.equal((await shop.send(`GET ${root}${path}`, undefined, "eve")).status, 403, path);
  }
  assert.equal((await shop.send(`PATCH ${root}${DRAFT}`, { title: "x" }, "eve")).status, 403);
});

Deno.test("the event ACTIVATE is around the write of the active instance, and * does not include it", async () => {
  const log: string[] = [];
  await using shop = await open({}, {}, (srv) => {
    const { drafts } = srv.entities.Orders;
    srv.before("ACTIVATE", "Orders", (req) => {
      log.push(`before ${req.target!.name} ${JSON.stringify(req.data)}`);
      req.warn("Soon", "title");
    });
    srv.before("SAVE", "Orders", (req) => {
      log.push(`save ${req.event}`);
      req.info("Saved", "title");
    });
    srv.after("ACTIVATE", drafts as never, (row: unknown) => void log.push(`after ${(row as Row).title}`));
    srv.before("*", ({ event }) => void (event === "ACTIVATE" && log.push("any")));
    srv.on("ACTIVATE", drafts as never, (req, next) => {
      return (req.data as Row).ID === 9 ? req.reject(409, "Not now", "note") : next();
    });
  });
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send(`PATCH ${DRAFT}`, { title: "Mine" });
  const { status, messages } = await shop.send(`POST ${DRAFT}/draftActivate`, {});
  assert.equal(status, 200);
  assert.deepEqual(log, ['before Shop.Orders.drafts {"ID":1}', "save UPDATE", "after Mine"]);
  assert.deepEqual(messages.map(({ message }) => message), ["Soon", "Saved"]);
  await shop.send("POST Orders", { ID: 9 });
  const refused = await shop.send("POST Orders(ID=9,IsActiveEntity=false)/draftActivate", {});
  assert.deepEqual([refused.status, refused.body.error.message], [409, "Not now"]);
  const { body } = await shop.send("GET Orders(ID=9,IsActiveEntity=false)");
  assert.deepEqual(body.DraftMessages.map(({ message }: Row) => message), ["Not now"]);
});

Deno.test("a failed activation is answered when the messages of its draft are kept", async () => {
  await using shop = await open();
  const db = shop.runtime.db!;
  await shop.send(`POST ${ACTIVE}/draftEdit`, {});
  await shop.send(`PATCH ${DRAFT}`, { price: 500 });
  const tx = db.tx.bind(db) as (...given: unknown[]) => Promise<unknown>;
  let begun = 0;
  let ended = 0;
  db.tx = (async (...given: unknown[]) => {
    begun++;
    for (let turn = 0; turn < 5; turn++) await new Promise((go) => setTimeout(go));
    const result = await tx(...given);
    ended++;
    return result;
  }) as typeof db.tx;
  assert.equal((await shop.send(`POST ${DRAFT}/draftActivate`, {})).status, 400);
  assert.notEqual(begun, 0);
  assert.equal(ended, begun);
});
