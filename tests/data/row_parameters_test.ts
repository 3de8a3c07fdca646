import assert from "node:assert/strict";
import { type Answer, type App, errorOf, withApp } from "./app.ts";

const MODEL = `
type Place { zip : String(5) @mandatory; city : String(20); }
entity db_Customers { key ID : Integer; name : String(20); }
entity db_Orders {
  key ID   : UUID;
  customer : Association to db_Customers @mandatory;
  place    : Place;
  note     : String(10) not null;
  level    : Integer not null default 1;
  no       : Integer @readonly;
  sum      : Integer = no + 1;
  items    : Composition of many { key pos : Integer; qty : Integer @assert.range: [1, 100]; name : String(5) @mandatory; };
}
type Deal { buyer : Association to db_Customers @mandatory; price : Integer; }
service Test {
  entity Customers as projection on db_Customers;
  entity Orders as projection on db_Orders;
  action create(order : Orders) returns String;
  action createAll(orders : many Orders) returns String;
  action deal(deal : Deal) returns String;
}
`;

function withOrders(test: (app: App) => Promise<unknown>): Promise<void> {
  return withApp({
    model: MODEL,
    handlers: (srv) => srv.on(["create", "createAll", "deal"], (req) => JSON.stringify(req.data)),
  }, test);
}

function violations(answer: Answer): string[] {
  const error = errorOf(answer, 400);
  const list = (error.details ?? [error]) as { code: string; target: string }[];
  return list.map(({ code, target }) => `${code} ${target}`);
}

const ORDER = { customer_ID: 1, place_zip: "10115", note: "x" };

Deno.test("rows as parameters have what is mandatory in foreign keys and in flat members of structures [spec 7.3]", () =>
  withOrders(async (app) => {
    for (const customer of [{ customer_ID: 1 }, { customer: { ID: 1 } }]) {
      const answer = await app.post("create", { order: { ...customer, place_zip: "10115", note: "x" } });
      assert.equal(answer.status, 200, answer.text);
      const all = await app.post("createAll", { orders: [{ ...customer, place_zip: "10115", note: "x" }] });
      assert.equal(all.status, 200, all.text);
    }
    assert.deepEqual(violations(await app.post("create", { order: {} })), [
      "ASSERT_MANDATORY order/customer_ID",
      "ASSERT_MANDATORY order/place_zip",
      "ASSERT_NOT_NULL order/note",
    ]);
    assert.deepEqual(
      violations(await app.post("create", { order: { customer: null, place_zip: " ", note: "x" } })),
      [
        "ASSERT_MANDATORY order/customer_ID",
        "ASSERT_MANDATORY order/place_zip",
      ],
    );
  }));

Deno.test("parts of rows that are parameters are checked, and nothing is taken out of them [spec 7.3]", () =>
  withOrders(async (app) => {
    const items = [{ pos: 1, qty: 200, name: "a" }, { pos: 2, qty: 1 }];
    assert.deepEqual(violations(await app.post("createAll", { orders: [ORDER, { ...ORDER, items }] })), [
      "ASSERT_RANGE orders[1]/items(pos=1)/qty",
      "ASSERT_MANDATORY orders[1]/items(pos=2)/name",
    ]);
    const order = { ...ORDER, no: 7, items: [{ pos: 1, qty: 2, name: "a" }] };
    const answer = await app.post("create", { order });
    assert.deepEqual(JSON.parse(String(answer.body.value)), { order });
  }));

Deno.test("structures as parameters have what is mandatory in their foreign keys [spec 7.3]", () =>
  withOrders(async (app) => {
    for (const deal of [{ buyer_ID: 1 }, { buyer: { ID: 1 } }]) {
      assert.equal((await app.post("deal", { deal })).status, 200);
    }
    assert.deepEqual(violations(await app.post("deal", { deal: { price: 1 } })), [
      "ASSERT_MANDATORY deal/buyer_ID",
    ]);
    assert.deepEqual(violations(await app.post("deal", { deal: { buyer_ID: null } })), [
      "ASSERT_MANDATORY deal/buyer_ID",
    ]);
  }));
