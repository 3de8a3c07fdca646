/** A service with drafts, imported by its metadata and called with drafts (drafts 2; api 10). */

import assert from "node:assert/strict";
import fw, { createRuntime, DELETE, INSERT, type Row, type Runtime, SELECT, UPDATE } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { importCsdl } from "../../../src/model/import/import_csdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { RemoteService } from "../../../src/odata/remote/remote_service.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; title : String(40) @mandatory; price : Integer @assert.range: [0, 10];
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; label : String(40); }
  }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    @odata.draft.enabled entity Notes { key ID : UUID; text : String(10); }
    entity Items as projection on my.Items;
  }`;
const SILENT = { log: { levels: { default: "silent" } } };

/** What the caller has: queries, and methods for the actions that the metadata describe. */
type Shop = RemoteService & Record<"draftEdit" | "draftActivate", (...given: unknown[]) => Promise<Row>>;

/** Runs with a service of another runtime, as its metadata describe it. */
async function withShop(run: (shop: Shop, server: Runtime) => Promise<void>): Promise<void> {
  const model = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined });
  const data = new Map<string, Row[]>([["my.Orders", [{ ID: 1, title: "First", price: 5 }]]]);
  const auth = { kind: "mocked", id_prefix: "", users: { ann: {} } };
  const requires = { auth, db: { kind: "sqlite" } };
  const server = createRuntime({ model, kinds: denoKinds, data, env: { ...SILENT, requires } });
  const credentials = { url: "http://shop.test/odata/v4/shop", username: "ann", password: "" };
  const client = createRuntime({
    model: importCsdl(fw.compile.to.edm(model, { service: "Shop" })),
    kinds: { ...denoKinds, fetch: (request: Request) => server.fetch(request) },
    env: { ...SILENT, requires: { Shop: { kind: "odata", credentials } } },
  });
  try {
    await server.start();
    await client.start();
    const shop = await client.connect("Shop") as Shop;
    await run(shop, server);
  } finally {
    await client.close();
    await server.close();
  }
}

Deno.test("RemoteService makes, reads, changes, activates and discards drafts of an imported service", async () => {
  await withShop(async (shop) => {
    const titleOf = async (key: Row) =>
      (await shop.run(SELECT.one.from("Shop.Orders").where(key)) as Row | null)?.title;
    const draft = { ID: 1, IsActiveEntity: false };
    assert.equal((await shop.draftEdit("Orders", { ID: 1, IsActiveEntity: true }, {})).IsActiveEntity, false);
    await shop.update("Orders", draft).with({ title: "Changed" });
    assert.deepEqual([await titleOf(draft), await titleOf({ ID: 1 })], ["Changed", "First"]);
    const drafts = await shop.read("Orders").where({ IsActiveEntity: false });
    assert.deepEqual(drafts.map(({ ID, HasActiveEntity }) => [ID, HasActiveEntity]), [[1, true]]);
    assert.equal((await shop.draftActivate("Orders", draft, {})).title, "Changed");
    assert.equal(await titleOf({ ID: 1 }), "Changed");
    const made = await shop.create("Orders", { ID: 2, items: [{ ID: 2, label: "x" }] }) as Row;
    assert.deepEqual([made.ID, made.IsActiveEntity], [2, false]);
    await assert.rejects(
      shop.draftActivate("Orders", { ID: 2, IsActiveEntity: false }, {}),
      (error: Error) => {
        const { status, body } = error.cause as unknown as { status: number; body: Row };
        assert.deepEqual([status, (body.error as Row).code], [400, "ASSERT_MANDATORY"]);
        return true;
      },
    );
    await shop.delete("Orders", { ID: 2, IsActiveEntity: false });
    assert.deepEqual(await shop.read("Orders").where({ IsActiveEntity: false }), []);
  });
});

Deno.test("RemoteService addresses active instances by keys without IsActiveEntity, drafts by keys with it (drafts 2)", async () => {
  await withShop(async (shop) => {
    assert.equal(await shop.update("Orders", { ID: 1 }).with({ title: "Active" }), 1);
    await shop.edit("Orders", { ID: 1 });
    await shop.update("Orders", { ID: 1, IsActiveEntity: false }).with({ title: "Draft" });
    const titles = async () =>
      (await shop.read("Orders").where("IsActiveEntity in (true, false)"))
        .map(({ title }) => title).sort();
    assert.deepEqual(await titles(), ["Active", "Draft"]);
    assert.equal(await shop.delete("Orders", { ID: 1, IsActiveEntity: false }), 1);
    assert.deepEqual(await titles(), ["Active"]);
    assert.equal(await shop.delete("Orders", { ID: 1 }), 1);
    assert.deepEqual(await titles(), []);
    await assert.rejects(async () => await shop.delete("Orders"), { status: 501 });
  });
});

Deno.test("RemoteService has calls and an entity for drafts, as services that run here", async () => {
  await withShop(async (shop, server) => {
    const drafts = shop.entities.Orders.drafts;
    const titles = async (target: { readonly name: string }) =>
      (await shop.run(SELECT.from(target).orderBy("ID")) as Row[]).map(({ title }) => title);
    const found = await shop.edit("Orders", { ID: 1 });
    assert.deepEqual([found.ID, found.title, found.IsActiveEntity], [1, "First", false]);
    await shop.run(UPDATE(drafts).set({ title: "Changed" }).where({ ID: 1 }));
    assert.deepEqual([await titles(drafts), await titles(shop.entities.Orders)], [["Changed"], ["First"]]);
    const one = await shop.run(SELECT.one.from(drafts).where({ ID: 1, title: "Changed" })) as Row;
    assert.equal(one.HasActiveEntity, true);
    assert.deepEqual(await shop.run(SELECT.one.from(drafts, { ID: 7 })), null);
    const titled = (title: string) =>
      shop.run(SELECT.from(drafts).columns("ID").where({ xpr: [{ ref: ["title"] }, "=", { val: title }] }));
    assert.deepEqual((await titled("Changed") as Row[]).length, 1);
    assert.deepEqual(await titled("First"), []); // a condition of one part is not left out
    assert.deepEqual(await shop.save(drafts, { ID: 1 }), { ID: 1 });
    assert.deepEqual([await titles(drafts), await titles(shop.entities.Orders)], [[], ["Changed"]]);
    const made = await shop.new(drafts, { ID: 2, title: "New", items: [{ ID: 2 }] });
    assert.deepEqual(made, { ID: 2, IsActiveEntity: false });
    await shop.run(INSERT.into(drafts).entries({ ID: 3, title: "Other" }));
    await shop.run(DELETE.from(drafts).where({ ID: 3 }));
    assert.deepEqual(await shop.discard(drafts, { ID: 2 }), []);
    assert.deepEqual(await titles(drafts), []);
    const rows = await server.db!.run(SELECT.from("DRAFT.DraftAdministrativeData")) as Row[];
    assert.deepEqual(rows, []);
    await assert.rejects(shop.save(drafts, { ID: 9 }), codeOf("DRAFT_NOT_EXISTING"));
    await assert.rejects(shop.new("Items", { ID: 9 }), TypeError); // drafts start at their roots
    await shop.edit("Orders", { ID: 1 });
    await assert.rejects(shop.edit("Orders", { ID: 1 }), codeOf("DRAFT_ALREADY_EXISTS"));
  });
});

Deno.test("a new draft has the keys that the other system has made for it (drafts 2)", async () => {
  await withShop(async (shop) => {
    const notes = (shop.entities as unknown as Record<string, { readonly drafts: { readonly name: string } }>)
      .Notes!.drafts;
    const made = await shop.new(notes as never, { text: "x" }) as Row;
    assert.deepEqual(Object.keys(made), ["ID", "IsActiveEntity"]);
    assert.match(String(made.ID), /^[0-9a-f-]{36}$/);
    assert.equal((await shop.run(SELECT.one.from(notes).where({ ID: made.ID })) as Row).text, "x");
  });
});

/** Whether a call failed as the other system has told. */
function codeOf(code: string): (error: Error) => boolean {
  return ({ cause }) => ((cause as unknown as { body: Row }).body.error as Row).code === code;
}

Deno.test("entities of other systems keep their drafts there: they have no draft entities", () => {
  const model = compileCdl(["m.cds"], {
    readFile: (path) =>
      path === "m.cds" ? SOURCE.replace("service Shop", "@cds.external service Shop") : undefined,
  });
  assert.equal(linkModel(model).entity("Shop.Orders.drafts"), undefined);
});
