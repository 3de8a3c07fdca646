import assert from "node:assert/strict";
import { type App, errorOf, type Json, withApp } from "./app.ts";

const MODEL = `
using { sap.common.CodeList, Currency } from '@sap/cds/common';
entity db_Things { key ID : Integer; name : String(20); secret : String(20); note : String(20); currency : Currency;
  parts : Composition of many { key pos : Integer; text : String(20); }; owner : Association to db_Owners; }
entity db_Owners { key ID : Integer; name : String(20); }
@cds.query.limit: { default: 3, max: 4 }
service Test {
  entity Things as projection on db_Things;
  @readonly entity Frozen as projection on db_Things;
  @insertonly entity Inbox as projection on db_Things { *, @readonly name, @Core.Immutable note };
  @Capabilities: { InsertRestrictions.Insertable: false } entity NoInsert as projection on db_Things;
  @Capabilities: { UpdateRestrictions.Updatable: false } entity NoUpdate as projection on db_Things;
  @Capabilities: { DeleteRestrictions.Deletable: false } entity NoDelete as projection on db_Things;
  @Capabilities: { ReadRestrictions.Readable: false } entity NoRead as projection on db_Things;
  @Capabilities: { Insertable: false, Updatable: false, Deletable: false } entity Short as projection on db_Things;
  @readonly: false entity Guarded as projection on db_Things { *, @readonly name, @Core.Computed secret, @Core.Immutable note };
  @cds.query.limit: 2 entity Limited as projection on db_Things;
  @cds.query.limit.default: 1 entity OneByOne as projection on db_Things;
  @cds.query.limit: 0 entity Unlimited as projection on db_Things;
  @cds.search: { name } entity ByName as projection on db_Things;
  @cds.search: { name: false } entity NotByName as projection on db_Things;
  @cds.search: { owner.name } entity ByOwner as projection on db_Things;
  @cds.search: { owner } entity ByOwnerAll as projection on db_Things;
  @cds.redirection.target entity Owners as projection on db_Owners;
  @odata.singleton entity Config as projection on db_Owners;
  @odata.singleton @readonly entity Fixed as projection on db_Owners;
}
@readonly service Reading { entity Things as projection on db_Things; }
annotate Test.Things with @cds.redirection.target;
`;

const ROWS = {
  db_Things: [1, 2, 3, 4, 5].map((ID) => ({
    ID,
    name: `n${ID}`,
    secret: `s${ID}`,
    note: "note",
    currency_code: "EUR",
    owner_ID: ID === 1 ? 1 : 2,
  })),
  db_Owners: [{ ID: 1, name: "Ada" }, { ID: 2, name: "Bob" }],
  "sap.common.Currencies": [{ code: "EUR", name: "Euro" }],
};

const withThings = (test: (app: App) => Promise<unknown>) => withApp({ model: MODEL, rows: ROWS }, test);

/** Status, or the code of the error, of each event. */
async function outcome(app: App, set: string): Promise<Record<string, unknown>> {
  const show = ({ status, body }: { status: number; body: Json }) =>
    status < 400 ? status : `${status} ${body.error!.code}`;
  return {
    read: show(await app.get(set)),
    create: show(await app.post(set, { ID: 9 })),
    update: show(await app.patch(`${set}(1)`, { note: "x" })),
    upsert: show(await app.send("PUT", `${set}(1)`, { body: { note: "x" } })),
    delete: show(await app.send("DELETE", `${set}(5)`)),
  };
}

const FREE = { read: 200, create: 201, update: 200, upsert: 200, delete: 204 };

for (
  const [set, differs] of [
    ["Things", {}],
    ["Frozen", {
      create: "405 ENTITY_IS_READ_ONLY",
      update: "405 ENTITY_IS_READ_ONLY",
      upsert: "405 ENTITY_IS_READ_ONLY",
      delete: "405 ENTITY_IS_READ_ONLY",
    }],
    ["Inbox", {
      read: "405 ENTITY_IS_INSERT_ONLY",
      create: 204,
      update: "405 ENTITY_IS_INSERT_ONLY",
      upsert: "405 ENTITY_IS_INSERT_ONLY",
      delete: "405 ENTITY_IS_INSERT_ONLY",
    }],
    ["NoInsert", { create: "405 ENTITY_IS_NOT_CRUD" }],
    ["NoUpdate", { update: "405 ENTITY_IS_NOT_CRUD", upsert: "405 ENTITY_IS_NOT_CRUD" }],
    ["NoDelete", { delete: "405 ENTITY_IS_NOT_CRUD" }],
    ["NoRead", { read: "405 ENTITY_IS_NOT_CRUD", create: 204, update: 204, upsert: 204 }],
    ["Short", {
      create: "405 ENTITY_IS_NOT_CRUD",
      update: "405 ENTITY_IS_NOT_CRUD",
      upsert: "405 ENTITY_IS_NOT_CRUD",
      delete: "405 ENTITY_IS_NOT_CRUD",
    }],
    ["/odata/v4/reading/Things", {
      create: "405 ENTITY_IS_READ_ONLY",
      update: "405 ENTITY_IS_READ_ONLY",
      upsert: "405 ENTITY_IS_READ_ONLY",
      delete: "405 ENTITY_IS_READ_ONLY",
    }],
  ] as const
) {
  Deno.test(`capabilities: what ${set} allows`, () =>
    withThings(async (app) => assert.deepEqual(await outcome(app, set), { ...FREE, ...differs })));
}

Deno.test("capabilities: a row cannot be created by PUT where inserting is off", () =>
  withThings(async (app) => {
    const error = errorOf(await app.send("PUT", "NoInsert(77)", { body: {} }), 405);
    assert.equal(error.code, "ENTITY_IS_NOT_CRUD");
    assert.equal(error.message, 'Entity "Test.NoInsert" does not allow CREATE');
  }));

Deno.test("@readonly, computed and immutable elements: what clients send is ignored", () =>
  withThings(async (app) => {
    const created = await app.post("Guarded", { ID: 9, name: "x", secret: "y", note: "z" });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual([created.body.name, created.body.secret, created.body.note] as unknown, [
      null,
      null,
      "z",
    ]);
    const changed = await app.patch("Guarded(1)", { name: "x", secret: "y", note: "z", owner_ID: 2 });
    const { name, secret, note, owner_ID } = changed.body;
    assert.deepEqual([name, secret, note, owner_ID] as unknown, ["n1", "s1", "note", 2]);
  }));

Deno.test("auto-exposed code lists are read only", () =>
  withThings(async (app) => {
    assert.equal((await app.get("Currencies('EUR')")).status, 200);
    assert.equal(errorOf(await app.post("Currencies", { code: "USD" }), 405).code, "ENTITY_IS_READ_ONLY");
    assert.equal(errorOf(await app.patch("Currencies('EUR')", {}), 405).code, "ENTITY_IS_READ_ONLY");
    assert.equal(errorOf(await app.send("DELETE", "Currencies('EUR')"), 405).code, "ENTITY_IS_READ_ONLY");
    assert.equal((await app.get("Things(1)/currency")).body.name, "Euro");
  }));

Deno.test("children of compositions are reached by navigation only", () =>
  withThings(async (app) => {
    const error = errorOf(await app.get("db_Things_parts"), 405);
    assert.equal(error.code, "ENTITY_IS_AUTOEXPOSED");
    assert.equal((await app.post("Things(1)/parts", { pos: 1, text: "a" })).status, 201);
    assert.equal((await app.get("Things(1)/parts(1)")).body.text, "a");
    assert.equal((await app.patch("Things(1)/parts(1)", { text: "b" })).body.text, "b");
    assert.equal((await app.send("DELETE", "Things(1)/parts(1)")).status, 204);
  }));

Deno.test("handlers reach children of compositions by their own name, also while they answer a request from outside", () =>
  withApp({
    model: MODEL,
    rows: { ...ROWS, "db_Things.parts": [{ up__ID: 1, pos: 7, text: "a" }] },
    handlers: (srv) =>
      srv.on("READ", "Owners", async () => {
        const parts = await srv.run({ SELECT: { from: { ref: ["Test.db_Things.parts"] } } });
        return (parts as readonly Json[]).map(({ pos, text }) => ({ ID: pos, name: text }));
      }),
  }, async (app) => {
    assert.deepEqual((await app.rows("Owners")).map(({ ID, name }) => [ID, name]), [[7, "a"]]);
    errorOf(await app.get("db_Things_parts"), 405);
  }));

Deno.test("singletons have no key, can be read and changed, not created or deleted", () =>
  withThings(async (app) => {
    assert.equal((await app.get("Config")).body.name, "Ada");
    assert.equal((await app.get("Config/name")).body.value, "Ada");
    const changed = await app.patch("Config", { name: "Eve" });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await app.get("Config")).body.name, "Eve");
    assert.equal((await app.get("Owners(2)")).body.name, "Bob");
    const named = await app.send("PUT", "Config/name", { body: { value: "Eva" } });
    assert.equal(named.status, 200, named.text);
    assert.deepEqual((await app.rows("Owners")).map(({ name }) => name as unknown), ["Eva", "Bob"]);
    errorOf(await app.post("Config", { ID: 3 }), 405);
    assert.equal(errorOf(await app.patch("Fixed", { name: "x" }), 405).code, "ENTITY_IS_READ_ONLY");
    const document = await app.get("");
    const config = (document.body.value as unknown as Json[]).find((one) => one.name as unknown === "Config");
    assert.equal(config!.kind, "Singleton");
  }));

Deno.test("a singleton is the row that its user may see", () =>
  withApp({
    model: `
      entity db_Users { key ID : String(20); name : String(20); calls : Integer default 0; }
      service Test {
        @odata.singleton
        @restrict: [{ grant: '*', to: 'authenticated-user', where: 'ID = $user' }]
        entity me as projection on db_Users actions { action call(); };
      }`,
    rows: { db_Users: [{ ID: "mock/alice", name: "A" }, { ID: "mock/bob", name: "B" }] },
    handlers: (srv) =>
      srv.on("call", "me", async (req) => {
        await srv.run({ UPDATE: { entity: req.subject!, data: { calls: 1 } } });
      }),
  }, async (app) => {
    const changed = await app.send("PATCH", "me", { body: { name: "C" }, user: "bob" });
    assert.equal(changed.body.name, "C", changed.text);
    assert.equal((await app.send("POST", "me/call", { body: {}, user: "bob" })).status, 204);
    const alice = (await app.send("GET", "me", { user: "alice" })).body;
    const bob = (await app.send("GET", "me", { user: "bob" })).body;
    assert.deepEqual([alice.name, alice.calls, bob.name, bob.calls] as unknown, ["A", 0, "C", 1]);
  }));

Deno.test("@cds.query.limit of the service, of the entity, default and max", () =>
  withThings(async (app) => {
    const length = async (path: string) => (await app.rows(path)).length;
    assert.equal(await length("Things"), 3);
    assert.equal(await length("Things?$top=5"), 4);
    assert.equal(await length("Limited"), 2);
    assert.equal(await length("Limited?$top=5"), 2);
    assert.equal(await length("OneByOne"), 1);
    assert.equal(await length("OneByOne?$top=5"), 4);
    assert.equal(await length("Unlimited"), 5);
    const page = await app.get("Things");
    const rest = await app.get(String(page.body["@odata.nextLink"]));
    assert.deepEqual((rest.body.value as unknown as Json[]).map(({ ID }) => ID as unknown), [4, 5]);
    assert.equal(rest.body["@odata.nextLink"], undefined);
    assert.equal((await app.get("Things?$top=2")).body["@odata.nextLink"], undefined);
  }));

Deno.test("@cds.search: some elements, all but some, along associations", () =>
  withThings(async (app) => {
    const found = async (set: string, text: string) =>
      (await app.rows(`${set}?$search=${text}`)).map(({ ID }) => ID as unknown);
    assert.deepEqual(await found("Things", "s3"), [3]);
    assert.deepEqual(await found("ByName", "n3"), [3]);
    assert.deepEqual(await found("ByName", "s3"), []);
    assert.deepEqual(await found("NotByName", "n3"), []);
    assert.deepEqual(await found("NotByName", "s3"), [3]);
    assert.deepEqual(await found("ByOwner", "ada"), [1]);
    assert.deepEqual(await found("ByOwner", "n3"), []);
    assert.deepEqual(await found("ByOwnerAll", "ada"), [1]);
  }));

Deno.test("@cds.search: associations to many find a row once, targets say what is searched in them", () =>
  withApp({
    model: `
      service Test {
        @cds.search: { tags } entity Things { key ID : Integer; tags : Composition of many Tags on tags.thing = $self; }
        @cds.search: { text } entity Tags { key ID : Integer; thing : Association to Things; text : String; other : String; }
        @cds.search: { thing } entity Boxes { key ID : Integer; thing : Association to Things; }
      }`,
    rows: {
      "Test.Things": [{ ID: 1 }, { ID: 2 }],
      "Test.Tags": [1, 2, 3].map((ID) => ({
        ID,
        thing_ID: ID < 3 ? 1 : 2,
        text: `tag${ID}`,
        other: "other",
      })),
      "Test.Boxes": [{ ID: 1, thing_ID: 1 }, { ID: 2, thing_ID: null }],
    },
  }, async (app) => {
    const found = async (query: string) => (await app.rows(query)).map(({ ID }) => ID as unknown);
    assert.deepEqual(await found("Things?$search=tag"), [1, 2]);
    assert.deepEqual(await found("Things?$search=tag3"), [2]);
    assert.deepEqual(await found("Things?$search=NOT tag3"), [1]);
    assert.deepEqual(await found("Things?$search=other"), []);
    assert.deepEqual(await found("Boxes?$search=tag"), [1]);
  }));

Deno.test("models with drafts run: entities are read and written as they are", () =>
  withApp({
    model: `
      entity db_Docs { key ID : UUID; name : String(20); lines : Composition of many { key pos : Integer; text : String(20); } }
      service Test { @odata.draft.enabled entity Docs as projection on db_Docs; }`,
    rows: { db_Docs: [{ ID: "01234567-89ab-4cde-8f01-23456789abcd", name: "one" }] },
  }, async (app) => {
    assert.equal((await app.get("$metadata")).status, 200);
    const [doc] = await app.rows("Docs");
    assert.equal(doc!.name, "one");
    const path = "Docs(01234567-89ab-4cde-8f01-23456789abcd)";
    const changed = await app.patch(path, { name: "two", lines: [{ pos: 1, text: "a" }] });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await app.get(`${path}/lines(1)`)).body.text, "a");
    assert.equal((await app.post("Docs", { name: "three" })).status, 201);
    assert.equal((await app.send("DELETE", path)).status, 204);
  }));
