/** Bad input to what OData has and CDS lacks is refused, never a failure of the server. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { product, type Send, withReference } from "./reference.ts";

const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 256, 1e300, "", "x", "P1D", "InStock,Featured", "#reference.Reference.Other"],
  ...[[], [null], [[]], {}, { City: 5 }, { City: null, "@odata.type": 5 }, [{ Name: 1 }], [{
    Name: "n",
    Price: 2,
  }]],
  ...["Categories(1)", product(1), ["Products(1)"], [product(2)], [5], { "@odata.id": product(1) }],
  ...[{ "@odata.id": 5 }, [{ "@odata.id": product(3) }], { type: "Point", coordinates: {} }],
  ...[{ type: "GeometryCollection", geometries: [[]] }, { Name: "deep", Products: [{ Category: {} }] }],
];

const NAMES = [
  ...[
    "ID",
    "Name",
    "Price",
    "Temperature",
    "Weight",
    "ShippingTime",
    "Status",
    "Version",
    "CreatedAt",
    "ProductType",
  ],
  ...["ShippingAddress", "ShippingAddress_City", "Dimensions", "Location", "Photo", "PhotoContentType"],
  ...[
    "SpecialProperty",
    "Category",
    "CategoryID",
    "Descriptions",
    "RelatedProducts",
    "relations",
    "@odata.type",
  ],
  ...["Category@odata.bind", "RelatedProducts@odata.bind", "RelatedProducts@delta", "Descriptions@delta"],
];

async function assertNoFailure(send: Send, method: string, url: string, body?: unknown): Promise<void> {
  const answer = await send(method, url, body);
  const isKnown = answer.status < 500 || answer.status === 501;
  assert.ok(
    isKnown,
    `${method} ${url} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`,
  );
}

Deno.test("random bodies are created, changed or refused", () =>
  withReference(async (send) => {
    const body = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES), { maxKeys: 4 });
    const target = fc.constantFrom("POST Products", `PATCH ${product(2)}`, `PUT ${product(3)}`);
    await fc.assert(
      fc.asyncProperty(target, body, async (target, body) => {
        const [method, url] = target.split(" ");
        const whole = method === "POST" ? { Name: "n", Price: 1, ...body } : body;
        await assertNoFailure(send, method!, url!, whole);
      }),
      { numRuns: 300, seed: 7 },
    );
    assert.equal((await send("GET", "Products/$count")).status, 200);
  }));

Deno.test("random values of properties and references are taken or refused", () =>
  withReference(async (send) => {
    for (
      const path of [
        "ShippingAddress",
        "ShippingAddress/City",
        "Status",
        "ShippingTime",
        "Location",
        "Weight",
      ]
    ) {
      for (const value of VALUES) {
        await assertNoFailure(send, "PUT", `${product(1)}/${path}`, { value });
        await assertNoFailure(send, "PUT", `${product(1)}/${path}`, JSON.stringify(value));
        await assertNoFailure(send, "PATCH", `${product(1)}/${path}`, JSON.stringify(value));
      }
    }
    for (const path of ["Category/$ref", "RelatedProducts/$ref", "Descriptions/$ref"]) {
      for (const value of VALUES) {
        for (const method of ["POST", "PUT"]) {
          await assertNoFailure(send, method, `${product(1)}/${path}`, { "@odata.id": value });
        }
      }
    }
  }));

const SPECIAL = "reference.Reference.SpecialProduct";
const OPERANDS = [
  ...[
    "Name",
    "Status",
    "ShippingTime",
    "Weight",
    "Location",
    "ShippingAddress",
    "ShippingAddress/City",
    "Photo",
  ],
  ...[
    `${SPECIAL}/SpecialFeature`,
    `${SPECIAL}/Name`,
    `${SPECIAL}/Category/Name`,
    "Category",
    "RelatedProducts",
  ],
  ...[
    "duration'P1D'",
    "'InStock'",
    "reference.Reference.ProductStatus'OnSale,Featured'",
    "null",
    "1",
    "-2.5",
    "{}",
  ],
  ...[
    `cast(Status,Edm.String)`,
    `cast(${SPECIAL})`,
    "totalseconds(ShippingTime)",
    "RelatedProducts/$count",
    "[1]",
  ],
  ...["geography'SRID=4326;Point(1 2)'", "RelatedProducts/any(r:r/Status has 'OnSale')", `isof(${SPECIAL})`],
];
const OPERATORS = ["eq", "ne", "gt", "le", "has", "in", "add", "sub", "mul", "div", "and", "or", "mod"];

Deno.test("random expressions are evaluated or refused", () =>
  withReference(async (send) => {
    const operand = fc.constantFrom(...OPERANDS);
    await fc.assert(
      fc.asyncProperty(operand, fc.constantFrom(...OPERATORS), operand, async (left, operator, right) => {
        const expression = encodeURIComponent(`${left} ${operator} ${right}`);
        await assertNoFailure(send, "GET", `Products?$filter=${expression}`);
        await assertNoFailure(send, "GET", `Products?$orderby=${expression}`);
        await assertNoFailure(send, "GET", `Products?$compute=${expression}%20as%20c&$select=c`);
        await assertNoFailure(send, "GET", `Products/${SPECIAL}?$filter=${expression}`);
        await assertNoFailure(
          send,
          "GET",
          `Products?$apply=aggregate(${encodeURIComponent(left)}%20with%20sum%20as%20s)`,
        );
        await assertNoFailure(send, "GET", `Products?$apply=groupby((${encodeURIComponent(left)}))`);
        await assertNoFailure(
          send,
          "GET",
          `Products?$select=${encodeURIComponent(left)}&$expand=${encodeURIComponent(right)}`,
        );
        await assertNoFailure(send, "GET", `${product(1)}/${encodeURI(left)}/$value`);
      }),
      { numRuns: 200, seed: 11 },
    );
  }));
