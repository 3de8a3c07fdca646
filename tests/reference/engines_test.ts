/** All engines give the same answers to what OData has and CDS lacks. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { ENGINES, type Send, withReference } from "./reference.ts";

const SPECIAL = "reference.Reference.SpecialProduct";
const VALUES: Readonly<Record<string, readonly string[]>> = {
  duration: ["ShippingTime", "ProcessingTime", "Offset", "duration'P1D'", "duration'-PT1.5S'", "null"],
  text: [
    ...[
      "Name",
      "ShippingAddress/City",
      "ShippingAddress/State",
      `${SPECIAL}/SpecialFeature`,
      `${SPECIAL}/Name`,
    ],
    ...["'Seattle'", "'WA'", "null", "Category/Name"],
  ],
  number: [
    ...["Weight", "Temperature", "Dimensions/Width", "totalseconds(ShippingTime)", "RelatedProducts/$count"],
    ...["3.14", "-10", "0", "Descriptions/$count", "Rating"],
  ],
  flags: ["Status", "'InStock'", "reference.Reference.ProductStatus'OnSale,InStock'"],
};
const COMPARISONS = ["eq", "ne", "gt", "ge", "lt", "le"];

/** Comparisons of values of one kind, joined. */
const expressions: fc.Arbitrary<string> = fc.constantFrom(...Object.keys(VALUES)).chain((kind) =>
  fc.tuple(
    fc.constantFrom(...VALUES[kind]!),
    fc.constantFrom(...(kind === "flags" ? ["eq", "ne", "has"] : COMPARISONS)),
    fc.constantFrom(...VALUES[kind]!),
  ).map((parts) => parts.join(" "))
);
const conditions = fc.tuple(expressions, fc.constantFrom("and", "or", "and not", "or not"), expressions).map(
  ([left, operator, right]) =>
    operator.endsWith("not") ? `${left} ${operator}(${right})` : `${left} ${operator} ${right}`,
);
const orders = fc.constantFrom(
  ...[
    "ShippingTime desc",
    "Status",
    "ShippingAddress/City",
    "Dimensions/Length desc",
    "Weight",
    "Offset,Name",
  ],
);

async function onAll(
  engines: readonly string[],
  run: (all: readonly Send[]) => Promise<void>,
): Promise<void> {
  const open: Send[] = [];
  const next = async (at: number): Promise<void> => {
    if (at === engines.length) return await run(open);
    await withReference(async (send) => {
      open.push(send);
      await next(at + 1);
    }, engines[at]);
  };
  await next(0);
}

Deno.test("literals beside null are constants on all engines", () =>
  onAll(ENGINES, async (all) => {
    for (
      const [filter, count] of [["null eq 'x'", "0"], ["1 ne null", "7"], ["null eq null", "7"], [
        "null lt 1",
        "0",
      ]]
    ) {
      for (const send of all) {
        const { status, body } = await send("GET", `Products/$count?$filter=${encodeURIComponent(filter!)}`);
        assert.deepEqual([status, body], [200, count], filter);
      }
    }
  }));

Deno.test("conditions and orders give the same rows on all engines", () =>
  onAll(ENGINES, async (all) => {
    for (const send of all) {
      for (const other of [2, 3]) {
        const to = { "@odata.id": `Products(00000002-0000-4000-8000-00000000000${other})` };
        await send("POST", `Products(00000002-0000-4000-8000-000000000001)/RelatedProducts/$ref`, to);
      }
    }
    await fc.assert(
      fc.asyncProperty(conditions, orders, async (condition, order) => {
        const url = `Products?$select=Name,Status,ShippingTime&$orderby=${
          encodeURIComponent(order)
        }&$filter=${encodeURIComponent(condition)}`;
        const answers = await Promise.all(all.map((send) => send("GET", url)));
        const [first, ...others] = answers.map(({ status, body }) => ({ status, body }));
        for (const other of others) assert.deepEqual(other, first, `${condition}; ${order}`);
        assert.ok(first!.status === 200 || first!.status === 400, `${condition}: ${JSON.stringify(first)}`);
      }),
      { numRuns: 200, seed: 3 },
    );
  }));
