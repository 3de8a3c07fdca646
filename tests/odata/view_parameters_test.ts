import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { createRestAdapter } from "../../src/rest/rest_adapter.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop, type ShopOptions } from "./fixture_host.ts";

const MODEL = parseCdl(`
  entity db.Books { key ID : Integer; title : String(20); stock : Integer; printed : Date;
    pages : Composition of many db.Pages on pages.book = $self; }
  entity db.Pages { key ID : Integer; book : Association to db.Books; }
  entity db.Stocked(least : Integer, part : String(20) default '') as
    select from db.Books { * } where stock >= :least and title like '%' || :part || '%';
  service ShopService {
    entity Books as projection on db.Books;
    entity Pages as projection on db.Pages;
    entity Stocked(least : Integer, part : String(20) default '') as
      select from db.Stocked(least: :least, part: :part) { *, pages : redirected to Pages };
    entity Printed(day : Date) as select from db.Books { key ID, title } where printed <= :day;
  }`);

const DATA = new Map<string, readonly Row[]>([
  ["db.Books", [
    { ID: 1, title: "Emma", stock: 5, printed: "1815-12-23" },
    { ID: 2, title: "Persuasion", stock: 0, printed: "1817-12-20" },
    { ID: 3, title: "Jane Eyre", stock: 9, printed: "1847-10-19" },
  ]],
  ["db.Pages", [{ ID: 10, book_ID: 1 }, { ID: 11, book_ID: 1 }, { ID: 12, book_ID: 2 }]],
]);

async function withViews(run: (shop: Shop) => Promise<void>, options: ShopOptions): Promise<void> {
  const shop = await openShop({ model: MODEL, data: DATA, ...options });
  try {
    await run(shop);
  } finally {
    await shop.close();
  }
}

// deno-lint-ignore no-explicit-any -- bodies are looked into
async function bodyOf(shop: Shop, url: string, headers: Record<string, string> = {}): Promise<any> {
  const { status, body } = await shop.send("GET", url, { headers });
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body;
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`the rows of a view with parameters are behind its parameters and Set on ${engine}`, () =>
    withViews(async (shop) => {
      const ids = async (url: string) => (await bodyOf(shop, url)).value.map(({ ID }: Row) => ID);
      assert.deepEqual(await ids("Stocked(least=1)/Set?$orderby=ID"), [1, 3]);
      assert.deepEqual(await ids("Stocked(least=6)/Set"), [3]); // another value of the same shape
      assert.deepEqual(await ids("Stocked(least=@l,part=@p)/Set?@l=0&@p='a'&$orderby=ID desc"), [3, 2, 1]);
      assert.deepEqual(await ids("Stocked(least=0,part='mm')/Set?$filter=ID lt 3&$orderby=ID"), [1]);
      assert.deepEqual(await ids("Printed(day=1817-12-20)/Set?$orderby=ID"), [1, 2]);
      assert.deepEqual(await ids("Printed(1815-12-23)/Set"), [1]);
      assert.equal(await bodyOf(shop, "Stocked(least=1)/Set/$count"), "2");
      assert.deepEqual(await ids("Stocked(least=1)/Set(1)/pages?$orderby=ID"), [10, 11]);
      const { status } = await shop.send("GET", "Stocked(least=6)/Set(1)");
      assert.equal(status, 404);
    }, { database }));
}

Deno.test("rows of a view with parameters tell their type, as the set of its name holds the parameters (Protocol 10)", () =>
  withViews(async (shop) => {
    const { "@odata.context": many, value } = await bodyOf(
      shop,
      "Stocked(least=6)/Set?$expand=pages&$select=title",
    );
    assert.equal(many, "../$metadata#Collection(ShopService.Stocked)(title,ID,pages())");
    assert.deepEqual(value, [{ title: "Jane Eyre", ID: 3, pages: [] }]);
    assert.equal(
      (await bodyOf(shop, "Stocked(least=1)/Set(1)?$select=ID"))["@odata.context"],
      "../$metadata#ShopService.Stocked(ID)",
    );
    const { "@odata.context": property } = await bodyOf(shop, "Stocked(part='é',least=1)/Set(1)/title").catch(
      () => ({}),
    );
    assert.equal(property, undefined);
    assert.equal(
      (await bodyOf(shop, "Stocked(least=1)/Set(1)/title"))["@odata.context"],
      "../../$metadata#Stocked(least=1)/Set(1)/title",
    );
    const full = await bodyOf(shop, "Stocked(least=6)/Set", {
      accept: "application/json;odata.metadata=full",
    });
    assert.equal(
      "@odata.id" in full.value[0] && full.value[0]["@odata.id"] !== null,
      false,
      JSON.stringify(full),
    );
  }, { database: ENGINES.memory }));

Deno.test("handlers of a view with parameters get them in req.params, before the key", async () => {
  const seen: unknown[] = [];
  await withViews(async (shop) => {
    await bodyOf(shop, "Stocked(least=1)/Set(3)");
    await bodyOf(shop, "Stocked(least=2)/Set");
  }, {
    database: ENGINES.memory,
    register: (service) =>
      void service.before("READ", "Stocked", (req: ServiceRequest) => void seen.push(req.params)),
  });
  assert.deepEqual(seen, [[{ least: 1 }, { ID: 3 }], [{ least: 2 }]]);
});

Deno.test("paths to views with parameters that name them wrongly are 400 and say how it is done", () =>
  withViews(async (shop) => {
    const messages: [string, string][] = [
      ["Stocked", 'The parameter "least" of "Stocked" is missing (offset 0)'],
      ["Stocked/Set", 'The parameter "least" of "Stocked" is missing (offset 0)'],
      ["Stocked(least=1)", 'The rows of "Stocked" are at "Stocked(least=…,part=…)/Set" (offset 0)'],
      ["Stocked(least=1)/title", 'The rows of "Stocked" are at "Stocked(least=…,part=…)/Set" (offset 0)'],
      [
        "Stocked(leest=1)/Set",
        '"ShopService.Stocked" has no parameter "leest" (offset 8); did you mean "least"?',
      ],
      ["Stocked(least=1,least=2)/Set", 'The parameter "least" is given twice (offset 16)'],
      ["Stocked(least='x')/Set", "'x' is not a value of type Integer (offset 14)"],
      ["Stocked(least=null)/Set", 'A literal is expected for the key "least" (offset 14)'],
    ];
    for (const [url, message] of messages) {
      const { status, body } = await shop.send("GET", url);
      assert.equal((body as { error: { message: string } }).error.message, message, url);
      assert.equal(status, 400);
    }
    const { status } = await shop.send("POST", "Stocked(least=1)/Set", { body: { ID: 4 } });
    assert.ok(status < 500, String(status));
  }, { database: ENGINES.memory }));

Deno.test("$all and REST know views with parameters", async () => {
  await withViews(async (shop) => {
    const { value } = await bodyOf(shop, "$all");
    assert.deepEqual(value.length, 6);
  }, { database: ENGINES.sqlite });
  await withViews(async (shop) => {
    assert.deepEqual(await bodyOf(shop, "Stocked(least=6)/Set?$select=ID"), [{ ID: 3 }]);
  }, { database: ENGINES.sqlite, protocol: createRestAdapter });
});

Deno.test("sets of parameters are not in the service document, as metadata says (CSDL 13.2.4)", () =>
  withViews(async (shop) => {
    const { value } = await bodyOf(shop, "");
    assert.deepEqual(value.map(({ name }: Row) => name), ["Books", "Pages"]);
    const sets: string[] = (await bodyOf(shop, "$metadata")).match(/<EntitySet [^>]*>/g);
    const hidden = sets.filter((set) => set.includes('IncludeInServiceDocument="false"'));
    assert.deepEqual(hidden.map((set) => / Name="(\w+)"/.exec(set)![1]), ["Stocked", "Printed"]);
  }, { database: ENGINES.memory }));
