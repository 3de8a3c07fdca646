/**
 * Queries that insert many rows: what they write and tell does not depend on how many statements they need.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { BOOKS, byKey, type DatabaseUnderTest, expectError, plain, testsOf } from "./database_fixture.ts";

const TYPES = { ref: ["my.Types"] };
const REVIEWS = { ref: ["my.Reviews"] };
const BY_ID = [{ ref: ["ID"] }];
/** More than one statement takes. */
const MANY = Array.from({ length: 700 }, (_, at) => 100 + at);
/** Values of all types, one in each row, so that columns of the same statement have values and nulls. */
const VALUES: readonly Row[] = [
  { flag: true },
  { flag: false, dec: "1234567.8900" },
  { long: 9007199254740991 },
  { dec: -0.5 },
  { dbl: 1e300 },
  { day: "2024-02-29" },
  { clock: "12:30:00" },
  { dt: "2024-02-29T12:30:00Z" },
  { ts: "2024-02-29T12:30:00.123Z" },
  { bin: "AQID" },
  { tags: ["a", "b"] },
  { map: { a: 1 } },
];
const NAMES = VALUES.flatMap((row) => Object.keys(row));

/**
 * Registers the rules for an engine.
 *
 * @param name of the engine
 * @param create makes one with an empty database
 */
export function testDatabaseManyRows(name: string, create: DatabaseUnderTest): void {
  const test = testsOf(name, create);
  test("many rows of one query are there with their keys in order", async ({ run, rows }) => {
    const result = await run(insert("my.Books", MANY.map((ID) => book(ID))));
    assert.deepEqual([...result as Iterable<Row>], MANY.map((ID) => ({ ID })));
    assert.equal(Number(result), MANY.length);
    const where = [{ ref: ["ID"] }, ">=", { val: 100 }];
    const found = await rows({
      from: BOOKS,
      columns: [{ ref: ["ID"] }, { ref: ["title"] }],
      where,
      orderBy: BY_ID,
    });
    assert.deepEqual(plain(found), MANY.map((ID) => ({ ID, title: `Book ${ID}` })));
  });
  test("rows of one query may have different members", async ({ run, rows }) => {
    const given = MANY.slice(0, 40).map((ID) => ({
      ...book(ID),
      ...ID % 3 === 0 && { stock: ID, hot: true },
    }));
    await run(insert("my.Books", given));
    const where = [{ ref: ["ID"] }, ">=", { val: 100 }];
    const columns = [{ ref: ["ID"] }, { ref: ["stock"] }];
    const found = await rows({ from: BOOKS, columns, where, orderBy: BY_ID });
    assert.deepEqual(plain(found), given.map(({ ID }) => ({ ID, stock: ID % 3 === 0 ? ID : 0 })));
  });
  test("values of all types are the same in one query as in several", async ({ run, rows }) => {
    const empty = Object.fromEntries(NAMES.map((name) => [name, null]));
    const given = VALUES.map((row, at) => ({ ID: at, ...empty, ...row }));
    await run(insert("my.Types", given));
    for (const row of given) await run(insert("my.Types", [{ ...row, ID: row.ID + given.length }]));
    const found = plain(await rows({ from: TYPES, orderBy: BY_ID })) as Row[];
    const [together, alone] = [found.slice(0, given.length), found.slice(given.length)];
    assert.deepEqual(together, alone.map((row) => ({ ...row, ID: Number(row.ID) - given.length })));
    assert.ok(together.every((row: Row, at) => row[Object.keys(VALUES[at]!)[0]!] !== null));
  });
  test("rows of a query get generated keys, defaults and managed values, and their keys are told (api 8)", async ({ run, rows }) => {
    const from = { SELECT: { from: BOOKS, columns: [{ ref: ["title"] }, { val: 42, as: "stars" }] } };
    const result = await run({ INSERT: { into: "my.Reviews", columns: ["text", "stars"], from } });
    const found = await rows({
      from: REVIEWS,
      where: [{ ref: ["stars"] }, "=", { val: 42 }],
      orderBy: BY_ID,
    });
    const keys = [...result as Iterable<Row>].map(({ ID }) => String(ID)).sort();
    assert.equal(Number(result), found.length);
    assert.ok(found.length > 0);
    assert.deepEqual(plain(found.map(({ ID }) => ID)), keys);
    const columns = [{ xpr: [{ ref: ["ID"] }, "+", { val: 800 }], as: "ID" }, { ref: ["title"] }];
    await run({ INSERT: { into: "my.Books", from: { SELECT: { from: BOOKS, columns, where: byKey(10) } } } });
    const [copied] = await rows({ from: BOOKS, where: byKey(810) }) as Row[];
    assert.deepEqual([copied!.stock, typeof copied!.modifiedAt], [0, "string"]);
  });
  test("values of all types may be copied by a query", async ({ run, rows }) => {
    await run(insert("my.Types", VALUES.map((row, at) => ({ ID: at, ...row }))));
    const columns = [
      { xpr: [{ ref: ["ID"] }, "+", { val: 100 }], as: "ID" },
      ...NAMES.map((name) => ({ ref: [name] })),
    ];
    await run({ INSERT: { into: "my.Types", from: { SELECT: { from: TYPES, columns } } } });
    const found = plain(await rows({ from: TYPES, orderBy: BY_ID })) as Row[];
    const copies = found.filter(({ ID }) => Number(ID) >= 100).map((row) => ({
      ...row,
      ID: Number(row.ID) - 100,
    }));
    assert.deepEqual(copies, found.filter(({ ID }) => Number(ID) < 100));
  });
  test("rows of values and columns that do not fit are refused, as are columns that are not there", async ({ run }) => {
    const refused = (body: object, message: RegExp) =>
      assert.rejects(run({ INSERT: { into: "my.Books", ...body } }), { name: "TypeError", message });
    await refused({ rows: [[1, "x"]] }, /^Expected the names of columns beside rows of values$/);
    await refused(
      { columns: ["ID"], rows: [[1, "x"]] },
      /^Expected values of the columns ID, found 2 values$/,
    );
    const from = { SELECT: { from: BOOKS, columns: [{ ref: ["ID"] }] } };
    await refused({ columns: ["IDD"], from }, /^Column "IDD" of "my.Books" cannot be written$/);
  });
  test("a limit that counts no rows is refused", async ({ rows }) => {
    for (const val of [-1, 1.5, Infinity, NaN]) {
      const refused = { name: "TypeError", message: `Expected a number of rows as limit, found ${val}` };
      await assert.rejects(rows({ from: BOOKS, limit: { rows: { val } } }), refused);
      await assert.rejects(rows({ from: BOOKS, limit: { rows: { val: 1 }, offset: { val } } }), refused);
    }
  });
  test("nested rows of all rows are linked with theirs", async ({ run, rows }) => {
    const texts = (id: number) => [1, 2, 3, 4, 5].map((n) => `${id}-${n}`);
    const entries = MANY.slice(0, 30).map((ID) => ({
      ...book(ID),
      reviews: texts(ID).map((text) => ({ text, replies: [{ pos: 1, text }, { pos: 2, text: null }] })),
    }));
    await run(insert("my.Books", entries));
    const columns = [{ ref: ["book_ID"] }, { ref: ["text"] }, {
      ref: ["replies"],
      expand: [{ ref: ["pos"] }, { ref: ["text"] }],
      orderBy: [{ ref: ["pos"] }],
    }];
    const where = [{ ref: ["book_ID"] }, ">=", { val: 100 }];
    const found = await rows({ from: REVIEWS, columns, where, orderBy: [{ ref: ["text"] }] });
    const expected = entries.flatMap(({ ID }) =>
      texts(ID).map((text) => ({ book_ID: ID, text, replies: [{ pos: 1, text }, { pos: 2, text: null }] }))
    );
    assert.deepEqual(plain(found), expected);
  });
  test("rows that hold the keys of their parts are linked with theirs", async ({ run, rows }) => {
    const bios = ["one", undefined, "two", null].map((text) => text && { text });
    await run(
      insert("my.Authors", bios.map((bio, at) => ({ ID: 100 + at, ...bio !== undefined && { bio } }))),
    );
    const columns = [{ ref: ["ID"] }, { ref: ["bio"], expand: [{ ref: ["text"] }] }];
    const where = [{ ref: ["ID"] }, ">=", { val: 100 }];
    const found = await rows({ from: { ref: ["my.Authors"] }, columns, where, orderBy: BY_ID });
    assert.deepEqual(plain(found), bios.map((bio, at) => ({ ID: 100 + at, bio: bio ?? null })));
  });
  testErrors(test);
}

function testErrors(test: ReturnType<typeof testsOf>): void {
  const inTheMiddle = (row: Row, make: (ID: number) => Row = book): Row[] =>
    MANY.slice(0, 50).map((ID, at) => at === 27 ? { ...make(ID), ...row } : make(ID));
  test("a key that exists is told of one among many rows", async ({ run, rows }) => {
    await expectError(run(insert("my.Books", inTheMiddle({ ID: 10 }))), 409, "ENTITY_ALREADY_EXISTS");
    assert.equal((await rows({ from: BOOKS })).length, 3);
  });
  test("a unique value that exists is told of one among many rows, with its element", async ({ run }) => {
    const entries = inTheMiddle({ name: "Poe" }, (ID) => ({ ID, name: `Author ${ID}` }));
    await expectError(run(insert("my.Authors", entries)), 409, "UNIQUE_CONSTRAINT_VIOLATION", "name");
  });
  test("a value missing in one among many rows is told with its element", async ({ run, rows }) => {
    await expectError(run(insert("my.Books", inTheMiddle({ title: null }))), 400, "ASSERT_NOT_NULL", "title");
    assert.equal((await rows({ from: BOOKS })).length, 3);
  });
  test("a value that no column takes is told of one among many rows", async ({ run, rows }) => {
    await expectError(
      run(insert("my.Books", inTheMiddle({ title: "a\0b" }))),
      400,
      "ASSERT_CHARACTERS",
      "title",
    );
    assert.equal((await rows({ from: BOOKS })).length, 3);
  });
  test("a key that exists is told of one among many nested rows", async ({ run, rows }) => {
    const [{ ID }] = await rows({ from: REVIEWS, columns: [{ ref: ["ID"] }] }) as [Row];
    const reviews = MANY.map((stars) => ({ stars, ...stars === 300 && { ID } }));
    await expectError(run(insert("my.Books", [{ ...book(100), reviews }])), 409, "ENTITY_ALREADY_EXISTS");
    assert.equal((await rows({ from: BOOKS, where: byKey(100) })).length, 0);
  });
}

function insert(into: string, entries: readonly Row[]): Query {
  return { INSERT: { into, entries } };
}

function book(ID: number): { readonly ID: number; readonly title: string } {
  return { ID, title: `Book ${ID}` };
}
