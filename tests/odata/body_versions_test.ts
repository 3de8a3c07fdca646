import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { type App, withApp } from "../data/app.ts";

const MODEL = `
entity db_Orders { key ID : Integer; name : String(20); version : Integer @odata.etag default 1;
  items : Composition of many db_Items on items.order = $self;
  docs : Composition of many { key ID : UUID; text : String(10); version : Integer @odata.etag default 1; };
  lines : Composition of many { key pos : Integer; text : String(10); version : Integer @odata.etag default 1; }; }
entity db_Items { key ID : Integer; qty : Integer; version : Integer @odata.etag default 1; order : Association to db_Orders;
  notes : Composition of many db_Notes on notes.item = $self; }
entity db_Notes { key ID : Integer; text : String(20); version : Integer @odata.etag default 1; item : Association to db_Items; }
entity db_Customers { key ID : Integer; orders : Association to many db_Owned on orders.customer = $self; }
entity db_Owned { key ID : Integer; name : String(20); version : Integer @odata.etag default 1; customer : Association to db_Customers; }
service Test {
  entity Orders as projection on db_Orders; entity Items as projection on db_Items; entity Notes as projection on db_Notes;
  entity Customers as projection on db_Customers; entity Owned as projection on db_Owned;
}
`;

const ROWS = {
  db_Orders: [{ ID: 1, name: "a", version: 3 }],
  db_Items: [{ ID: 1, qty: 1, version: 5, order_ID: 1 }],
  db_Notes: [{ ID: 1, text: "n", version: 7, item_ID: 1 }],
  "db_Orders.docs": [{ up__ID: 1, ID: "00000000-0000-4000-8000-000000000001", version: 1 }],
  "db_Orders.lines": [{ up__ID: 1, pos: 1, text: "l", version: 9 }],
  db_Customers: [{ ID: 1 }],
  db_Owned: [{ ID: 1, name: "o", version: 2 }],
};

const tag = (version: number) => ({ "@etag": `W/"${version}"` });

/** Sends a change whose body names versions. */
async function statusOf(app: App, body: object, headers: Record<string, string> = {}): Promise<number> {
  return (await app.patch("Orders(1)", body, { "odata-version": "4.01", ...headers })).status;
}

for (const [engine, database] of Object.entries(ENGINES)) {
  const withOrders = (test: (app: App) => Promise<unknown>) =>
    withApp({ model: MODEL, rows: ROWS, database }, test);

  Deno.test(`a body names the version of its row, besides If-Match or instead of it (Protocol 11.4.3, ${engine})`, () =>
    withOrders(async (app) => {
      assert.equal(await statusOf(app, { ...tag(2), name: "x" }), 412);
      assert.equal(await statusOf(app, { "@odata.etag": 'W/"2"', name: "x" }, { "if-match": "*" }), 412);
      assert.equal(await statusOf(app, { ...tag(3), name: "x" }, { "if-match": 'W/"2"' }), 412);
      assert.equal(await statusOf(app, { ...tag(2), name: "x" }, { "if-match": 'W/"3"' }), 412);
      assert.equal((await app.get("Orders(1)")).body.name, "a");
      assert.equal(await statusOf(app, { "@etag": "*", name: "x" }), 200);
      assert.equal(await statusOf(app, { ...tag(3), name: "x" }), 200);
      assert.equal(await statusOf(app, { "@etag": "3" }), 400);
      const old = { "odata-version": "4.0", "if-match": "*" };
      assert.equal(await statusOf(app, { ...tag(2), name: "y" }, old), 200);
    }));

  Deno.test(`nested rows are changed and removed in the version that the body names (Protocol 11.4.3.1, ${engine})`, () =>
    withOrders(async (app) => {
      const write = (body: object) => statusOf(app, body, { "if-match": "*" });
      assert.equal(await write({ items: [{ ...tag(4), ID: 1, qty: 2 }] }), 412);
      assert.equal(await write({ "items@delta": [{ ...tag(4), ID: 1, "@removed": {} }] }), 412);
      assert.equal(await write({ items: [{ ID: 1, notes: [{ ...tag(6), ID: 1, text: "x" }] }] }), 412);
      assert.equal(await write({ items: [{ ...tag(5), ID: 1 }, { "@etag": "*", ID: 2 }] }), 412);
      assert.equal(await write({ lines: [{ ...tag(8), pos: 1, text: "x" }] }), 412);
      assert.equal(await write({ "docs@delta": [{ ...tag(1), text: "x" }] }), 412);
      assert.equal((await app.get("Items(1)")).body.qty, 1);
      assert.equal(await write({ lines: [{ ...tag(9), pos: 1, text: "x" }] }), 200);
      const notes = [{ ...tag(7), ID: 1, text: "x" }];
      assert.equal(await write({ items: [{ ...tag(5), ID: 1, qty: 2, notes }] }), 200);
      assert.equal((await app.get("Items(1)")).body.qty, 2);
      assert.equal(await write({ "items@delta": [{ ...tag(5), ID: 1, "@removed": {} }] }), 200);
      assert.deepEqual(await app.rows("Items"), []);
    }));

  Deno.test(`linked rows are changed in the version that the body names (Protocol 11.4.3.1, ${engine})`, () =>
    withOrders(async (app) => {
      const write = async (version: number) => {
        const body = { "orders@delta": [{ ...tag(version), ID: 1, name: "x" }] };
        return (await app.patch("Customers(1)", body, { "odata-version": "4.01" })).status;
      };
      assert.equal(await write(1), 412);
      assert.equal(await write(2), 200);
      assert.equal((await app.get("Owned(1)")).body.name, "x");
    }));
}
