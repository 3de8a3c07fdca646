/** Values of types that CDS lacks, on every engine. */

import assert from "node:assert/strict";
import { ENGINES, product, type Send, withReference } from "./reference.ts";

async function names(send: Send, filter: string): Promise<string[]> {
  const { status, body } = await send("GET", `Products?$select=Name&$filter=${encodeURIComponent(filter)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.value.map(({ Name }: { Name: string }) => Name);
}

for (const engine of ENGINES) {
  Deno.test(`${engine}: durations are compared and sorted by length`, () =>
    withReference(async (send) => {
      assert.deepEqual(await names(send, "ShippingTime gt duration'PT24H'"), ["Coffee Mug", "Office Chair"]);
      assert.deepEqual(await names(send, "ShippingTime eq 'PT24H'"), ["Laptop"]);
      assert.deepEqual(await names(send, "Offset lt duration'PT0S'"), ["Wireless Mouse"]);
      assert.deepEqual(await names(send, "totalseconds(ProcessingTime) eq 1.5"), ["Wireless Mouse"]);
      const { body } = await send(
        "GET",
        "Products?$select=ShippingTime&$orderby=ShippingTime%20desc&$filter=ShippingTime%20ne%20null",
      );
      const times = body.value.map(({ ShippingTime }: { ShippingTime: string }) => ShippingTime);
      assert.deepEqual(times, ["P2D", "P1DT2H30M", "P1D", "PT2H"]);
      assert.equal((await send("GET", "Products?$filter=ShippingTime%20gt%205")).status, 400);
      assert.deepEqual(await names(send, "ShippingTime mul 2 eq duration'P4D'"), ["Coffee Mug"]);
      assert.deepEqual(await names(send, "ShippingTime sub duration'P1D' eq duration'P1D'"), ["Coffee Mug"]);
      assert.deepEqual(await names(send, "isof(ShippingTime,Edm.Duration) and Name eq 'Laptop'"), ["Laptop"]);
      const computed = await send(
        "GET",
        `${product(1)}?$compute=ShippingTime%20add%20ProcessingTime%20as%20Total`,
      );
      assert.equal(computed.body.Total, "P1DT45S");
      const sums = await send("GET", "Products?$apply=aggregate(ShippingTime%20with%20sum%20as%20Total)");
      assert.equal(sums.body.value[0].Total, "P4DT4H30M");
    }, engine));

  Deno.test(`${engine}: durations are multiplied by numbers and added to durations only, null gives null (URL 5.1.1.2)`, () =>
    withReference(async (send) => {
      const all = (await names(send, "true")).length;
      for (const expression of ["ShippingTime mul null", "null mul ShippingTime", "ShippingTime div null"]) {
        assert.equal((await names(send, `${expression} eq null`)).length, all, expression);
      }
      assert.deepEqual(await names(send, "2 mul ShippingTime eq duration'P4D'"), ["Coffee Mug"]);
      assert.deepEqual(await names(send, "ShippingTime div 2 eq duration'P1D'"), ["Coffee Mug"]);
      const rejected = [
        "ShippingTime mul 'a'",
        "'a' mul ShippingTime",
        "ShippingTime add 1",
        "1 sub ShippingTime",
        "1 div ShippingTime",
        "ShippingTime mul ShippingTime",
        "ShippingTime mod 2",
        "ShippingTime mul true",
      ];
      for (const expression of rejected) {
        const url = `Products?$filter=${encodeURIComponent(`${expression} eq null`)}`;
        assert.equal((await send("GET", url)).status, 400, expression);
      }
    }, engine));

  Deno.test(`${engine}: values of all types come back as they were sent`, () =>
    withReference(async (send) => {
      const sent = {
        Name: "Sent",
        Price: 1.5,
        Temperature: -128,
        Weight: 0.1,
        ShippingTime: "-P1DT0.5S",
        Status: "OnSale,Featured",
        Location: { type: "Point", coordinates: [1, 2] },
      };
      const { status, body } = await send("POST", "Products", sent);
      assert.equal(status, 201, JSON.stringify(body));
      for (const [name, value] of Object.entries(sent)) assert.deepEqual(body[name], value, name);
      const read = await send("GET", `Products(${body.ID})`);
      for (const [name, value] of Object.entries(sent)) assert.deepEqual(read.body[name], value, name);
      assert.deepEqual(await names(send, "Weight eq 0.1"), ["Sent"]);
    }, engine));

  Deno.test(`${engine}: flags are asked for by names and numbers`, () =>
    withReference(async (send) => {
      const type = "reference.Reference.ProductStatus";
      assert.deepEqual(await names(send, `Status has ${type}'OnSale,Featured'`), ["Smartphone"]);
      assert.deepEqual(await names(send, `Status eq ${type}'InStock'`), ["Coffee Mug"]);
      assert.deepEqual(await names(send, "Status eq 'Featured,InStock'"), ["Laptop", "Premium Laptop Pro"]);
      assert.deepEqual(await names(send, "Status in ('Discontinued','InStock')"), [
        "Coffee Mug",
        "Office Chair",
      ]);
      assert.deepEqual(await names(send, "Status has '4'"), ["Office Chair"]);
      assert.equal((await send("GET", `Products?$filter=Status%20eq%20${type}'Gone'`)).status, 400);
    }, engine));
}

Deno.test("values that are none of their type are refused", () =>
  withReference(async (send) => {
    for (
      const wrong of [
        { Temperature: 128 },
        { Temperature: -129 },
        { Weight: 1e39 },
        { ShippingTime: "1 day" },
        { ShippingTime: 86400 },
        { Status: "Gone" },
        { Status: 16 },
        { Status: "InStock,Gone" },
        { Location: { type: "Place", coordinates: [1, 2] } },
        { Location: "here" },
      ]
    ) {
      const { status, body } = await send("POST", "Products", { Name: "Wrong", Price: 1, ...wrong });
      assert.equal(status, 400, JSON.stringify(wrong));
      assert.equal(body.error.target, Object.keys(wrong)[0], JSON.stringify(wrong));
    }
  }));

Deno.test("a single property is read and written in the form of its type", () =>
  withReference(async (send) => {
    assert.equal((await send("GET", `${product(1)}/ShippingTime`)).body.value, "P1D");
    assert.equal((await send("GET", `${product(1)}/Status/$value`)).body, "InStock,Featured");
    const put = await send("PUT", `${product(1)}/Status`, { value: 3 });
    assert.deepEqual([put.status, put.body.value], [200, "InStock,OnSale"]);
    const text = { "content-type": "text/plain" };
    assert.equal((await send("PUT", `${product(1)}/ShippingTime/$value`, "PT90M", text)).status, 204);
    assert.equal((await send("GET", `${product(1)}/ShippingTime/$value`)).body, "PT1H30M");
  }));

Deno.test("overloads are chosen by the names of their parameters", () =>
  withReference(async (send) => {
    assert.equal((await send("GET", "Calculate(value=21)")).body.value, 42);
    assert.equal((await send("GET", "Calculate(a=1,b=2)")).body.value, 3);
    assert.equal((await send("GET", "Calculate?a=1&b=2")).body.value, 3);
    assert.equal((await send("GET", "Convert(input='x')")).body.value, "String: x");
    assert.equal((await send("GET", "Convert(number=7)")).body.value, "Number: 7");
    assert.equal((await send("GET", "Calculate(c=1)")).status, 400);
    assert.equal((await send("GET", "Calculate(a=1)")).status, 400);
    assert.equal((await send("POST", "Process", { percentage: 50, minPrice: 1000 })).status, 204);
    const { body } = await send("GET", "GetTopProducts(count=2)");
    assert.deepEqual(body.value.map(({ Price }: { Price: number }) => Price), [1000, 999.99]);
    const bound = await send("GET", "Products/GetTopProducts(count=9,category='Kitchen')");
    assert.deepEqual(bound.body.value.map(({ Name }: { Name: string }) => Name), ["Coffee Mug"]);
    assert.equal((await send("GET", `${product(3)}/CalculatePrice(discount=50)`)).body.value, 7.75);
    assert.equal((await send("GET", `${product(3)}/CalculatePrice(discount=50,tax=100)`)).body.value, 15.5);
  }));
