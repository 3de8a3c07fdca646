import assert from "node:assert/strict";
import fc from "fast-check";
import odataQuery from "odata-query";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { propertyRuns } from "../property_runs.ts";

/** Its types describe CommonJS, what is loaded is its module. */
const buildQuery = odataQuery as unknown as typeof odataQuery.default;

const NAMES = ["Emily", "Edgar", "O'Neill", "Ä", ""];
const authors = NAMES.map((name, index) => ({ ID: index, name }));
const books = Array.from({ length: 30 }, (_, index) => ({
  ID: index,
  title: `${["Raven", "Heights", "it's", "50 %", "a+b"][index % 5]} ${index}`,
  stock: index % 7,
  price: index % 3 === 0 ? null : index / 4,
  sold: index % 2 === 0,
  author_ID: index % 5,
}));

const element = (type: string) => ({ type });
const model = {
  definitions: {
    "Shop": { kind: "service" },
    "Shop.Authors": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: element("cds.String"),
        books: {
          type: "cds.Association",
          target: "Shop.Books",
          cardinality: { max: "*" },
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "Shop.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: element("cds.String"),
        stock: element("cds.Integer"),
        price: element("cds.Double"),
        sold: element("cds.Boolean"),
        author: { type: "cds.Association", target: "Shop.Authors" },
      },
    },
  },
} as const;

type Test = (book: (typeof books)[number]) => boolean;
interface Condition {
  readonly filter: unknown;
  readonly test: Test;
}

const operators: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.constantFrom(...Object.keys(operators)), fc.nat(8)).map(([operator, value]): Condition => ({
      filter: { stock: { [operator]: value } },
      test: (book) => operators[operator](book.stock, value),
    })),
    fc.constantFrom("Raven", "it's", "%", "+", "x").map((text): Condition => ({
      filter: { title: { contains: text } },
      test: (book) => book.title.includes(text),
    })),
    fc.constantFrom(...NAMES).map((name): Condition => ({
      filter: { author: { name } },
      test: (book) => NAMES[book.author_ID] === name,
    })),
    fc.boolean().map((sold): Condition => ({ filter: { sold }, test: (book) => book.sold === sold })),
    fc.constant<Condition>({ filter: { price: null }, test: (book) => book.price === null }),
    fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 4 }).map((ids): Condition => ({
      filter: { ID: { in: ids } },
      test: (book) => ids.includes(book.ID),
    })),
    fc.tuple(fc.constantFrom("and", "or"), fc.array(tie("condition"), { minLength: 1, maxLength: 3 })).map(
      ([operator, parts]): Condition => ({
        filter: { [operator]: parts.map(({ filter }) => filter) },
        test: (book) =>
          operator === "and" ? parts.every(({ test }) => test(book)) : parts.some(({ test }) => test(book)),
      }),
    ),
    tie("condition").map(({ filter, test }): Condition => ({
      filter: { not: filter },
      test: (book) => !test(book),
    })),
  ),
}));

Deno.test("random queries built by odata-query give the rows that they describe", async () => {
  const runtime = createRuntime({
    model,
    data: new Map<string, readonly Row[]>([["Shop.Authors", authors], ["Shop.Books", books]]),
    env: {
      requires: { db: { kind: "memory" }, auth: { kind: "dummy" } },
      log: { levels: { default: "silent" } },
    },
  });
  const property = fc.asyncProperty(
    condition,
    fc.record({
      top: fc.integer({ min: 1, max: 9 }),
      skip: fc.nat(4),
      desc: fc.boolean(),
      expand: fc.boolean(),
    }),
    async ({ filter, test }, { top, skip, desc, expand }) => {
      const query = buildQuery(
        {
          filter,
          top,
          skip,
          count: true,
          orderBy: [`stock ${desc ? "desc" : "asc"}`, "ID"],
          select: ["ID", "title"],
          ...(expand ? { expand: { author: { select: ["name"] } } } : {}),
        } as Parameters<typeof buildQuery>[0],
      );
      const url = `http://localhost/odata/v4/shop/Books${query}`;
      const response = await runtime.fetch(new Request(url));
      const body = await response.json();
      assert.equal(response.status, 200, `${decodeURIComponent(url)}: ${JSON.stringify(body)}`);
      const found = books.filter(test).sort((a, b) =>
        (desc ? b.stock - a.stock : a.stock - b.stock) || a.ID - b.ID
      );
      assert.equal(body["@odata.count"], found.length, decodeURIComponent(url));
      assert.deepEqual(
        body.value,
        found.slice(skip, skip + top).map(({ ID, title, author_ID }) => ({
          ID,
          title,
          ...(expand ? { author: { ID: author_ID, name: NAMES[author_ID] } } : {}),
        })),
        decodeURIComponent(url),
      );
    },
  );
  try {
    await fc.assert(property, propertyRuns(300, 21));
  } finally {
    await runtime.close();
  }
});
