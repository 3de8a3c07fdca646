/** What handlers find in requests of drafts (drafts 2). */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl, parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { sendLine } from "../../odata/drafts/send_line.ts";
import { withApp } from "../../data/app.ts";

const SOURCE = `service Shop {
  @odata.draft.enabled entity Orders { key ID : UUID; title : String(10);
    items : Composition of many Items on items.order = $self; note : Composition of one Notes; }
  entity Items { key ID : UUID; order : Association to Orders; no : Integer; parts : Composition of many Parts on parts.item = $self; }
  entity Parts { key ID : UUID; key no : Integer; item : Association to Items; }
  entity Notes { key ID : UUID; }
}`;

Deno.test("handlers of NEW find the keys of the new row and of all its parts, as far as they are generated", async () => {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    env: { requires: { auth: { kind: "mocked" } }, log: { levels: { default: "silent" } } },
  });
  await runtime.start();
  try {
    const srv = runtime.services.Shop as ApplicationService;
    const seen: Row[] = [];
    srv.before("NEW", "Orders.drafts", ({ data }) => void seen.push(structuredClone(data as Row)));
    const given = crypto.randomUUID();
    const made = async (data: Row) => {
      await srv.tx({ user: "ann" }, async () => await srv.new("Orders", data));
      return seen.pop()!;
    };
    const isUuid = (value: unknown) => /^[0-9a-f-]{36}$/.test(String(value));
    const plain = await made({ title: "a", note: null });
    assert.deepEqual([isUuid(plain.ID), plain.note, "items" in plain], [true, null, false]);
    const deep = await made({
      ID: given,
      note: {},
      items: [{ no: 1, parts: [{ no: 7 }] }, { no: 2, ID: given, parts: [] }],
    });
    const [first, second] = deep.items as Row[];
    assert.equal(deep.ID, given);
    assert.ok(isUuid((deep.note as Row).ID));
    assert.ok(isUuid(first!.ID));
    assert.deepEqual([second!.ID, second!.parts], [given, []]);
    const [part] = first!.parts as Row[];
    assert.deepEqual([isUuid(part!.ID), part!.no], [true, 7]);
  } finally {
    await runtime.close();
  }
});

Deno.test("who may create rows of a condition may begin drafts, whichever rows there are; others may not", async () => {
  const runtime = createRuntime({
    model: parseCdl(`service Shop {
      @odata.draft.enabled @restrict: [{ grant: 'CREATE', to: 'Clerk', where: (owner = $user) }]
      entity Orders { key ID : Integer; owner : String(9); }
    }`),
    kinds: denoKinds,
    data: new Map([["Shop.Orders", [{ ID: 1, owner: "boss" }]]]),
    env: {
      requires: {
        auth: { kind: "mocked", id_prefix: "", users: { ann: { roles: ["Clerk"] }, ben: {} } },
        db: { kind: "sqlite" },
      },
      log: { levels: { default: "silent" } },
    },
  });
  await runtime.start();
  try {
    const statusOf = async (line: string, user: string, body: Row) =>
      (await sendLine(runtime, line, { user, body })).status;
    assert.equal(await statusOf("POST Orders", "ann", { ID: 2, owner: "ann" }), 201);
    assert.equal(await statusOf("POST Orders", "ben", { ID: 3, owner: "ben" }), 403);
    const activate = "POST Orders(ID=2,IsActiveEntity=false)/Shop.draftActivate";
    assert.equal(await statusOf("PATCH Orders(ID=2,IsActiveEntity=false)", "ann", { owner: "boss" }), 200);
    assert.equal(await statusOf(activate, "ann", {}), 403);
    assert.equal(await statusOf("PATCH Orders(ID=2,IsActiveEntity=false)", "ann", { owner: "ann" }), 200);
    assert.equal(await statusOf(activate, "ann", {}), 204);
  } finally {
    await runtime.close();
  }
});

Deno.test("who changes drafts needs a login where the entity needs one, in services that are open to any, too (spec 5.2.7, drafts 3)", () =>
  withApp({
    model: `@requires: 'any' service Test {
      @odata.draft.enabled entity Orders { key ID : Integer; items : Composition of many Items on items.order = $self; }
      entity Items { key ID : Integer; order : Association to Orders; }
      @requires: 'any' @odata.draft.enabled entity Open { key ID : Integer; }
    }`,
    rows: { "Test.Orders": [{ ID: 1 }] },
  }, async ({ post, patch, send }) => {
    const headers = { authorization: `Basic ${btoa("ann:")}` };
    const draft = "Orders(ID=2,IsActiveEntity=false)";
    const statuses = async (sent?: Record<string, string>) =>
      [
        await post("Orders", { ID: 2 }, sent),
        await post("Orders(ID=1,IsActiveEntity=true)/Test.draftEdit", {}, sent),
        await patch(draft, {}, sent),
        await post(`${draft}/items`, { ID: 1 }, sent),
        await post(`${draft}/Test.draftPrepare`, {}, sent),
        await post(`${draft}/Test.draftActivate`, {}, sent),
        await send("DELETE", "Orders(ID=1,IsActiveEntity=false)", { headers: sent }),
      ].map(({ status }) => status);
    const refused = Array.from({ length: 7 }, () => 401);
    assert.deepEqual(await statuses(), refused);
    assert.deepEqual(await statuses(headers), [201, 201, 200, 201, 200, 201, 204]);
    assert.equal((await post("Open", { ID: 1 })).status < 300, true);
  }));
