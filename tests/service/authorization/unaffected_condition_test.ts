import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { captureLog } from "../../../src/test/capture_log.ts";
import { send } from "../../http/fixture.ts";
import type { Row } from "../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { User } from "../../../src/context/user.ts";
import { isShownBy, isUnaffected } from "../../../src/service/authorization/unaffected_condition.ts";
import { withApp } from "../../data/app.ts";
import { condition as conditionOf } from "./conditions.ts";

const MODEL = linkModel(parseCdl(`
  entity Places { key ID : Integer; name : String; books : Association to many Books on books.place = $self; }
  entity region { key ID : Integer; }
  entity stock { key ID : Integer; }
  entity Books {
    key ID : Integer;
    title : String;
    region : String;
    stock : Integer;
    changedBy : String @cds.on.update: $user;
    @odata.etag.counter version : Integer;
    twice : Integer = stock * 2;
    place : Association to Places;
    size { width : Integer; };
    opens : Time;
    virtual mark : String;
  }
  entity Shown as projection on Books;
  entity Some as select from Books where stock > 0;
  entity Least as projection on Some excluding { opens } where ID < 9 and title <> 'Old';
  entity Filtered as select from Books[stock > 0];
  entity Given(least : Integer) as select from Books[stock > :least];
  entity Above as projection on Given(least : 1);
  entity Renamed as projection on Books { *, region as area };
  entity Again as projection on Renamed;
  entity Listed as projection on Books { ID, region, title };
  entity Far as projection on Books { place.name };
  entity Named as projection on Books { ID, region, place.name };
  entity Aliased as select from Books as title where title.stock > 0;
  entity Ends as select from Places:books;
  entity Joined as select from Books as b join Places as p on p.ID = b.place.ID { b.ID, b.region };
`));

function unaffected(condition: string, data: Row, entity = "Books"): boolean {
  return isUnaffected(MODEL.entity(entity)!, conditionOf(condition), data);
}

Deno.test("a condition is unaffected by changes of values that it does not depend on (auth 7)", () => {
  assert.equal(unaffected("region = $user.region", { title: "New" }), true);
  assert.equal(unaffected("region = $user.region and stock > 0", { ID: 1, title: "New" }), true);
  assert.equal(unaffected("ID > 5 and region = 'EU'", { ID: 1, title: "New" }), true);
  assert.equal(unaffected("region = $user.region", { title: "New" }, "Shown"), true);
  assert.equal(unaffected("region = $user.region", { title: "New" }, "Listed"), true);
  assert.equal(unaffected("region = $user.region", { region: "EU" }, "Listed"), false);
  assert.equal(unaffected("name = $user.region", { title: "New" }, "Far"), false);
  assert.equal(unaffected("region = $user.region", { title: "New" }, "Some"), true);
  assert.equal(unaffected("ID > 0", { ID: 1, region: "EU" }, "Least"), true);
});

Deno.test("a condition may be affected by changes of what it depends on, however that is written (auth 7)", () => {
  const affected: readonly [condition: string, data: Row, entity?: string][] = [
    ["region = $user.region", { region: "EU" }],
    ["title is null or region = 'EU'", { title: null }],
    ["changedBy = $user", { title: "New" }],
    ["twice > 2", { title: "New" }],
    ["twice > 2", { stock: 1 }],
    ["place.name = 'x'", { title: "New" }],
    ["place_ID = 1", { place: { ID: 2 } }],
    ["region = 'EU'", { place: { ID: 2 } }],
    ["region = 'EU'", { size: { width: 2 } }],
    ["exists place", { title: "New" }],
    // a source may be called like an element
    ["ID in (select ID from region)", { title: "New" }],
    ["ID in (select ID from region union select ID from stock)", { title: "New" }],
    ["region = 'EU'", { area: "US" }, "Renamed"],
    ["area = 'EU'", { region: "US" }, "Renamed"],
    ["region = 'EU'", { area: "US" }, "Again"],
    ["name = 'x'", { region: "US" }, "Named"],
    ["version > 1", { title: "New" }],
    ["region = 'EU'", { unknown: 1 }],
    ["region = 'EU'", { ID: 1 }, "Joined"],
    // what views choose their rows by
    ["region = 'EU'", { stock: 0 }, "Some"],
    ["region = 'EU'", { stock: 0 }, "Least"],
    ["region = 'EU'", { title: "Old" }, "Least"],
    ["region = 'EU'", { stock: 0 }, "Filtered"],
    ["region = 'EU'", { stock: 0 }, "Aliased"],
  ];
  for (const [condition, data, entity] of affected) {
    assert.equal(unaffected(condition, data, entity), false, `${condition} ${JSON.stringify(data)}`);
  }
});

const user = new User({ id: "alice", attr: { region: "EU", two: ["EU", "US"], one: ["EU"], none: [] } });

function shown(condition: string, data: Row, entity = "Books"): boolean {
  return isShownBy(MODEL.entity(entity)!, conditionOf(condition), { data, user });
}

Deno.test("data of a new row show that it meets equalities of its texts (auth 7)", () => {
  for (const condition of ["region = $user.region", "region = $user.one", "region = 'EU' and title = 'A'"]) {
    assert.equal(shown(condition, { ID: 1, title: "A", region: "EU" }), true, condition);
  }
  assert.equal(shown("region = $user.region", { ID: 1, region: "EU" }, "Shown"), true);
});

Deno.test("the database is asked about new rows whose data show nothing (auth 7)", () => {
  const unknown: readonly [condition: string, data: Row, entity?: string][] = [
    ["region = $user.region", { region: "US" }],
    ["region = $user.region", { ID: 1 }],
    ["region = $user.region", { region: ["EU"] }],
    ["region = $user.two", { region: "EU" }],
    ["region = $user.none", { region: "EU" }],
    ["region = $user.other", { region: undefined }],
    ["region <> $user.region", { region: "EU" }],
    ["not region = $user.region", { region: "EU" }],
    ["region = 'EU' or title = 'A'", { region: "EU", title: "A" }],
    ["region = 'EU' and stock > 0", { region: "EU", stock: 1 }],
    ["stock = 1", { stock: 1 }],
    ["'EU' = region", { region: "EU" }],
    ["region = title", { region: "EU", title: "EU" }],
    ["region = title", { ID: 1 }],
    ["region = 5", { region: 5 }],
    ["changedBy = 'EU'", { changedBy: "EU" }],
    // no row has a value of it
    ["mark = 'EU'", { mark: "EU" }],
    // texts that stand for other values: the same one may be written otherwise
    ["region = x'4555'", { region: "4555" }],
    ["opens = '10:00'", { opens: "10:00" }],
    ["place.name = 'EU'", { place: { name: "EU" } }],
    ["region = $user.region", { region: "EU" }, "Some"],
    ["region = $user.region", { region: "EU" }, "Filtered"],
    ["region = $user.region", { region: "EU" }, "Given"],
    ["region = $user.region", { region: "EU" }, "Above"],
    ["area = $user.region", { area: "EU" }, "Renamed"],
    ["region = $user.region", { region: "EU" }, "Ends"],
    ["region = $user.region", { region: "EU" }, "Joined"],
  ];
  for (const [condition, data, entity] of unknown) {
    assert.equal(shown(condition, data, entity), false, `${condition} ${JSON.stringify(data)}`);
  }
});

Deno.test("a new row is permitted only where the view shows it, however the view limits its rows (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Goods { key ID : Integer; region : String; stock : Integer; }
      @restrict: [{ where: (region = 'EU') }] entity Whole as projection on Goods;
      @restrict: [{ where: (region = 'EU') }] entity Limited as select from Goods where stock > 0;
      @restrict: [{ where: (region = 'EU') }] entity Filtered as select from Goods[stock > 0]; }`,
  }, async ({ post }) => {
    const create = async (set: string, ID: number, stock: number) =>
      (await post(set, { ID, region: "EU", stock })).status;
    assert.equal(await create("Whole", 1, 0), 201);
    assert.deepEqual([await create("Limited", 2, 0), await create("Limited", 3, 1)], [403, 201]);
    assert.deepEqual([await create("Filtered", 4, 0), await create("Filtered", 5, 1)], [403, 201]);
  }));

Deno.test("a changed row is permitted only where the view shows it, whatever else is sent (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Goods { key ID : Integer; region : String; stock : Integer; }
      @restrict: [{ where: (region = 'EU') }] entity Limited as select from Goods where stock > 0;
      @restrict: [{ where: (region = 'EU') }] entity Filtered as select from Goods[stock > 0];
      @restrict: [{ where: (region = 'EU') }] entity Above as projection on Limited; }`,
    rows: { "Test.Goods": [{ ID: 1, region: "EU", stock: 1 }] },
  }, async ({ patch, send, get }) => {
    for (const set of ["Limited", "Filtered", "Above"]) {
      const statuses = [
        await patch(`${set}(1)`, { stock: 0 }),
        await patch(`${set}(1)`, { stock: 0, region: "EU" }),
        await send("PUT", `${set}(1)`, { body: { stock: 0 } }),
        await send("PUT", `${set}(1)/stock`, { body: { value: 0 } }),
        await patch(`${set}(1)`, { stock: 2 }),
      ].map(({ status }) => status);
      assert.deepEqual(statuses, [403, 403, 403, 403, 200], set);
    }
    assert.equal((await get("Goods(1)")).body.stock, 2);
  }));

Deno.test("the database is asked about a new row only where its data do not show that the user may write it", async () => {
  const runtime = createRuntime({
    model: parseCdl(`service Shop {
      @restrict: [{ to: 'authenticated-user', where: 'region = $user.region' }]
      entity Books { key ID : Integer; region : String; }
      @restrict: [{ to: 'authenticated-user', where: 'region <> $user.region' }]
      entity Others { key ID : Integer; region : String; }
    }`),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "mocked", users: { ann: { attr: { region: ["EU"] } } } },
        db: { kind: "sqlite", credentials: { url: ":memory:" } },
      },
      log: { levels: { default: "silent", sql: "debug" } },
    },
  });
  using log = captureLog();
  await runtime.start();
  const create = async (set: string, body: Row): Promise<readonly unknown[]> => {
    const { length } = log.output;
    const headers = { prefer: "return=minimal" };
    const path = `/odata/v4/shop/${set}`;
    const { status } = await send(runtime, path, { method: "POST", user: "ann", headers, body });
    return [status, /: SELECT .* FROM "?Shop_/.test(log.output.slice(length))];
  };
  try {
    assert.deepEqual(await create("Books", { ID: 1, region: "EU" }), [204, false]);
    assert.deepEqual(await create("Books", { ID: 2, region: "US" }), [403, true]);
    assert.deepEqual(await create("Others", { ID: 1, region: "US" }), [204, true]);
  } finally {
    await runtime.close();
  }
});
