import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";

const MODEL = {
  definitions: {
    "ShopService": { kind: "service" as const },
    "ShopService.Points": {
      kind: "entity" as const,
      elements: { ID: { key: true, type: "cds.Integer" }, height: { type: "cds.Double" } },
    },
  },
};

const HEIGHTS = ["INF", "-INF", 1, null, "INF", "NaN"];
const ids = (...given: readonly number[]) => given.map((ID) => ({ ID }));

/** Rows by queries. */
const FOUND: Readonly<Record<string, unknown>> = {
  "$apply=groupby((height),aggregate($count as n))&$orderby=height": [
    { height: null, n: 1 },
    { height: "-INF", n: 1 },
    { height: 1, n: 1 },
    { height: "INF", n: 2 },
    { height: "NaN", n: 1 },
  ],
  "$apply=aggregate(height with countdistinct as n)": [{ n: 4 }],
  "$filter=height ge 0&$orderby=ID&$select=ID": ids(0, 2, 4, 5),
  "$filter=height lt 5&$orderby=ID&$select=ID": ids(1, 2),
  "$filter=height eq 1&$select=ID": ids(2),
  "$filter=height eq INF and height ne -INF&$orderby=ID&$select=ID": ids(0, 4),
  "$filter=height eq NaN&$select=ID": ids(5),
  "$orderby=height desc,ID&$select=ID": ids(5, 0, 4, 2, 1, 3),
  "$filter=ID ne 2 and ID ne 4&$orderby=ID&$select=height": [
    { ID: 0, height: "INF" },
    { ID: 1, height: "-INF" },
    { ID: 3, height: null },
    { ID: 5, height: "NaN" },
  ],
  "$compute=height add 1 as more,ID div INF as none&$filter=ID lt 4&$orderby=ID&$select=more,none": [
    { ID: 0, more: "INF", none: 0 },
    { ID: 1, more: "-INF", none: 0 },
    { ID: 2, more: 2, none: 0 },
    { ID: 3, more: null, none: 0 },
  ],
  "$compute=round(height) as r,floor(height) as f,ceiling(height) as c&$orderby=ID&$select=r,f,c": [
    { ID: 0, r: "INF", f: "INF", c: "INF" },
    { ID: 1, r: "-INF", f: "-INF", c: "-INF" },
    { ID: 2, r: 1, f: 1, c: 1 },
    { ID: 3, r: null, f: null, c: null },
    { ID: 4, r: "INF", f: "INF", c: "INF" },
    { ID: 5, r: "NaN", f: "NaN", c: "NaN" },
  ],
  "$compute=height div 0 as all&$filter=ID eq 2&$select=all": [{ ID: 2, all: "INF" }],
};

/** What is larger than all floating-point numbers, written or calculated. */
const TOO_LARGE = [
  "?$filter=height gt 1e400",
  "?$filter=height in (1,-1e999)",
  "?$filter=height eq '1e400'",
  "?$filter=ID lt 1e309",
  `?$filter=height lt 1${"0".repeat(309)}`,
  "?$filter=1e309 eq 1e310",
  "?$compute=1e400 as n",
  "(1e400)",
  "?$filter=height mul 1e308 mul 1e308 gt 1",
  "?$compute=height add 1e308 add 1e308 as n&$select=n",
  "?$compute=height div 1e-200 div 1e-200 as n&$select=n",
];

for (const [engine, database] of Object.entries(ENGINES)) {
  for (const isInitial of [true, false]) {
    const origin = isInitial ? "initial rows" : "bodies";
    Deno.test(`infinite numbers and those that are none are values of their own, of ${origin}, on ${engine} (CSDL 3.3)`, async () => {
      const rows: readonly Row[] = HEIGHTS.map((height, ID) => ({ ID, height }));
      const data = new Map([["ShopService.Points", isInitial ? rows : []]]);
      const shop = await openShop({ model: MODEL, data, database });
      try {
        for (const body of isInitial ? [] : rows) {
          assert.equal((await shop.send("POST", "Points", { body })).status, 201);
        }
        for (const [query, expected] of Object.entries(FOUND)) {
          const { status, body } = await shop.send("GET", encodeURI(`Points?${query}`));
          assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
          assert.deepEqual((body as { value: unknown }).value, expected, query);
        }
        for (const query of TOO_LARGE) {
          const { status, body } = await shop.send("GET", encodeURI(`Points${query}`));
          assert.equal(status, 400, `${query}: ${JSON.stringify(body)}`);
        }
      } finally {
        await shop.close();
      }
    });
  }
}
