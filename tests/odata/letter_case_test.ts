import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import type { CsnDefinition } from "../../src/model/csn.ts";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";

const BOOKS: CsnDefinition = {
  kind: "entity",
  elements: { ID: { key: true, type: "cds.UUID" }, title: { type: "cds.String" } },
};
const MODEL = { definitions: { "ShopService": { kind: "service" as const }, "ShopService.Books": BOOKS } };

const ID = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb";
const UPPER = ID.toUpperCase();

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`letters of identifiers keep their case and are compared with it, in keys, filters and deltas, on ${engine}`, async () => {
    const rows: readonly Row[] = [{ ID, title: "lower" }];
    const shop = await openShop({ model: MODEL, data: new Map([["ShopService.Books", rows]]), database });
    const change = async (value: readonly object[]) => {
      const body = { "@context": "#$delta", value };
      const headers = { "OData-Version": "4.01" };
      assert.equal((await shop.send("PATCH", "Books", { body, headers })).status, 204);
      return ((await shop.send("GET", "Books?$orderby=ID")).body as { readonly value: unknown }).value;
    };
    try {
      for (const method of ["GET", "DELETE"]) {
        assert.equal((await shop.send(method, `Books(${UPPER})`)).status, 404, method);
      }
      const { body } = await shop.send("GET", `Books?$filter=ID%20eq%20${UPPER}`);
      assert.deepEqual((body as { readonly value: unknown }).value, []);
      assert.deepEqual(await change([{ ID: UPPER, title: "upper" }]), [
        { ID: UPPER, title: "upper" },
        ...rows,
      ]);
      const removed = { "@removed": { reason: "deleted" }, "@id": `Books(${UPPER})` };
      assert.deepEqual(await change([removed]), rows);
    } finally {
      await shop.close();
    }
  });
}
