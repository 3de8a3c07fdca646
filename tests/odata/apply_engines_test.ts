import assert from "node:assert/strict";
import { RULES } from "./apply_rules.ts";
import { HIERARCHY_RULES } from "./hierarchy_rules.ts";
import { ENGINES } from "./engines.ts";
import { openSales } from "./sales.ts";

const byText = (one: unknown) =>
  JSON.stringify(one, (_, value) => typeof value === "object" && value ? sorted(value) : value);
const sorted = (value: object) =>
  Array.isArray(value) ? value : Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$apply means the same on ${engine}`, async (test) => {
    const shop = await openSales(database);
    try {
      for (const [rule, urls] of Object.entries({ ...RULES, ...HIERARCHY_RULES })) {
        await test.step(rule, async () => {
          for (const [url, expected] of Object.entries(urls)) {
            const { status, body } = await shop.send("GET", url.replaceAll(" ", "%20"));
            const { value } = body as { value?: object[] };
            const found = value?.map((row) => {
              const { "@odata.etag": _, ...others } = row as Record<string, unknown>;
              return others;
            });
            if (url.includes("/$count?")) assert.equal(body, `${expected}`, url);
            else if (typeof expected === "number") {
              assert.equal(status, expected, `${url} ${JSON.stringify(body)}`);
            } else {assert.equal(
                byText(found),
                byText(expected),
                `${url} ${status} ${JSON.stringify(body)} ${JSON.stringify(shop.logged)}`,
              );}
          }
        });
      }
    } finally {
      await shop.close();
    }
  });
}
