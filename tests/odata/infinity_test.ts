import assert from "node:assert/strict";
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

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`infinite numbers are values of their own, on ${engine} (CSDL 3.3)`, async () => {
    const shop = await openShop({ model: MODEL, data: new Map(), database });
    try {
      for (const [ID, height] of ["INF", "-INF", 1, null, "INF"].entries()) {
        assert.equal((await shop.send("POST", "Points", { body: { ID, height } })).status, 201);
      }
      const bodies: Readonly<Record<string, unknown>> = {
        "$apply=groupby((height),aggregate($count as n))&$orderby=height": [
          { height: null, n: 1 },
          { height: "-INF", n: 1 },
          { height: 1, n: 1 },
          { height: "INF", n: 2 },
        ],
        "$apply=aggregate(height with countdistinct as n)": [{ n: 3 }],
        "$filter=height gt 0&$orderby=ID&$select=ID": [{ ID: 0 }, { ID: 2 }, { ID: 4 }],
        "$filter=height eq INF and height ne -INF&$orderby=ID&$select=ID": [{ ID: 0 }, { ID: 4 }],
      };
      for (const [query, expected] of Object.entries(bodies)) {
        const { status, body } = await shop.send("GET", encodeURI(`Points?${query}`));
        assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
        assert.deepEqual((body as { value: unknown }).value, expected, query);
      }
    } finally {
      await shop.close();
    }
  });
}
