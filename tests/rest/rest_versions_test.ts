import assert from "node:assert/strict";
import { type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
entity db_Stamped { key ID : Integer; name : String(20); at : UUID @odata.etag @cds.on.insert: $uuid @cds.on.update: $uuid; }
entity db_Counted { key ID : Integer; name : String(20); version : Integer @odata.etag default 1; }
entity db_Plain { key ID : Integer; name : String(20); }
@protocol: 'rest'
service Test {
  entity Stamped as projection on db_Stamped;
  entity Counted as projection on db_Counted;
  entity Plain as projection on db_Plain;
  entity Named(given : String) as select from db_Plain { ID, name } where name = :given;
}
`;

const ROWS = {
  db_Stamped: [{ ID: 1, name: "a", at: "11111111-1111-1111-1111-111111111111" }],
  db_Counted: [{ ID: 1, name: "a", version: 3 }, { ID: 2, name: "b", version: null }],
  db_Plain: [{ ID: 1, name: "a" }],
};

function withRows(test: (app: App) => Promise<unknown>): Promise<void> {
  return withApp({ model: MODEL, rows: ROWS }, test);
}

const at = (path: string) => `/rest/test/${path}`;

Deno.test("REST shows the version of a row as ETag, and answers 304 who has it (behaviours 4, 9)", () =>
  withRows(async (app) => {
    const answer = await app.get(at("Counted/1"));
    assert.deepEqual([answer.status, answer.headers.get("etag")], [200, 'W/"3"']);
    const selected = await app.get(at("Counted/1?$select=name"));
    assert.deepEqual([selected.body, selected.headers.get("etag")] as unknown, [{ name: "a" }, 'W/"3"']);
    const same = await app.get(at("Counted/1"), { "if-none-match": 'W/"3"' });
    assert.deepEqual([same.status, same.text, same.headers.get("etag")], [304, "", 'W/"3"']);
    assert.equal((await app.get(at("Counted/1"), { "if-none-match": 'W/"2"' })).status, 200);
    errorOf(await app.get(at("Counted/1"), { "if-match": 'W/"2"' }), 412);
    for (const path of ["Counted/2", "Plain/1", "Counted"]) {
      assert.equal((await app.get(at(path), { "if-none-match": "*" })).headers.get("etag"), null, path);
    }
  }));

Deno.test("REST writes answer 412 for another version or a missing row, and show the new one (behaviours 4, 9)", () =>
  withRows(async (app) => {
    const old = (await app.get(at("Stamped/1"))).headers.get("etag")!;
    for (const method of ["PATCH", "PUT", "DELETE"]) {
      const body = method === "DELETE" ? undefined : { name: "x" };
      const send = (path: string, tag?: string) =>
        app.send(method, at(path), { body, headers: tag === undefined ? {} : { "if-match": tag } });
      errorOf(await send("Stamped/1"), 428);
      errorOf(await send("Stamped/1", 'W/"other"'), 412);
      errorOf(await send("Stamped/9", "*"), 412);
      errorOf(await send("Stamped/9", old), 412);
    }
    errorOf(
      await app.send("PUT", at("Stamped/1/name"), { body: { name: "q" }, headers: { "if-match": 'W/"x"' } }),
      412,
    );
    errorOf(await app.patch(at("Stamped/1"), { name: "q" }, { "if-none-match": "*" }), 412);

    const changed = await app.patch(at("Stamped/1"), { name: "b" }, { "if-match": old });
    const next = changed.headers.get("etag");
    assert.deepEqual([changed.status, changed.body] as unknown, [200, { name: "b", ID: 1 }]);
    assert.notEqual(next, old);
    assert.equal((await app.get(at("Stamped/1"))).headers.get("etag"), next);
    const headers = { "if-match": next!, prefer: "return=minimal" };
    const minimal = await app.patch(at("Stamped/1"), { name: "c" }, headers);
    assert.equal(minimal.status, 204);
    const last = minimal.headers.get("etag")!;
    assert.equal((await app.get(at("Stamped/1"))).headers.get("etag"), last);
    const property = await app.send("PUT", at("Stamped/1/name"), {
      body: { name: "d" },
      headers: { "if-match": last },
    });
    assert.equal(property.status, 200);
    assert.equal((await app.get(at("Stamped/1"))).headers.get("etag"), property.headers.get("etag"));

    const created = await app.post(at("Stamped"), { ID: 2, name: "n" });
    assert.equal(created.status, 201);
    assert.equal((await app.get(at("Stamped/2"))).headers.get("etag"), created.headers.get("etag"));
    const put = await app.send("PUT", at("Counted/5"), { body: { name: "n" } });
    assert.deepEqual([put.status, put.headers.get("etag")], [201, 'W/"1"']);
    assert.equal((await app.post(at("Plain"), { ID: 7 })).headers.get("etag"), null);
  }));

Deno.test("the list of entities of REST leaves out views with parameters, as the service document does", () =>
  withRows(async (app) => {
    const { entities } = (await app.get(at(""))).body as unknown as { entities: { name: string }[] };
    assert.deepEqual(entities.map(({ name }) => name), ["Stamped", "Counted", "Plain"]);
    assert.equal((await app.get(at("Named(given='a')/Set"))).status, 200);
  }));
