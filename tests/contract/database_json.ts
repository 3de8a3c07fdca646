/**
 * The rules of engines that write JSON themselves: the text says what `run()` gives, in the format of OData payloads.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Column, NestedColumn, QueryParams, Row, SelectBody } from "../../src/cqn/cqn.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { Database, Rows } from "../../src/service/database.ts";
import { ROWS, testModel } from "../db/fixture.ts";
import type { DatabaseUnderTest } from "./database_fixture.ts";

const CONTEXT = { locale: "de", user: { id: "alice" } };
const BOOKS = { ref: ["my.Books"] };

/** Reads both ways and compares. */
async function expectSame(db: Database, body: SelectBody, params?: QueryParams): Promise<void> {
  const tx = db.begin(new EventContext(CONTEXT));
  const result = await tx.run({ SELECT: body }, params);
  const { json, count, rows } = (await tx.readJson!({ SELECT: body }, params))!;
  await tx.commit();
  assert.deepEqual(parse(json), payload(result));
  assert.equal(count, (result as Rows | null)?.$count);
  assert.equal(rows, Array.isArray(result) ? result.length : result ? 1 : 0);
}

/** Numbers that JavaScript cannot hold stay the digits they are. */
function parse(json: string): unknown {
  const reviver = (_name: string, value: unknown, context: { source: string }) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) &&
      /^-?\d+$/.test(context.source)
      ? context.source
      : value;
  return JSON.parse(json, reviver as (name: string, value: unknown) => unknown);
}

/** A result as OData payloads have it; binaries are told by the prefix that the tests give them. */
function payload(value: unknown): unknown {
  if (value === Infinity) return "INF";
  if (value === -Infinity) return "-INF";
  if (typeof value === "string") {
    return value.startsWith(BINARY) ? value.replaceAll("+", "-").replaceAll("/", "_") : value;
  }
  if (Array.isArray(value)) return value.map(payload);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const counted = (member as Rows | null)?.$count;
      return [...(counted === undefined ? [] : [[`${name}@odata.count`, counted]]), [name, payload(member)]];
    }),
  );
}

const BINARY = btoa("\x00\x10\x83");

function bytes(...more: number[]): Uint8Array {
  return new Uint8Array([0, 16, 131, 255, ...more]);
}

/** Registers the suite for an engine. */
export function testDatabaseJson(name: string, create: DatabaseUnderTest): void {
  const test = (rule: string, run: (db: Database) => Promise<void>, model?: LinkedModel) =>
    Deno.test(`${name}: JSON text ${rule}`, async () => {
      const db = await create(model ?? testModel());
      try {
        await db.deploy(model ? undefined : ROWS);
        await run(db);
      } finally {
        await db.close();
      }
    });
  testValues(test);
  testShapes(test);
}

type Test = (rule: string, run: (db: Database) => Promise<void>, model?: LinkedModel) => void;

async function insert(db: Database, into: string, entries: readonly Row[]): Promise<void> {
  const tx = db.begin(new EventContext(CONTEXT));
  await tx.run({ INSERT: { into, entries } });
  await tx.commit();
}

function testValues(test: Test): void {
  const types = { from: { ref: ["my.Types"] }, orderBy: [{ ref: ["ID"] }] };
  const values: Readonly<Record<string, readonly unknown[]>> = {
    flag: [true, false, null],
    long: [0, -1, 9007199254740991, 9007199254740992n, -9223372036854775808n, "9223372036854775807"],
    dec: [0, 12.25, -0.0001, "123456789012345", 1e15, "0.5000"],
    dbl: [0, 5, -1.5, 1e21, 1.5e-7, 0.1, 123456789.123, Infinity, -Infinity],
    day: ["2024-02-29", "0001-01-01", "9999-12-31"],
    clock: ["00:00:00", "23:59:59"],
    dt: ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z", new Date(0)],
    ts: ["2024-02-29T12:00:00.123Z", "2024-02-29T12:00:00Z", "2024-02-29T12:00:00.1234567Z", new Date(1)],
    bin: [bytes(), bytes(251, 255, 254), bytes(1)],
    tags: [[], ["a", 'b"c', "ü\n"], null],
    map: [{}, { a: { b: [1, null, true, "x"] } }],
  };
  for (const [element, list] of Object.entries(values)) {
    test(`has the values of run() for "${element}"`, async (db) => {
      await insert(db, "my.Types", list.map((value, ID) => ({ ID, [element]: value })));
      await expectSame(db, types);
      const columns = [{ ref: ["ID"] }, { ref: [element] }];
      for (const ID of list.keys()) {
        await expectSame(db, { ...types, columns, one: true, where: [{ ref: ["ID"] }, "=", { val: ID }] });
      }
    });
  }
  test("escapes quotes, backslashes and control characters, and keeps Unicode", async (db) => {
    const texts = [
      `"`,
      "\\",
      "\\u0041",
      "/</script>",
      "",
      " ",
      "null",
      "ÄÖÜ€",
      "日本語",
      "😀👩‍👩‍👧",
      "e\u0301",
      "\u2028\u2029\ufeff\u0080\u007f",
      Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join(""),
      "x".repeat(5000),
    ];
    await insert(db, "my.Bios", texts.map((text, index) => ({ ID: `${index}`, text })));
    const tx = db.begin(new EventContext(CONTEXT));
    const from = { ref: ["my.Bios"] };
    const { json } = (await tx.readJson!({ SELECT: { from, columns: [{ ref: ["text"] }] } }))!;
    await tx.commit();
    assert.deepEqual(new Set((JSON.parse(json) as Row[]).map(({ text }) => text)), new Set(texts));
    for (const ID of texts.keys()) {
      await expectSame(db, { from, one: true, where: [{ ref: ["ID"] }, "=", { val: `${ID}` }] });
    }
    await expectSame(db, { from, orderBy: [{ ref: ["text"] }] });
  });
  const wide = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`e${index}`, { type: "cds.String" }]),
  );
  const elements = { ID: { key: true, type: "cds.Integer" }, ...wide };
  const model = linkModel({ definitions: { "my.Wide": { kind: "entity", elements } } });
  test("holds rows of many columns", async (db) => {
    await insert(db, "my.Wide", [{ ID: 1, e0: "first", e149: "last" }]);
    await expectSame(db, { from: { ref: ["my.Wide"] } });
  }, model);
}

function testShapes(test: Test): void {
  const expand = (
    ref: string,
    columns: readonly Column[],
    more: Partial<NestedColumn> = {},
  ): NestedColumn => ({ ref: [ref], expand: columns, ...more });
  const shapes: Readonly<Record<string, SelectBody>> = {
    "of no rows": { from: BOOKS, where: [{ val: 1 }, "=", { val: 0 }] },
    "of one row": { from: BOOKS, one: true, where: [{ ref: ["ID"] }, "=", { val: 10 }] },
    "of one row that is not there": { from: BOOKS, one: true, where: [{ ref: ["ID"] }, "=", { val: 99 }] },
    "with the number of rows": { from: BOOKS, count: true, limit: { rows: { val: 1 } } },
    "of calculated and localized elements": {
      from: BOOKS,
      columns: [{ ref: ["title"] }, { ref: ["total"] }, { ref: ["author", "name"], as: "name" }],
      localized: true,
      orderBy: [{ ref: ["ID"] }],
    },
    "of conditions as columns": {
      from: BOOKS,
      columns: [{ xpr: [{ ref: ["stock"] }, ">", { val: 3 }], as: "many" }, {
        func: "contains",
        args: [{ ref: ["title"] }, { val: "Raven" }],
        as: "raven",
      }],
      orderBy: [{ ref: ["ID"] }],
    },
    "of groups": {
      from: BOOKS,
      columns: [{ ref: ["author_ID"] }, { func: "sum", args: [{ ref: ["price"] }], as: "sum" }],
      groupBy: [{ ref: ["author_ID"] }],
      orderBy: [{ ref: ["author_ID"] }],
    },
    "of nested rows, to one and to many, empty and missing": {
      from: BOOKS,
      columns: [
        { ref: ["ID"] },
        expand("author", ["*", expand("bio", ["*"])]),
        expand("reviews", [
          { ref: ["stars"] },
          expand("replies", ["*"], { orderBy: [{ ref: ["pos"], sort: "desc" }] }),
        ], {
          orderBy: [{ ref: ["stars"] }],
        }),
        expand("texts", ["*"]),
      ],
      orderBy: [{ ref: ["ID"] }],
    },
    "of nested rows with filter, page and number": {
      from: { ref: ["my.Authors"] },
      columns: [
        { ref: ["ID"] },
        expand("books", [{ ref: ["title"] }, { ref: ["hot"] }], {
          where: [{ ref: ["stock"] }, ">=", { val: 0 }],
          orderBy: [{ ref: ["ID"], sort: "desc" }],
          limit: { rows: { val: 1 } },
          count: true,
        }),
      ],
      orderBy: [{ ref: ["ID"] }],
    },
    "through a projection": {
      from: { ref: ["Shop.Books"] },
      columns: ["*", expand("reviews", ["*"], { orderBy: [{ ref: ["ID"] }] })],
      localized: true,
      orderBy: [{ ref: ["ID"] }],
    },
  };
  for (const [shape, body] of Object.entries(shapes)) {
    test(shape, async (db) => {
      await expectSame(db, body);
      await expectSame(db, Object.freeze(body));
      if (!body.count) await expectSame(db, { ...body, one: true });
    });
  }
}
