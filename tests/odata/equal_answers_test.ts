import assert from "node:assert/strict";
import type { Row } from "../../src/cqn/cqn.ts";
import { ENGINES } from "./engines.ts";
import { withLibrary } from "./library.ts";

/** Values of the property `x` of the first row of an answer, by rule and URL; what random URLs have found. */
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "what is calculated of quotients has 15 digits (URL 5.1.1.2)": {
    "Books(1)?$compute=(price div 3) mul (price div 7) as x": 6.29761904761903,
    "Books(1)?$compute=price div 7 add 200 as x": 201.642857142857,
    "Books(1)?$compute=(price div 7) mod 0.3 as x": 0.14285714285714,
    "Books(1)?$compute=-(price div 7) sub 200 as x": -201.642857142857,
    "Books(1)?$compute=case(stock gt 99:price,true:price div 7) add 200 as x": 201.642857142857,
    "Books(1)?$compute=cast(price div 7,Edm.Decimal) add 200 as x": 201.642857142857,
  },
  "sums of quotients lose no digit on the way, and have 15 digits (Aggregation 3.2.1)": {
    "Books?$apply=compute(1 divby price as q)/aggregate(q with sum as x)": 0.235308170090779,
    "Books?$apply=compute(1 divby price as q)/aggregate(q with average as x)": 0.0784360566969262,
    "Books?$apply=compute(1 divby price as q)/aggregate(q with sum as s)/compute(s add 200 as x)":
      200.235308170091,
    "Books?$apply=aggregate(price with average as a)/compute(a add 200 as x)": 212.833333333333,
  },
  "decimals with many digits are compared as numbers with what is calculated (URL 5.1.1.1)": {
    "Books(1)?$compute=(price mul 1 lt 4.642857142857142) as x": false,
    "Books(1)?$compute=(9.5 lt 4.642857142857142) as x": false,
    "Books(1)?$compute=(-price in (-11.5000000000000000,3)) as x": true,
    "Books(1)?$compute=(price eq 11.5000000000000000) as x": true,
  },
  "texts of decimals have no exponent (URL 5.1.1.10)": {
    "Books(1)?$compute=cast(price mul 1000000000000000000000,Edm.String) as x": "11500000000000000000000",
    "Books(1)?$compute=cast(price mul 0.00000001,Edm.String) as x": "0.000000115",
    "Books(1)?$compute=cast(-(price div 100000000),Edm.String) as x": "-0.000000115",
  },
  "null of an annotation or of a choice is compared like null (URL 5.1.1.1)": {
    "Books(1)?$compute=(title/@Core.Nope eq 'a') as x": false,
    "Books(1)?$compute=(title/@Core.Nope ne 11111111-aaaa-4bbb-8ccc-222222222222) as x": true,
    "Books(1)?$compute=(case(true:null) eq 1) as x": false,
    "Books(1)?$compute=case(stock gt 1:null) as x": null,
  },
};

/** The members of the answer to a URL, by rule; what random URLs have found. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "values that order a collection come before the bounds of its page (Protocol 11.2.6.2)": {
    "Books(1)/tags?$orderby=7&$top=2": ["new", "sale"],
    "Books(1)/marks?$orderby=$it mul -3&$top=1": [5],
    "Books(1)/marks?$orderby=$it mul -3&$skip=1&$top=5": [3],
  },
  "$it is the member of the collection that the path addresses (URL 5.1.1.14.1)": {
    "Books(1)/tags?$filter=endswith($it,'e')": ["sale"],
    "Books(1)/tags/$filter(@c)?@c=startswith($it,'n')": ["new"],
    "Books(1)/marks?$orderby=$it desc": [5, 3],
    "Books(1)/places?$filter=$it/city eq 'Oslo'&$select=city": [{ city: "Oslo" }],
    "Books?$filter=ID eq 1&$select=tags($filter=$it/stock gt 3 and $this eq 'new')": [
      { tags: ["new"], ID: 1 },
    ],
  },
  "an average of floating-point numbers is one, infinite as they are (Aggregation 3.1.3.1)": {
    "Authors(1)/books?$apply=compute(1e3 div 0 as c)/aggregate(c with average as a)": [{ a: "INF" }],
    "Books?$apply=aggregate(cast(ID,Edm.Double) div 3 with average as a)": [{ a: 0.8333333333333333 }],
  },
};

/** The same of the first expanded rows. */
const EXPANDED: Readonly<Record<string, unknown>> = {
  "Authors?$expand=books($apply=compute(1e3 div 0 as c)/aggregate(c with average as a))": [{ a: "INF" }],
  "Authors?$expand=books($apply=compute(-1e3 div 0 as c)/aggregate(c with sum as a))": [{ a: "-INF" }],
};

/** Loans that lead a database from the later book to the earlier one. */
const ROWS: ReadonlyMap<string, readonly Row[]> = new Map([
  ["ShopService.Authors", [{ ID: 1 }]],
  ["ShopService.Books", [{ ID: 1, author_ID: 1 }, { ID: 2 }, { ID: 3 }, { ID: 4, author_ID: 1 }]],
  ["ShopService.Loans", [{ ID: 1 }, { ID: 2 }, { ID: 3, book_ID: 1 }, { ID: 4 }, { ID: 5 }, {
    ID: 6,
    book_ID: 4,
  }]],
  ["ShopService.Settings", [{ ID: 1, minimum: 5 }]],
]);

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`values are the same on ${engine}`, (context) =>
    withLibrary(database, async (library) => {
      for (const [rule, values] of Object.entries(VALUES)) {
        await context.step(rule, async () => {
          for (const [url, expected] of Object.entries(values)) {
            const { body } = await library.send("GET", encodeURI(url));
            const { value: [row] = [body] } = body as { value?: unknown[] };
            assert.deepEqual((row as { x: unknown }).x, expected, `${url} ${JSON.stringify(body)}`);
          }
        });
      }
    }));

  Deno.test(`members are the same on ${engine}`, (context) =>
    withLibrary(database, async (library) => {
      for (const [rule, members] of Object.entries(MEMBERS)) {
        await context.step(rule, async () => {
          for (const [url, expected] of Object.entries(members)) {
            const { body } = await library.send("GET", encodeURI(url));
            assert.deepEqual((body as { value: unknown }).value, expected, `${url} ${JSON.stringify(body)}`);
          }
        });
      }
      for (const [url, expected] of Object.entries(EXPANDED)) {
        const { body } = await library.send("GET", encodeURI(url));
        const { value: [first] } = body as { value: [{ books: unknown }] };
        assert.deepEqual(first.books, expected, `${url} ${JSON.stringify(body)}`);
      }
    }));

  Deno.test(`expanded rows that a condition chooses have the order of their keys on ${engine}`, () =>
    withLibrary(database, async (library) => {
      const filter = encodeURIComponent("loans/any(v:$root/Settings/minimum gt ID)");
      const { body } = await library.send("GET", `Authors?$expand=books($select=ID;$filter=${filter})`);
      const { value: [{ books }] } = body as { value: [{ books: unknown }] };
      assert.deepEqual(books, [{ ID: 1 }, { ID: 4 }]);
    }, { data: ROWS }));
}
