/** The fixture `reference`: which system query options each kind of resource has. */

import assert from "node:assert/strict";
import { product, type Send, withReference } from "./reference.ts";

const VALUES: Readonly<Record<string, string>> = {
  $apply: "filter(true)",
  $compute: "1 as one",
  $count: "true",
  $expand: "*",
  $filter: "true",
  $orderby: "ID",
  $search: "a",
  $select: "*",
  $skip: "1",
  $top: "5",
};

const CHOICE = ["$count", "$filter", "$orderby", "$search", "$skip", "$top"];
const SHAPE = ["$compute", "$expand", "$select"];
const ALL = Object.keys(VALUES);

const laptop = product(1);
const DESCRIPTIONS = `${laptop}/Descriptions`;

/** Options that a resource does not have. */
const REFUSED: readonly (readonly [string, readonly string[]])[] = [
  [laptop, ["$apply", ...CHOICE]],
  ["Company", ["$apply", ...CHOICE]],
  [`${laptop}/Category`, ["$apply", ...CHOICE]],
  [`${laptop}/Name`, ["$apply", "$compute", "$expand", ...CHOICE]],
  [`${laptop}/Name/$value`, ALL],
  [`${laptop}/ShippingAddress`, ["$apply", ...CHOICE]],
  [`${laptop}/ShippingAddress/City`, ["$apply", "$compute", "$expand", ...CHOICE]],
  [`${laptop}/Photo`, ALL],
  ["Products/$count", ["$count", "$expand", "$orderby", "$select", "$skip", "$top"]],
  ["Products/$ref", ["$apply", ...SHAPE]],
  [`${DESCRIPTIONS}/$ref`, ["$apply", ...SHAPE]],
  [`${DESCRIPTIONS}/$count`, ["$orderby", "$top"]],
  [`${laptop}/$ref`, ALL],
  [`${laptop}/Category/$ref`, ALL],
  ["", ALL],
  ["$metadata", ALL],
  ["$all", ["$apply", "$orderby", ...SHAPE]],
  ["$crossjoin(Products,Categories)", ["$apply", "$compute", "$search", "$select"]],
  ["Products/GetAveragePrice()", ["$apply", "$compute", "$expand", ...CHOICE]],
  ["GetProductStats()", ["$apply", ...CHOICE]],
];

/** Options that a resource has. */
const ACCEPTED: readonly (readonly [string, readonly string[]])[] = [
  ["Products", ["$apply", ...CHOICE, ...SHAPE]],
  [DESCRIPTIONS, ["$count", "$filter", "$search", "$skip", "$top", "$compute", "$expand", "$select"]],
  [laptop, SHAPE],
  ["Company", ["$compute", "$select"]],
  [`${laptop}/ShippingAddress`, ["$select"]],
  ["Products/$count", ["$apply", "$filter", "$search"]],
  ["Products/$ref", CHOICE],
  ["GetTopProducts()", ["$count", "$filter", "$orderby", "$skip", "$top", "$select", "$expand"]],
  ["Products/GetTopProducts()", ["$filter", "$top"]],
];

async function statusOf(send: Send, path: string, option: string): Promise<number> {
  return (await send("GET", `${path}?${option}=${encodeURIComponent(VALUES[option]!)}`)).status;
}

Deno.test("options that a resource does not have are refused (URL 5.1, Protocol 11.2.5, 11.2.6)", () =>
  withReference(async (send) => {
    for (const [path, options] of REFUSED) {
      for (const option of options) {
        assert.equal(await statusOf(send, path, option), 400, `${path}?${option}`);
      }
    }
  }));

Deno.test("options that a resource has are taken (URL 5.1, Protocol 11.2.5, 11.2.6)", () =>
  withReference(async (send) => {
    for (const [path, options] of ACCEPTED) {
      for (const option of options) {
        assert.equal(await statusOf(send, path, option), 200, `${path}?${option}`);
      }
    }
  }));

Deno.test("a refused option is named with its place, however it is written (URL 5.1)", () =>
  withReference(async (send) => {
    for (const option of ["$top=5", "top=5", "$TOP=5"]) {
      const { status, body } = await send("GET", `${laptop}?$select=Name&${option}`);
      const offset = laptop.length + "?$select=Name&".length;
      assert.deepEqual([status, body.error], [400, {
        code: "400",
        message: `The option $top is not allowed for a single entity (offset ${offset})`,
        "@Common.numericSeverity": 4,
      }]);
    }
  }));

Deno.test("queries in bodies, changes and actions have the options of what they are about (URL 5.2, Protocol 11.4)", () =>
  withReference(async (send) => {
    const text = { "content-type": "text/plain" };
    const query = (path: string, options: string) => send("POST", `${path}/$query`, options, text);
    assert.equal((await query(laptop, "$top=5")).status, 400);
    assert.equal((await query("Products", "$top=5")).status, 200);
    assert.equal((await query(laptop, "$select=Name")).status, 200);
    const status = async (...request: Parameters<Send>) => (await send(...request)).status;
    assert.equal(await status("POST", "Products?$top=1", { Name: "A", Price: 1 }), 400);
    assert.equal(await status("PATCH", `${laptop}?$filter=false`, { Name: "A" }), 400);
    assert.equal(await status("DELETE", `${laptop}?$filter=false`), 400);
    assert.equal(await status("POST", "ResetAllPrices?$top=1", {}), 400);
    assert.equal(await status("POST", `${laptop}/ApplyDiscount?$top=1`, { percentage: 1 }), 400);
    assert.equal(await status("POST", `${laptop}/ApplyDiscount?$select=Name`, { percentage: 1 }), 200);
    assert.equal(await status("OPTIONS", "Products?$top=1"), 204);
    assert.equal((await send("GET", laptop)).body.Name, "Laptop");
  }));

Deno.test("expanded single entities have no options of collections (URL 5.1.3)", () =>
  withReference(async (send) => {
    for (const option of ["$top=1", "$skip=1", "$orderby=Name", "$count=true", "$search=a"]) {
      assert.equal((await send("GET", `Products?$expand=Category(${option})`)).status, 400, option);
      const many = option.replace("Name", "LanguageKey");
      assert.equal((await send("GET", `Products?$expand=Descriptions(${many})`)).status, 200, option);
    }
  }));
