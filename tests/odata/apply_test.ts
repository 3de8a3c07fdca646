import assert from "node:assert/strict";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

Deno.test("concat in $apply answers the rows of its sequences one behind the other", () =>
  withShop(async (shop) => {
    const url =
      "Books?$apply=filter(stock gt 12)/concat(aggregate($count as n),groupby((author_ID)),identity)" +
      "&$select=ID";
    assert.equal((await shop.send("GET", url)).status, 501);
    const apply = "filter(stock gt 12)/concat(aggregate($count as n),groupby((author_ID)))";
    assert.deepEqual(await shop.send("GET", `Books?$apply=${apply}`), {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "$metadata#Books", value: [{ n: 2 }, { author_ID: 150 }] },
    });
  }));

Deno.test("concat in $apply refuses more rows than a page holds", () =>
  withShop(async (shop) => {
    const { status, body } = await shop.send("GET", "Books?$apply=concat(identity,aggregate($count as n))");
    assert.equal(status, 501);
    assert.deepEqual(body, {
      error: { code: "501", message: "Pages of the rows of concat in $apply are not implemented" },
    });
  }, { limits: { pageSize: 3 } }));
