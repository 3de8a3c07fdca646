/** What is beyond the levels. */

import assert from "node:assert/strict";
import {
  change,
  each,
  ids,
  onLibrary,
  onReference,
  onSales,
  product,
  read,
  refused,
  type Send,
} from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

/** The rows of a transformation, without control information. */
async function rows(send: Send, url: string): Promise<unknown[]> {
  const { value } = await read(send, url);
  return value.map((row: object) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => name[0] !== "@"))
  );
}

/** Transformations of sales with their rows. */
function transformations(name: string, cases: Readonly<Record<string, readonly unknown[]>>): void {
  clause(
    name,
    onSales(async (send) => {
      for (const [apply, expected] of Object.entries(cases)) {
        const [set, text] = apply.includes("?") ? apply.split("?") : ["Sales", apply];
        assert.deepEqual(await rows(send, `${set}?$apply=${text}`), expected, apply);
      }
      await refused(send, ["GET", "Sales?$apply=nothing(Amount)"]);
    }),
  );
}

transformations(
  "aggregates are sums, extremes, averages and counts [OData Aggregation 3.2.1] [OData Aggregation 3.2.1.4]",
  {
    "aggregate(Amount with sum as S,Amount with min as L,Amount with max as H,Amount with average as A,$count as N)":
      [
        { S: 24, L: 1, H: 8, A: 3, N: 8 },
      ],
    "aggregate(Product with countdistinct as P)": [{ P: 3 }],
    "Products?aggregate(Sales/Amount with sum as S,Sales/$count as N)": [{ S: 24, N: 8 }],
  },
);

transformations("aggregation in steps [OData Aggregation 3.2.1.5]", {
  "aggregate(Amount with sum from Customer with average as A)": [{ A: 8 }],
  "groupby((Currency),aggregate(Amount with sum from Customer with max as M))": [
    { Currency: "EUR", M: 5 },
    { Currency: "USD", M: 12 },
  ],
});

transformations("results of sequences one behind the other [OData Aggregation 3.2.2]", {
  "concat(groupby((Currency),aggregate(Amount with sum as T)),aggregate(Amount with sum as T))": [
    { Currency: "EUR", T: 5 },
    { Currency: "USD", T: 19 },
    { T: 24 },
  ],
});

transformations(
  "groups of properties and of paths, with aggregates and other transformations inside [OData Aggregation 3.2.3.1]",
  {
    "groupby((Customer/Country),aggregate(Amount with sum as T))": [
      { Customer: { Country: "Netherlands" }, T: 5 },
      { Customer: { Country: "USA" }, T: 19 },
    ],
    "Customers?groupby((Name))": [{ Name: "Joe" }, { Name: "Luc" }, { Name: "Sue" }],
    "groupby((Currency),topcount(1,Amount)/aggregate(Amount with sum as T))": [
      { Currency: "EUR", T: 2 },
      { Currency: "USD", T: 8 },
    ],
  },
);

transformations("groups of the levels above [OData Aggregation 3.2.3.2]", {
  "groupby((rollup(Customer/Country,Customer/Name)),aggregate(Amount with sum as T))": [
    { Customer: { Country: "Netherlands", Name: "Sue" }, T: 5 },
    { Customer: { Country: "USA", Name: "Joe" }, T: 7 },
    { Customer: { Country: "USA", Name: "Sue" }, T: 12 },
    { Customer: { Country: "Netherlands" }, T: 5 },
    { Customer: { Country: "USA" }, T: 19 },
  ],
});

clause(
  "the largest and smallest by number, share and sum [OData Aggregation 3.3.1.1] [OData Aggregation 3.3.1.2] [OData Aggregation 3.3.1.3]",
  onSales(async (send) => {
    const found = async (apply: string) => (await ids(send, `Sales?$apply=${apply}`)).sort();
    assert.deepEqual(await found("topcount(2,Amount)/topcount(1,Amount)"), [4]);
    assert.deepEqual(await found("bottomcount(2,Amount)"), [1, 7]);
    assert.deepEqual(await found("toppercent(50,Amount)"), [3, 4]);
    assert.deepEqual(await found("bottompercent(10,Amount)"), [1, 2, 7]);
    assert.deepEqual(await found("topsum(15,Amount)"), [3, 4, 5]);
    assert.deepEqual(await found("bottomsum(7,Amount)"), [1, 2, 6, 7, 8]);
  }),
);

clause(
  "subsets, orders and calculated values [OData Aggregation 3.3.2] [OData Aggregation 3.3.3] [OData Aggregation 3.3.4] [OData Aggregation 3.3.5] [OData Aggregation 3.3.6] [OData Aggregation 3.4.1] [OData Aggregation 3.4.2]",
  onSales(async (send) => {
    const found = (apply: string) => ids(send, `Sales?$apply=${apply}`);
    assert.deepEqual(await found("filter(Amount gt 3)"), [3, 4, 5]);
    assert.deepEqual((await found("orderby(Amount desc)")).slice(0, 1), [4]);
    assert.deepEqual(await found("search(EUR)"), [6, 7, 8]);
    assert.deepEqual(await found("orderby(ID)/skip(6)"), [7, 8]);
    assert.deepEqual(await found("orderby(ID desc)/top(2)"), [8, 7]);
    assert.equal((await found("identity")).length, 8);
    assert.deepEqual(await found("compute(Amount mul 2 as D)/filter(D gt 8)"), [4]);
  }),
);

transformations(
  "transformed rows beside each row, and in place of all [OData Aggregation 3.4.3] [OData Aggregation 3.5.2]",
  {
    "Customers?addnested(Sales,aggregate(Amount with sum as T) as Totals)/filter(ID eq 'C1')": [
      { ID: "C1", Name: "Joe", Country: "USA", Totals: [{ T: 7 }] },
    ],
    "nest(groupby((Currency)) as Currencies,aggregate($count as N) as All)": [
      { Currencies: [{ Currency: "EUR" }, { Currency: "USD" }], All: [{ N: 8 }] },
    ],
  },
);

transformations(
  "related rows beside those of the entity, also where there are none [OData Aggregation 3.5.1]",
  {
    "Products?join(Sales as Sale)/groupby((Color),aggregate(Sale/Amount with sum as T))": [
      { Color: "Brown", T: 12 },
      { Color: "White", T: 12 },
    ],
    "Products?outerjoin(Sales as Sale)/groupby((Color),aggregate(Sale/Amount with sum as T))": [
      { Color: "Black", T: null },
      { Color: "Brown", T: 12 },
      { Color: "White", T: 12 },
    ],
  },
);

transformations("$these is what there is [OData Aggregation 3.6]", {
  "groupby((Currency),aggregate(Amount with sum as T))/compute($these/$count as N,$these/aggregate(T with max) as M)":
    [
      { Currency: "EUR", T: 5, N: 2, M: 19 },
      { Currency: "USD", T: 19, N: 2, M: 19 },
    ],
});

clause(
  "$apply inside of $expand transforms the related rows of each row [OData Aggregation 3.8]",
  onSales(async (send) => {
    const url = "Customers?$select=ID&$expand=Sales($apply=aggregate(Amount with sum as T))";
    assert.deepEqual(
      await rows(send, url),
      [["C1", 7], ["C2", 12], ["C3", 5], ["C4", null]].map(([ID, T]) => ({ ID, Sales: [{ T }] })),
    );
  }),
);

transformations("a custom aggregate has its own method [OData Aggregation 5.2]", {
  "aggregate(Amount)": [{ Amount: 24 }],
});

clause(
  "nodes above and below in a hierarchy, in its order [OData Aggregation 6.2.1] [OData Aggregation 6.2.2]",
  onSales(async (send) => {
    const nodes = "$root/SalesOrganizations,SalesOrgHierarchy,ID";
    const found = (apply: string) => ids(send, `SalesOrganizations?$select=ID&$apply=${apply}`);
    assert.deepEqual((await found(`descendants(${nodes},filter(Name eq 'US'))`)).sort(), [
      "US East",
      "US West",
    ]);
    assert.deepEqual((await found(`ancestors(${nodes},filter(Name eq 'US East'),keep start)`)).sort(), [
      "Sales",
      "US",
      "US East",
    ]);
    assert.deepEqual(await found(`traverse(${nodes},preorder,Name desc)`), [
      "Sales",
      "US",
      "US West",
      "US East",
      "EMEA",
      "EMEA Central",
    ]);
    assert.deepEqual((await found(`traverse(${nodes},postorder)`)).at(-1), "Sales");
  }),
);

clause(
  "groups of the nodes of a hierarchy hold what belongs to nodes below, too [OData Aggregation 6.3]",
  onSales(async (send) => {
    const nodes = "rolluprecursive($root/SalesOrganizations,SalesOrgHierarchy,SalesOrganization/ID)";
    const url = `Sales?$apply=groupby((${nodes}),aggregate(Amount with sum as T))`;
    const found = (await read(send, url)).value;
    assert.deepEqual(
      Object.fromEntries(
        found.map((
          row: { SalesOrganization: { ID: string }; T: number },
        ) => [row.SalesOrganization.ID, row.T]),
      ),
      { "Sales": 24, "US": 19, "US East": 12, "US West": 7, "EMEA": 5, "EMEA Central": 5 },
    );
    const own = "filter(SalesOrganization eq Aggregation.rollupnode())/aggregate(Amount with sum as T)";
    const inUs = `Sales?$apply=groupby((${nodes}),${own})&$filter=SalesOrganization/ID eq 'US'&$select=T`;
    assert.deepEqual((await read(send, inUs)).value, [{ T: null }]);
    await refused(send, ["GET", `Sales?$apply=groupby((${nodes.replace("Hierarchy", "Nothing")}))`]);
  }),
);

clause(
  "options of a call apply to the entities and to the structures it returns [OData Further.operation-options]",
  onReference(async (send) => {
    assert.deepEqual(
      (await read(send, "GetTopProducts()?$filter=Price lt 100&$orderby=Name&$count=true&$select=Name")).value
        .map(({ Name }: { Name: string }) => Name),
      ["Coffee Mug", "Wireless Mouse"],
    );
    const url = "GetProductStats()?$compute=maxPrice sub minPrice as Span&$select=totalProducts,Span";
    const { body } = await send("GET", url, undefined, { "odata-maxversion": "4.01" });
    assert.deepEqual([body.totalProducts, body.Span, body.maxPrice], [7, 1984.49, undefined]);
    await refused(send, ["GET", "GetProductStats()?$select=nothing"]);
  }),
);

clause(
  "paths go on behind functions: keys, operations, parts of values [OData Further.composition]",
  onReference(async (send) => {
    const key = product(2).slice("Products".length);
    assert.equal((await read(send, `GetTopProducts()${key}?$select=Name`)).Name, "Wireless Mouse");
    assert.equal((await read(send, `GetTopProducts()${key}/CalculatePrice(discount=50)`)).value, 14.995);
    assert.equal(await read(send, "GetProductStats()/totalProducts/$value"), "7");
    await refused(send, ["GET", "GetProductStats()/nothing"], 404);
    await refused(send, ["GET", `GetProductStats()${key}`]);
  }),
);

clause(
  "what an own function returns is a value in expressions [OData Further.own-functions]",
  onReference(async (send) => {
    const url = "Products?$filter=Price gt Calculate(value=500)&$orderby=Price";
    assert.deepEqual(await each(send, url), ["Premium Laptop Pro"]);
    const bound = "Products?$filter=GetTotalPrice(taxRate=0.5) gt 1100&$orderby=Price";
    assert.deepEqual(await each(send, bound), ["Smartphone", "Laptop", "Premium Laptop Pro"]);
    const ofRow = "Products?$filter=Calculate(value=Rating) gt 300&$orderby=Price";
    assert.deepEqual(await each(send, ofRow), ["Office Chair", "Laptop"]);
    await refused(send, ["GET", "Products?$filter=Price gt Calculate(value=Price)"]);
    await refused(send, ["GET", "Products?$filter=Price gt ResetProducts()"]);
  }),
);

clause(
  "computed properties stand beside those of structures in a collection [OData Further.member-compute]",
  onLibrary(async (send) => {
    const url = "Books(1)/places?$compute=floor mul 2 as Twice&$filter=Twice gt 1&$select=city,Twice";
    assert.deepEqual((await read(send, url)).value, [{ city: "Oslo", Twice: 4 }]);
    await refused(send, ["GET", "Books(1)/places?$compute=1 as city"]);
  }),
);

clause(
  "$index says where a value is inserted, and is refused for what has no order [OData Further.index]",
  onLibrary(async (send) => {
    await change(send, ["POST", "Books(1)/marks?$index=1", { value: 4 }], 200);
    await change(send, ["POST", "Books(1)/marks?index=-1", { value: 6 }], 200);
    assert.deepEqual((await read(send, "Books(1)/marks")).value, [3, 4, 5, 6]);
    await refused(send, ["POST", "Books?$index=0", { ID: 9, title: "x" }]);
  }),
);

clause(
  "omit-values leaves out what is null, and says so [OData Further.omit-values]",
  onReference(async (send) => {
    const { headers, body } = await send("GET", "Products?$filter=Name eq 'Smartphone'", undefined, {
      prefer: "omit-values=nulls",
    });
    assert.equal(headers.get("preference-applied"), "omit-values=nulls");
    assert.deepEqual(Object.values(body.value[0]).filter((value) => value === null), []);
    assert.equal("ReleaseDate" in body.value[0], false);
    assert.equal(body.value[0].Name, "Smartphone");
  }),
);

clause(
  "$levels=max expands down to the leaves [OData Further.levels]",
  onLibrary(async (send) => {
    const root = await read(send, "Nodes(1)?$select=name&$expand=children($select=name;$levels=max)");
    assert.equal(root.children[0].children[0].children[0].name, "bud");
  }),
);

clause(
  "@odata.bind and @bind link rows when they are created and changed [OData Further.bind]",
  onReference(async (send) => {
    const category = (number: number) => `Categories(00000001-0000-4000-8000-00000000000${number})`;
    for (const bind of ["odata.bind", "bind"]) {
      const { body } = await change(send, ["POST", "Products", {
        Name: bind,
        Price: 1,
        [`Category@${bind}`]: category(2),
        [`RelatedProducts@${bind}`]: [product(1)],
      }], 201);
      const url = `Products(${body.ID})`;
      assert.equal((await read(send, `${url}/Category`)).Name, "Kitchen");
      assert.deepEqual(await each(send, `${url}/RelatedProducts`), ["Laptop"]);
      await change(send, ["PATCH", url, { [`Category@${bind}`]: category(3) }], 200);
      assert.equal((await read(send, `${url}/Category`)).Name, "Furniture");
      await refused(send, ["PATCH", url, { [`Category@${bind}`]: category(9) }]);
    }
  }),
);

/** The statuses of the responses of a JSON batch, by id. */
async function batch(send: Send, ...requests: object[]): Promise<Record<string, number>> {
  const { status, body } = await send("POST", "$batch", { requests });
  assert.equal(status, 200, JSON.stringify(body));
  return Object.fromEntries(
    body.responses.map((one: { id: string; status: number }) => [one.id, one.status]),
  );
}

const post = (id: string, body: object, more: object = {}) => ({
  id,
  method: "POST",
  url: "Products",
  body,
  ...more,
});

clause(
  "a group changes all or nothing, and reports it so [OData Further.batch-groups] [OData Further.batch-truth]",
  onReference(async (send) => {
    const [g, h] = [{ atomicityGroup: "g" }, { atomicityGroup: "h" }];
    const found = await batch(
      send,
      post("1", { Name: "New", Price: 1 }, g),
      { id: "2", method: "PATCH", url: product(1), body: { Price: 2 }, ...g },
      { id: "3", method: "PATCH", url: product(2), body: { Price: 3 }, ...h },
      post("4", { Price: 1 }, h),
      { id: "5", method: "DELETE", url: product(3) },
    );
    assert.deepEqual(found, { 1: 201, 2: 200, 3: 424, 4: 400, 5: 204 });
    assert.deepEqual(await each(send, "Products?$filter=Price lt 5&$orderby=Price"), ["New", "Laptop"]);
    await refused(send, ["GET", product(3)], 404);
  }),
);

clause(
  "dependsOn and if decide whether a request runs [OData Further.batch-depends] [OData Further.batch-if]",
  onReference(async (send) => {
    const found = await batch(
      send,
      { id: "1", method: "GET", url: "Nothing" },
      post("2", { Name: "No", Price: 1 }, { dependsOn: ["1"] }),
      post("3", { Name: "Yes", Price: 1 }, { dependsOn: ["1"], if: "not $1/$succeeded" }),
      { id: "4", method: "GET", url: product(1), dependsOn: ["3"] },
      post("5", { Name: "Yes", Price: 2 }, { if: "$4/Price gt 900 and $4/Name eq 'Laptop'" }),
      post("6", { Name: "No", Price: 1 }, { if: "$4/Price lt 900" }),
    );
    assert.deepEqual(found, { 1: 404, 2: 424, 3: 201, 4: 200, 5: 201, 6: 424 });
    assert.deepEqual(await each(send, "Products?$filter=Price lt 5&$orderby=Price"), ["Yes", "Yes"]);
  }),
);

clause(
  "$<id> stands for what an earlier request answered: its entity, its version, its values [OData Further.batch-references]",
  onReference(async (send) => {
    const found = await batch(
      send,
      post("1", { Name: "New", Price: 1 }),
      { id: "2", method: "PATCH", url: "$1", body: { Price: 2 }, headers: { "if-match": "$1" } },
      { id: "3", method: "PATCH", url: "$1", body: { Price: 3 }, headers: { "if-match": "$1" } },
      { id: "4", method: "PATCH", url: product(1), body: { "RelatedProducts@odata.bind": ["$1"] } },
      { id: "5", method: "GET", url: "Products?$filter=Name eq $1/Name and Price eq 2&$count=true" },
      { id: "6", method: "POST", url: "$1/Descriptions", body: { LanguageKey: "EN", Description: "x" } },
    );
    assert.deepEqual(found, { 1: 201, 2: 200, 3: 412, 4: 200, 5: 200, 6: 201 });
    assert.deepEqual(await each(send, `${product(1)}/RelatedProducts?$filter=Price eq 2`), ["New"]);
    assert.deepEqual(await each(send, "Products?$filter=Descriptions/any(d:d/Description eq 'x')"), ["New"]);
  }),
);
