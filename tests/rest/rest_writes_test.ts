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
  entity Elsewhere as projection on db_Rows;
  @cds.persistence.skip entity Made { key ID : Integer; name : String(20); version : Integer @odata.etag; }
}
`;

const USERS = { maker: ["maker"], both: ["maker", "changer"] };

function writeHandlers(srv: ApplicationService): void {
  const made = (req: ServiceRequest) => ({ ...req.data as object, name: "made", version: 7 });
  srv.on("CREATE", ["Made", "Elsewhere"], made);
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
