import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { SECRETS, withLibrary, withSecrets } from "./library.ts";
import { openSales } from "./sales.ts";

const BY_CUSTOMER = "Sales?$apply=groupby((Customer),aggregate(Amount with sum as T))";
const NODES = "rolluprecursive($root/SalesOrganizations,SalesOrgHierarchy";
const [JOE, SUE, OTHER_SUE] = [
  { ID: "C1", Name: "Joe", Country: "USA" },
  { ID: "C2", Name: "Sue", Country: "USA" },
  { ID: "C3", Name: "Sue", Country: "Netherlands" },
];

const ROWS: Readonly<Record<string, readonly object[]>> = {
  [`${BY_CUSTOMER}&$expand=Customer`]: [
    { T: 7, Customer: JOE },
    { T: 12, Customer: SUE },
    { T: 5, Customer: OTHER_SUE },
  ],
  [`${BY_CUSTOMER}&$expand=*&$top=1&$skip=1`]: [{ T: 12, Customer: SUE }],
  [`${BY_CUSTOMER}&$expand=Customer($select=Name)&$select=T&$orderby=T desc&$top=1`]: [
    { T: 12, Customer: { ID: "C2", Name: "Sue" } },
  ],
  [`${BY_CUSTOMER}&$expand=Customer/$ref&$filter=T eq 7`]: [
    { T: 7, Customer: { "@odata.id": "Customers('C1')" } },
  ],
  [`${BY_CUSTOMER}&$expand=Customer($filter=Country eq 'USA';$select=ID)`]: [
    { T: 7, Customer: { ID: "C1" } },
    { T: 12, Customer: { ID: "C2" } },
    { T: 5, Customer: null },
  ],
  [`${BY_CUSTOMER}&$expand=Customer&$filter=T gt 100`]: [],
  "Sales?$apply=groupby((Customer_ID))&$expand=Customer($select=ID;$expand=Sales($filter=Amount gt 2;$select=ID))":
    [
      { Customer_ID: "C1", Customer: { ID: "C1", Sales: [{ ID: 3 }] } },
      { Customer_ID: "C2", Customer: { ID: "C2", Sales: [{ ID: 4 }, { ID: 5 }] } },
      { Customer_ID: "C3", Customer: { ID: "C3", Sales: [] } },
    ],
  "Sales?$apply=filter(Amount ge 4)/groupby((Customer/ID,Product/ID))&$expand=Product($select=ID;$expand=Category($select=Name)),Customer($select=ID)":
    [
      { Product: { ID: "P2", Category: { ID: "PG1", Name: "Food" } }, Customer: { ID: "C1" } },
      { Product: { ID: "P2", Category: { ID: "PG1", Name: "Food" } }, Customer: { ID: "C2" } },
      { Product: { ID: "P3", Category: { ID: "PG2", Name: "Non-Food" } }, Customer: { ID: "C2" } },
    ],
  "Sales?$apply=groupby((rollup(Customer/Country,Customer/ID)),aggregate(Amount with sum as T))&$expand=Customer($select=Name)":
    [
      { T: 5, Customer: { ID: "C3", Name: "Sue" } },
      { T: 7, Customer: { ID: "C1", Name: "Joe" } },
      { T: 12, Customer: { ID: "C2", Name: "Sue" } },
      { T: 5, Customer: { Country: "Netherlands" } },
      { T: 19, Customer: { Country: "USA" } },
    ],
  [`SalesOrganizations?$apply=groupby((${NODES},ID)),aggregate($count as N))&$select=ID,N&$expand=Superordinate($select=ID)&$filter=N gt 2`]:
    [{ ID: "Sales", N: 6, Superordinate: null }, { ID: "US", N: 3, Superordinate: { ID: "Sales" } }],
  [`Sales?$apply=groupby((${NODES},SalesOrganization/ID)),aggregate(Amount with sum as T))&$expand=SalesOrganization($select=ID;$expand=Superordinate($select=ID))&$filter=T eq 12`]:
    [{ T: 12, SalesOrganization: { ID: "US East", Superordinate: { ID: "US" } } }],
};

const REFUSALS: Readonly<Record<string, readonly [number, RegExp]>> = {
  "Sales?$apply=groupby((Currency))&$expand=Customer": [
    400,
    /The groups have no key of "Customer" \(offset 41\)/,
  ],
  [`${BY_CUSTOMER}&$expand=Customr`]: [400, /did you mean "Customer"\?/],
  [`${BY_CUSTOMER}&$expand=Customer($filter=$it/Amount gt 1)`]: [400, /There is no instance/],
  "Sales?$apply=groupby((Customer),aggregate($count as Customer))&$expand=Customer": [400, /is taken/],
  "Customers?$apply=groupby((ID))&$expand=Sales": [
    501,
    /A collection in \$expand of groups .* \(offset 39\)/,
  ],
  "Sales?$apply=concat(groupby((Customer)),filter(ID eq 1))&$expand=Customer": [501, /with concat/],
  "Customers?$expand=Sales($apply=groupby((Product));$expand=Product)": [501, /\$expand with \$apply/],
};

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`groups show the entities that they hold the keys of, on ${engine} (Aggregation 3.2.3.1)`, async () => {
    const shop = await openSales(database);
    try {
      for (const [url, expected] of Object.entries(ROWS)) {
        const { status, body } = await shop.send("GET", encodeURI(url));
        assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
        assert.deepEqual((body as { value: unknown }).value, expected, url);
      }
      assert.deepEqual(shop.logged, []);
    } finally {
      await shop.close();
    }
  });

  Deno.test(`entities that the caller may not read are null beside groups, on ${engine} (authorization)`, () =>
    withLibrary(database, async (library) => {
      const url =
        "Books?$apply=groupby((author),aggregate($count as n))&$expand=author($expand=books($select=ID))";
      const { status, body } = await library.send("GET", url.replaceAll(" ", "%20"));
      assert.equal(status, 200, JSON.stringify(body));
      const open = await library.send("GET", "Authors?$select=ID&$expand=books($select=ID)");
      const known = (open.body as { value: { ID: number; books: unknown }[] }).value;
      for (
        const { author } of (body as { value: { author: { ID: number; books: unknown } | null }[] }).value
      ) {
        if (author === null) continue;
        assert.deepEqual(author.books, known.find(({ ID }) => ID === author.ID)!.books);
      }
    }, { model: withSecrets(), data: SECRETS }));
}

Deno.test("entities are part of the context URL of groups (Part 1, 10.9)", async () => {
  const shop = await openSales(ENGINES.memory!);
  try {
    const { body } = await shop.send("GET", encodeURI(`${BY_CUSTOMER}&$expand=Customer($select=Name)`));
    const context = (body as Record<string, unknown>)["@odata.context"];
    assert.equal(context, "$metadata#Sales(T,Customer(Name,ID))");
  } finally {
    await shop.close();
  }
});

Deno.test("what groups cannot show is refused with its place (Aggregation 3.2.3.1)", async () => {
  const shop = await openSales(ENGINES.memory!);
  try {
    for (const [url, [status, message]] of Object.entries(REFUSALS)) {
      const answer = await shop.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  } finally {
    await shop.close();
  }
});
