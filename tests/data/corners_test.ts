import assert from "node:assert/strict";
import { type App, type AppOptions, errorOf, type Json, withApp } from "./app.ts";

const MODEL = `
using { cuid, managed } from '@sap/cds/common';
entity db_Logs : cuid, managed { text : String(20) default 'none'; kind : Association to db_Kinds; }
entity db_Kinds { key code : String(3); name : localized String(20); }
entity db_Prices { key ID : Integer; amount : Integer; product : Association to db_Products;
  validFrom : Date @cds.valid.from; validTo : Date @cds.valid.to; }
entity db_Products { key ID : Integer; name : String(20); prices : Composition of many db_Prices on prices.product = $self; }
@protocol: ['odata', 'rest']
service Test {
  entity Logs as projection on db_Logs { *, @readonly kind };
  entity Kinds as projection on db_Kinds;
  entity Prices as projection on db_Prices;
  entity Products as projection on db_Products;
  action fill();
}
@insertonly service Inbox { entity Logs as projection on db_Logs; }
`;

const ROWS = {
  db_Kinds: [{ code: "a", name: "Apple" }],
  db_Products: [{ ID: 1, name: "Pen" }],
  db_Prices: [
    { ID: 1, amount: 10, product_ID: 1, validFrom: "2020-01-01", validTo: "2021-01-01" },
    { ID: 2, amount: 20, product_ID: 1, validFrom: "2021-01-01", validTo: null },
    { ID: 3, amount: 30, product_ID: 1, validFrom: "2999-01-01", validTo: null },
  ],
};

function withCorners(test: (app: App) => Promise<unknown>, more: Partial<AppOptions> = {}): Promise<void> {
  return withApp({ model: MODEL, rows: ROWS, ...more }, test);
}

Deno.test("rows given by columns, and rows of a query, get generated values too", () =>
  withCorners(async (app) => {
    assert.equal((await app.send("POST", "fill", { body: {}, user: "alice" })).status, 204);
    const rows = await app.rows("Logs?$orderby=text");
    assert.deepEqual(rows.map(({ text, createdBy }) => [text, createdBy]) as unknown, [
      ["a", "mock/alice"],
      ["b", "mock/alice"],
      ["none", "mock/alice"],
    ]);
    assert.equal(new Set(rows.map(({ ID }) => String(ID))).size, 3);
    assert.equal(new Set(rows.map(({ createdAt }) => String(createdAt))).size, 1);
  }, {
    handlers: (srv) =>
      srv.on("fill", async () => {
        await srv.run({ INSERT: { into: "db_Logs", columns: ["text"], rows: [["a"], ["b"]] } });
        await srv.run({ INSERT: { into: "db_Logs", entries: [{}] } });
      }),
  }));

Deno.test("@readonly at an association protects its foreign key in every form", () =>
  withCorners(async (app) => {
    for (const body of [{ kind_code: "a" }, { kind: { code: "a" } }, { "kind@odata.bind": "Kinds('a')" }]) {
      const created = await app.post("Logs", body);
      assert.equal(created.status, 201, created.text);
      assert.equal(created.body.kind_code, null as unknown, JSON.stringify(body));
      const changed = await app.patch(`Logs(${created.body.ID})`, body);
      assert.equal(changed.body.kind_code, null as unknown, JSON.stringify(body));
    }
  }));

Deno.test("an insert-only service takes new entries and nothing else", () =>
  withCorners(async (app) => {
    const path = "/odata/v4/inbox/Logs";
    assert.equal((await app.post(path, { text: "x" })).status, 204);
    assert.equal(errorOf(await app.get(path), 405).code, "ENTITY_IS_INSERT_ONLY");
    assert.equal((await app.rows("Logs")).length, 1);
  }));

Deno.test("temporal data: counts, aggregates, expands with counts and REST are filtered as well", () =>
  withCorners(async (app) => {
    const then = "sap-valid-at=2020-06-01";
    assert.equal((await app.get(`Prices?$count=true&$top=0&${then}`)).body["@odata.count"], 1 as unknown);
    const total = "$apply=aggregate(amount with sum as total)";
    assert.equal((await app.rows(`Prices?${total}`))[0]!.total, 20 as unknown);
    assert.equal((await app.rows(`Prices?${total}&${then}`))[0]!.total, 10 as unknown);
    const [product] = await app.rows("Products?$expand=prices($count=true;$select=amount;$orderby=amount)");
    assert.equal(product!["prices@odata.count"], 1 as unknown);
    const counted = "Products?$filter=prices/$count eq 1";
    assert.equal((await app.rows(counted)).length, 1);
    assert.equal((await app.rows(`${counted}&sap-valid-from=2020-01-01`)).length, 0);
    assert.equal((await app.get("Products(1)/prices/$count")).text, "1");
    const rest = await app.get(`/rest/test/Prices?${then}`);
    assert.deepEqual((rest.body as unknown as Json[]).map(({ amount }) => amount as unknown), [10]);
    assert.equal((await app.get("/rest/test/Prices?sap-valid-at=x")).status, 400);
  }));

Deno.test("temporal data: an update of a composition leaves slices that are not valid now alone", () =>
  withCorners(async (app) => {
    assert.equal((await app.patch("Products(1)", { prices: [{ ID: 2, amount: 25 }] })).status, 200);
    const all = await app.rows("Prices?sap-valid-from=2000-01-01&$orderby=ID");
    assert.deepEqual(all.map(({ ID, amount }) => [ID, amount]) as unknown, [[1, 10], [2, 25], [3, 30]]);
  }));

Deno.test("temporal data: PUT by key changes the slice that is valid now, or at the time that is asked for", () =>
  withCorners(async (app) => {
    assert.equal((await app.send("PUT", "Prices(1)", { body: { amount: 12 } })).status, 404);
    const put = await app.send("PUT", "Prices(1)?sap-valid-at=2020-06-01", { body: { amount: 11 } });
    assert.ok([200, 204].includes(put.status), put.text);
    const [price] = await app.rows("Prices?sap-valid-at=2020-06-01");
    assert.equal(price!.amount, 11 as unknown);
  }));

Deno.test("texts can be replaced by PUT, in one language only those that are sent stay", () =>
  withCorners(async (app) => {
    const texts = [{ locale: "de", name: "Apfel" }, { locale: "fr", name: "Pomme" }];
    assert.equal((await app.send("PUT", "Kinds('a')", { body: { texts } })).status, 200);
    const read = async (language: string) =>
      (await app.get("Kinds('a')", { "accept-language": language })).body.name as unknown;
    assert.deepEqual([await read("de"), await read("fr"), await read("en")], ["Apfel", "Pomme", "Apple"]);
    await app.patch("Kinds('a')", { texts: [{ locale: "fr", name: "La pomme" }] });
    assert.deepEqual([await read("de"), await read("fr")], ["Apple", "La pomme"]);
    const twice = await app.post("Kinds('a')/texts", { locale: "fr", name: "x" });
    assert.equal(errorOf(twice, 409).code, "ENTITY_ALREADY_EXISTS");
  }));
