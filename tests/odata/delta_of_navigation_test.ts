import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
entity db_Customers { key ID : Integer; orders : Association to many db_Orders on orders.customer = $self; }
entity db_Orders { key ID : Integer; name : String(20); customer : Association to db_Customers;
  lines : Composition of many { key pos : Integer; text : String(10); }; }
service Test { entity Customers as projection on db_Customers; entity Orders as projection on db_Orders; }
`;

const ROWS = {
  db_Customers: [{ ID: 1 }, { ID: 2 }],
  db_Orders: [{ ID: 1, name: "a", customer_ID: 1 }, { ID: 2, name: "b", customer_ID: 1 }, {
    ID: 3,
    name: "c",
  }],
  "db_Orders.lines": [{ up__ID: 1, pos: 1, text: "l" }, { up__ID: 1, pos: 2, text: "m" }],
};

async function ordersOf(app: App): Promise<unknown> {
  const orders = await app.rows("Orders?$orderby=ID");
  return orders.map(({ ID, name, customer_ID }) => [ID, name, customer_ID]);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  const withOrders = (test: (app: App) => Promise<unknown>) =>
    withApp({ model: MODEL, rows: ROWS, database }, test);
  const representation = { prefer: "return=representation", "odata-maxversion": "4.01" };

  Deno.test(`what a delta removes from an association stays, unless it is said to be deleted (Protocol 11.4.12, ${engine})`, () =>
    withOrders(async (app) => {
      const value = [{ "@removed": { reason: "changed" }, ID: 1 }, {
        "@removed": { reason: "deleted" },
        ID: 2,
      }];
      const answer = await app.patch("Customers(1)/orders", { value }, representation);
      assert.deepEqual(answer.body.value as unknown, [
        { "@odata.removed": { reason: "changed" }, "@odata.id": "Orders(1)" },
        { "@odata.removed": { reason: "deleted" }, "@odata.id": "Orders(2)" },
      ]);
      assert.deepEqual(await ordersOf(app), [[1, "a", null], [3, "c", null]]);
      const other = { "@context": "#Orders/$deletedEntity", id: "Orders(3)", reason: "changed" };
      assert.equal((await app.patch("Customers(2)/orders", { value: [other] })).status, 204);
      assert.equal((await app.patch("Orders", { value: [{ "@removed": {}, ID: 3 }] })).status, 204);
      assert.deepEqual(await ordersOf(app), [[1, "a", null]]);
    }));

  Deno.test(`a delta of an association changes and links what is there, and creates the rest (Protocol 11.4.12, ${engine})`, () =>
    withOrders(async (app) => {
      const value = [{ ID: 1, name: "x" }, { ID: 3, name: "y" }, { ID: 4, name: "z" }];
      const answer = await app.patch("Customers(2)/orders", { value }, representation);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await ordersOf(app), [[1, "x", 2], [2, "b", 1], [3, "y", 2], [4, "z", 2]]);
    }));

  Deno.test(`a delta of parts needs no keys that the path has (Protocol 11.4.12, ${engine})`, () =>
    withOrders(async (app) => {
      const value = [{ pos: 1, text: "x" }, { pos: 2, "@removed": {} }, { pos: 3 }];
      const answer = await app.patch("Orders(1)/lines", { value });
      assert.equal(answer.status, 204, answer.text);
      const lines = await app.rows("Orders(1)/lines?$orderby=pos");
      assert.deepEqual(lines.map(({ pos, text }) => [pos, text] as unknown), [[1, "x"], [3, null]]);
      errorOf(await app.patch("Orders(9)/lines", { value: [{ pos: 1, text: "x" }] }), 404);
    }));
}
