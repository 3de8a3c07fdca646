import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
entity db_Orders { key ID : Integer; items : Composition of many db_Items on items.order = $self; note : Composition of one db_Notes; }
entity db_Items { key ID : Integer; qty : Integer; order : Association to db_Orders; pieces : Composition of many db_Pieces on pieces.item = $self; }
entity db_Pieces { key ID : Integer; item : Association to db_Items; }
entity db_Notes { key ID : Integer; text : String(20); }
service Test { entity Orders as projection on db_Orders; entity Items as projection on db_Items; entity Notes as projection on db_Notes; entity Pieces as projection on db_Pieces; }
`;

const ROWS = {
  db_Orders: [{ ID: 1, note_ID: 1 }, { ID: 2 }],
  db_Items: [{ ID: 1, qty: 1, order_ID: 1 }, { ID: 2, qty: 2, order_ID: 1 }, { ID: 3, qty: 3, order_ID: 2 }],
  db_Pieces: [{ ID: 1, item_ID: 1 }],
  db_Notes: [{ ID: 1, text: "a" }, { ID: 2, text: "b" }],
};

async function itemsOf(app: App, order: number): Promise<unknown> {
  const items = await app.rows(`Orders(${order})/items?$orderby=ID`);
  return items.map(({ ID, qty }) => [ID, qty]);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  const withOrders = (test: (app: App) => Promise<unknown>) =>
    withApp({ model: MODEL, rows: ROWS, database }, test);

  Deno.test(`parts in a deep update may be named by their ids (Protocol 11.4.3.1, ${engine})`, () =>
    withOrders(async (app) => {
      const items = [{ "@id": "Items(1)" }, { "@odata.id": "Orders(1)/items(2)", qty: 7 }, { ID: 4 }];
      assert.equal((await app.patch("Orders(1)", { items })).status, 200);
      assert.deepEqual(await itemsOf(app, 1), [[1, 1], [2, 7], [4, null]]);
      assert.equal((await app.patch("Orders(1)", { items: [{ "@id": "Items(2)" }] })).status, 200);
      assert.deepEqual(await itemsOf(app, 1), [[2, 7]]);
      const error = errorOf(await app.patch("Orders(1)", { items: [{ "@id": "Notes(1)" }] }), 400);
      assert.equal(error.target, "items[0]");
    }));

  Deno.test(`a part to one is changed by its id, or referred to (Protocol 11.4.3.1, ${engine})`, () =>
    withOrders(async (app) => {
      const write = async (note: object) => (await app.patch("Orders(1)", { note })).status;
      assert.equal(await write({ "@id": "Notes(1)", text: "x" }), 200);
      assert.equal((await app.get("Orders(1)/note")).body.text, "x");
      assert.equal(await write({ "@id": "Notes(2)" }), 200);
      assert.equal((await app.get("Orders(1)/note")).body.text, "b");
    }));

  Deno.test(`a new row takes over the parts that it refers to (Protocol 11.4.2.1, ${engine})`, () =>
    withOrders(async (app) => {
      const body = { ID: 5, items: [{ "@id": "Items(3)" }, { ID: 6, qty: 6 }], note: { "@id": "Notes(2)" } };
      const created = await app.post("Orders", body);
      assert.equal(created.status, 201, created.text);
      assert.deepEqual(await itemsOf(app, 5), [[3, 3], [6, 6]]);
      assert.deepEqual(await itemsOf(app, 2), []);
      assert.equal((await app.get("Orders(5)/note")).body.text, "b");
    }));

  Deno.test(`a new part takes over parts of another one (Protocol 11.4.2.1, ${engine})`, () =>
    withOrders(async (app) => {
      const created = await app.post("Orders", {
        ID: 5,
        items: [{ ID: 6, pieces: [{ "@id": "Pieces(1)" }] }],
      });
      assert.equal(created.status, 201, created.text);
      assert.deepEqual(await app.rows("Pieces"), [{ ID: 1, item_ID: 6 }]);
    }));
}
