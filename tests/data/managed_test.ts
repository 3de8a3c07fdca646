import assert from "node:assert/strict";
import { type App, type AppOptions, errorOf, type Json, withApp } from "./app.ts";

const MODEL = `
using { cuid, managed } from '@sap/cds/common';

type State : String(10) enum { open; closed = 'C'; };

entity db_Orders : cuid, managed {
  number    : Integer default 7;
  state     : State default #open;
  flag      : Boolean default true;
  total     : Decimal(9,2) default 0;
  country   : String(3) @cds.on.insert: $user.country;
  region    : String(20) default 'EMEA';
  origin    : String(20) @cds.on.insert: 'web' @cds.on.update: 'changed';
  token     : UUID @cds.on.insert: $uuid;
  onDay     : Date @cds.on.insert: $now;
  atSecond  : DateTime @cds.on.insert: $now @cds.on.update: $now;
  atTime    : Time @cds.on.insert: $now;
  version   : Integer @cds.on.insert: 1;
  market    : String(20) default 'any' @cds.on.insert: $user.country;
  client    : String(20) default 'none' @cds.on.insert: $user.tenant;
  free      : String(20) @cds.on.insert: 'web' @cds.on.update: 'web';
  items     : Composition of many db_Items on items.order = $self;
  notes     : Composition of many { key pos : Integer; text : String(20); at : Timestamp @cds.on.insert: $now; by : String @cds.on.update: $user; };
}
entity db_Items : cuid, managed {
  name  : String(20);
  count : Integer default 1;
  order : Association to db_Orders;
  parts : Composition of many db_Parts on parts.item = $self;
}
entity db_Parts : cuid, managed { name : String(20); item : Association to db_Items; }
entity db_Settings : managed { key name : String(20); value : String(20) default 'none'; }
annotate db_Orders with { free @cds.on.insert: null @cds.on.update: null };
service Test {
  entity Orders as projection on db_Orders actions { action touch(); };
  entity Items as projection on db_Items;
  entity Parts as projection on db_Parts;
  entity Settings as projection on db_Settings;
  action upsert(name : String);
}
`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ENV = {
  requires: {
    db: { kind: "sqlite" },
    auth: { kind: "mocked", users: { ada: { attr: { country: "DE" } }, bob: {} } },
  },
};

function withOrders(test: (app: App) => Promise<unknown>, more: Partial<AppOptions> = {}): Promise<void> {
  return withApp({ model: MODEL, env: ENV, ...more }, test);
}

async function create(app: App, body: unknown, path = "Orders"): Promise<Json> {
  const answer = await app.send("POST", path, { body, user: "ada" });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

Deno.test("CREATE fills keys, managed elements and defaults", () =>
  withOrders(async (app) => {
    const before = new Date().toISOString();
    const order = await create(app, {}) as unknown as Record<string, string>;
    const after = new Date().toISOString();
    assert.match(order.ID!, UUID);
    assert.match(order.token!, UUID);
    assert.notEqual(order.ID, order.token);
    assert.ok(order.createdAt! >= before && order.createdAt! <= after);
    assert.equal(order.modifiedAt, order.createdAt);
    assert.equal(order.createdBy, "mock/ada");
    assert.equal(order.modifiedBy, "mock/ada");
    const { number, state, flag, total, country, region, origin, version } = order as unknown as Json;
    assert.deepEqual({ number, state, flag, total, country, region, origin, version }, {
      number: 7,
      state: "open",
      flag: true,
      total: 0,
      country: "DE",
      region: "EMEA",
      origin: "web",
      version: 1,
    });
    assert.equal(order.onDay, order.createdAt!.slice(0, 10));
    assert.equal(order.atSecond, `${order.createdAt!.slice(0, 19)}Z`);
    assert.equal(order.atTime, order.createdAt!.slice(11, 19));
  }));

Deno.test("an attribute that the user lacks is null, explicit null wins over a default", () =>
  withOrders(async (app) => {
    const answer = await app.send("POST", "Orders", { body: { region: null, number: null }, user: "bob" });
    assert.equal(answer.body.country, null);
    assert.equal(answer.body.region, null);
    assert.equal(answer.body.number, null);
  }));

Deno.test("an attribute that the user has wins over a default, which stands for what he lacks", () =>
  withOrders(async (app) => {
    assert.deepEqual(await create(app, {}).then(({ market, client }) => [market, client]), ["DE", "none"]);
    const { body } = await app.send("POST", "Orders", { body: {}, user: "bob" });
    assert.equal(body.market, "any");
    const service = app.runtime.services.Test!;
    const row = await service.tx({ tenant: "t1" }, (tx) => tx.create("Orders", { number: 1 }));
    assert.equal((row as Json).client, "t1");
  }));

Deno.test("what an annotation with null makes unmanaged is what clients send", () =>
  withOrders(async (app) => {
    const order = await create(app, { free: "mine" });
    assert.equal(order.free, "mine");
    const changed = await app.send("PATCH", `Orders(${order.ID})`, { body: { free: "ours" }, user: "ada" });
    assert.equal(changed.body.free, "ours");
    assert.equal((await create(app, {})).free, null);
  }));

Deno.test("PUT as replacement sets what clients may write, and nothing else: null takes annotations back", () =>
  withApp({
    model: `service Test {
      entity Things {
        key ID : Integer;
        plain : String; open : String default 'new' @readonly: null; free : String @Core.Computed: null;
        later : String @Core.Immutable: null; several : String @odata.discriminator: null;
        tag : String @odata.etag: null; soft : String @Core.Computed: false;
        shut : String @readonly; made : String @Core.Computed; once : String @Core.Immutable;
        kind : String @odata.discriminator; version : String @odata.etag; at : Timestamp @cds.on.insert: $now;
      }
    }`,
    env: { ...ENV, odata: { put_as_replace: true } },
    rows: {
      "Test.Things": [{
        ...{ ID: 1, plain: "a", open: "a", free: "a", later: "a", several: "a", tag: "a", soft: "a" },
        ...{ shut: "b", made: "b", once: "b", kind: "b", version: "b", at: "2026-01-01T00:00:00.000Z" },
      }],
    },
  }, async (app) => {
    const { body, status } = await app.send("PUT", "Things(1)", {
      body: { plain: "z" },
      user: "ada",
      headers: { "if-match": "*" },
    });
    assert.equal(status, 200);
    const { "@odata.context": _context, "@odata.etag": _etag, ...row } = body;
    assert.deepEqual(row, {
      ...{ ID: 1, plain: "z", open: "new", free: null, later: null, several: null, tag: null, soft: null },
      ...{ shut: "b", made: "b", once: "b", kind: "b", version: "b", at: "2026-01-01T00:00:00.000Z" },
    });
  }));

Deno.test("what clients send for managed elements is ignored", () =>
  withOrders(async (app) => {
    const order = await create(app, {
      createdAt: "2000-01-01T00:00:00.000Z",
      createdBy: "eve",
      modifiedBy: "eve",
      country: "XX",
      origin: "me",
      version: 99,
    }) as unknown as Record<string, string>;
    assert.deepEqual([order.createdBy, order.modifiedBy, order.country, order.origin, order.version], [
      "mock/ada",
      "mock/ada",
      "DE",
      "web",
      1,
    ]);
    assert.ok(order.createdAt! > "2020");
    const changed = await app.send("PATCH", `Orders(${order.ID})`, {
      body: { createdBy: "eve", modifiedBy: "eve", number: 8 },
      user: "bob",
    });
    assert.equal(changed.body.createdBy, "mock/ada");
    assert.equal(changed.body.modifiedBy, "mock/bob");
  }));

Deno.test("deep children get keys, managed elements and the same time as their parent [2.1.timestamp.b]", () =>
  withOrders(async (app) => {
    const order = await create(app, {
      items: [{ name: "a", parts: [{ name: "p" }, { name: "q" }] }, { name: "b", createdBy: "eve" }],
      notes: [{ pos: 1, text: "hello" }],
    });
    const read = await app.get(
      `Orders(${order.ID})?$expand=items($expand=parts;$orderby=name),notes`,
    );
    const items = read.body.items as unknown as Record<string, unknown>[];
    const parts = items[0]!.parts as Record<string, unknown>[];
    const notes = read.body.notes as unknown as Record<string, unknown>[];
    for (const row of [...items, ...parts]) {
      assert.match(String(row.ID), UUID);
      assert.equal(row.createdBy, "mock/ada");
      assert.equal(row.createdAt, order.createdAt);
    }
    assert.equal(items[0]!.count, 1);
    assert.equal(notes[0]!.at, order.createdAt);
    assert.equal(new Set([...items, ...parts].map(({ ID }) => ID)).size, 4);
  }));

Deno.test("requests of a change set share one time, others do not [2.1.timestamp.b]", () =>
  withOrders(async (app) => {
    const post = (group?: string) => ({
      method: "POST",
      url: "Orders",
      body: { items: [{ name: "x" }] },
      ...(group ? { atomicityGroup: group } : {}),
    });
    const answers = await app.batch([post("g"), post("g")]);
    const [first, second] = answers as unknown as { body: { createdAt: string } }[];
    assert.equal(first!.body.createdAt, second!.body.createdAt);
  }));

Deno.test("UPDATE changes what @cds.on.update names and nothing that is inserted only", () =>
  withOrders(async (app) => {
    const order = await create(app, {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { body } = await app.send("PATCH", `Orders(${order.ID})`, { body: { number: 1 }, user: "bob" });
    assert.equal(body.createdAt, order.createdAt);
    assert.equal(body.createdBy, "mock/ada");
    assert.ok(String(body.modifiedAt) > String(order.modifiedAt));
    assert.equal(body.modifiedBy, "mock/bob");
    assert.equal(body.origin, "changed");
    assert.equal(body.token, order.token);
    assert.equal(body.region, "EMEA");
  }));

Deno.test("an empty PATCH touches the row too", () =>
  withOrders(async (app) => {
    const order = await create(app, {});
    const { body } = await app.send("PATCH", `Orders(${order.ID})`, { body: {}, user: "bob" });
    assert.equal(body.modifiedBy, "mock/bob");
  }));

Deno.test("UPDATE by expressions changes managed elements too", () =>
  withOrders(async (app) => {
    const order = await create(app, { number: 5 });
    await app.send("POST", `Orders(${order.ID})/touch`, { body: {}, user: "bob" });
    const { body } = await app.get(`Orders(${order.ID})`);
    assert.equal(body.number, 6);
    assert.equal(body.modifiedBy, "mock/bob");
    assert.equal(body.origin, "changed");
    assert.equal(body.createdBy, "mock/ada");
  }, {
    handlers: (srv) =>
      srv.on("touch", "Orders", (req) =>
        srv.run({
          UPDATE: {
            entity: req.subject!,
            with: { number: { xpr: [{ ref: ["number"] }, "+", { val: 1 }] } },
          },
        }).then(() => undefined)),
  }));

Deno.test("deep update: kept children are updated, new ones created, by whom it was done", () =>
  withOrders(async (app) => {
    const order = await create(app, { items: [{ name: "a" }, { name: "b" }] });
    const [a] = await app.rows(`Orders(${order.ID})/items?$orderby=name`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await app.send("PATCH", `Orders(${order.ID})`, {
      body: { items: [{ ID: a!.ID, name: "A" }, { name: "c" }] },
      user: "bob",
    });
    assert.equal(answer.status, 200, answer.text);
    const items = await app.rows(`Orders(${order.ID})/items?$orderby=name`);
    assert.deepEqual(items.map((row) => [row.name, row.createdBy, row.modifiedBy, row.count]), [
      ["A", "mock/ada", "mock/bob", 1],
      ["c", "mock/bob", "mock/bob", 1],
    ] as unknown);
    assert.equal(items[0]!.createdAt, a!.createdAt);
  }));

Deno.test("a new child with a key of its own gets what is inserted", () =>
  withOrders(async (app) => {
    const order = await create(app, { notes: [{ pos: 1, text: "one" }] });
    const answer = await app.send("PATCH", `Orders(${order.ID})`, {
      body: { notes: [{ pos: 1, text: "uno" }, { pos: 2, text: "two" }] },
      user: "bob",
    });
    assert.equal(answer.status, 200, answer.text);
    const notes = await app.rows(`Orders(${order.ID})/notes?$orderby=pos`);
    assert.equal(notes[0]!.at, order.createdAt);
    assert.equal(notes[0]!.by, "mock/bob");
    assert.match(String(notes[1]!.at), /^20/);
  }));

Deno.test("UPSERT inserts with defaults, and updates without them", () =>
  withOrders(async (app) => {
    const put = (value?: string) =>
      app.send("PUT", "Settings('a')", { body: value === undefined ? {} : { value }, user: "ada" });
    const created = await put();
    assert.equal(created.status, 201);
    assert.equal(created.body.value, "none");
    assert.equal(created.body.createdBy, "mock/ada");
    const updated = await put("b");
    assert.equal(updated.status, 200);
    // nothing but the key: the row is there, and stays as it is
    await app.send("POST", "upsert", { body: { name: "a" }, user: "bob" });
    await app.send("POST", "upsert", { body: { name: "new" }, user: "bob" });
    const rows = await app.rows("Settings?$orderby=name");
    assert.deepEqual(rows.map((row) => [row.name, row.value, row.createdBy, row.modifiedBy]), [
      ["a", "b", "mock/ada", "mock/ada"],
      ["new", "none", "mock/bob", "mock/bob"],
    ] as unknown);
  }, {
    handlers: (srv) =>
      srv.on("upsert", async (req) => {
        await srv.run({ UPSERT: { into: "Test.Settings", entries: [{ ...req.data as object }] } });
      }),
  }));

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`new children with a key, UPSERT and hidden elements get what is inserted (${database})`, () =>
    withApp({
      database,
      model: `
        entity db_Lists { key ID : Integer; entries : Composition of many db_Entries on entries.list = $self; }
        entity db_Entries { key ID : Integer; list : Association to db_Lists; text : String(9) default 'empty';
          made : String(9) @cds.on.insert: 'made'; changed : String(9) @cds.on.insert: 'never' @cds.on.update: 'changed'; }
        entity db_Secrets { key ID : Integer; text : String(9); made : String(9) @cds.on.insert: 'made';
          changed : String(9) @cds.on.update: 'changed'; }
        service Test {
          entity Lists as projection on db_Lists;
          entity Entries as projection on db_Entries;
          entity Secrets as projection on db_Secrets { ID, text };
          entity All as projection on db_Secrets;
        }`,
    }, async (app) => {
      await app.post("Lists", { ID: 1 });
      const one = { ID: 1, list_ID: 1, text: "empty", made: "made", changed: "never" };
      assert.equal((await app.patch("Lists(1)", { entries: [{ ID: 1 }] })).status, 200);
      assert.deepEqual(await app.rows("Entries"), [one]);
      await app.patch("Lists(1)", { entries: [{ ID: 1, text: "x" }, { ID: 2 }] });
      assert.deepEqual(await app.rows("Entries"), [
        { ...one, text: "x", changed: "changed" },
        { ...one, ID: 2 },
      ]);
      await app.post("Secrets", { ID: 1, text: "a" });
      assert.deepEqual(await app.rows("All"), [{ ID: 1, text: "a", made: "made", changed: null }]);
      await app.patch("Secrets(1)", { text: "b" });
      assert.deepEqual(await app.rows("All"), [{ ID: 1, text: "b", made: "made", changed: "changed" }]);
    }));
}

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`a foreign key has the default of its association, else that of the key it refers to (${database})`, () =>
    withApp({
      database,
      model: `
        entity db_States { key code : String(1) default 'X'; }
        entity db_Orders { key ID : Integer; state : Association to db_States not null default 'N';
          next : Association to db_States not null; last : Association to db_States; }
        service Test { entity Orders as projection on db_Orders; entity Own { key ID : Integer;
          state : Association to db_States default 'N'; last : Association to db_States; } }`,
    }, async (app) => {
      const { body } = await app.post("Orders", { ID: 1, next_code: "Z", last_code: null });
      assert.deepEqual([body.state_code, body.next_code, body.last_code], ["N", "Z", null]);
      const filled = (await app.post("Orders", { ID: 2 })).body;
      assert.deepEqual([filled.state_code, filled.next_code, filled.last_code], ["N", "X", "X"]);
      const { Own } = (await app.get("$metadata?$format=json")).body.Test as Record<
        string,
        Record<string, Json>
      >;
      assert.equal(Own!.state_code!.$DefaultValue, "N");
      assert.equal("$DefaultValue" in Own!.last_code!, false);
    }));
}

Deno.test("handlers may set managed elements, and see generated values", async () => {
  const seen: unknown[] = [];
  await withOrders(async (app) => {
    const order = await create(app, {});
    assert.equal(order.createdBy, "handler");
    assert.equal(seen[0], order.ID);
  }, {
    handlers: (srv) => {
      srv.before("CREATE", "Orders", (req) => {
        (req.data as Record<string, unknown>).createdBy = "handler";
      });
      srv.after("CREATE", "Orders", (_result, req) => {
        seen.push((req.data as Record<string, unknown>).ID);
      });
    },
  });
});

Deno.test("a UUID key that the client sends is kept; one that is none is refused", () =>
  withOrders(async (app) => {
    const ID = "01234567-89ab-4cde-8f01-23456789abcd";
    assert.equal((await create(app, { ID })).ID, ID);
    assert.equal(errorOf(await app.post("Orders", { ID }), 409).code, "ENTITY_ALREADY_EXISTS");
    assert.equal(errorOf(await app.post("Orders", { ID: "x" }), 400).code, "ASSERT_DATA_TYPE");
    assert.match(String((await app.post("Orders", { ID: null })).status), /201|400/);
  }));
