import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

async function authorOf(shop: Shop, book: number): Promise<unknown> {
  const { body } = await shop.send("GET", `Books(${book})?$select=author_ID`);
  return (body as { author_ID: unknown }).author_ID;
}

const link = (source: string, relationship: string, target: string) => ({
  "@context": `#${source.replace(/\(.*/, "")}/$link`,
  source,
  relationship,
  target,
});
const deleted = (source: string, relationship: string, target: string) => ({
  ...link(source, relationship, target),
  "@context": `#${source.replace(/\(.*/, "")}/$deletedLink`,
});

const patch = (shop: Shop, set: string, value: readonly unknown[], headers: Record<string, string> = {}) =>
  shop.send("PATCH", set, { body: { "@context": `#${set}/$delta`, value }, headers });

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`added and deleted links of a delta payload change associations (JSON 4.01 15.4, 15.5, ${engine})`, () =>
    withShop(async (shop) => {
      const changes = [
        link("Authors(101)", "books", "Books(251)"),
        deleted("Authors(150)", "books", "Books(252)"),
        { ID: 101, name: "Em" },
      ];
      assert.equal((await patch(shop, "Authors", changes)).status, 204);
      assert.deepEqual(await Promise.all([201, 251, 252].map((book) => authorOf(shop, book))), [
        101,
        101,
        null,
      ]);
      const single = [
        link("Books(252)", "author", "Authors(101)"),
        deleted("Books(201)", "author", "Authors(101)"),
      ];
      assert.equal((await patch(shop, "Books", single)).status, 204);
      assert.deepEqual(await Promise.all([201, 252].map((book) => authorOf(shop, book))), [null, 101]);
    }, { database }));

  Deno.test(`links that do not exist are refused, and nothing is changed (JSON 4.01 15.5, ${engine})`, () =>
    withShop(async (shop) => {
      const good = deleted("Authors(101)", "books", "Books(201)");
      const wrong = [
        [404, deleted("Authors(101)", "books", "Books(251)")],
        [404, deleted("Books(201)", "author", "Authors(150)"), "Books"],
        [404, link("Authors(1)", "books", "Books(251)")],
        [404, link("Authors(101)", "books", "Books(9)")],
        [404, link("Authors(101)", "bucks", "Books(251)")],
        [400, link("Authors(101)", "name", "Books(251)")],
        [400, link("Authors(101)", "books(1)", "Books(251)")],
        [400, link("Authors(101)", "books?$top=1", "Books(251)")],
        [400, link("Authors(101)", "books", "Authors(101)")],
        [400, link("Books(201)", "author", "Authors(101)")],
        [400, { ...link("Authors(101)", "books", "Books(251)"), source: 7 }],
      ] as const;
      for (const [status, change, set = "Authors"] of wrong) {
        const value = set === "Authors" ? [good, change] : [change];
        assert.equal((await patch(shop, set, value)).status, status, JSON.stringify(change));
      }
      assert.equal(await authorOf(shop, 201), 101);
    }, { database }));
}

Deno.test("with continue-on-error a link that fails is told as a modification exception (JSON 4.01 15, Protocol 11.4.12)", () =>
  withShop(async (shop) => {
    const value = [
      deleted("Authors(101)", "books", "Books(251)"),
      link("Authors(101)", "books", "Books(252)"),
    ];
    const { status, body } = await patch(shop, "Authors", value, { prefer: "continue-on-error" });
    assert.equal(status, 200);
    const [told] = (body as { value: Record<string, Record<string, unknown>>[] }).value;
    assert.equal(told!["@Core.DataModificationException"]!.failedOperation, "unlink");
    assert.equal(told!.target as unknown, "Books(251)");
    assert.equal(await authorOf(shop, 252), 101);
  }));
