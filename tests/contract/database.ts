/**
 * The rules that every database engine keeps.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { InsertResult, Query, Row, SelectBody } from "../../src/cqn/cqn.ts";
import type { Rows } from "../../src/service/database.ts";
import { ROWS } from "../db/fixture.ts";
import { testAttributes } from "./database_attributes.ts";
import {
  BOOKS,
  byKey,
  column,
  type DatabaseUnderTest,
  expectError,
  type Fixture,
  plain,
  type Test,
  testsOf,
} from "./database_fixture.ts";

/** What an engine does otherwise, or not at all. */
export interface EngineTraits {
  /** Regular expressions: answered with 501. */
  readonly patterns?: false;
  /** Writers of the same row: the first one commits, the others are refused instead of waiting. */
  readonly writers?: "first wins";
}

/**
 * Registers the suite for an engine.
 *
 * @param name of the engine
 * @param create makes one with an empty database
 * @param traits what it does otherwise
 */
export function testDatabase(name: string, create: DatabaseUnderTest, traits: EngineTraits = {}): void {
  const test = testsOf(name, create);
  testReads(test);
  testAttributes(test);
  testPatterns(test, traits);
  testExpands(test);
  testWrites(test);
  testUpserts(test);
  testDeepWrites(test);
  testTransactions(test);
  testWriters(test, traits);
}

function testReads(test: Test): void {
  test("a condition selects rows, booleans and numbers come as such", async ({ rows }) => {
    const found = await rows({
      from: BOOKS,
      columns: ["ID", "hot", "price", "total"].map(column),
      where: byKey(10),
    });
    assert.deepEqual(plain(found), [{ ID: 10, hot: true, price: 12.5, total: 62.5 }]);
  });
  test("one gives a row or null", async ({ run, one }) => {
    const row = await one({ from: BOOKS, where: byKey(11) });
    assert.equal(row.title, "Eldorado");
    assert.equal(Object.getPrototypeOf(row), Object.prototype);
    assert.equal(await run({ SELECT: { from: BOOKS, one: true, where: byKey(99) } }), null);
  });
  test("a template takes values from its parameters, limits included", async ({ rows }) => {
    const query: SelectBody = Object.freeze({
      from: BOOKS,
      columns: [column("ID")],
      where: [{ ref: ["stock"] }, ">=", { ref: ["p"], param: true }],
      limit: { rows: { ref: ["n"], param: true }, offset: { ref: ["o"], param: true } },
      count: true,
    });
    const found = await rows(query, { p: 0, n: 1, o: 1 });
    assert.deepEqual(plain(found), [{ ID: 11 }]);
    assert.equal(found.$count, 3);
  });
  test("paths along associations read other rows and keep those without one", async ({ rows }) => {
    const found = await rows({
      from: BOOKS,
      columns: [column("ID"), { ref: ["author", "name"], as: "name" }, {
        ref: ["author", "address", "city"],
        as: "city",
      }],
      orderBy: [{ ref: ["author", "name"] }, { ref: ["ID"], sort: "desc" }],
    });
    assert.deepEqual(plain(found), [
      { ID: 20, name: "Emily", city: "Thornton" },
      { ID: 11, name: "Poe", city: "Boston" },
      { ID: 10, name: "Poe", city: "Boston" },
    ]);
  });
  test("exists holds where a path with filters leads to a row", async ({ rows }) => {
    const where = ["exists", {
      ref: ["books", { id: "reviews", where: [{ ref: ["stars"] }, ">", { val: 4 }] }],
    }];
    const from = { ref: ["my.Authors"] };
    assert.deepEqual(plain(await rows({ from, columns: [column("ID")], where })), [{ ID: 1 }]);
    const none = await rows({
      from,
      columns: [column("ID")],
      where: ["not", ...where],
      orderBy: [{ ref: ["ID"] }],
    });
    assert.deepEqual(plain(none), [{ ID: 2 }, { ID: 3 }]);
  });
  test("a source path navigates from rows to others", async ({ rows }) => {
    const from = { ref: [{ id: "my.Books", where: byKey(10) }, "author", { id: "books", where: byKey(11) }] };
    assert.deepEqual(plain(await rows({ from, columns: [column("title")] })), [{ title: "Eldorado" }]);
  });
  test("== and != compare null as a value, = and <> do not", async ({ rows }) => {
    const ids = async (operator: string, val: number | null) =>
      (await rows({ from: BOOKS, columns: [column("ID")], where: [{ ref: ["price"] }, operator, { val }] }))
        .map((r) => r.ID);
    assert.deepEqual(await ids("==", null), [20]);
    assert.deepEqual(await ids("!=", 8), [10, 20]);
    assert.deepEqual(await ids("<>", 8), [10]);
  });
  test("text functions respect case and take wildcards as they are", async ({ rows }) => {
    const ids = async (func: string, val: string) =>
      (await rows({
        from: BOOKS,
        columns: [column("ID")],
        where: [{ func, args: [{ ref: ["title"] }, { val }] }],
      }))
        .map((row) => row.ID);
    assert.deepEqual(await ids("contains", "Raven"), [10]);
    assert.deepEqual(await ids("contains", "raven"), []);
    assert.deepEqual(await ids("contains", "%"), []);
    assert.deepEqual(await ids("startswith", "El"), [11]);
    assert.deepEqual(await ids("endswith", "Heights"), [20]);
  });
  test("search ignores case and combines terms", async ({ rows }) => {
    const ids = async (search: SelectBody["search"]) =>
      (await rows({ from: BOOKS, columns: [column("ID")], search })).map((row) => row.ID);
    assert.deepEqual(await ids([{ val: "rAVEN" }]), [10]);
    assert.deepEqual(await ids([{ val: "raven" }, "or", { val: "heights" }]), [10, 20]);
    assert.deepEqual(await ids(["not", { val: "e" }]), []);
  });
  test("localized reads give the text of the locale and fall back", async ({ rows }) => {
    for (const entity of ["my.Books", "Shop.Books"]) {
      const found = await rows({
        from: { ref: [entity] },
        columns: [column("title")],
        localized: true,
        orderBy: [column("ID")],
      });
      assert.deepEqual(found.map((row) => row.title), ["Der Rabe", "Eldorado", "Wuthering Heights"]);
    }
  });
  test("groups are aggregated, having and order may use aliases", async ({ rows }) => {
    const found = await rows({
      from: BOOKS,
      columns: [column("author_ID"), { func: "sum", args: [{ ref: ["stock"] }], as: "sum" }],
      groupBy: [{ ref: ["author_ID"] }],
      having: [{ ref: ["sum"] }, ">", { val: 4 }],
      orderBy: [{ ref: ["sum"], sort: "desc" }],
    });
    assert.deepEqual(plain(found), [{ author_ID: 2, sum: 12 }, { author_ID: 1, sum: 5 }]);
  });
  test("nulls come first ascending and last descending", async ({ rows }) => {
    const ids = async (sort: "asc" | "desc") =>
      (await rows({ from: BOOKS, columns: [column("ID")], orderBy: [{ ref: ["price"], sort }] })).map((row) =>
        row.ID
      );
    assert.deepEqual(await ids("asc"), [20, 11, 10]);
    assert.deepEqual(await ids("desc"), [10, 11, 20]);
  });
}

function testPatterns(test: Test, { patterns }: EngineTraits): void {
  const isLike = [{ func: "matchespattern", args: [{ ref: ["title"] }, { val: "^E.*o$" }] }];
  const body = { from: BOOKS, columns: [column("ID")], where: isLike };
  if (patterns === false) {
    test("regular expressions are not implemented", ({ rows }) => expectError(rows(body), 501));
  } else {
    test("regular expressions are matched", async ({ rows }) =>
      assert.deepEqual(plain(await rows(body)), [{ ID: 11 }]));
  }
}

function testWriters(test: Test, { writers }: EngineTraits): void {
  const stocks = async ({ rows }: Fixture) =>
    (await rows({ from: BOOKS, columns: [column("stock")], orderBy: [column("ID")] })).map((row) =>
      row.stock
    );
  const bump = async ({ db }: Fixture) => {
    const tx = db.begin(new EventContext({}));
    const stock = { xpr: [{ ref: ["stock"] }, "+", { val: 1 }] };
    await tx.run({ UPDATE: { entity: "my.Books", with: { stock } } });
    await tx.commit();
  };
  if (writers === undefined) {
    test("writers queue", async (made) => {
      await Promise.all([bump(made), bump(made), bump(made)]);
      assert.deepEqual(await stocks(made), [8, 3, 15]);
    });
    return;
  }
  test("the first writer commits, those that read the same rows before are refused", async (made) => {
    const [first, second] = [0, 1].map(() => made.db.begin(new EventContext({})));
    const set = (title: string): Query => ({
      UPDATE: { entity: "my.Books", where: byKey(10), data: { title } },
    });
    for (const [tx, title] of [[first, "first"], [second, "second"]] as const) await tx.run(set(title));
    await first.commit();
    await expectError(Promise.resolve().then(() => second.commit()), 409);
    assert.equal((await made.one({ from: BOOKS, where: byKey(10) })).title, "first");
    await bump(made);
    assert.deepEqual(await stocks(made), [6, 1, 13]);
  });
}

function testExpands(test: Test): void {
  test("expand nests rows with own filter, order, limit and count", async ({ rows }) => {
    const found = await rows({
      from: { ref: ["my.Authors"] },
      columns: [column("ID"), {
        ref: ["books"],
        count: true,
        orderBy: [{ ref: ["ID"], sort: "desc" }],
        limit: { rows: { val: 1 } },
        expand: [column("ID"), column("hot"), { ref: ["author"], expand: [column("name")] }, {
          ref: ["reviews"],
          expand: [column("stars")],
        }],
      }],
      where: byKey(1),
    });
    assert.deepEqual(plain(found), [
      { ID: 1, books: [{ ID: 11, hot: false, author: { name: "Poe" }, reviews: [] }] },
    ]);
    assert.equal((found[0].books as Rows).$count, 2);
  });
  test("expand of a dangling association is null", async ({ one }) => {
    const row = await one({
      from: { ref: ["my.Genres"] },
      columns: [{ ref: ["parent"], expand: ["*"] }],
      where: byKey(1),
    });
    assert.deepEqual(plain(row), { parent: null });
  });
}

function testWrites(test: Test): void {
  test("values of all types come back as rows have them", async ({ run, one }) => {
    const row = {
      ID: 1,
      flag: false,
      long: 9007199254740993n,
      dec: 12.25,
      dbl: 0.5,
      day: "2024-02-29",
      clock: "23:59:59",
      dt: "2024-02-29T12:00:00Z",
      ts: "2024-02-29T12:00:00.123Z",
      bin: new Uint8Array([1, 2, 255]),
      tags: ["a", "b"],
      map: { x: 1 },
    };
    await run({ INSERT: { into: "my.Types", entries: [row] } });
    assert.deepEqual(plain(await one({ from: { ref: ["my.Types"] } })), {
      ...row,
      long: "9007199254740993",
      bin: "AQL/",
    });
  });
  test("insert gives keys, generates UUIDs and applies defaults", async ({ run, one }) => {
    const result = await run({
      INSERT: { into: "my.Bios", entries: [{ text: "a" }, { text: "b" }] },
    }) as InsertResult;
    assert.equal(Number(result), 2);
    for (const { ID } of result) assert.match(String(ID), /^[0-9a-f-]{36}$/);
    await run({ INSERT: { into: "my.Books", columns: ["ID", "title"], rows: [[30, "New"]] } });
    const row = await one({ from: BOOKS, where: byKey(30) });
    assert.equal(row.stock, 0);
    assert.match(String(row.modifiedAt), /^\d{4}-.*Z$/);
  });
  test("rows with the members of the row before get what is generated, and nothing for what is undefined", async ({ run, one }) => {
    const price = 1.5;
    const author = { ID: 1 };
    const entries: Row[] = [
      { ID: 31, title: "a", price },
      { ID: 32, title: "b", price },
      { ID: 33, title: "c", price, stock: 1, modifiedAt: "2024-02-29T12:00:00.000Z" },
      { ID: 34, title: "d", price, stock: 2, modifiedAt: "2024-02-29T12:00:00.000Z" },
      { ID: 35, title: "e", price, stock: undefined, modifiedAt: undefined },
      { ID: 36, title: "f", author },
      { ID: 37, title: "g", author },
    ];
    for (const row of entries) {
      const given = { ...row };
      await run({ INSERT: { into: "my.Books", entries: [row] } });
      assert.deepEqual(row, given);
    }
    const stored = await Promise.all(entries.map(({ ID }) => one({ from: BOOKS, where: byKey(ID) })));
    assert.deepEqual(stored.map(({ stock }) => stock), [0, 0, 1, 2, 0, 0, 0]);
    assert.deepEqual(stored.map(({ author_ID }) => author_ID), [null, null, null, null, null, 1, 1]);
    for (const { modifiedAt } of stored) assert.match(String(modifiedAt), /^\d{4}-.*Z$/);
  });
  test("a second row with the same key is refused", async ({ run }) => {
    await expectError(
      run({ INSERT: { into: "my.Books", entries: [{ ID: 10, title: "x" }] } }),
      409,
      "ENTITY_ALREADY_EXISTS",
    );
  });
  test("a second row with the same unique value is refused", async ({ run }) => {
    const entries = [{ ID: 9, name: "Poe" }];
    await expectError(
      run({ INSERT: { into: "my.Authors", entries } }),
      409,
      "UNIQUE_CONSTRAINT_VIOLATION",
      "name",
    );
  });
  test("null in an element that is not null is refused", async ({ run }) => {
    const entries = [{ ID: 9, title: null }];
    await expectError(run({ INSERT: { into: "my.Books", entries } }), 400, "ASSERT_NOT_NULL", "title");
  });
  test("update sets values and expressions and counts rows", async ({ run, one }) => {
    const query: Query = {
      UPDATE: {
        entity: "my.Books",
        where: byKey(10),
        data: { hot: false },
        with: { stock: { xpr: [{ ref: ["stock"] }, "-", { val: 1 }] } },
      },
    };
    assert.equal(await run(query), 1);
    const row = await one({ from: BOOKS, where: byKey(10) });
    assert.deepEqual([row.hot, row.stock, row.title], [false, 4, "The Raven"]);
    assert.equal(await run({ UPDATE: { entity: "my.Books", where: byKey(99), data: { hot: false } } }), 0);
  });
  test("writes on a projection reach the table under its names", async ({ run, one }) => {
    await run({
      UPDATE: { entity: "Shop.Books", where: byKey(10), data: { available: 7, authorName: "ignored" } },
    });
    assert.equal((await one({ from: BOOKS, where: byKey(10) })).stock, 7);
    await run({ INSERT: { into: "Shop.Authors", entries: [{ id: 7, name: "New", address_city: "Rome" }] } });
    assert.equal((await one({ from: { ref: ["my.Authors"] }, where: byKey(7) })).address_city, "Rome");
    await run({
      DELETE: { from: { ref: [{ id: "Shop.Authors", where: [{ ref: ["id"] }, "=", { val: 7 }] }] } },
    });
    assert.equal(await one({ from: { ref: ["my.Authors"] }, where: byKey(7) }), null);
  });
  test("conditions of writes may follow associations", async ({ run, rows }) => {
    const where = [{ ref: ["author", "name"] }, "=", { val: "Poe" }];
    assert.equal(await run({ UPDATE: { entity: "my.Books", where, data: { stock: 1 } } }), 2);
    assert.equal(await run({ DELETE: { from: "my.Books", where } }), 2);
    assert.equal((await rows({ from: BOOKS })).length, 1);
  });
  test("upsert updates rows that exist and inserts others", async ({ run, one }) => {
    await run({ UPSERT: { into: "my.Books", entries: [{ ID: 10, stock: 1 }, { ID: 40, title: "New" }] } });
    assert.equal((await one({ from: BOOKS, where: byKey(10) })).title, "The Raven");
    assert.equal((await one({ from: BOOKS, where: byKey(40) })).title, "New");
  });
}

function testUpserts(test: Test): void {
  const bios = { from: { ref: ["my.Bios"] }, columns: [column("text")], orderBy: [column("text")] };
  test("upsert of the same key twice leaves the last one", async ({ run, one }) => {
    const entries = [{ ID: 41, title: "first" }, { ID: 41, title: "last" }];
    assert.equal(Number(await run({ UPSERT: { into: "my.Books", entries } })), 2);
    assert.equal((await one({ from: BOOKS, where: byKey(41) })).title, "last");
  });
  test("upsert without key makes a new row", async ({ run, rows }) => {
    await run({ UPSERT: { into: "my.Bios", entries: [{ text: "a" }, { text: "b" }] } });
    assert.deepEqual(plain(await rows(bios)), [{ text: "a" }, { text: "b" }]);
  });
  test("upsert of a key alone changes nothing, of a new one it inserts", async ({ run, one }) => {
    await run({ UPSERT: { into: "my.Authors", entries: [{ ID: 1 }, { ID: 5 }] } });
    assert.equal((await one({ from: { ref: ["my.Authors"] }, where: byKey(1) })).name, "Poe");
    assert.equal((await one({ from: { ref: ["my.Authors"] }, where: byKey(5) })).name, null);
  });
  test("upsert keeps unique values unique, and nothing of it is left", async ({ run, one }) => {
    const entries = [{ ID: 6, name: "New" }, { ID: 2, name: "Poe" }];
    const upsert = run({ UPSERT: { into: "my.Authors", entries } });
    await expectError(upsert, 409, "UNIQUE_CONSTRAINT_VIOLATION", "name");
    assert.equal(await one({ from: { ref: ["my.Authors"] }, where: byKey(6) }), null);
  });
  test("upsert replaces compositions with those given", async ({ run, rows }) => {
    const entries = [{ ID: 10, reviews: [{ ID: "r2", stars: 1 }] }];
    await run({ UPSERT: { into: "my.Books", entries } });
    const from = { ref: ["my.Reviews"] };
    assert.deepEqual(plain(await rows({ from, columns: [column("ID"), column("stars")] })), [{
      ID: "r2",
      stars: 1,
    }]);
  });
}

function testDeepWrites(test: Test): void {
  const reviews = { ref: ["my.Reviews"] };
  const replies = { ref: ["my.Reviews.replies"] };
  test("delete removes what is composed into the row, at any depth", async ({ run, rows }) => {
    assert.equal(await run({ DELETE: { from: "my.Books", where: byKey(10) } }), 1);
    for (const from of [reviews, replies, { ref: ["my.Books.texts"] }]) {
      assert.deepEqual(await rows({ from }), []);
    }
    assert.equal(await run({ DELETE: { from: "my.Genres", where: byKey(1) } }), 1);
    assert.deepEqual(await rows({ from: { ref: ["my.Genres"] } }), []);
  });
  test("many composed rows go with the row, and with an update, and no others", async ({ run, rows }) => {
    const many = (count: number) =>
      Array.from(
        { length: count },
        (_, at) => ({ ID: `m${at}`, replies: [{ pos: 1 }, { pos: 2 }, { pos: 3 }] }),
      );
    const numbers = () => Promise.all([reviews, replies].map(async (from) => (await rows({ from })).length));
    const [before, repliesBefore] = await numbers();
    await run({ UPDATE: { entity: "my.Books", where: byKey(20), data: { reviews: many(150) } } });
    assert.deepEqual(await numbers(), [before + 150, repliesBefore + 450]);
    await run({ UPDATE: { entity: "my.Books", where: byKey(20), data: { reviews: many(70).slice(3) } } });
    assert.deepEqual(await numbers(), [before + 67, repliesBefore + 201]);
    await run({ DELETE: { from: "my.Books", where: byKey(20) } });
    assert.deepEqual(await numbers(), [before, repliesBefore]);
  });
  test("a composition in an update is the full set of its rows", async ({ run, rows }) => {
    const data = {
      reviews: [{ ID: "r1", stars: 1, replies: [{ pos: 2, text: "changed" }] }, { text: "new", stars: 3 }],
    };
    assert.equal(await run({ UPDATE: { entity: "Shop.Books", where: byKey(10), data } }), 1);
    const found = await rows({
      from: reviews,
      columns: [column("stars"), column("text")],
      orderBy: [column("stars")],
    });
    assert.deepEqual(plain(found), [{ stars: 1, text: "fine" }, { stars: 3, text: "new" }]);
    const left = await rows({ from: replies, columns: [column("pos"), column("text")] });
    assert.deepEqual(plain(left), [{ pos: 2, text: "changed" }]);
  });
  test("a composition to one is inserted, replaced and removed with its row", async ({ run, rows }) => {
    const bios = { from: { ref: ["my.Bios"] }, columns: [column("text")] };
    await run({ UPDATE: { entity: "my.Authors", where: byKey(1), data: { bio: { text: "a" } } } });
    assert.deepEqual(plain(await rows(bios)), [{ text: "a" }]);
    await run({ UPDATE: { entity: "my.Authors", where: byKey(1), data: { bio: { text: "b" } } } });
    assert.deepEqual(plain(await rows(bios)), [{ text: "b" }]);
    await run({ UPDATE: { entity: "my.Authors", where: byKey(1), data: { bio: null } } });
    assert.deepEqual(await rows(bios), []);
  });
  test("insert along a path links the new row, a missing parent is 404", async ({ run, one }) => {
    const into = (id: number) => ({ ref: [{ id: "my.Books", where: byKey(id) }, "reviews"] });
    await run({ INSERT: { into: into(20), entries: [{ ID: "r9", text: "x" }] } });
    assert.equal((await one({ from: reviews, where: byKey("r9") })).book_ID, 20);
    await expectError(run({ INSERT: { into: into(99), entries: [{ text: "x" }] } }), 404);
  });
}

function testTransactions(test: Test): void {
  test("nobody sees what is not committed, rollback undoes it", async ({ db, rows }) => {
    const tx = db.begin(new EventContext({}));
    await tx.run({ DELETE: { from: "my.Books" } });
    const other = rows({ from: BOOKS });
    assert.deepEqual(await tx.run({ SELECT: { from: BOOKS } }), []);
    await tx.rollback();
    assert.equal((await other).length, 3);
  });
  test("a transaction that was ended meanwhile changes nothing and locks nothing", async ({ db, run, rows }) => {
    const remove: Query = { DELETE: { from: "my.Books" } };
    const begun = db.begin(new EventContext({}));
    await begun.run(remove);
    // a request whose time is over: what it was about to do comes too late
    const pending = Promise.resolve(begun.run({ DELETE: { from: "my.Authors" } })).catch(() => {});
    const unused = db.begin(new EventContext({}));
    await Promise.all([begun.rollback(), unused.rollback(), pending]);
    for (const tx of [begun, unused]) {
      await assert.rejects(async () => await tx.run(remove));
      await assert.rejects(async () => await tx.run({ SELECT: { from: BOOKS } }));
    }
    assert.equal((await rows({ from: BOOKS })).length, 3);
    assert.ok((await rows({ from: { ref: ["my.Authors"] } })).length > 0);
    await run(remove);
    assert.equal((await rows({ from: BOOKS })).length, 0);
  });
  test("reset gives the initial rows again", async ({ db, run, rows }) => {
    await run({ DELETE: { from: "my.Books" } });
    await db.reset(ROWS);
    assert.equal((await rows({ from: BOOKS })).length, 3);
  });
}
