/** Restrictions hold along casts, links of many to many, deep insert and streams, on every engine. */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, dropSchemas } from "../db/postgres.ts";
import { ENGINES } from "./reference.ts";

const MODEL = `
  entity Links { key a : Association to S.Things; key b : Association to S.Things; }
  service S @(path: '/s', requires: 'authenticated-user') {
    @odata.typeName: 'Thing' @odata.subtypes: ['Special']
    @restrict: [
      { grant: 'READ', where: (owner = $user) },
      { grant: ['CREATE', 'UPDATE', 'DELETE'], to: 'editor', where: (owner = $user) }
    ]
    entity Things {
      key ID : Integer;
      owner : String;
      kind : String @odata.discriminator default 'Thing';
      extra : String @odata.subtype: 'Special';
      place : Place;
      groupID : Integer;
      group : Association to Groups on group.ID = groupID @odata.deepInsert;
      links : Composition of many Links on links.a = $self @cds.api.ignore;
      others : Association to many Things @odata.through: 'links.b' @odata.deepInsert;
    }
    type Place @odata.nested { city : String; }
    @restrict: [{ grant: 'READ' }, { grant: '*', to: 'admin' }]
    entity Groups { key ID : Integer; name : String; }
    @restrict: [{ grant: 'READ', where: (owner = $user) }, { grant: 'WRITE', to: 'editor', where: (owner = $user) }]
    entity Files {
      key ID : Integer; owner : String; type : String;
      content : LargeBinary @odata.media @Core.MediaType: type;
    }
  }
`;

const thing = (ID: number, owner: string, more: Record<string, unknown> = {}) => ({
  ID,
  owner,
  kind: "Special",
  extra: `secret of ${owner}`,
  place: { city: owner },
  ...more,
});

type Send = (
  user: string,
  method: string,
  url: string,
  body?: unknown,
  // deno-lint-ignore no-explicit-any -- bodies are looked into at many places
) => Promise<{ status: number; body: any }>;

async function withThings(engine: string, run: (send: Send) => Promise<void>): Promise<void> {
  const schema = uniqueName();
  const db = { kind: engine, ...(engine === "postgres" ? { credentials: credentials(schema) } : {}) };
  const users = { ann: { roles: ["editor"] }, bob: { roles: ["editor", "admin"] }, eve: {} };
  const runtime = createRuntime({
    model: parseCdl(MODEL),
    kinds: denoKinds,
    env: {
      requires: { db, auth: { kind: "mocked", id_prefix: "", users } },
      log: { levels: { default: "silent" } },
    },
    data: new Map([
      ["S.Groups", [{ ID: 1, name: "one" }]],
      ["S.Things", [thing(1, "ann"), thing(2, "bob"), thing(3, "ann"), thing(4, "eve")]],
      ["Links", [{ a_ID: 1, b_ID: 2 }, { a_ID: 1, b_ID: 3 }]],
      ["S.Files", [{ ID: 1, owner: "bob", type: "text/plain", content: btoa("hidden") }]],
    ]),
  });
  await runtime.start();
  try {
    await run(async (user, method, url, body) => {
      const headers = new Headers({ authorization: `Basic ${btoa(`${user}:`)}` });
      if (body !== undefined) {
        headers.set("content-type", typeof body === "string" ? "text/plain" : "application/json");
      }
      const text = typeof body === "string" || body === undefined
        ? body as string | undefined
        : JSON.stringify(body);
      const response = await runtime.fetch(
        new Request(`http://localhost/s/${url}`, { method, headers, body: text }),
      );
      const answer = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return { status: response.status, body: answer !== "" && isJson ? JSON.parse(answer) : answer };
    });
  } finally {
    await runtime.close();
    if (engine === "postgres") await dropSchemas(schema);
  }
}

const ids = (body: { value: { ID: number }[] }) => body.value.map(({ ID }) => ID);

for (const engine of ENGINES) {
  Deno.test(`${engine}: casts, isof and paths into structures show permitted rows only`, () =>
    withThings(engine, async (send) => {
      const read = async (url: string) => ids((await send("ann", "GET", url)).body);
      assert.deepEqual(await read("Things/S.Special"), [1, 3]);
      assert.deepEqual(await read("Things?$filter=isof(S.Special)"), [1, 3]);
      assert.deepEqual(await read("Things?$filter=S.Special/extra%20ne%20'x'"), [1, 3]);
      assert.deepEqual(await read("Things?$filter=place/city%20eq%20'bob'"), []);
      assert.deepEqual(await read("Things?$filter=place%20ne%20null"), [1, 3]);
      assert.equal((await send("ann", "GET", "Things(2)/S.Special")).status, 404);
      assert.equal((await send("ann", "GET", "Things(2)/place")).status, 404);
      assert.equal((await send("ann", "GET", "Things(2)/S.Special/extra")).status, 404);
    }));

  Deno.test(`${engine}: links of many to many show and link permitted rows only`, () =>
    withThings(engine, async (send) => {
      assert.deepEqual(ids((await send("ann", "GET", "Things(1)/others")).body), [3]);
      assert.equal(String((await send("ann", "GET", "Things(1)/others/$count")).body), "1");
      const { body } = await send("ann", "GET", "Things(1)?$expand=others");
      assert.deepEqual(ids({ value: body.others }), [3]);
      const any = await send("ann", "GET", "Things?$filter=others/any(o:o/owner%20eq%20'bob')");
      assert.deepEqual(ids(any.body), []);
      const refs = "Things(3)/others/$ref";
      assert.equal((await send("ann", "POST", refs, { "@odata.id": "Things(2)" })).status, 404);
      assert.equal((await send("ann", "POST", refs, { "@odata.id": "Things(1)" })).status, 204);
      const foreign = await send("ann", "POST", "Things(2)/others/$ref", { "@odata.id": "Things(1)" });
      assert.ok([403, 404].includes(foreign.status), String(foreign.status));
      assert.equal(
        (await send("eve", "POST", "Things(4)/others/$ref", { "@odata.id": "Things(4)" })).status,
        403,
      );
      assert.equal((await send("eve", "PATCH", "Things(4)", { place: { city: "x" } })).status, 403);
      const bind = { ID: 9, owner: "ann", "others@odata.bind": ["Things(2)"] };
      assert.equal((await send("ann", "POST", "Things", bind)).status, 404);
      assert.equal((await send("ann", "GET", "Things(9)")).status, 404);
    }));

  Deno.test(`${engine}: deep insert needs the permission to create each row`, () =>
    withThings(engine, async (send) => {
      const group = { ID: 7, name: "new" };
      const refused = await send("ann", "POST", "Things", { ID: 10, owner: "ann", group });
      assert.equal(refused.status, 403);
      assert.equal((await send("ann", "GET", "Groups(7)")).status, 404);
      const foreign = { ID: 11, owner: "ann", others: [{ ID: 12, owner: "bob" }] };
      assert.equal((await send("ann", "POST", "Things", foreign)).status, 403);
      assert.equal((await send("ann", "GET", "Things(11)")).status, 404);
      const allowed = await send("bob", "POST", "Things", { ID: 10, owner: "bob", group });
      assert.deepEqual([allowed.status, allowed.body.group.name], [201, "new"]);
    }));

  Deno.test(`${engine}: deep update needs the permission to change, create and part each row`, () =>
    withThings(engine, async (send) => {
      const patch = async (user: string, url: string, body: unknown) =>
        (await send(user, "PATCH", url, body)).status;
      assert.equal(await patch("ann", "Things(1)", { group: { ID: 1, name: "mine" } }), 403);
      assert.equal(await patch("ann", "Things(1)", { group: { ID: 8, name: "new" } }), 403);
      assert.equal(await patch("ann", "Things(1)", { group: { ID: 1 } }), 200);
      assert.deepEqual((await send("ann", "GET", "Groups")).body.value, [{ ID: 1, name: "one" }]);
      assert.equal(await patch("bob", "Things(2)", { group: { ID: 1, name: "bob's" } }), 200);
      assert.equal((await send("ann", "GET", "Groups(1)")).body.name, "bob's");
      assert.ok([403, 404].includes(await patch("ann", "Things(1)", { others: [{ ID: 4, extra: "x" }] })));
      assert.ok([403, 404].includes(await patch("eve", "Things(4)", { others: [] })));
      // links to rows that she does not see stay
      assert.equal(await patch("ann", "Things(1)", { others: [] }), 200);
      assert.deepEqual(ids((await send("ann", "GET", "Things(1)/others")).body), []);
      assert.equal((await send("bob", "GET", "Things(2)")).status, 200);
    }));

  Deno.test(`${engine}: streams of hidden media entities are neither read nor written`, () =>
    withThings(engine, async (send) => {
      assert.equal((await send("ann", "GET", "Files(1)/$value")).status, 404);
      assert.ok([403, 404].includes((await send("ann", "PUT", "Files(1)/$value", "changed")).status));
      assert.ok([403, 404].includes((await send("ann", "DELETE", "Files(1)/$value")).status));
      assert.equal((await send("eve", "POST", "Files", "stream")).status, 403);
      assert.equal((await send("bob", "GET", "Files(1)/$value")).body, "hidden");
    }));
}
