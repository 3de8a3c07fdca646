import assert from "node:assert/strict";
import { createRestAdapter } from "../../src/rest/rest_adapter.ts";
import { ENGINES } from "./engines.ts";
import { withShop } from "./with_shop.ts";
import type { Shop } from "./fixture_host.ts";

const ORDER = "00000000-0000-4000-8000-000000000001";

/** Bodies of a book: what is wrong with each, by code and target. */
const REFUSED: readonly (readonly [author: unknown, code: string, target: string])[] = [
  [{ name: "New" }, "ASSERT_KEY_ONLY", "author/name"],
  [{ ID: 101, name: "Emily" }, "ASSERT_KEY_ONLY", "author/name"],
  [{ ID: 101, name: null }, "ASSERT_KEY_ONLY", "author/name"],
  [{ ID: 101, books: [] }, "ASSERT_KEY_ONLY", "author/books"],
  [{ ID: 101, name: 7 }, "ASSERT_DATA_TYPE", "author/name"],
  [{ "@odata.id": "Authors(101)", name: "x" }, "ASSERT_KEY_ONLY", "author/name"],
  [{ ID: 101, nam: "x" }, "400", "author"],
  [101, "ASSERT_DATA_TYPE", "author"],
  [[{ ID: 101 }], "ASSERT_DATA_TYPE", "author"],
];

async function expectRefused(
  shop: Shop,
  [method, url]: readonly [method: string, url: string],
  { body, code, target }: { readonly body: unknown; readonly code: string; readonly target: string },
): Promise<void> {
  const answer = await shop.send(method, url, { body });
  const { error } = answer.body as { error: Record<string, unknown> };
  const found = [answer.status, error.code, error.target];
  assert.deepEqual(found, [400, code, target], `${method} ${url} ${JSON.stringify(body)}`);
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`members beside the key of a reference are refused, never dropped, on ${engine} [OData 11.4.2.2]`, () =>
    withShop(async (shop) => {
      for (const [author, code, target] of REFUSED) {
        await expectRefused(shop, ["POST", "Books"], { body: { ID: 9, title: "New", author }, code, target });
        for (const method of ["PATCH", "PUT"]) {
          await expectRefused(shop, [method, "Books(201)"], { body: { author }, code, target });
        }
      }
      const body = { ID: ORDER.replace("1", "2"), items: [{ ID: 9, book: { ID: 201, title: "x" } }] };
      const deep = { code: "ASSERT_KEY_ONLY", target: "items(ID=9)/book/title" };
      await expectRefused(shop, ["POST", "Orders"], { body, ...deep });
      const items = { items: [{ ID: 1, book: { ID: 201, title: "x" } }] };
      const known = { code: "ASSERT_KEY_ONLY", target: "items(ID=1)/book/title" };
      await expectRefused(shop, ["PATCH", `Orders(${ORDER})`], { body: items, ...known });
      const { body: book } = await shop.send(
        "GET",
        "Books(201)?$select=author_ID&$expand=author($select=name)",
      );
      assert.deepEqual((book as Record<string, unknown>).author, { ID: 101, name: "Emily" });
      assert.equal((await shop.send("GET", "Books(9)")).status, 404);
      assert.equal((await shop.send("GET", "Authors/$count")).body, "2");
    }, { database }));
}

Deno.test("keys, links and annotations of a reference are taken", () =>
  withShop(async (shop) => {
    for (
      const author of [
        { ID: 150 },
        { "@odata.id": "Authors(150)" },
        { "@odata.type": "#ShopService.Authors", "@odata.etag": "x", ID: 150 },
        { "@id": "Authors(150)", "@odata.context": "$metadata#Authors/$entity" },
      ]
    ) {
      await shop.send("PATCH", "Books(201)", { body: { author: { ID: 101 } } });
      const { status, body } = await shop.send("PATCH", "Books(201)", { body: { author } });
      const { author_ID } = body as { author_ID: number };
      assert.deepEqual([status, author_ID], [200, 150], JSON.stringify(author));
    }
    const none = await shop.send("PATCH", "Books(201)", { body: { author: null } });
    assert.equal((none.body as { author_ID: unknown }).author_ID, null);
  }));

Deno.test("members beside the key of a reference are refused in REST, in batches and in the language of the caller", async () => {
  const body = { ID: 9, title: "New", author: { ID: 101, name: "x" } };
  await withShop(async (shop) => {
    await expectRefused(shop, ["POST", "Books"], { body, code: "ASSERT_KEY_ONLY", target: "author/name" });
    const update = { body: { author: { name: "x" } }, code: "ASSERT_KEY_ONLY", target: "author/name" };
    await expectRefused(shop, ["PATCH", "Books/201"], update);
  }, { protocol: createRestAdapter });
  await withShop(async (shop) => {
    const requests = [{ id: "1", method: "POST", url: "Books", body }];
    const headers = { "accept-language": "de" };
    const answer = await shop.send("POST", "$batch", { headers, body: { requests } });
    const [{ status, body: { error } }] =
      (answer.body as { responses: [{ status: number; body: { error: Record<string, unknown> } }] })
        .responses;
    assert.deepEqual([status, error.code], [400, "ASSERT_KEY_ONLY"]);
    assert.equal(
      error.message,
      '"name" kann hier nicht geschrieben werden: "author" nimmt nur den Schlüssel eines vorhandenen Eintrags',
    );
  });
});

Deno.test("an entity that an earlier request of the batch was answered with stands for its key [OData 11.7.6]", () =>
  withShop(async (shop) => {
    const author = { id: "1", method: "POST", url: "Authors", body: { ID: 9, name: "New" } };
    const book = (id: string, value: unknown) => {
      const body = { ID: Number(id), title: "x", author: value };
      return { id, method: "POST", url: "Books", dependsOn: ["1"], body };
    };
    const requests = [author, book("10", "$1"), book("11", { ID: 9, name: "Changed" })];
    const { body } = await shop.send("POST", "$batch", { body: { requests } });
    const { responses } = body as { responses: { status: number; body: Record<string, unknown> }[] };
    assert.deepEqual(responses.map(({ status }) => status), [201, 201, 400]);
    assert.equal(responses[1]!.body.author_ID, 9);
  }));
