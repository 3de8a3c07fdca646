/** The fixture `reference`: rows and operations of the contract. */

import assert from "node:assert/strict";
import { ENGINES, product, type Send, withReference } from "./reference.ts";

/** Name, price, rating, temperature, quantity, weight, data, status, shipping time, category. */
const PRODUCTS = [
  ["Laptop", 999.99, 200, -10, 1200, 3.14, "dGVzdA==", "InStock,Featured", "P1D", "Electronics"],
  ["Wireless Mouse", 29.99, 110, 5, 300, 0.09, "AQID", "InStock,OnSale", "PT2H", "Electronics"],
  ["Coffee Mug", 15.5, 0, -5, -200, 0, "", "InStock", "P2D", "Kitchen"],
  ["Office Chair", 249.99, 255, 127, 32767, 150, null, "Discontinued", "P1DT2H30M", "Furniture"],
  ["Smartphone", 799.99, 0, 0, 0, 0, null, "InStock,OnSale,Featured", null, "Electronics"],
  ["Premium Laptop Pro", 1999.99, 0, 0, 0, 0, null, "InStock,Featured", null, "Electronics"],
  ["Gaming Mouse Ultra", 149.99, 0, 0, 0, 0, null, "InStock,OnSale", null, "Electronics"],
];

async function readProducts(send: Send): Promise<unknown[][]> {
  const { body } = await send("GET", "Products?$expand=Category");
  return body.value.map((row: Record<string, unknown>) => [
    ...[row.Name, row.Price, row.Rating, row.Temperature, row.Quantity, row.Weight, row.Data, row.Status],
    ...[row.ShippingTime, (row.Category as { Name: string }).Name],
  ]);
}

for (const engine of ENGINES) {
  Deno.test(`${engine}: the rows are those of the contract, and Reseed restores them`, () =>
    withReference(async (send) => {
      assert.deepEqual(await readProducts(send), PRODUCTS);
      const first = (await send("GET", product(1))).body;
      assert.deepEqual(first.Location.coordinates, [-122.3321, 47.6062]);
      assert.deepEqual(first.Route.coordinates[1], [-122.4194, 47.2529]);
      assert.equal(first.Area.coordinates[0].length, 5);
      assert.deepEqual([first.CreatedAt, first.ProductType, first.Version], [
        "2024-01-15T10:30:00.000Z",
        "SpecialProduct",
        1,
      ]);
      for (
        const [set, count] of [["ProductDescriptions", "7"], ["MediaItems", "2"], ["ReadOnlyItems", "2"]]
      ) {
        assert.equal((await send("GET", `${set}/$count`)).body, count);
      }
      const sample = await send("GET", "DecimalSamples?$select=Amount", undefined, {
        accept: "application/json;IEEE754Compatible=true",
      });
      assert.equal(sample.body.value[0].Amount, "123.450000000000000000");
      const { Name, CEO, Founded, Version } = (await send("GET", "Company")).body;
      assert.deepEqual([Name, CEO, Founded, Version], ["TechStore Inc.", "Sarah Johnson", 2010, 1]);

      assert.equal((await send("DELETE", product(2))).status, 204);
      assert.equal((await send("PATCH", product(1), { Name: "Changed" })).body.Version, 2);
      assert.equal((await send("PATCH", "Company", { CEO: "Nobody" })).body.Version, 2);
      await send("POST", `${product(1)}/RelatedProducts/$ref`, { "@odata.id": product(3) });
      const reseeded = await send("POST", "Reseed");
      assert.deepEqual([reseeded.status, typeof reseeded.body.value], [200, "string"]);
      assert.deepEqual(await readProducts(send), PRODUCTS);
      assert.equal((await send("GET", product(1))).body.Version, 1);
      assert.equal((await send("GET", "Company")).body.CEO, "Sarah Johnson");
      assert.equal((await send("GET", `${product(1)}/RelatedProducts/$count`)).body, "0");
    }, engine));
}

Deno.test("functions answer as the contract says", () =>
  withReference(async (send) => {
    const value = async (url: string) => (await send("GET", url)).body.value;
    const names = async (url: string) => (await value(url)).map(({ Name }: { Name: string }) => Name);
    assert.equal((await names("GetTopProducts")).length, 7);
    assert.deepEqual(await names("GetTopProducts()?count=2"), ["Premium Laptop Pro", "Laptop"]);
    assert.deepEqual(await names("GetTopProducts(count=@c)?@c=1"), ["Premium Laptop Pro"]);
    assert.deepEqual(await names("Products/GetTopProducts(count=5,category='Furniture')"), ["Office Chair"]);
    const { body: stats } = await send("GET", "GetProductStats()");
    assert.deepEqual([stats.totalProducts, stats.maxPrice, stats.minPrice], [7, 1999.99, 15.5]);
    assert.equal((await send("GET", "Products/GetProductStats()")).body.totalProducts, 7);
    assert.equal((await value("Products/GetAveragePrice()")).toFixed(2), "606.49");
    assert.equal((await value(`${product(3)}/GetTotalPrice(taxRate=0.1)`)).toFixed(2), "17.05");
    assert.match(await value(`${product(3)}/GetInfo(format='short')`), /Coffee Mug.*15\.50.*short/);
    assert.equal((await names(`${product(1)}/GetRelatedProducts()`)).length, 4);
    assert.deepEqual(await names("FindProducts(name='Mouse',maxPrice=100)"), ["Wireless Mouse"]);
    assert.equal((await names("FindProducts(name='%25',maxPrice=10000)")).length, 0);
  }));

Deno.test("actions change what the contract says", () =>
  withReference(async (send) => {
    const price = async (number: number) => (await send("GET", product(number))).body.Price;
    const discounted = await send("POST", `${product(4)}/ApplyDiscount`, { percentage: 10 });
    assert.deepEqual([discounted.status, discounted.body.Price, await price(4)], [200, 224.99, 224.99]);
    assert.equal((await send("POST", `${product(3)}/IncreasePrice`, { amount: 1.5 })).status, 204);
    assert.equal(await price(3), 17);
    const calculated = await send("POST", `${product(3)}/CalculateDiscount`, { percentage: 50 });
    assert.deepEqual([calculated.body.value, await price(3)], [8.5, 17]);
    assert.equal((await send("POST", `${product(4)}/Activate`)).status, 204);
    assert.equal((await send("GET", product(4))).body.Status, "InStock");
    assert.equal((await send("POST", "Products/MarkAllAsReviewed", {})).status, 204);
    assert.equal((await send("POST", "Process", { percentage: 50 })).status, 204);
    assert.equal(await price(3), 8.5);
    assert.equal((await send("POST", "ResetAllPrices")).status, 204);
    assert.equal(await price(3), 15.5);
    assert.equal((await send("DELETE", product(3))).status, 204);
    assert.equal((await send("POST", "ResetProducts")).status, 204);
    assert.equal((await send("GET", `${product(3)}/Descriptions/$count`)).body, "1");
  }));

Deno.test("wrong calls of operations are refused with an error body", () =>
  withReference(async (send) => {
    for (
      const [method, url, body] of [
        ["GET", "GetTopProducts(limit=1)"],
        ["GET", "GetTopProducts(count='many')"],
        ["GET", "FindProducts(name='x')"],
        ["POST", "GetTopProducts"],
        ["GET", "ResetProducts"],
        ["POST", "Process", { percentage: "half" }],
        ["POST", "Process", { minPrice: 1 }],
        ["POST", `${product(1)}/ApplyDiscount`, {}],
        ["GET", `${product(1)}/ApplyDiscount`],
        ["POST", `${product(9)}/ApplyDiscount`, { percentage: 1 }],
      ] as const
    ) {
      const answer = await send(method, url, body);
      assert.ok(answer.status >= 400 && answer.status < 500, `${method} ${url}: ${answer.status}`);
      assert.equal(typeof answer.body.error.message, "string");
    }
  }));

Deno.test("read-only rows and the singleton refuse what they do not allow", () =>
  withReference(async (send) => {
    const key = "ReadOnlyItems(00000004-0000-4000-8000-000000000001)";
    assert.equal((await send("POST", "ReadOnlyItems", { Name: "x" })).status, 405);
    assert.equal((await send("PATCH", key, { Name: "x" })).status, 405);
    assert.equal((await send("DELETE", key)).status, 405);
    assert.equal((await send("POST", "Company", { Name: "x" })).status, 405);
    assert.equal((await send("DELETE", "Company")).status, 405);
    const logo = await send("GET", "Company/Logo/$value");
    assert.equal(logo.headers.get("content-type"), "image/svg+xml");
    assert.match(logo.body, /^<svg /);
    assert.equal((await send("PUT", "Company", { Name: "Other" })).body.CEO, null);
  }));

Deno.test("the service is served at the root", () =>
  withReference(async (send) => {
    const { status, headers, body } = await send("GET", "");
    assert.deepEqual([status, headers.get("content-type")], [200, "application/json"]);
    assert.equal(body.value.find(({ name }: { name: string }) => name === "Company").kind, "Singleton");
    assert.equal((await send("GET", "Nothing")).status, 404);
    assert.equal((await send("GET", "health")).status, 200);
    const odd = await send("GET", "Products?$top=1", undefined, { "odata-maxversion": "4.01" });
    assert.equal(odd.headers.get("odata-version"), "4.01");
  }));
