/**
 * Random queries and writes give the same results on all database engines.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { EventContext } from "../../src/context/event_context.ts";
import type { Expression, NestedColumn, OrderTerm, Query, Row, SelectBody, Xo } from "../../src/cqn/cqn.ts";
import type { Database, Rows } from "../../src/service/database.ts";
import { propertyRuns } from "../property_runs.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";
import { server as postgres } from "./postgres.ts";

const CONTEXT = { locale: "de", user: { id: "alice", attr: { city: ["Boston", "Rome"] } } };
const WORDS = ["", "a", "Al", "al", "Raven", "ß", "Ä", "日本", "😀", "a%b", "_", "10", "null"];

const word = fc.constantFrom(...WORDS);
const integer = fc.integer({ min: -3, max: 12 });
const cents = fc.integer({ min: -800, max: 3000 }).map((value) => value / 100);
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 4 });

/** Rows of books and authors, some of which refer to each other. */
const data = fc.record({
  authors: fc.uniqueArray(fc.record({ ID: integer, name: orNull(word), address_city: orNull(word) }), {
    selector: ({ ID }) => ID,
    maxLength: 5,
  }).map((rows) =>
    rows.map((row, index) => ({ ...row, name: row.name === null ? null : `${row.name}${index}` }))
  ),
  books: fc.uniqueArray(
    fc.record({
      ID: integer,
      title: word,
      stock: orNull(integer),
      price: orNull(cents),
      hot: orNull(fc.boolean()),
      author_ID: orNull(integer),
      texts: fc.constantFrom([], [{ locale: "de", title: "Deutsch" }], [{ locale: "de", title: null }]),
      reviews: fc.array(fc.record({ stars: orNull(integer), text: orNull(word) }), { maxLength: 3 }),
    }),
    { selector: ({ ID }) => ID, maxLength: 8 },
  ).map((rows) =>
    rows.map((row) => ({
      ...row,
      modifiedAt: "2026-01-01T00:00:00.000Z",
      reviews: row.reviews.map((review, index) => ({ ...review, ID: `${row.ID}-${index}` })),
    }))
  ),
});

const ref = (...steps: string[]): Expression => ({ ref: steps });
const numberRef = fc.constantFrom(
  ref("stock"),
  ref("price"),
  ref("ID"),
  ref("author_ID"),
  ref("author", "ID"),
  ref("total"),
);
const textRef = fc.constantFrom(ref("title"), ref("author", "name"), ref("author", "address", "city"));

const { number, text, condition } = fc.letrec<{ number: Expression; text: Expression; condition: Xo[] }>(
  (tie) => ({
    number: fc.oneof(
      { maxDepth: 3 },
      numberRef,
      integer.map((val) => ({ val })),
      fc.record({ func: fc.constant("length"), args: fc.tuple(tie("text")) }),
      fc.record({ func: fc.constant("indexof"), args: fc.tuple(tie("text"), tie("text")) }),
      fc.constant({ func: "count", args: [ref("reviews")] }),
      fc.tuple(tie("number"), fc.constantFrom("+", "-", "*", "/"), tie("number")).map((xpr) => ({ xpr })),
      fc.tuple(tie("condition"), tie("number"), tie("number")).map(([when, then, other]) => ({
        xpr: ["case", "when", { xpr: when }, "then", then, "else", other, "end"],
      })),
    ),
    text: fc.oneof(
      { maxDepth: 3 },
      textRef,
      word.map((val) => ({ val })),
      fc.record({ func: fc.constantFrom("tolower", "toupper", "trim"), args: fc.tuple(tie("text")) }),
      fc.record({ func: fc.constantFrom("concat", "coalesce"), args: fc.tuple(tie("text"), tie("text")) }),
      fc.tuple(tie("text"), integer).map(([value, val]) => ({ func: "substring", args: [value, { val }] })),
    ),
    condition: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(tie("number"), fc.constantFrom("=", "<>", "<", "<=", ">", ">=", "==", "!="), tie("number")),
      fc.tuple(tie("text"), fc.constantFrom("=", "<>", "<", ">=", "==", "!="), tie("text")),
      fc.tuple(fc.oneof(numberRef, textRef), fc.constantFrom("is", "=="), fc.constant({ val: null })),
      fc.tuple(fc.oneof(numberRef, textRef), fc.constant("is"), fc.constant("not"), fc.constant("null")),
      fc.tuple(numberRef, fc.constantFrom("in"), fc.array(orNull(integer), { minLength: 1, maxLength: 3 }))
        .map(([left, operator, values]) => [left, operator, { list: values.map((val) => ({ val })) }]),
      fc.tuple(numberRef, integer, integer).map((
        [value, low, high],
      ) => [value, "between", { val: low }, "and", { val: high }]),
      fc.tuple(fc.constantFrom("contains", "startswith", "endswith"), textRef, word).map((
        [func, value, val],
      ) => [
        { func, args: [value, { val }] },
      ]),
      fc.tuple(fc.constantFrom("=", "<>"), textRef).map((
        [operator, value],
      ) => [value, operator, { ref: ["$user", "city"] }]),
      fc.constantFrom<Xo[]>(
        [ref("hot"), "=", { val: true }],
        ["exists", { ref: ["author"] }],
        ["not", "exists", { ref: ["reviews"] }],
      ),
      integer.map((val): Xo[] => [
        "exists",
        { ref: [{ id: "reviews", where: [ref("stars"), ">", { val }] }] },
      ]),
      fc.tuple(tie("condition"), fc.constantFrom("and", "or"), tie("condition"))
        .map(([left, operator, right]) => [{ xpr: left }, operator, { xpr: right }]),
      tie("condition").map((xpr): Xo[] => ["not", { xpr }]),
    ) as fc.Arbitrary<Xo[]>,
  }),
);

const direction = fc.record({
  sort: fc.constantFrom("asc" as const, "desc" as const),
  nulls: fc.constantFrom(undefined, "first" as const, "last" as const),
});
/** The key comes last, so that there is one order only. */
const orderBy = fc.array(
  fc.tuple(fc.oneof(number, text), direction).map(([term, more]) => ({ ...term, ...more })),
  {
    maxLength: 2,
  },
).map((terms): OrderTerm[] => [...terms as OrderTerm[], ref("ID")]);
const limit = fc.option(
  fc.record({ rows: fc.nat(4), offset: fc.nat(3) }).map(({ rows, offset }) => ({
    rows: { val: rows },
    offset: { val: offset },
  })),
  { nil: undefined },
);
const reviews = fc.tuple(integer, limit, fc.boolean()).map(([val, page, count]): NestedColumn => ({
  ref: ["reviews"],
  expand: [ref("ID"), ref("stars"), ref("text")],
  where: [ref("stars"), "<", { val }],
  orderBy: [{ ...ref("stars"), sort: "desc" } as OrderTerm, ref("ID")],
  limit: page,
  count,
}));
const author: NestedColumn = {
  ref: ["author"],
  expand: ["*", { ref: ["books"], expand: [ref("ID")], orderBy: [ref("ID")] }],
};

const books = { ref: ["my.Books"] };
const list: fc.Arbitrary<SelectBody> = fc.record({
  columns: fc.tuple(fc.array(fc.oneof(number, text), { maxLength: 3 }), fc.option(reviews), fc.boolean()).map(
    ([expressions, nested, withAuthor]) => [
      ref("ID"),
      ...expressions.map((one, index) => ({ ...one, as: `c${index}` })),
      ...(nested ? [nested] : []),
      ...(withAuthor ? [author] : []),
    ],
  ),
  where: fc.option(condition, { nil: undefined }),
  search: fc.option(word.filter(Boolean).map((val) => [{ val }]), { nil: undefined }),
  orderBy,
  limit,
  count: fc.boolean(),
  localized: fc.boolean(),
}).map((body) => ({ ...body, from: books }));

const groups: fc.Arbitrary<SelectBody> = fc.record({
  func: fc.constantFrom("sum", "min", "max", "avg", "count", "countdistinct"),
  of: fc.constantFrom("stock", "price", "ID"),
  by: fc.constantFrom(["author_ID"], ["author", "name"], ["hot"]),
  where: fc.option(condition, { nil: undefined }),
  above: integer,
}).map(({ func, of, by, where, above }) => ({
  from: books,
  columns: [{ ref: by, as: "by" }, { func, args: [ref(of)], as: "value" }],
  where,
  groupBy: [{ ref: by }],
  having: [{ func: "count", args: ["*"] }, "<", { val: above }],
  orderBy: [{ ref: by }],
}));

/** Updates calculate with columns of the row itself. */
const ownNumber = fc.tuple(fc.constantFrom(ref("stock"), ref("ID")), fc.constantFrom("+", "-", "*"), integer)
  .map((
    [left, operator, val],
  ): Expression => ({ xpr: [left, operator, { val }] }));

const write: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ where: condition, stock: ownNumber }).map(({ where, stock }): Query => ({
    UPDATE: { entity: "my.Books", where, with: { stock }, data: { hot: true } },
  })),
  fc.record({ where: condition, title: orNull(word) }).map(({ where, title }): Query => ({
    UPDATE: { entity: "my.Books", where, data: { title, reviews: [] } },
  })),
  condition.map((where): Query => ({ DELETE: { from: "my.Books", where } })),
  fc.array(fc.record({ ID: integer, title: orNull(word), author_ID: integer }), {
    minLength: 1,
    maxLength: 3,
  }).map((
    entries,
  ): Query => ({ INSERT: { into: "my.Books", entries } })),
  fc.array(fc.record({ ID: integer, name: word }), { minLength: 1, maxLength: 3 }).map((entries): Query => ({
    UPSERT: { into: "my.Authors", entries },
  })),
);

const model = testModel();
const NAMES = postgres.isThere ? "memory, SQLite and PostgreSQL" : "memory and SQLite";

/** Runs a property on all engines; what it gives on each of them must be the same. */
async function onEngines(
  check: (same: (rows: BookRows, run: (db: Database) => Promise<unknown>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const databases = await createAllEngines(model);
  try {
    for (const db of databases) await db.deploy();
    await check(async ({ authors, books }, run) => {
      const [expected, ...others] = await Promise.all(databases.map(async (db) => {
        const rows = structuredClone({ authors, books });
        await db.reset(new Map([["my.Authors", rows.authors], ["my.Books", rows.books]]));
        return await run(db);
      }));
      for (const [at, other] of others.entries()) assert.deepEqual(other, expected, databases[at + 1].kind);
    });
  } finally {
    for (const db of databases) await db.close();
  }
}

interface BookRows {
  readonly authors: Row[];
  readonly books: Row[];
}

/** Results with their counts, or the code of the error. */
async function outcome(db: Database, query: Query): Promise<unknown> {
  const tx = db.begin(new EventContext(CONTEXT));
  try {
    const result = await tx.run(query);
    await tx.commit();
    const plain = typeof result === "object" && result !== null && "affectedRows" in result
      ? Number(result)
      : result;
    return JSON.parse(
      JSON.stringify({ result: plain, count: (result as Rows | null)?.$count, nested: nestedCounts(result) }),
    );
  } catch (error) {
    await tx.rollback();
    const { code, status, target } = error as { code?: string; status?: number; target?: string };
    if (status === undefined) throw error;
    return { code, status, target };
  }
}

function nestedCounts(result: unknown): unknown {
  return Array.isArray(result) ? result.map((row) => (row.reviews as Rows | undefined)?.$count) : undefined;
}

Deno.test(`random reads give the same rows on ${NAMES}`, () =>
  onEngines(async (same) => {
    const property = fc.asyncProperty(
      data,
      fc.oneof(list, groups),
      (rows, body) => same(rows, (db) => outcome(db, { SELECT: body })),
    );
    await fc.assert(property, propertyRuns(80, 11));
  }));

Deno.test(`random writes leave the same rows on ${NAMES}`, () =>
  onEngines(async (same) => {
    const all = (entity: string, columns: string[]): Query => ({
      SELECT: { from: { ref: [entity] }, columns: columns.map((name) => ref(name)), orderBy: [ref("ID")] },
    });
    const property = fc.asyncProperty(data, write, (rows, query) =>
      same(rows, async (db) => [
        await outcome(db, structuredClone(query)),
        await outcome(db, all("my.Books", ["ID", "title", "stock", "price", "hot", "author_ID"])),
        await outcome(db, all("my.Reviews", ["ID", "stars", "text", "book_ID"])),
        await outcome(db, all("my.Authors", ["ID", "name", "address_city"])),
      ]));
    await fc.assert(property, propertyRuns(60, 12));
  }));
