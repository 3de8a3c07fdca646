import assert from "node:assert/strict";
import { JSON_HEADERS, withShop } from "./with_shop.ts";

Deno.test("concat in $apply answers the rows of its sequences one behind the other", () =>
  withShop(async (shop) => {
    const apply = "filter(stock gt 12)/concat(aggregate($count as n),groupby((author_ID)))";
    assert.deepEqual(await shop.send("GET", `Books?$apply=${apply}`), {
      status: 200,
      headers: JSON_HEADERS,
      body: { "@odata.context": "$metadata#Books(n,author_ID)", value: [{ n: 2 }, { author_ID: 150 }] },
    });
  }));

Deno.test("concat in $apply refuses more rows than a page holds", () =>
  withShop(async (shop) => {
    const { status, body } = await shop.send("GET", "Books?$apply=concat(identity,aggregate($count as n))");
    assert.equal(status, 501);
    assert.deepEqual(body, {
      error: { code: "501", message: "Pages of the rows of concat or nest in $apply are not implemented" },
    });
  }, { limits: { pageSize: 3 } }));

async function rowsFor(apply: string): Promise<unknown> {
  let rows: unknown;
  await withShop(async (shop) => {
    const { status, body } = await shop.send("GET", `Books?$apply=${apply}`);
    assert.equal(status, 200, JSON.stringify(body));
    rows = (body as { value: unknown }).value;
  });
  return rows;
}

const idsFor = async (apply: string) => (await rowsFor(apply) as { ID: number }[]).map(({ ID }) => ID);

Deno.test("orderby, skip and top in $apply order and cut rows", async () => {
  assert.deepEqual(await idsFor("orderby(stock desc)"), [252, 251, 201]);
  assert.deepEqual(await idsFor("orderby(stock desc)/skip(1)/top(1)"), [251]);
  assert.deepEqual(await idsFor("topcount(2,price)"), [252, 251]);
  assert.deepEqual(await idsFor("bottomcount(1,price)"), [201]);
  assert.deepEqual(await idsFor("filter(stock gt 12)/bottomcount(1,stock)"), [251]);
});

Deno.test("orderby, skip and top in $apply order and cut groups", async () => {
  const grouped = "groupby((author_ID),aggregate(stock with sum as s))";
  assert.deepEqual(await rowsFor(`${grouped}/orderby(s desc)/top(1)`), [{ author_ID: 150, s: 888 }]);
  assert.deepEqual(await rowsFor(`${grouped}/bottomcount(1,s)`), [{ author_ID: 101, s: 12 }]);
  assert.deepEqual(await rowsFor(`${grouped}/skip(1)`), [{ author_ID: 150, s: 888 }]);
});

async function refusalOf(url: string): Promise<unknown> {
  let refusal: unknown;
  await withShop(async (shop) => {
    const { status, body } = await shop.send("GET", url);
    refusal = { status, ...(body as { error: object }).error };
  });
  return refusal;
}

Deno.test("$apply refuses what it cannot run, and aggregates without method", async () => {
  assert.deepEqual(await refusalOf("Books?$apply=ShopService.unknown()"), {
    status: 501,
    code: "501",
    message:
      'The transformation "ShopService.unknown" at this place of $apply is not implemented (offset 13)',
  });
  assert.deepEqual(await refusalOf("Books?$apply=aggregate(stock)"), {
    status: 400,
    code: "400",
    message: 'An aggregation needs "with" and a method, or "as" and a name (offset 23)',
    "@Common.numericSeverity": 4,
  });
});

Deno.test("/$count counts the rows of $apply and sees the names of $compute (Aggregation 3)", () =>
  withShop(async (shop) => {
    const count = async (options: string) => (await shop.send("GET", `Books/$count?${options}`)).body;
    assert.equal(await count("$apply=groupby((author_ID))"), "2");
    assert.equal(await count("$apply=topcount(1,stock)"), "1");
    assert.equal(
      await count("$apply=groupby((author_ID),aggregate(stock with sum as s))&$filter=s gt 12"),
      "1",
    );
    assert.equal(await count("$compute=stock add 1 as more&$filter=more eq 13"), "1");
  }));

Deno.test("$apply refuses the first none and the least percentage of none (Data Aggregation 3.3.1)", async () => {
  for (const method of ["topcount", "bottomcount", "toppercent", "bottompercent"]) {
    for (const amount of ["0", "-1", "0.0", "@n&@n=0"]) {
      const [first, alias = ""] = amount.split("&");
      const refusal = await refusalOf(`Books?$apply=${method}(${first},price)&${alias}`) as {
        status: number;
      };
      assert.equal(refusal.status, 400, `${method}(${amount},price)`);
    }
    const grouped = `groupby((author_ID),${method}(0,price))`;
    assert.equal((await refusalOf(`Books?$apply=${grouped}`) as { status: number }).status, 400, grouped);
  }
  assert.deepEqual(await refusalOf("Books?$apply=topcount(0,price)"), {
    status: 400,
    code: "400",
    message: "A positive whole number is expected (offset 22)",
    "@Common.numericSeverity": 4,
  });
  assert.deepEqual(await idsFor("topcount(1,price)"), [252]);
  assert.deepEqual(await idsFor("toppercent(0.5,price)"), [252]);
});
