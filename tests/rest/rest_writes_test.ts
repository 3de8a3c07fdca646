import assert from "node:assert/strict";
import type { ApplicationService, ServiceRequest } from "../../mod.ts";
import { type App, withApp } from "../data/app.ts";

const WRITES = `
@restrict: [{ grant: 'CREATE', to: 'maker' }, { grant: 'UPDATE', to: 'changer' }, { grant: 'READ', to: 'any' }]
entity db_Guarded { key ID : Integer; name : String(20); }
entity db_Rows {
  key ID : Integer; name : String(20); stock : Integer default 5; at : Timestamp @cds.on.insert: $now;
  version : Integer @odata.etag default 1;
}
@protocol: 'rest'
service Test {
  entity Guarded as projection on db_Guarded;
  entity Plain as projection on db_Rows;
  entity Handled as projection on db_Rows;
  entity ReadLater as projection on db_Rows;
  entity Elsewhere as projection on db_Rows;
  @cds.persistence.skip entity Made { key ID : Integer; name : String(20); version : Integer @odata.etag; }
}
`;

const USERS = { maker: ["maker"], both: ["maker", "changer"] };

function writeHandlers(srv: ApplicationService): void {
  const made = (req: ServiceRequest) => ({ ...req.data as object, name: "made", version: 7 });
  srv.on("CREATE", ["Made", "Elsewhere"], made);
  srv.on("READ", "ReadLater", async (_: ServiceRequest, next: () => Promise<unknown>) => {
    await Promise.resolve();
    return await next();
  });
  srv.on("CREATE", "Handled", async (req: ServiceRequest, next: () => Promise<unknown>) => {
    await next();
    return made(req);
  });
}

function withWrites(test: (app: App) => Promise<unknown>): Promise<void> {
  const users = Object.fromEntries(Object.entries(USERS).map(([name, roles]) => [name, { roles }]));
  const env = { requires: { db: { kind: "sqlite" }, auth: { kind: "mocked", users } } };
  return withApp({ model: WRITES, handlers: writeHandlers, env }, test);
}

const at = (path: string) => `/rest/test/${path}`;
/** Whatever version a row has. */
const ANY = { "if-match": "*" };
const as = (user: string) => ({ authorization: `Basic ${btoa(`${user}:`)}` });

Deno.test("REST echoes what was sent and keys, of handlers what they give; the version is that of the row", () =>
  withWrites(async (app) => {
    const created = async (set: string) => {
      const { status, body, headers } = await app.post(at(set), { ID: set.length, name: "x" }, as("both"));
      const { at: _, ...row } = body;
      return [status, row, headers.get("etag")] as unknown;
    };
    assert.deepEqual(await created("Plain"), [201, { ID: 5, name: "x" }, 'W/"1"']);
    assert.deepEqual(await created("Made"), [201, { ID: 4, name: "made", version: 7 }, 'W/"7"']);
    assert.deepEqual(await created("Elsewhere"), [201, { ID: 9, name: "made", stock: 5, version: 7 }, null]);
    assert.deepEqual(await created("Handled"), [201, { ID: 7, name: "made", stock: 5, version: 7 }, 'W/"1"']);
  }));

Deno.test("REST asks for the roles of an update and of a creation where PUT may be both", () =>
  withWrites(async (app) => {
    const put = async (user: string) =>
      (await app.send("PUT", at("Guarded/1"), { body: { name: "x" }, headers: as(user) })).status;
    assert.equal(await put("maker"), 403);
    assert.equal(await put("both"), 201);
    assert.equal(await put("both"), 200);
  }));

Deno.test("REST answers changes with a row, or with nothing where the client prefers that (RFC 7240, 4.2)", () =>
  withWrites(async (app) => {
    const sent = async (method: string, path: string, preferred?: string) => {
      const headers = {
        ...as("both"),
        ...(method === "POST" ? {} : ANY),
        ...(preferred ? { prefer: `return=${preferred}` } : {}),
      };
      const body = method === "POST" ? { ID: Number(path.split("/")[1]), name: "x" } : { name: "y" };
      const url = at(method === "POST" ? path.split("/")[0]! : path);
      const { status, text, headers: got } = await app.send(method, url, { body, headers });
      const row = text === "" ? undefined : JSON.parse(text) as Record<string, unknown>;
      return [
        status,
        got.get("preference-applied"),
        got.get("etag"),
        row && { name: row.name, stock: row.stock },
      ];
    };
    assert.deepEqual(await sent("POST", "Plain/1"), [201, null, 'W/"1"', { name: "x", stock: undefined }]);
    assert.deepEqual(await sent("POST", "Plain/2", "minimal"), [204, "return=minimal", 'W/"1"', undefined]);
    assert.deepEqual(await sent("POST", "Plain/3", "representation"), [
      ...[201, "return=representation", 'W/"1"', { name: "x", stock: 5 }],
    ]);
    const later = await sent("POST", "ReadLater/4", "representation");
    assert.deepEqual(later.slice(2), ['W/"1"', { name: "x", stock: 5 }], "of a handler that takes its time");
    for (const method of ["PATCH", "PUT"]) {
      const plain = await sent(method, "Plain/1");
      assert.deepEqual([plain[0], plain[1], (plain[3] as { name: string }).name], [200, null, "y"], method);
      assert.deepEqual((await sent(method, "Plain/1", "minimal")).toSpliced(2, 1), [
        ...[204, "return=minimal", undefined],
      ]);
      const whole = await sent(method, "Plain/1", "representation");
      assert.deepEqual([whole[0], whole[1]], [200, "return=representation"], method);
    }
  }));

Deno.test("REST sets a property to the member of the body with its name, and to null by DELETE", () =>
  withWrites(async (app) => {
    await app.post(at("Plain"), { ID: 1, name: "x" }, as("both"));
    const name = async () => (await app.get(at("Plain/1"))).body.name as unknown;
    const put = await app.send("PUT", at("Plain/1/name"), {
      body: { name: "y" },
      headers: { ...as("both"), ...ANY },
    });
    assert.deepEqual([put.status, put.body.name, await name()] as unknown, [200, "y", "y"]);
    const removed = await app.send("DELETE", at("Plain/1/name"), { headers: { ...as("both"), ...ANY } });
    assert.deepEqual([removed.status, removed.text, await name()] as unknown, [204, "", null]);
  }));
