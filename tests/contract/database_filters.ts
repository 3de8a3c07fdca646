/**
 * Infix filters: conditions, order and page of what a path leads to.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { RefExpression, Row, SelectBody, SelectQuery } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import type { Rows } from "../../src/service/database.ts";
import { type DatabaseUnderTest, expectError, fixture } from "./database_fixture.ts";

const BOOKS_OF_NINE = [
  { ID: 90, title: "Gold Bug", stock: 3, author_ID: 9 },
  { ID: 91, title: "Eldorado", stock: 2, author_ID: 9 },
  { ID: 92, title: "Catweazle", stock: 1, author_ID: 9 },
];

/** Titles of the books of an author, by how they are expanded. */
const EXPANDED: Readonly<Record<string, readonly string[]>> = {
  "books[order by title] { title }": ["Catweazle", "Eldorado", "Gold Bug"],
  "books[order by stock desc nulls last, title desc] { title }": ["Gold Bug", "Eldorado", "Catweazle"],
  "books[stock = 1 or stock = 2 order by title desc] { title }": ["Eldorado", "Catweazle"],
  "books[order by author.name, title limit 2] { title }": ["Catweazle", "Eldorado"],
  "books[where stock < 9 order by title limit 1 offset 1] { title }": ["Eldorado"],
  "books[limit 1] { title }": ["Gold Bug"],
};

/** Values of the first column, by query. */
const FOUND: Readonly<Record<string, readonly unknown[]>> = {
  "select from my.Books[author_ID = 9 order by title] { ID }": [92, 91, 90],
  "select from my.Books[author_ID = 9 order by title] { ID } order by stock": [92, 91, 90],
  "select from my.Books[author_ID = 9 order by title] { ID, case when stock > 1 then 1 else 0 end as large } order by large desc":
    [91, 90, 92],
  "select from my.Books[author_ID = 9 order by title limit 2] { ID }": [92, 91],
  "select from my.Books[author_ID = 9 order by author.name, stock limit 2] { ID } where author.name = 'Order'":
    [92, 91],
  "select from my.Books[author_ID = 9 order by title limit 2] { ID } where stock > 1": [91],
  "select from my.Books[author_ID = 9 order by title limit 2] { count(*) as n }": [2],
  "select from my.Authors[ID = 9]:books[order by title limit 1 offset 1] { author.name as n, ID }": ["Order"],
  "select from my.Books[ID > 89 order by ID limit 2] as b inner join my.Authors as a on a.ID = b.author_ID { sum(b.ID) as n }":
    [181],
  "select from my.Authors { ID } where exists books[title = 'Catweazle' order by title]": [9],
};

/** What rows are joined and asked for by, one by one. */
const REFUSED: readonly string[] = [
  "select from my.Authors[limit 1]:books { ID }",
  "select from my.Authors { books[limit 1].title as t }",
  "select from my.Authors { ID } where exists books[limit 1]",
  "select from my.Authors { count(books[limit 1]) as n }",
  "select from my.Authors { books[group by title] { title } }",
];

/**
 * Registers the tests for an engine.
 *
 * @param name of the engine
 * @param create makes one with an empty database
 */
export function testDatabaseFilters(name: string, create: DatabaseUnderTest): void {
  Deno.test(`${name}: infix filters choose, order and page rows [csn-cqn 6]`, async () => {
    const { db, run, rows } = await fixture(create);
    try {
      await run({ INSERT: { into: "my.Authors", entries: [{ ID: 9, name: "Order" }] } });
      await run({ INSERT: { into: "my.Books", entries: BOOKS_OF_NINE } });
      const select = (text: string): SelectBody => (parseCqlQuery(text) as SelectQuery).SELECT;
      for (const [nested, expected] of Object.entries(EXPANDED)) {
        const [row] = await rows(select(`select from my.Authors { ${nested} } where ID = 9`));
        assert.deepEqual((row!.books as Rows).map(({ title }) => title), expected, nested);
      }
      for (const [text, expected] of Object.entries(FOUND)) {
        const found = await rows(select(text));
        assert.deepEqual(found.map((row: Row) => Object.values(row)[0]), expected, text);
      }
      for (const text of REFUSED) await expectError(rows(select(text)), 501);
      const { from } = select("select from my.Books[author_ID = 9 order by title limit 1]");
      assert.equal(await run({ DELETE: { from: from as RefExpression } }), 1);
      const left = await rows(select("select from my.Books[author_ID = 9 order by ID] { ID }"));
      assert.deepEqual(left.map(({ ID }) => ID), [90, 91]);
    } finally {
      await db.close();
    }
  });
}
