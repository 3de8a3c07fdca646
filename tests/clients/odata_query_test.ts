import assert from "node:assert/strict";
import fc from "fast-check";
import odataQuery from "odata-query";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { propertyRuns } from "../property_runs.ts";

const ITEM_ROOT = "";

/** Its types describe CommonJS, what is loaded is its module. */
const buildQuery = odataQuery as unknown as typeof odataQuery.default;

const NAMES = ["Emily", "Edgar", "O'Neill", "Ä", ""];
const authors = NAMES.map((name, index) => ({ ID: index, name }));
/** Number, book and stars. */
const reviews = Array.from({ length: 40 }, (_, index) => ({
  ID: index,
  book_ID: index * 7 % 30,
  stars: index % 5 + 1,
  text: index % 3 === 0 ? null : `It's "${index}" & more`,
}));
const TAGS = ["new", "it's", "50 %", ""];
const uuidOf = (index: number) => `0000000${index % 4}-0000-4000-8000-000000000000`;
const dayOf = (index: number) => new Date(Date.UTC(2024, index % 5, 1, 12, 0, 0, 250));

const books = Array.from({ length: 30 }, (_, index) => ({
  ID: index,
  title: `${["Raven", "Heights", "it's", "50 %", "a+b"][index % 5]} ${index}`,
  stock: index % 7,
  price: index % 3 === 0 ? null : index / 4,
  sold: index % 2 === 0,
  author_ID: index % 5,
  uuid: uuidOf(index),
  weight: index % 6 / 2,
  printed: dayOf(index).toISOString(),
  tags: TAGS.filter((_, tag) => (index + tag) % 3 === 0),
}));
const reviewsOf = (book: number) => reviews.filter(({ book_ID }) => book_ID === book);

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
        uuid: element("cds.UUID"),
        weight: { type: "cds.Decimal", precision: 9, scale: 2 },
        printed: element("cds.Timestamp"),
        tags: { items: element("cds.String") },
        reviews: {
          type: "cds.Association",
          target: "Shop.Reviews",
          cardinality: { max: "*" },
          on: [{ ref: ["reviews", "book"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "Shop.Reviews": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        book: { type: "cds.Association", target: "Shop.Books" },
        stars: element("cds.Integer"),
        text: element("cds.String"),
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

/** Conditions on values of other types, collections and functions. */
const TYPED: Readonly<Record<string, fc.Arbitrary<Condition>>> = {
  guid: fc.nat(5).map((index) => ({
    filter: { uuid: { eq: { type: "guid", value: uuidOf(index) } } },
    test: (book) => book.uuid === uuidOf(index),
  })),
  decimal: fc.nat(6).map((half) => ({
    filter: { weight: { ge: { type: "decimal", value: half / 2 } } },
    test: (book) => book.weight >= half / 2,
  })),
  time: fc.nat(5).map((index) => ({
    filter: { printed: { lt: dayOf(index) } },
    test: (book) => book.printed < dayOf(index).toISOString(),
  })),
  some: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean()).map(([stars, isText]) => ({
    filter: { reviews: { any: { stars: { ge: stars }, ...(isText ? { text: { ne: null } } : {}) } } },
    test: (book) => reviewsOf(book.ID).some((one) => one.stars >= stars && !(isText && one.text === null)),
  })),
  every: fc.integer({ min: 1, max: 5 }).map((stars) => ({
    filter: { reviews: { all: { or: [{ stars: { lt: stars } }, { text: { contains: "'s \"" } }] } } },
    test: (book) => reviewsOf(book.ID).every((one) => one.stars < stars || one.text !== null),
  })),
  existing: fc.constant({
    filter: { reviews: { any: {} } },
    test: (book) => reviewsOf(book.ID).length > 0,
  }),
  tag: fc.uniqueArray(fc.constantFrom(...TAGS), { minLength: 1, maxLength: 2 }).map((tags) => ({
    filter: { tags: { any: { or: tags.map((tag) => ({ [ITEM_ROOT]: tag })) } } },
    test: (book) => book.tags.some((tag) => tags.includes(tag)),
  })),
  called: fc.tuple(fc.nat(12), fc.constantFrom("RAVEN", "50 %")).map(([length, start]) => ({
    filter: { "length(title)": { gt: length }, "toupper(title)": { startswith: start } },
    test: (book) => book.title.length > length && book.title.toUpperCase().startsWith(start),
  })),
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
    ...Object.values(TYPED),
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

const EXPAND = {
  author: { select: ["name"] },
  reviews: { select: ["stars"], filter: { stars: { gt: 1 } }, orderBy: ["stars desc", "ID"], top: 2 },
};

/** What `EXPAND` gives of the reviews of a book. */
const bestReviews = (book: number) =>
  reviewsOf(book).filter(({ stars }) => stars > 1)
    .sort((a, b) => b.stars - a.stars || a.ID - b.ID)
    .slice(0, 2)
    .map(({ ID, stars }) => ({ ID, stars }));

Deno.test("random queries built by odata-query give the rows that they describe", async () => {
  const runtime = createRuntime({
    model,
    data: new Map<string, readonly Row[]>([["Shop.Authors", authors], ["Shop.Books", books], [
      "Shop.Reviews",
      reviews,
    ]]),
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
          ...(expand ? { expand: EXPAND } : {}),
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
          ...(expand ? { author: { ID: author_ID, name: NAMES[author_ID] }, reviews: bestReviews(ID) } : {}),
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
