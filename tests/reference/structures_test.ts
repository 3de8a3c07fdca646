/** Nested structures, derived types and counted versions, on every engine. */

import assert from "node:assert/strict";
import { ENGINES, product, type Send, withReference } from "./reference.ts";

async function names(send: Send, filter: string): Promise<string[]> {
  const { status, body } = await send("GET", `Products?$select=Name&$filter=${encodeURIComponent(filter)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.value.map(({ Name }: { Name: string }) => Name);
}

const SEATTLE = { Street: "123 Tech Way", City: "Seattle", State: "WA", PostalCode: "98101", Country: "USA" };
const SPECIAL = "reference.Reference.SpecialProduct";

for (const engine of ENGINES) {
  Deno.test(`${engine}: structures are nested in payloads, and asked for by paths`, () =>
    withReference(async (send) => {
      const { body } = await send("GET", product(1));
      assert.deepEqual(body.ShippingAddress, SEATTLE);
      assert.deepEqual(body.Dimensions, { Length: 35.5, Width: 25, Height: 2.5, Unit: "cm" });
      assert.equal("ShippingAddress_City" in body, false);
      assert.equal((await send("GET", product(4))).body.ShippingAddress, null);
      assert.deepEqual(await names(send, "ShippingAddress/City eq 'Portland'"), ["Coffee Mug"]);
      assert.deepEqual(await names(send, "ShippingAddress eq null"), ["Office Chair"]);
      assert.equal((await names(send, "ShippingAddress ne null")).length, 6);
      assert.deepEqual(
        await names(send, "contains(ShippingAddress/Street,'Mobile') or Dimensions/Width gt 27"),
        [
          "Smartphone",
          "Premium Laptop Pro",
        ],
      );
      const sorted = await send("GET", "Products?$orderby=ShippingAddress/City%20desc&$top=1&$select=Name");
      assert.equal(sorted.body.value[0].Name, "Laptop");
      const selected = await send(
        "GET",
        `${product(1)}?$select=ShippingAddress/City,Dimensions($select=Unit)`,
      );
      assert.deepEqual(selected.body.ShippingAddress, { City: "Seattle" });
      assert.deepEqual(selected.body.Dimensions, { Unit: "cm" });
      assert.equal((await send("GET", "Products?$filter=ShippingAddress_City%20eq%20'x'")).status, 400);
      assert.equal((await send("GET", "Products?$select=ShippingAddress/Town")).status, 400);
    }, engine));

  Deno.test(`${engine}: structures are resources of their own`, () =>
    withReference(async (send) => {
      const url = `${product(1)}/ShippingAddress`;
      const { "@odata.context": _context, ...read } = (await send("GET", url)).body;
      assert.deepEqual(read, SEATTLE);
      assert.equal((await send("GET", `${url}/City/$value`)).body, "Seattle");
      assert.equal((await send("GET", `${url}/Town`)).status, 404);
      assert.equal((await send("PATCH", url, { City: "Tacoma" })).body.Street, "123 Tech Way");
      assert.equal((await send("PUT", `${url}/City`, { value: "Olympia" })).body.value, "Olympia");
      const replaced = await send("PUT", url, { City: "Yakima" });
      assert.deepEqual([replaced.body.City, replaced.body.Street], ["Yakima", null]);
      assert.equal((await send("DELETE", url)).status, 204);
      assert.equal((await send("GET", url)).status, 204);
    }, engine));

  Deno.test(`${engine}: rows of derived types are asked for by casts`, () =>
    withReference(async (send) => {
      const special = ["Laptop", "Premium Laptop Pro", "Gaming Mouse Ultra"];
      const { body } = await send("GET", `Products/${SPECIAL}?$select=Name,SpecialFeature`);
      assert.deepEqual(body.value.map(({ Name }: { Name: string }) => Name), special);
      assert.equal(body.value[0]["@odata.type"], `#${SPECIAL}`);
      assert.equal(body.value[0].SpecialFeature, "Backlit keyboard");
      const selected = await send("GET", `Products?$select=Name,${SPECIAL}/SpecialFeature`);
      const context = `$metadata#Products(Name,${SPECIAL}/SpecialFeature,ID,Version)`;
      assert.equal(selected.body["@odata.context"], context);
      assert.equal((await send("GET", `Products/${SPECIAL}/$count`)).body, "3");
      assert.deepEqual(await names(send, `isof(${SPECIAL})`), special);
      assert.deepEqual(await names(send, `isof('${SPECIAL}')`), special);
      assert.equal((await names(send, `not isof(${SPECIAL})`)).length, 4);
      assert.deepEqual(await names(send, `${SPECIAL}/SpecialFeature eq 'Coloured lights'`), [special[2]]);
      assert.deepEqual(await names(send, `contains(${SPECIAL}/Name,'Mouse')`), [special[2]]);
      assert.deepEqual(await names(send, `${SPECIAL}/Category/Name eq 'Electronics'`), special);
      assert.deepEqual(await names(send, `${SPECIAL}/Descriptions/any(d:d/LanguageKey eq 'EN')`), ["Laptop"]);
      assert.deepEqual(await names(send, `${SPECIAL}/Descriptions/$count gt 0`), ["Laptop"]);
      assert.equal((await send("GET", `${product(1)}/${SPECIAL}/SpecialFeature`)).status, 200);
      assert.equal((await send("GET", `${product(2)}/${SPECIAL}`)).status, 404);
      assert.equal((await send("GET", `${product(1)}/SpecialFeature`)).status, 404);
      assert.equal((await send("GET", "Products?$filter=SpecialFeature%20eq%20'x'")).status, 400);
      const expanded = await send("GET", `Products?$expand=${SPECIAL}/Category&$select=Name&$top=2`);
      assert.deepEqual(expanded.body.value.map((row: object) => "Category" in row), [true, false]);
      const all = await send("GET", "$all?$top=2");
      assert.equal(all.status, 200, JSON.stringify(all.body));
      const plain = await send("GET", product(2));
      assert.equal("SpecialFeature" in plain.body, false);
      assert.equal("@odata.type" in plain.body, false);
    }, engine));

  Deno.test(`${engine}: updates count the version, whatever clients send`, () =>
    withReference(async (send) => {
      const created = await send("POST", "Products", {
        Name: "New",
        Price: 1,
        Version: 9,
        CreatedAt: "2000-01-01T00:00:00Z",
      });
      assert.equal(created.body.Version, 1);
      assert.notEqual(created.body.CreatedAt, "2000-01-01T00:00:00.000Z");
      const url = `Products(${created.body.ID})`;
      assert.equal((await send("PATCH", url, { Price: 2, Version: 7 })).body.Version, 2);
      const put = await send("PUT", url, { Name: "Newer", Price: 3 });
      assert.deepEqual([put.body.Version, put.headers.get("etag")], [3, 'W/"3"']);
      assert.equal((await send("PATCH", url, { Price: 4 }, { "if-match": 'W/"2"' })).status, 412);
      assert.equal((await send("PATCH", url, { Price: 4 }, { "if-match": 'W/"3"' })).body.Version, 4);
      assert.equal((await send("POST", `${url}/IncreasePrice`, { amount: 1 })).status, 204);
      assert.equal((await send("GET", url)).body.Version, 5);
    }, engine));
}

Deno.test("rows of derived types are created by type or cast, and have no other members", () =>
  withReference(async (send) => {
    const sent = { Name: "S", Price: 1, SpecialProperty: "p" };
    const byType = await send("POST", "Products", { "@odata.type": `#${SPECIAL}`, ...sent });
    assert.deepEqual([byType.status, byType.body.SpecialProperty], [201, "p"]);
    assert.equal(byType.body.ProductType, "SpecialProduct");
    assert.equal((await send("POST", `Products/${SPECIAL}`, sent)).body.ProductType, "SpecialProduct");
    const plain = await send("POST", "Products", sent);
    assert.deepEqual([plain.status, plain.body.error.target], [400, "SpecialProperty"]);
    const other = await send("POST", "Products", { ...sent, "@odata.type": "#Other" });
    assert.equal(other.status, 400);
    assert.match(other.body.error.message, /^#Other is not a value of type [\w.]+Products?$/);
    assert.equal((await send("PATCH", product(2), { SpecialProperty: "p" })).status, 400);
    const changed = await send("PATCH", product(1), { SpecialProperty: "p", ProductType: "Product" });
    assert.deepEqual([changed.body.SpecialProperty, changed.body.ProductType], ["p", "SpecialProduct"]);
  }));

Deno.test("what does not fit a structure is refused at its place", () =>
  withReference(async (send) => {
    const post = (ShippingAddress: unknown) =>
      send("POST", "Products", { Name: "x", Price: 1, ShippingAddress });
    assert.equal((await post({ Town: "x" })).status, 400);
    assert.equal((await post({ State: "ABC" })).body.error.target, "ShippingAddress/State");
    assert.equal((await post("Seattle")).status, 400);
    const flat = await send("POST", "Products", { Name: "x", Price: 1, ShippingAddress_City: "y" });
    assert.equal(flat.status, 400);
  }));
