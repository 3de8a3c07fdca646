/** Rows are deleted with their parts, which may have restrictions of their own (auth 7). */

import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import { DELETE } from "../../../src/cqn/builders/delete.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import type { Runtime } from "../../../src/fw/runtime.ts";
import { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { withApp } from "../../data/app.ts";

const TEXT = `
context my {
  entity Orders { key ID: Integer; note: String; items: Composition of many Items on items.order = $self;
    boxes: Composition of many { key no: Integer; labels: Composition of many Labels on labels.box = $self; }; }
  entity Items { key ID: Integer; price: Integer; order: Association to Orders;
    items: Composition of many Items on items.whole = $self; whole: Association to Items; }
  entity Labels { key ID: Integer; text: String; box: Association to Orders.boxes; }
}
service S {
  entity Orders as projection on my.Orders;
  @restrict: [{ grant: ['READ', 'UPDATE'] }, { grant: 'DELETE', to: 'seller', where: 'price < 10' }, { to: 'boss' }]
  entity Items as projection on my.Items;
  @restrict: [{ grant: ['READ', 'UPDATE'] }, { to: 'boss' }] entity Labels as projection on my.Labels;
  @restrict: [{ grant: 'CREATE', to: 'creator' }, { grant: 'UPDATE', to: 'updater' }, { to: 'boss' }]
  entity Notes { key ID: Integer; text: String; }
  entity Open { key ID: Integer; pages: Composition of many Pages on pages.whole = $self; }
  @requires: 'authenticated-user' entity Pages { key ID: Integer; whole: Association to Open; }
  @restrict: [{ where: 'text <> ''b''' }] entity Many { key ID: Integer; key no: Integer; text: String; }
}`;
const users = {
  sally: { roles: ["seller"] },
  boss: { roles: ["boss"] },
  cleo: { roles: ["creator"] },
  uwe: { roles: ["updater"] },
  both: { roles: ["creator", "updater"] },
  nora: {},
};
const DATA: [string, Record<string, unknown>[]][] = [
  ["my.Orders", [1, 2, 3, 4, 5].map((ID) => ({ ID }))],
  ["my.Items", [
    { ID: 1, price: 5, order_ID: 1 },
    { ID: 2, price: 50, order_ID: 2 },
    { ID: 3, price: 5, order_ID: 3 },
    { ID: 4, price: 50, whole_ID: 3 },
    { ID: 5, price: 5, order_ID: 5, whole_ID: 5 },
  ]],
  ["my.Orders.boxes", [{ up__ID: 4, no: 1 }, { up__ID: 4, no: 2 }]],
  ["my.Labels", [{ ID: 1, text: "a", box_up__ID: 4, box_no: 1 }]],
  ["S.Open", [{ ID: 1 }, { ID: 2 }]],
  ["S.Pages", [{ ID: 1, whole_ID: 1 }]],
  ["S.Notes", [{ ID: 1, text: "a" }]],
  ["S.Many", Array.from({ length: 250 }, (_, ID) => ({ ID, no: ID % 3, text: "a" }))],
];

type Send = (as: string, call: string, body?: object) => Promise<number>;

function rule(
  name: string,
  run: (send: Send, read: (call: string) => Promise<string>, runtime: Runtime) => Promise<void>,
): void {
  Deno.test(name, async () => {
    const env = {
      log: { levels: { default: "silent" } },
      requires: { auth: { kind: "mocked", users }, db: { kind: "memory" } },
    };
    const runtime = createRuntime({ model: parseCdl(TEXT), env, data: structuredClone(new Map(DATA)) });
    const fetch = (as: string, call: string, body?: object) => {
      const [method, path] = call.split(" ") as [string, string];
      const headers = new Headers({ "content-type": "application/json" });
      if (as) headers.set("authorization", `Basic ${btoa(`${as}:`)}`);
      const init = { method, headers, body: body && JSON.stringify(body) };
      return runtime.fetch(new Request(`http://localhost/odata/v4/s/${path}`, init));
    };
    try {
      await runtime.start();
      await run(
        async (as, call, body) => {
          const response = await fetch(as, call, body);
          await response.body?.cancel();
          return response.status;
        },
        async (path) => (await fetch("boss", `GET ${path}`)).text(),
        runtime,
      );
    } finally {
      await runtime.close();
    }
  });
}

rule("a whole is deleted only by those who may delete its parts", async (send, read) => {
  assert.equal(await send("nora", "DELETE Orders(1)"), 403);
  assert.equal(await send("", "DELETE Orders(1)"), 401);
  assert.equal(await send("sally", "DELETE Orders(2)"), 403);
  assert.equal(await read("Items/$count"), "5");
  assert.equal(await send("sally", "DELETE Orders(1)"), 204);
  assert.equal(await send("boss", "DELETE Orders(2)"), 204);
  assert.equal(await read("Items/$count"), "3");
});

rule("a whole without parts is deleted by those without any role for parts", async (send) => {
  assert.equal(await send("boss", "DELETE Items(1)"), 204);
  assert.equal(await send("nora", "DELETE Orders(1)"), 204);
});

rule(
  "parts of parts are deleted only by those who may, also if a part leaves its whole",
  async (send, read) => {
    assert.equal(await send("sally", "DELETE Items(3)"), 403);
    assert.equal(await send("sally", "DELETE Orders(3)"), 403);
    assert.equal(await send("sally", "PATCH Orders(3)", { items: [] }), 403);
    assert.equal(await send("sally", "DELETE Orders(4)"), 403);
    assert.equal(await send("sally", "PATCH Orders(4)", { boxes: [] }), 403);
    assert.equal(await read("Labels/$count"), "1");
    assert.equal(await send("boss", "PATCH Orders(4)", { boxes: [] }), 200);
    assert.equal(await read("Labels/$count"), "0");
  },
);

rule("parts of a row are told from those of another one that shares a part of its key", async (send) => {
  assert.equal(await send("nora", "DELETE Orders(4)/boxes(1)"), 403);
  assert.equal(await send("nora", "DELETE Orders(4)/boxes(2)"), 204);
});

rule("rows that are parts of each other are deleted together", async (send) => {
  assert.equal(await send("sally", "DELETE Orders(5)"), 204);
});

rule("nobody deletes a whole without login whose parts need one (auth 7)", async (send, read) => {
  assert.equal(await send("", "DELETE Open(1)"), 401);
  assert.equal(await send("", "PATCH Open(1)", { pages: [] }), 401);
  assert.equal(await send("", "DELETE Open/$each"), 401);
  assert.equal(await read("Pages/$count"), "1");
  assert.equal(await send("", "DELETE Open(2)"), 204);
  assert.equal(await send("nora", "DELETE Open(1)"), 204);
  assert.equal(await read("Pages/$count"), "0");
});

rule("many wholes are deleted at once only if all their parts may be", async (send, read) => {
  assert.equal(await send("sally", "DELETE Orders/$filter(ID%20lt%203)/$each"), 403);
  assert.equal(await read("Items/$count"), "5");
  assert.equal(await send("boss", "DELETE Orders/$filter(ID%20lt%203)/$each"), 204);
  assert.equal(await read("Items/$count"), "3");
});

rule(
  "only the rows of a statement need parts that may be deleted, all rows without one",
  async (_, read, runtime) => {
    const user = new User({ id: "sally", roles: ["seller"] });
    const service = runtime.services.S!;
    const removed = (to: number) =>
      service.tx({ user }, (tx) => tx.run(DELETE.from("S.Orders").where({ ID: { "<=": to } })));
    await assert.rejects(removed(2), { status: 403 });
    assert.equal(await removed(1), 1);
    assert.equal(await read("Items/$count"), "4");
    const target = runtime.model.entity("S.Orders")!;
    const all = (by: User) =>
      service.tx({ user: by }, (tx) => tx.dispatch(new ServiceRequest({ event: "DELETE", target })));
    await assert.rejects(all(user), { status: 403 });
    assert.equal(await all(new User({ id: "boss", roles: ["boss"] })), 4);
    assert.equal(await read("Orders/$count"), "0");
  },
);

rule(
  "parts that stay are changed by those who may not delete them, also without login",
  async (send, read) => {
    const boxes = [{ no: 1, labels: [{ ID: 1, text: "b" }] }, { no: 2 }];
    assert.equal(await send("", "PATCH Orders(4)", { boxes }), 200);
    assert.equal(await read("Labels(1)/text/$value"), "b");
  },
);

rule(
  "parts of which the database does not tell whether they may be deleted are not changed",
  async (send, read, { db }) => {
    let isDown = true;
    db!.before("READ", "S.Items", (req) => isDown && req.reject(503));
    assert.equal(await send("sally", "PATCH Orders(1)", { note: "x", items: [{ ID: 1, price: 6 }] }), 503);
    isDown = false;
    assert.equal(await read("Items(1)/price/$value"), "5");
  },
);

rule("a PUT that creates needs UPDATE and CREATE (authorization-025)", async (send) => {
  assert.equal(await send("uwe", "PUT Notes(2)", { text: "x" }), 403);
  assert.equal(await send("cleo", "PUT Notes(2)", { text: "x" }), 403);
  assert.equal(await send("", "PUT Notes(2)", { text: "x" }), 401);
  assert.equal(await send("both", "PUT Notes(2)", { text: "x" }), 204);
  assert.equal(await send("cleo", "POST Notes", { ID: 3 }), 204);
});

rule("a delta that removes a row needs DELETE, also if there is no such row", async (send) => {
  for (const ID of [1, 9]) {
    const value = [{ "@removed": { reason: "deleted" }, "@id": `Notes(${ID})` }];
    assert.equal(await send("uwe", "PATCH Notes", { "@context": "#$delta", value }), 403);
    assert.equal(await send("boss", "PATCH Notes", { "@context": "#$delta", value }), 204);
  }
});

rule("more rows than one statement names are checked after an update, each of them", async (send, read) => {
  assert.equal(await send("nora", "PATCH Many/$each", { text: "b" }), 403);
  assert.equal(await read("Many/$count?$filter=text%20eq%20'a'"), "250");
  assert.equal(await send("nora", "PATCH Many/$each", { text: "c" }), 204);
  assert.equal(await read("Many/$count?$filter=text%20eq%20'c'"), "250");
});

Deno.test("parts without a restriction are deleted with their whole by whoever may delete it, logged in or not (auth 7)", () =>
  withApp({
    model: `@requires: 'any' service Test {
      @requires: 'any' entity Orders { key ID : Integer;
        boxes : Composition of many { key no : Integer; labels : Composition of many Labels on labels.box = $self; }; }
      @restrict: [{ to: 'any', where: (text = 'a') }]
      entity Labels { key ID : Integer; text : String; box : Association to Orders.boxes; } }`,
    rows: {
      "Test.Orders": [{ ID: 1 }, { ID: 2 }],
      "Test.Orders.boxes": [{ up__ID: 1, no: 1 }, { up__ID: 2, no: 1 }],
      "Test.Labels": [
        { ID: 1, text: "a", box_up__ID: 1, box_no: 1 },
        { ID: 2, text: "b", box_up__ID: 2, box_no: 1 },
      ],
    },
  }, async ({ send }) => {
    assert.equal((await send("DELETE", "Orders(1)")).status, 204);
    assert.equal((await send("DELETE", "Orders(2)")).status, 403);
  }));

Deno.test("parts that no database has are not looked at where their whole is deleted (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Wholes { key ID : Integer; hints : Composition of many Hints on hints.whole = $self; }
      @cds.persistence.skip @restrict: [{ grant: 'READ' }]
      entity Hints { key ID : Integer; whole : Association to Wholes; } }`,
    rows: { "Test.Wholes": [{ ID: 1 }] },
  }, async ({ send }) => {
    assert.equal((await send("DELETE", "Wholes(1)")).status, 204);
  }));
