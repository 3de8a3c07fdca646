/**
 * Queries of several statements: each counts as a whole or not at all.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { BOOKS, type DatabaseUnderTest, expectError, type Fixture, testsOf } from "./database_fixture.ts";

/** What an engine does otherwise. */
export interface QueryTraits {
  /** A statement that fails ends the transaction: it can only be rolled back. */
  readonly failed?: "ends the transaction";
}

const REVIEWS = { ref: ["my.Reviews"] };
const REVIEW = "11111111-1111-4111-8111-111111111111";
/** Queries that fail behind the first row, as they write its key again. */
const FAILING: Readonly<Record<string, Query>> = {
  "INSERT of several rows": insertBooks(50, 51, 50),
  "INSERT of a row with parts": {
    INSERT: {
      into: "my.Books",
      entries: [{ ID: 53, title: "t", reviews: [{ ID: REVIEW }, { ID: REVIEW }] }],
    },
  },
  "UPDATE of a row with parts": {
    UPDATE: {
      entity: { ref: ["my.Books"] },
      where: [{ ref: ["ID"] }, "=", { val: 10 }],
      data: { title: "changed", reviews: [{ ID: REVIEW, text: "new" }, { ID: REVIEW }] },
    },
  },
  "UPDATE of several rows": {
    UPDATE: { entity: { ref: ["my.Books"] }, with: { ID: { val: 1000 } } },
  },
  "UPSERT of several rows": {
    UPSERT: {
      into: "my.Books",
      entries: [{ ID: 10, title: "changed" }, {
        ID: 54,
        title: "t",
        reviews: [{ ID: REVIEW }, { ID: REVIEW }],
      }],
    },
  },
};

/**
 * Registers the rules of queries for an engine.
 *
 * @param name of the engine
 * @param create makes one with an empty database
 * @param traits what it does otherwise
 */
export function testDatabaseQueries(
  name: string,
  create: DatabaseUnderTest,
  traits: QueryTraits = {},
): void {
  const goesOn = traits.failed === undefined;
  const test = testsOf(name, create);
  for (const [what, query] of Object.entries(FAILING)) {
    test(`nothing of a query that fails is there after the commit: ${what}`, async (made) => {
      const before = await content(made);
      const tx = made.db.begin(new EventContext({}));
      await expectError((async () => await tx.run(query))(), 409);
      if (goesOn) {
        assert.equal(await rowCount(tx.run({ SELECT: { from: BOOKS } })), before.books.length);
        await tx.run({ UPDATE: { entity: { ref: ["my.Reviews"] }, data: { stars: 1 } } });
        await tx.commit();
      } else await assert.rejects(async () => await tx.commit());
      const after = await content(made);
      const reviews = before.reviews.map((row) => goesOn ? { ...row, stars: 1 } : row);
      assert.deepEqual(after, { books: before.books, reviews });
    });
  }
  if (!goesOn) return;
  test("a query that fails takes nothing of those beside it along", async (made) => {
    const tx = made.db.begin(new EventContext({}));
    const queries = [insertBooks(50, 51, 50), insertBooks(60), insertBooks(61, 62), insertBooks(63, 63)];
    const results = await Promise.allSettled(queries.map(async (query) => await tx.run(query)));
    assert.deepEqual(results.map(({ status }) => status), ["rejected", "fulfilled", "fulfilled", "rejected"]);
    await tx.commit();
    const { books } = await content(made);
    assert.deepEqual(books.map(({ ID }) => ID).filter((id) => Number(id) >= 50), [60, 61, 62]);
  });
  test("a query that fails after its transaction has ended leaves the next one alone", async (made) => {
    const ended = made.db.begin(new EventContext({}));
    const pending = (async () => await ended.run(insertBooks(50, 51, 50)))();
    pending.catch(() => {});
    await ended.rollback();
    const next = made.db.begin(new EventContext({}));
    await next.run(insertBooks(60));
    await assert.rejects(pending);
    await next.commit();
    const { books } = await content(made);
    assert.deepEqual(books.map(({ ID }) => ID).filter((id) => Number(id) >= 50), [60]);
  });
}

function insertBooks(...ids: readonly number[]): Query {
  return { INSERT: { into: "my.Books", entries: ids.map((ID) => ({ ID, title: `Book ${ID}` })) } };
}

async function content({ rows }: Fixture): Promise<{ readonly books: Row[]; readonly reviews: Row[] }> {
  const orderBy = [{ ref: ["ID"] }];
  return {
    books: [...await rows({ from: BOOKS, orderBy })],
    reviews: [...await rows({ from: REVIEWS, orderBy })],
  };
}

async function rowCount(found: unknown): Promise<number> {
  return (await found as readonly unknown[]).length;
}
