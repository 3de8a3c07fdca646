/** Associations with a condition, of many to many, and deep insert along them, on every engine. */

import assert from "node:assert/strict";
import { ENGINES, product, type Send, withReference } from "./reference.ts";

const KITCHEN = "Categories(00000001-0000-4000-8000-000000000002)";
const FURNITURE = "Categories(00000001-0000-4000-8000-000000000003)";
const NOBODY = "Categories(00000000-0000-0000-0000-000000000000)";

async function related(send: Send, url: string): Promise<string[]> {
  const { status, body } = await send("GET", `${url}/RelatedProducts?$select=Name`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.value.map(({ Name }: { Name: string }) => Name);
}

for (const engine of ENGINES) {
  Deno.test(`${engine}: the foreign key of a condition is set by bind and by references`, () =>
    withReference(async (send) => {
      const bound = await send("POST", "Products", { Name: "P", Price: 1, "Category@odata.bind": KITCHEN });
      assert.equal(bound.status, 201, JSON.stringify(bound.body));
      assert.equal(bound.body.CategoryID, "00000001-0000-4000-8000-000000000002");
      const url = `Products(${bound.body.ID})/Category`;
      assert.equal((await send("GET", url)).body.Name, "Kitchen");
      assert.equal((await send("PUT", `${url}/$ref`, { "@odata.id": FURNITURE })).status, 204);
      assert.equal((await send("GET", url)).body.Name, "Furniture");
      assert.equal((await send("DELETE", `${url}/$ref`)).status, 204);
      assert.equal((await send("GET", url)).status, 204);
      const wrong = await send("POST", "Products", { Name: "P", Price: 1, "Category@odata.bind": NOBODY });
      assert.equal(wrong.status, 400);
      const products = await send("GET", `${KITCHEN}/Products?$select=Name`);
      assert.equal(products.body.value.length, 1);
      const expanded = await send("GET", `${product(3)}?$expand=Category,Descriptions`);
      assert.deepEqual([expanded.body.Category.Name, expanded.body.Descriptions.length], ["Kitchen", 1]);
    }, engine));

  Deno.test(`${engine}: rows are linked many to many by references`, () =>
    withReference(async (send) => {
      const refs = `${product(1)}/RelatedProducts/$ref`;
      assert.deepEqual(await related(send, product(1)), []);
      for (const number of [2, 5]) {
        assert.equal((await send("POST", refs, { "@odata.id": product(number) })).status, 204);
      }
      assert.equal((await send("POST", refs, { "@odata.id": product(5) })).status, 204);
      assert.deepEqual(await related(send, product(1)), ["Wireless Mouse", "Smartphone"]);
      assert.deepEqual(await related(send, product(2)), []);
      const listed = await send("GET", refs);
      assert.deepEqual(listed.body.value.map((ref: Record<string, string>) => ref["@odata.id"]), [
        product(2),
        product(5),
      ]);
      const expanded = await send("GET", `${product(1)}?$expand=RelatedProducts($select=Name;$top=1)`);
      assert.equal(expanded.body.RelatedProducts[0].Name, "Wireless Mouse");
      const filter = encodeURIComponent("RelatedProducts/any(r:r/Name eq 'Smartphone')");
      assert.equal((await send("GET", `Products/$count?$filter=${filter}`)).body, "1");
      const ordered = await send(
        "GET",
        "Products?$orderby=RelatedProducts/$count%20desc&$top=1&$select=Name",
      );
      assert.equal(ordered.body.value[0].Name, "Laptop");
      const one = `${product(1)}/RelatedProducts(${product(2).slice(9, -1)})`;
      assert.equal((await send("GET", one)).body.Name, "Wireless Mouse");
      assert.equal((await send("DELETE", `${one}/$ref`)).status, 204);
      const byId = `${refs}?$id=${encodeURIComponent(product(5))}`;
      assert.equal((await send("DELETE", byId)).status, 204);
      assert.deepEqual(await related(send, product(1)), []);
      assert.equal((await send("GET", product(5))).status, 200);
      const missing = { "@odata.id": "Products(00000000-0000-0000-0000-000000000000)" };
      assert.equal((await send("POST", refs, missing)).status, 404);
      assert.equal(
        (await send("POST", `${product(1).replace("2-", "9-")}/RelatedProducts/$ref`, missing)).status,
        404,
      );
    }, engine));

  Deno.test(`${engine}: rows are created with those that they refer to`, () =>
    withReference(async (send) => {
      const { status, body } = await send("POST", "Products?$expand=Category,Descriptions,RelatedProducts", {
        Name: "Deep",
        Price: 1,
        Category: { Name: "Garden" },
        Descriptions: [{ LanguageKey: "EN", Description: "deep" }],
        RelatedProducts: [{ Name: "Deeper", Price: 2, Category: { "@odata.id": KITCHEN } }, {
          "@odata.id": product(1),
        }],
      });
      assert.equal(status, 201, JSON.stringify(body));
      assert.deepEqual([body.Category.Name, body.Descriptions[0].Description], ["Garden", "deep"]);
      assert.equal(body.CategoryID, body.Category.ID);
      const names = body.RelatedProducts.map(({ Name }: { Name: string }) => Name).sort();
      assert.deepEqual(names, ["Deeper", "Laptop"]);
      assert.equal((await send("GET", `${KITCHEN}/Products/$count`)).body, "2");
      const category = await send("POST", "Categories", {
        Name: "Toys",
        Products: [{ Name: "Ball", Price: 3 }],
      });
      assert.equal(category.status, 201, JSON.stringify(category.body));
      assert.equal(category.body.Products[0].CategoryID, category.body.ID);
      const below = await send("POST", `${product(4)}/RelatedProducts`, { Name: "Stool", Price: 9 });
      assert.equal(below.status, 201, JSON.stringify(below.body));
      assert.deepEqual(await related(send, product(4)), ["Stool"]);
      const refused = await send("POST", "Products", { Name: "No", Price: 1, Category: { Name: "Kitchen" } });
      assert.equal(refused.status, 409);
      assert.equal((await send("GET", "Products/$count?$filter=Name%20eq%20'No'")).body, "0");
    }, engine));

  Deno.test(`${engine}: with a row go its parts and its links`, () =>
    withReference(async (send) => {
      await send("POST", `${product(1)}/RelatedProducts/$ref`, { "@odata.id": product(2) });
      assert.equal((await send("DELETE", product(1))).status, 204);
      assert.equal((await send("GET", "ProductDescriptions/$count")).body, "5");
      assert.equal((await send("GET", product(2))).status, 200);
    }, engine));
}
