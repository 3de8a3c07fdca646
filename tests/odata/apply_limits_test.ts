import assert from "node:assert/strict";
import { withShop } from "./with_shop.ts";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";
import { LIBRARY, LIBRARY_ROWS } from "./library.ts";
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

Deno.test("sums need numbers, and least and greatest values need an order (Aggregation 3.1.3)", async () => {
  const found = await refusals([
    "Books?$apply=aggregate(title with sum as s)",
    "Media?$apply=aggregate(content with max as m)",
    "Media?$apply=aggregate(content with min as m)",
  ]);
  assert.deepEqual(found.map((one) => one.replace(/ \(offset.*/, "")), [
    '400 The method "sum" needs numbers',
    '400 The method "max" needs values that have an order',
    '400 The method "min" needs values that have an order',
  ]);
});

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

/** Statuses and messages of the answers of the library, each in far less than a second for some rows. */
async function libraryRefusals(urls: readonly string[], limits = {}): Promise<string[]> {
  const library = await openShop({ model: LIBRARY, data: LIBRARY_ROWS, database: ENGINES.memory!, limits });
  try {
    const answers: string[] = [];
    for (const url of urls) {
      const { status, body } = await library.send("GET", encodeURI(url));
      answers.push(`${status} ${(body as { error?: { message: string } }).error?.message ?? ""}`.trim());
    }
    return answers;
  } finally {
    await library.close();
  }
}

Deno.test("names do not nest conditions on related rows deeper than a URL could (odata-limits)", async () => {
  const chain = (of: string, first: string, times: number) =>
    Array.from({ length: times }, (_, at) => `${of}/any(x:${at ? `c${at - 1}` : first}) as c${at}`);
  const books = chain("books", "x/stock eq -1", 9);
  const tags = chain("tags", "x eq 'none'", 9);
  const url = (items: readonly string[]) => `$compute=${items.join(",")}&$filter=c${items.length - 1}`;
  const found = await libraryRefusals([
    `Authors?${url(books)}`,
    `Books?${url(tags)}`,
    `Authors?$apply=${books.map((item) => `compute(${item})`).join("/")}/filter(c8)`,
    `Authors?${url(books.slice(0, 3))}`,
    `Books?${url(tags.slice(0, 3))}`,
    "Authors?$compute=books/any(b:b/loans/any(l:l/days gt 5)) as late&$filter=books/any(b:late and b/stock gt 1)",
  ]);
  const tooDeep =
    /^400 With the values of names conditions about related rows are nested too deeply, the limit is 3 /;
  for (const one of found.slice(0, 3)) assert.match(one, tooDeep);
  assert.deepEqual(found.slice(3), ["200", "200", "200"]);
});

Deno.test("collections stand beside each other in small numbers only (odata-limits)", async () => {
  const joins = (times: number) =>
    Array.from({ length: times }, (_, at) => `join(loans as l${at})`).join("/");
  const path = (times: number) => "books/author/".repeat(times);
  const found = await libraryRefusals([
    "$crossjoin(Books,Authors,Loans,Nodes,Settings)",
    `Books?$apply=${joins(60)}`,
    `Books?$apply=${joins(4)}/aggregate(author/books/stock with sum as s)`,
    `Authors?$apply=aggregate(${path(9)}rank with sum as s)`,
    `Authors?$apply=aggregate(${path(4)}books/$count as n)`,
  ]);
  for (const one of found) assert.match(one, /^400 More than 4 collections stand beside each other /);
  const allowed = await libraryRefusals([
    "$crossjoin(Books,Authors,Loans,Nodes)?$top=1",
    `Books?$apply=${joins(4)}`,
    `Books?$apply=${Array.from({ length: 9 }, (_, at) => `join(author as a${at})`).join("/")}`,
    `Authors?$apply=aggregate(${path(4)}rank with sum as s)`,
  ]);
  assert.deepEqual(allowed, ["200", "200", "200", "200"]);
  const [one] = await libraryRefusals(["$crossjoin(Books,Authors)"], { joinedCollections: 1 });
  assert.match(one!, /^400 More than 1 /);
});

Deno.test("expansions of pairs are no larger than queries may be (odata-limits)", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `m${at}`);
  const compute = [...doubled(10), ...names.map((name) => `c9 as ${name}`)].join(",");
  const pairs = (select: readonly string[]) =>
    `$crossjoin(Books,Nodes)?$top=1&$expand=Books($compute=${compute};$select=${select.join(",")})`;
  const [found, fewer] = await libraryRefusals([pairs(names), pairs(["m0"])]);
  assert.match(found!, /^400 The query is too large/);
  assert.equal(fewer, "200");
});

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`subsequences are looked for member by member, not by all choices of members, on ${engine} (odata-limits)`, async () => {
    const data = new Map([["ShopService.Books", [{ ID: 1, tags: Array(40).fill("a") }, {
      ID: 2,
      tags: ["a"],
    }]]]);
    const library = await openShop({ model: LIBRARY, data, database });
    const found = async (values: readonly string[]) => {
      const list = values.map((value) => `'${value}'`).join(",");
      const { body } = await library.send("GET", `Books?$select=ID&$filter=hassubsequence(tags,[${list}])`);
      return (body as { value: unknown }).value;
    };
    try {
      assert.deepEqual(await found([...Array(20).fill("a"), "b"]), []);
      assert.deepEqual(await found(Array(20).fill("a")), [{ ID: 1 }]);
      assert.deepEqual(await found(Array(41).fill("a")), []);
    } finally {
      await library.close();
    }
  });
}

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
