/**
 * What handlers of writes of drafts read of their place: `req.path` is that of the target without navigation (spec 2.3).
 */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "./send_line.ts";

const MODEL = parseCdl(`
  service Shop {
    @odata.draft.enabled entity Orders { key ID : Integer; title : String; items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; }
  }`);

const [ACTIVE, DRAFT] = ["Orders(ID=1,IsActiveEntity=true)", "Orders(ID=1,IsActiveEntity=false)"];

/** Requests, and the events that handlers of each entity see, with their paths. */
const REQUESTS: readonly [request: string, body: unknown, ...seen: string[]][] = [
  ["POST Orders", { ID: 2 }, "NEW Orders.drafts Orders.drafts", "CREATE Orders.drafts Orders.drafts"],
  ["POST Orders", { ID: 3, IsActiveEntity: true }, "CREATE Orders Orders"],
  [`POST ${ACTIVE}/items`, { ID: 1 }, "CREATE Items Orders/items"],
  [`PATCH ${ACTIVE}`, { title: "a" }, "UPDATE Orders Orders"],
  [`POST ${ACTIVE}/draftEdit`, {}, "EDIT Orders Orders"],
  [`PATCH ${DRAFT}`, { title: "b" }, "UPDATE Orders.drafts Orders.drafts"],
  [
    `POST ${DRAFT}/items`,
    { ID: 2 },
    "NEW Items.drafts Orders.drafts/items",
    "CREATE Items.drafts Items.drafts",
  ],
  [
    `PATCH ${DRAFT}/items(ID=2,IsActiveEntity=false)`,
    {},
    "UPDATE Items.drafts Orders.drafts/items",
  ],
  ["PATCH Items(ID=2,IsActiveEntity=false)", {}, "UPDATE Items.drafts Items.drafts"],
  [
    `DELETE ${DRAFT}/items(ID=2,IsActiveEntity=false)`,
    undefined,
    "CANCEL Items.drafts Orders.drafts/items",
    "DELETE Items.drafts Items.drafts",
  ],
  [`POST ${DRAFT}/draftActivate`, {}, "UPDATE Orders Orders"],
  [
    "DELETE Orders(ID=2,IsActiveEntity=false)",
    undefined,
    "CANCEL Orders.drafts Orders.drafts",
    "DELETE Orders.drafts Orders.drafts",
  ],
  [`DELETE ${ACTIVE}`, undefined, "DELETE Orders Orders"],
];

Deno.test("req.path of writes of drafts is their target, of parts behind a navigation that to them", async () => {
  let seen: string[] = [];
  const register = (srv: ApplicationService) => {
    for (const name of ["Orders", "Orders.drafts", "Items", "Items.drafts"]) {
      srv.before("*", name, ({ event, path }) => {
        if (event !== "READ") seen.push(`${event} ${name} ${path.replace(/^Shop\./, "")}`);
      });
    }
  };
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    handlers: { Shop: (srv) => register(srv as ApplicationService) },
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {} } }, db: { kind: "memory" } },
      fiori: { bypass_draft: true },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([["Shop.Orders", [{ ID: 1, title: "first" }]]]),
  });
  await runtime.start();
  try {
    for (const [request, body, ...expected] of REQUESTS) {
      seen = [];
      const { status } = await sendLine(runtime, request, { user: "ann", body });
      assert.ok(status < 300, `${request} ${status}`);
      assert.deepEqual(seen, expected, request);
    }
  } finally {
    await runtime.close();
  }
});

Deno.test("req.subject of actions of drafts names their rows by keys without the kind, which its entity tells", async () => {
  const subjects: unknown[] = [];
  const runtime = createRuntime({
    model: parseCdl(`service Shop {
      @odata.draft.enabled entity Orders { key ID : Integer; key no : Integer; } actions { action peek(); }
    }`),
    kinds: denoKinds,
    handlers: { Shop: (srv) => void srv.on("peek", (req) => void subjects.push(req.subject.ref[0])) },
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users: { ann: {} } }, db: { kind: "memory" } },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([["Shop.Orders", [{ ID: 1, no: 2 }]]]),
  });
  await runtime.start();
  try {
    const keys = [
      "IsActiveEntity=true,ID=1,no=2",
      "ID=1,IsActiveEntity=true,no=2",
      "ID=1,no=2,IsActiveEntity=true",
    ];
    for (const key of keys) {
      const { status } = await sendLine(runtime, `POST Orders(${key})/peek`, { user: "ann", body: {} });
      assert.equal(status, 204, key);
    }
  } finally {
    await runtime.close();
  }
  const where = [{ ref: ["ID"] }, "=", { val: 1 }, "and", { ref: ["no"] }, "=", { val: 2 }];
  assert.deepEqual(subjects, Array(3).fill({ id: "Shop.Orders", where }));
});
