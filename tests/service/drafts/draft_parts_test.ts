/** Parts of drafts: what is found wrong with them, and that they stay in their draft (drafts 6). */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const SOURCE = `
  entity my.Orders { key ID : Integer; title : String(10); @assert.range: [0, 9] amount : Integer;
    items : Composition of many my.Items on items.order = $self;
    head : Composition of one my.Heads;
    lines : Composition of many { key pos : Integer; @assert.range: [0, 9] q : Integer; } }
  entity my.Items { key ID : Integer; order : Association to my.Orders; @assert.range: [0, 9] qty : Integer; note : String(10);
    subs : Composition of many my.Subs on subs.item = $self; }
  entity my.Subs { key ID : Integer; item : Association to my.Items; @assert.range: [0, 9] n : Integer;
    deep : Composition of many my.Deep on deep.sub = $self; }
  entity my.Deep { key ID : Integer; sub : Association to my.Subs; @assert.range: [0, 9] n : Integer; }
  entity my.Heads { key ID : Integer; @assert.range: [0, 9] size : Integer; }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
    entity Heads as projection on my.Heads;
    entity Subs as projection on my.Subs;
    entity Deep as projection on my.Deep;
  }`;

/** Sends a request of a user, and gives its status and its body or the code of its error. */
type Send = (method: string, path: string, body?: object, user?: string) => Promise<readonly [number, Part]>;

// deno-lint-ignore no-explicit-any -- tests look into bodies without guards
type Part = any;

async function withShop(
  run: (send: Send, runtime: Runtime) => Promise<void>,
  handlers: (srv: ApplicationService) => void = () => {},
): Promise<void> {
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: { auth: { kind: "mocked" }, db: { kind: "sqlite" } },
      log: { levels: { default: "silent" } },
    },
    handlers: { Shop: handlers as never },
    data: new Map<string, Row[]>([
      ["my.Orders", [{ ID: 1, title: "one", head_ID: 5 }, { ID: 2, title: "two" }]],
      ["my.Items", [{ ID: 10, order_ID: 1, qty: 1 }, { ID: 20, order_ID: 2, qty: 2 }]],
      ["my.Heads", [{ ID: 5, size: 1 }]],
      ["my.Subs", [{ ID: 100, item_ID: 10, n: 1 }]],
      ["my.Deep", [{ ID: 1000, sub_ID: 100, n: 1 }]],
      ["my.Orders.lines", [{ up__ID: 1, pos: 1, q: 1 }]],
    ]),
  });
  await runtime.start();
  try {
    await run(async (method, path, body, user = "ann") => {
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/shop/${path}`, {
          method,
          headers: { authorization: `Basic ${btoa(`${user}:`)}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      const found = text === "" ? undefined : JSON.parse(text);
      return [response.status, found?.error?.code ?? found];
    }, runtime);
  } finally {
    await runtime.close();
  }
}

const draft = (id: number) => `Orders(ID=${id},IsActiveEntity=false)`;
const item = (id: number) => `Items(ID=${id},IsActiveEntity=false)`;
const edit = (send: Send, id: number, user?: string) =>
  send("POST", `Orders(ID=${id},IsActiveEntity=true)/Shop.draftEdit`, {}, user);

const shown = (messages: Part): readonly string[] =>
  messages.map(({ code, target, numericSeverity }: Part) => `${code} ${target} ${numericSeverity}`);

/** The messages that a draft keeps. */
async function messagesOf(send: Send, id = 1): Promise<readonly string[]> {
  const [, { DraftMessages }] = await send("GET", draft(id));
  return shown(DraftMessages);
}

Deno.test("what is wrong with a draft and its parts is kept with its place from the root, until it is repaired", () =>
  withShop(async (send) => {
    await edit(send, 1);
    const range = (path: string) => `ASSERT_RANGE /${draft(1)}/${path} 4`;
    const [amount, size] = [range("amount"), range("head/size")];
    const qty = (id: number) => range(`items(ID=${id},IsActiveEntity=false)/qty`);
    const q = range("lines(up__ID=1,pos=1,IsActiveEntity=false)/q");
    const line = "Orders_lines(up__ID=1,pos=1,IsActiveEntity=false)";
    const steps: readonly (readonly [given: Parameters<Send>, status: number, kept: readonly string[]])[] = [
      [["PATCH", draft(1), { amount: 10 }], 200, [amount]],
      [["PATCH", item(10), { qty: 11 }], 200, [qty(10), amount]],
      [["PATCH", `${draft(1)}/items(ID=10,IsActiveEntity=false)`, { qty: 12 }], 200, [qty(10), amount]],
      [["PATCH", line, { q: 12 }], 200, [q, qty(10), amount]],
      [["PATCH", "Heads(ID=5,IsActiveEntity=false)", { size: 12 }], 200, [size, q, qty(10), amount]],
      [["PATCH", `${draft(1)}/head`, { size: 13 }], 200, [size, q, qty(10), amount]],
      [["POST", `${draft(1)}/items`, { ID: 11, qty: 12 }], 201, [qty(11), size, q, qty(10), amount]],
      [["PATCH", item(10), { note: "x" }], 200, [qty(11), size, q, qty(10), amount]],
      [["PATCH", item(10), { qty: 1 }], 200, [qty(11), size, q, amount]],
      [["PATCH", draft(1), { amount: 1 }], 200, [qty(11), size, q]],
      [["PATCH", line, { q: 1 }], 200, [qty(11), size]],
      [["POST", `${draft(1)}/Shop.draftActivate`], 400, [qty(11), size]],
      [["DELETE", item(11)], 204, [size]],
      [["PATCH", `${draft(1)}/head`, { size: 1 }], 200, []],
    ];
    for (const [given, status, kept] of steps) {
      const [found] = await send(...given);
      assert.deepEqual(
        [found, (await messagesOf(send)).toSorted()],
        [status, kept.toSorted()],
        JSON.stringify(given),
      );
    }
    assert.equal((await send("POST", `${draft(1)}/Shop.draftActivate`))[0], 200);
    assert.equal((await send("GET", draft(1)))[0], 404);
  }));

Deno.test("messages about a part that is written by its set have its place from the root, however deep it is", () =>
  withShop(async (send) => {
    await edit(send, 1);
    const key = (id: number) => `(ID=${id},IsActiveEntity=false)`;
    const sub = `/${draft(1)}/items${key(10)}/subs${key(100)}`;
    assert.equal((await send("PATCH", `Subs${key(100)}`, { n: 10 }))[0], 200);
    assert.equal((await send("PATCH", `Deep${key(1000)}`, { n: 10 }))[0], 200);
    assert.deepEqual((await messagesOf(send)).toSorted(), [
      `ASSERT_RANGE ${sub}/deep${key(1000)}/n 4`,
      `ASSERT_RANGE ${sub}/n 4`,
    ]);
  }));

Deno.test("each part shows the messages about itself only", () =>
  withShop(async (send) => {
    await edit(send, 1);
    await send("PATCH", draft(1), {
      amount: 10,
      items: [{ ID: 10, qty: 11 }, { ID: 11, qty: 1 }, { ID: 12, qty: 12 }],
    });
    const [, { value }] = await send("GET", `${draft(1)}/items?$select=ID,DraftMessages&$orderby=ID`);
    const of = (id: number) => [`ASSERT_RANGE /${draft(1)}/items(ID=${id},IsActiveEntity=false)/qty 4`];
    assert.deepEqual(value.map(({ ID, DraftMessages }: Part) => [ID, shown(DraftMessages)]), [
      [10, of(10)],
      [11, []],
      [12, of(12)],
    ]);
    for (const select of ["qty", "ID", "DraftMessages", "*"]) {
      const [, one] = await send("GET", `${item(12)}?$select=${select}`);
      assert.deepEqual(shown(one.DraftMessages), of(12), select);
      const [, all] = await send("GET", `${draft(1)}/items?$select=${select}&$orderby=ID`);
      assert.deepEqual(all.value.map((row: Part) => shown(row.DraftMessages)), [of(10), [], of(12)], select);
    }
  }));

Deno.test("handlers of the active instance see what the draft has, with its parts, and their errors are kept with it", () => {
  const seen: [string, Row][] = [];
  const noted = (srv: ApplicationService) => {
    srv.before(
      ["CREATE", "UPDATE"],
      "Orders",
      (req) => void seen.push([req.event, structuredClone(req.data) as Row]),
    );
    srv.before("UPDATE", "Orders", (req) => {
      if ((req.data as Row).title === "bad") req.error({ status: 418, code: "BAD_TITLE", target: "title" });
    });
  };
  return withShop(async (send) => {
    await edit(send, 1);
    await send("PATCH", draft(1), { title: "bad" });
    assert.equal((await send("POST", `${draft(1)}/Shop.draftActivate`))[0], 418);
    assert.deepEqual(await messagesOf(send), [`BAD_TITLE /${draft(1)}/title 4`]);
    await send("PATCH", draft(1), { title: "good" });
    assert.deepEqual(await messagesOf(send), []);
    assert.equal((await send("POST", `${draft(1)}/Shop.draftActivate`))[0], 200);
    await send("POST", "Orders", { ID: 3, title: "new", items: [{ ID: 30, qty: 3 }] });
    assert.equal((await send("POST", `${draft(3)}/Shop.draftActivate`))[0], 201);
    const [, changed, created] = seen;
    assert.deepEqual([changed[0], changed[1].title, (changed[1].items as Row[]).map(({ ID }) => ID)], [
      "UPDATE",
      "good",
      [10],
    ]);
    assert.deepEqual([created[0], created[1].title, (created[1].items as Row[]).map(({ qty }) => qty)], [
      "CREATE",
      "new",
      [3],
    ]);
    for (const [, data] of seen) assert.equal("DraftAdministrativeData_DraftUUID" in data, false);
  }, noted);
});

Deno.test("parts stay in their draft, whichever way they are written", () =>
  withShop(async (send) => {
    await edit(send, 1);
    await edit(send, 2, "ben");
    const refused = [422, "DRAFT_MODIFICATION_ONLY_VIA_ROOT"];
    const locked = [403, "DRAFT_LOCKED_BY_ANOTHER_USER"];
    const cases: readonly (readonly [given: Parameters<Send>, answer: unknown])[] = [
      [["PATCH", item(10), { order_ID: 2 }], refused],
      [["PATCH", item(10), { order_ID: null }], refused],
      [["PATCH", item(10), { order: { ID: 2 } }], refused],
      [["PATCH", item(10), { order: null }], refused],
      [["PATCH", item(10), { order_ID: 1 }], 200],
      [["PATCH", item(10), { order: { ID: 1 } }], 200],
      [["POST", "Items", { ID: 30, order_ID: 2, IsActiveEntity: false }], refused],
      [["POST", "Items", { ID: 31, order_ID: 1, IsActiveEntity: false }], refused],
      [["POST", "Items", { ID: 32, IsActiveEntity: false }], refused],
      [["POST", `${draft(1)}/items`, { ID: 33 }], 201],
      [["POST", `${draft(2)}/items`, { ID: 34 }], locked],
      [["PATCH", item(20), { note: "x" }], locked],
      [["PATCH", draft(1), { items: [{ ID: 35 }, { ID: 10 }] }], 200],
      [["PATCH", draft(1), { head_ID: 5 }], 200],
      [["PATCH", draft(2), { head_ID: 5 }, "ben"], refused],
      [["PATCH", draft(2), { head: { ID: 5, size: 3 } }, "ben"], refused],
      [["PATCH", draft(2), { head: { ID: 6, size: 3 } }, "ben"], 200],
      [["PATCH", draft(2), { head: { ID: 6, size: 4 } }, "ben"], 200],
      [["PATCH", draft(1), { head_ID: 6 }], refused],
      [["PATCH", draft(1), { head_ID: 7 }], refused],
      [["PATCH", draft(1), { head_ID: null }], 200],
    ];
    for (const [given, answer] of cases) {
      const found = await send(...given);
      assert.deepEqual(typeof answer === "number" ? found[0] : found, answer, JSON.stringify(given));
    }
  }));
