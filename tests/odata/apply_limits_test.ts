import assert from "node:assert/strict";
import { withShop } from "./with_shop.ts";
import { ENGINES } from "./engines.ts";
import { openSales } from "./sales.ts";

/** Status and message of the answers to URLs. */
function refusals(urls: readonly string[], limits: Record<string, number> = {}): Promise<string[]> {
  const messages: string[] = [];
  return withShop(async (shop) => {
    for (const url of urls) {
      const { status, body } = await shop.send("GET", url.replaceAll(" ", "%20"));
      messages.push(`${status} ${(body as { error?: { message: string } }).error?.message}`);
    }
  }, { limits }).then(() => messages);
}

const repeated = (text: string, times: number) => Array.from({ length: times }, () => text).join("/");
const doubled = (times: number) =>
  Array.from(
    { length: times },
    (_, index) =>
      `${index ? `c${index - 1}` : "stock"} add ${index ? `c${index - 1}` : "stock"} as c${index}`,
  );

Deno.test("names that stand for each other do not make endless queries (odata-limits)", async () => {
  const found = await refusals([
    `Books?$compute=${doubled(60).join(",")}&$select=c59`,
    `Books?$apply=${doubled(60).map((one) => `compute(${one})`).join("/")}`,
    `Books?$apply=${repeated("concat(identity,identity)", 30)}/aggregate($count as n)`,
    `Books?$apply=${repeated("groupby((rollup(title,stock,price)))", 12)}`,
  ]);
  for (const one of found) assert.match(one, /^400 (The query is too large|\$apply is limited)/);
});

Deno.test("transformations and sets of groups are limited, with the place in the URL (odata-limits)", async () => {
  assert.deepEqual(
    await refusals([
      "Books?$apply=identity/identity/identity/identity",
      "Books?$apply=groupby((rollup(title,stock),rollup(price,author_ID)))",
    ], { transformations: 3, groupingSets: 3 }),
    [
      "400 $apply is limited to 3 transformations (offset 40)",
      "400 rollup makes more than 3 sets of groups (offset 42)",
    ],
  );
});

Deno.test("long sequences that the limits allow are answered (odata-limits)", async () => {
  const found = await refusals([
    `Books?$apply=${repeated("top(3)/skip(0)", 30)}`,
    `Books?$apply=${repeated("topsum(1000000,stock)", 60)}`,
    `Books?$apply=groupby((title))/${repeated("topcount(5,title)", 60)}`,
    `Books?$apply=groupby((title),aggregate(stock with sum as s))/${repeated("topsum(99999,s)", 60)}`,
    `Books?$apply=${repeated("concat(identity,top(1))", 6)}/aggregate($count as n)`,
  ]);
  for (const one of found) assert.match(one, /^(200|400 The query is too large)/);
});

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`a hierarchy with more nodes than the limit is refused on ${engine} (odata-limits)`, async () => {
    const shop = await openSales(database, { hierarchyNodes: 5 });
    try {
      const nodes = "$root/SalesOrganizations,SalesOrgHierarchy,ID";
      const { status, body } = await shop.send(
        "GET",
        `SalesOrganizations?$apply=traverse(${nodes},preorder)`,
      );
      assert.equal(status, 400);
      assert.match((body as { error: { message: string } }).error.message, /more than 5 nodes/);
    } finally {
      await shop.close();
    }
  });
}
