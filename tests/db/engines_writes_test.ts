/**
 * Writes have the same effects on all engines, D1 among them, whose writes wait for the commit.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery, parseExpression } from "../../src/cqn/parse_cql.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { createAllEngines } from "./all_engines.ts";
import { startD1 } from "./miniflare.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; n : Integer; f : Double; b : Binary(10); large : LargeBinary;
    same : Association to E on same.ID = ID; }
  @assert.unique.code: [code] entity U { key ID : Integer; code : String(10); }
  entity Numbers { key ID : Integer; n : Integer; small : Int16; byte : UInt8; large : Int64; d : Decimal(9,2);
    plain : Decimal; scaled : Decimal(scale: 2); f : Double; s : String(20); b : Boolean; day : Date; at : Timestamp;
    third : Decimal(9,2) = d / 3 stored; whole : Integer = d * 1.0 stored; }
  entity Lists { key ID : Integer; name : String(10);
    items : Composition of many { key pos : Integer; text : String(10) not null; }; }
  entity Marks { text : String(10); n : Integer; }`));

const INSTANT = "2024-02-29T12:34:56.789Z";
const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

async function onAllEngines(run: (database: Database) => Promise<void>): Promise<void> {
  const d1 = await d1Database(server.take())({ model: MODEL, options: {} });
  for (const database of [...await createAllEngines(MODEL), d1]) {
    try {
      await database.deploy();
      await run(database);
    } finally {
      await database.close();
    }
  }
}

/** Runs queries in one transaction; the results of the last one. */
async function transact(database: Database, ...queries: readonly Query[]): Promise<unknown> {
  const tx = database.begin(new EventContext());
  try {
    let result: unknown;
    for (const query of queries) result = await tx.run(query);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

const insert = (into: string, ...entries: readonly Row[]): Query => ({ INSERT: { into, entries } });

function update(entity: string, name: string, expression: string): Query {
  return { UPDATE: { entity, data: {}, with: { [name]: { xpr: parseExpression(expression) } } } };
}

async function rows(database: Database, text: string): Promise<unknown> {
  return JSON.parse(JSON.stringify(await transact(database, parseCqlQuery(text))));
}

Deno.test("keys that collide for a moment are refused, and no row changes, on all engines (db/README)", async () => {
  await onAllEngines(async (database) => {
    for (const entity of ["E", "U"]) {
      await transact(database, insert(entity, ...[-1, 0, 1].map((ID) => ({ ID }))));
      for (const key of ["ID + 1", "-ID"]) {
        await assert.rejects(transact(database, update(entity, "ID", key)), {
          status: 409,
          code: "ENTITY_ALREADY_EXISTS",
        }, `${database.kind}: ${key}`);
        const found = await rows(database, `SELECT from ${entity} { ID } order by ID`);
        assert.deepEqual(found, [{ ID: -1 }, { ID: 0 }, { ID: 1 }], database.kind);
      }
    }
  });
});

Deno.test("keys move to where others have left on all engines (db/README)", async () => {
  await onAllEngines(async (database) => {
    await transact(database, insert("E", ...[1, 2, 3].map((ID) => ({ ID, n: ID }))));
    await transact(database, update("E", "ID", "ID - 1"));
    const found = await rows(database, "SELECT from E { ID, n } order by ID");
    assert.deepEqual(found, [{ ID: 0, n: 1 }, { ID: 1, n: 2 }, { ID: 2, n: 3 }], database.kind);
  });
});

Deno.test("a change of some columns leaves bytes, their absence and infinite numbers as they are on all engines", async () => {
  await onAllEngines(async (database) => {
    const bytes = (length: number) => ({ b: new Uint8Array(length), large: new Uint8Array(length) });
    const entries = [{ ID: 1 }, { ID: 2, ...bytes(0) }, { ID: 3, ...bytes(2) }];
    const infinite = [{ ID: 4, f: "INF" }, { ID: 5, f: "-INF" }, { ID: 6, f: "NaN" }];
    await transact(database, insert("E", ...entries, ...infinite));
    await transact(database, update("E", "n", "5"));
    const read =
      "SELECT from E { ID, b, b is null as gone, large is null as empty } where ID < 4 order by ID";
    assert.deepEqual(await rows(database, read), [
      { ID: 1, b: null, gone: true, empty: true },
      { ID: 2, b: "", gone: false, empty: false },
      { ID: 3, b: "AAA=", gone: false, empty: false },
    ], database.kind);
    const found = await rows(
      database,
      "SELECT from E { ID, f > 1e308 as large, f is null as gone } where ID in (4, 6) order by ID",
    );
    assert.deepEqual(found, [
      { ID: 4, large: true, gone: false },
      { ID: 6, large: true, gone: false },
    ], database.kind);
    const small = await rows(database, "SELECT from E { ID } where f < -1e308");
    assert.deepEqual(small, [{ ID: 5 }], database.kind);
  });
});

Deno.test("infinite numbers, and those that are none, are read and found as such on all engines (CSDL 3.3)", async () => {
  await onAllEngines(async (database) => {
    const given = ["INF", "-INF", "NaN", Infinity, 1.5];
    await transact(database, insert("E", ...given.map((f, ID) => ({ ID, f }))));
    const found = async (query: string) => {
      const rows = await transact(database, parseCqlQuery(query)) as { f: number }[];
      return rows.map(({ f }) => f);
    };
    const all = [Infinity, -Infinity, NaN, Infinity, 1.5];
    assert.deepEqual(await found("SELECT from E { f } order by ID"), all, database.kind);
    const nested = await transact(database, parseCqlQuery("SELECT from E { same { f } } order by ID"));
    assert.deepEqual((nested as { same: { f: number } }[]).map(({ same }) => same.f), all, database.kind);
    const columns = [{ ref: ["f"] }];
    const where = [{ ref: ["f"] }, "=", { val: Infinity }];
    const infinite = await transact(database, { SELECT: { from: { ref: ["E"] }, columns, where } });
    assert.deepEqual(infinite, [{ f: Infinity }, { f: Infinity }], database.kind);
  });
});

Deno.test("rows of entities without key are changed, deleted and reset on all engines (db/README)", async () => {
  await onAllEngines(async (database) => {
    const same = { text: "a", n: 1 };
    const where = [{ ref: ["n"] }, ">", { val: 2 }];
    await transact(database, insert("Marks", same, same, { text: "b", n: 2 }));
    const changed = await transact(database, insert("Marks", same), update("Marks", "n", "n + 1"));
    assert.equal(changed, 4, database.kind);
    assert.equal(await transact(database, { DELETE: { from: "Marks", where } }), 1, database.kind);
    const after = { text: "a", n: 2 };
    assert.deepEqual(await rows(database, "SELECT from Marks { text, n }"), [after, after, after]);
    const all = await transact(database, insert("Marks", same), { DELETE: { from: "Marks" } });
    assert.equal(all, 4, database.kind);
    await transact(database, insert("Marks", same));
    await database.reset(new Map([["Marks", [after]]]));
    assert.deepEqual(await rows(database, "SELECT from Marks { text, n }"), [after], database.kind);
  });
});

Deno.test("a row that is there is not lost to one that is added and deleted again (db/d1/README)", async () => {
  await onAllEngines(async (database) => {
    await transact(database, insert("E", { ID: 1, n: 1 }));
    const deletion: Query = { DELETE: { from: "E", where: [{ ref: ["ID"] }, "=", { val: 1 }] } };
    await assert.rejects(transact(database, insert("E", { ID: 1, n: 2 }), deletion), { status: 409 });
    assert.deepEqual(await rows(database, "SELECT from E { ID, n }"), [{ ID: 1, n: 1 }], database.kind);
    await transact(database, insert("E", { ID: 2 }), { DELETE: { from: "E" } });
    assert.deepEqual(await rows(database, "SELECT from E { ID }"), [], database.kind);
  });
});

/** Values of elements, and those that are read again; undefined: 400. */
const WRITTEN: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>> = {
  n: [[1.5, undefined], ["abc", undefined], ["12", 12], [2147483648, undefined], [-2147483648, -2147483648]],
  small: [[32768, undefined], [-32768, -32768]],
  byte: [[256, undefined], [-1, undefined], [255, 255]],
  large: [["9223372036854775808", undefined], ["9223372036854775807", "9223372036854775807"], [
    0.5,
    undefined,
  ]],
  d: [
    ...[[1.005, 1.01], [-1.005, -1.01], ["2.675", 2.68], [13.750000000000002, 13.75], [9.995, 10]] as const,
    ...[[-0.001, 0], ["-0.001", 0], [10, 10], [1e-9, 0], [9999999.99, 9999999.99]] as const,
    ...[[9999999.995, undefined], [10000000, undefined]] as const,
  ],
  plain: [[1.005, 1.005]],
  s: [[5, "5"], [1.5, "1.5"], [9007199254740993n, "9007199254740993"]],
};

Deno.test("numbers that handlers write are stored as declared, or refused, on all engines (db/README, Numbers that are written)", async () => {
  await onAllEngines(async (database) => {
    for (const [element, cases] of Object.entries(WRITTEN)) {
      for (const [value, stored] of cases) {
        const about = `${database.kind}: ${element} ${value}`;
        const written = transact(database, insert("Numbers", { ID: 1, [element]: value }));
        if (stored === undefined) {
          await assert.rejects(written, { status: 400, code: "ASSERT_DATA_TYPE", target: element }, about);
          continue;
        }
        await written;
        const found = await rows(database, `SELECT from Numbers { ${element} as x }`);
        assert.deepEqual(found, [{ x: stored }], about);
        await transact(database, { DELETE: { from: "Numbers" } });
      }
    }
  });
});

const CALCULATED_FROM = { ID: 1, n: 5, d: 10, f: 2.5, b: true, at: INSTANT, day: "2024-02-29" };
/** Expressions that elements of a row take their values from, and the values. */
const CALCULATED: readonly (readonly [element: string, expression: string, expected: unknown])[] = [
  ["n", "n * 1.5", 7],
  ["n", "n * -1.5", -7],
  ["n", "f", 2],
  ["n", "n / 2 + f", 4],
  ["n", "n + 1", 6],
  ["n", "null", null],
  ["d", "d / 3", 3.33],
  ["d", "d * 1.0005", 10.01],
  ["d", "f * 1.001", 2.5],
  ["d", "n", 5],
  ["d", "1.005", 1.01],
  ["plain", "d / 8", 1.25],
  ["scaled", "d * 1.0005", 10.01],
  ["f", "d / 8", 1.25],
  ["d", "coalesce(f, 0) / 3", 0.83],
  ["n", "coalesce(f, 0)", 2],
  ["n", "'12'", 12],
  ["n", "b", 1],
  ["b", "n > 4", true],
  ["b", "1", true],
  ["s", "d * 2", "20"],
  ["s", "b", "true"],
  ["s", "n", "5"],
  ["day", "at", "2024-02-29"],
  ["at", "day", "2024-02-29T00:00:00.000Z"],
  ["at", "'2024-12-01T10:00:00+02:00'", "2024-12-01T08:00:00.000Z"],
  ["byte", "255", 255],
  ["small", "-n - 32763", -32768],
  ["s", "'abcdefghijklmnopqrs' || '😀'", "abcdefghijklmnopqrs😀"],
];

/** Those that the elements cannot hold; literals are values as those of rows. */
const TOO_LARGE: readonly (readonly [element: string, expression: string, code?: string])[] = [
  ["n", "n * 1000000000"],
  ["n", "n + 2147483647.5"],
  ["small", "n + 32763"],
  ["byte", "n * 100"],
  ["byte", "-n"],
  ["large", "large * n"],
  ["d", "d * 1000000"],
  ["d", "9999999.99 + 0.005"],
  ["s", "s || s || s"],
  ["n", "99999999999", "ASSERT_DATA_TYPE"],
  ["n", "'abc'", "ASSERT_DATA_TYPE"],
  ["n", "'1e2'", "ASSERT_DATA_TYPE"],
  ["large", "'1e2'", "ASSERT_DATA_TYPE"],
  ["s", "'abcdefghijklmnopqrstu'", "ASSERT_DATA_TYPE"],
  ["day", "'2024-02-30'", "ASSERT_DATA_TYPE"],
  ["b", "'yes'", "ASSERT_DATA_TYPE"],
];

Deno.test("calculated values that elements cannot hold are refused on all engines (db/README, Numbers that are written)", async () => {
  await onAllEngines(async (database) => {
    const row = { ID: 1, n: 5, d: 10, s: "abcdefgh", large: "9223372036854775807" };
    await transact(database, insert("Numbers", row));
    for (const [element, expression, code = "VALUE_OUT_OF_RANGE"] of TOO_LARGE) {
      const about = `${database.kind}: ${element} = ${expression}`;
      const written = transact(database, update("Numbers", element, expression));
      await assert.rejects(written, { status: 400, code }, about);
    }
    assert.deepEqual(
      await rows(database, "SELECT from Numbers { ID, n, d, s, large }"),
      [row],
      database.kind,
    );
  });
});

Deno.test("rows of queries and stored elements have the digits that are declared on all engines (db/README, Numbers that are written)", async () => {
  await onAllEngines(async (database) => {
    await transact(database, insert("Numbers", { ID: 1, n: 5, d: 10.05, f: 2.345, at: INSTANT }));
    const from = parseCqlQuery(
      "SELECT from Numbers { ID + 1 as ID, d as n, f as d, d as s, at as day, f * 1.0 as plain }",
    );
    await transact(database, { INSERT: { into: "Numbers", from } } as Query);
    const found = await rows(database, "SELECT from Numbers { n, d, s, day, third, whole } order by ID");
    assert.deepEqual(found, [
      { n: 5, d: 10.05, s: null, day: null, third: 3.35, whole: 10 },
      { n: 10, d: 2.35, s: "10.05", day: "2024-02-29", third: 0.78, whole: 2 },
    ], database.kind);
    const large = parseCqlQuery("SELECT from Numbers { 3 as ID, n * 1000000000 as n }");
    await assert.rejects(
      transact(database, { INSERT: { into: "Numbers", from: large } } as Query),
      { status: 400, code: "VALUE_OUT_OF_RANGE" },
      database.kind,
    );
  });
});

Deno.test("calculated values have the digits of the elements that take them on all engines (db/README, Numbers that are written)", async () => {
  await onAllEngines(async (database) => {
    for (const [element, expression, expected] of CALCULATED) {
      await transact(database, insert("Numbers", { ...CALCULATED_FROM }));
      await transact(database, update("Numbers", element, expression));
      const found = await rows(database, `SELECT from Numbers { ${element} as x }`);
      assert.deepEqual(found, [{ x: expected }], `${database.kind}: ${element} = ${expression}`);
      await transact(database, { DELETE: { from: "Numbers" } });
    }
  });
});

Deno.test("an association with the name of its table means other rows than those that are changed, on all engines", async () => {
  const model = linkModel(parseCdl("entity E { key ID : Integer; n : Integer; E : Association to E; }"));
  const E = [{ ID: 1, n: 1 }, { ID: 2, n: 2, E_ID: 1 }, { ID: 3, n: 3, E_ID: 2 }];
  for (const database of await createAllEngines(model)) {
    try {
      await database.deploy(new Map([["E", E]]));
      await transact(database, { DELETE: { from: "E", where: parseExpression("exists E[n = 1]") } });
      assert.deepEqual(
        await rows(database, "SELECT from E { ID } order by ID"),
        [{ ID: 1 }, { ID: 3 }],
        database.kind,
      );
    } finally {
      await database.close();
    }
  }
});

Deno.test("a part that its table refuses takes the change of its whole with it on all engines (csn-cqn 5)", async () => {
  await onAllEngines(async (database) => {
    const items = [{ pos: 1, text: "a" }, { pos: 2, text: "b" }];
    await transact(database, insert("Lists", { ID: 1, name: "old", items }));
    const data = { name: "new", items: [{ pos: 1, text: "c" }, { pos: 2, text: null }] };
    const change: Query = { UPDATE: { entity: "Lists", where: parseExpression("ID = 1"), data } };
    await assert.rejects(transact(database, change), { status: 400 }, database.kind);
    const kept = await rows(database, "SELECT from Lists { name, items { pos, text } }");
    assert.deepEqual(kept, [{ name: "old", items }], database.kind);
  });
});

Deno.test("a query that fails takes nothing from those before and behind it (db/README)", async () => {
  await onAllEngines(async (database) => {
    if (database.kind === "postgres") return; // where it can only be rolled back
    const items = [{ pos: 1, text: "a" }];
    const data = { name: "new", items: [{ pos: 1, text: "b" }, { pos: 2, text: null }] };
    const change: Query = { UPDATE: { entity: "Lists", where: parseExpression("ID = 1"), data } };
    const tx = database.begin(new EventContext());
    for (const ID of [1, 2, 3]) {
      await tx.run(insert("Lists", { ID, name: "old", items }));
      await assert.rejects(async () => await tx.run(change), { status: 400 }, database.kind);
    }
    await tx.commit();
    const kept = await rows(database, "SELECT from Lists { ID, name, items { pos, text } } order by ID");
    assert.deepEqual(kept, [1, 2, 3].map((ID) => ({ ID, name: "old", items })), database.kind);
  });
});
