/**
 * Casts, and values of different types of which one is chosen, on all engines.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { createAllEngines } from "./all_engines.ts";
import { startD1 } from "./miniflare.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; n : Integer; large : Int64; d : Decimal(9,2); f : Double; s : String(40); t : String(40);
    b : Boolean; day : Date; at : Timestamp; second : DateTime; time : Time; }`));
/** Of the second row all values are null. */
const ROWS: Row[] = [{
  ...{ ID: 1, n: 5, large: "9007199254740993", d: -2.5, f: 0.5, s: "x", t: "12", b: true, day: "2024-02-29" },
  ...{ at: "2024-02-29T12:34:56.789Z", second: "2024-02-29T12:34:56Z", time: "12:34:56" },
}, { ID: 2 }];
const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

async function onAllEngines(run: (database: Database) => Promise<void>): Promise<void> {
  const d1 = await d1Database(await server.take())({ model: MODEL, options: {} });
  for (const database of [...await createAllEngines(MODEL), d1]) {
    try {
      await database.deploy(new Map([["E", ROWS]]));
      await run(database);
    } finally {
      await database.close();
    }
  }
}

async function read(database: Database, text: string): Promise<Row[]> {
  const tx = database.begin(new EventContext());
  try {
    return await tx.run(parseCqlQuery(text)) as Row[];
  } finally {
    await tx.rollback();
  }
}

/** Values of the first row; a second one is that of the row without values, where it is not null. */
async function assertValues(database: Database, results: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [column, expected] of Object.entries(results)) {
    const rows = await read(database, `SELECT from E { ${column} as x } order by ID`);
    const [first, second = null] = Array.isArray(expected) ? expected : [expected];
    assert.deepEqual(rows.map(({ x }) => x), [first, second], `${database.kind}: ${column}`);
  }
}

const INSTANT = "2024-02-29T12:34:56.789Z";
const CASTS: Readonly<Record<string, unknown>> = {
  "cast(at as Date)": "2024-02-29",
  "cast(at as Time)": "12:34:56",
  "cast(at as DateTime)": "2024-02-29T12:34:56Z",
  "cast(at as Timestamp)": INSTANT,
  "cast(at as Integer)": null,
  "cast(at as Decimal)": null,
  "cast(at as Boolean)": null,
  "cast(second as Timestamp)": "2024-02-29T12:34:56.000Z",
  "cast(second as Date)": "2024-02-29",
  "cast(second as Time)": "12:34:56",
  "cast(day as Timestamp)": "2024-02-29T00:00:00.000Z",
  "cast(day as DateTime)": "2024-02-29T00:00:00Z",
  "cast(day as Time)": null,
  "cast(time as Timestamp)": null,
  "cast(n as Date)": null,
  "cast(cast(at as Date) as Timestamp)": "2024-02-29T00:00:00.000Z",
  "cast('2024-02-29' as Date)": ["2024-02-29", "2024-02-29"],
  "cast('2024-02-30' as Date)": null,
  "cast('2024-02-29T12:00:00.5+01:00' as Timestamp)": [
    "2024-02-29T11:00:00.500Z",
    "2024-02-29T11:00:00.500Z",
  ],
  "cast('12:00' as Time)": ["12:00:00", "12:00:00"],
  "cast('x' as Boolean)": null,
  "cast('1' as Boolean)": [true, true],
  "cast('abc' as Integer)": null,
  "cast('12' as Integer)": [12, 12],
  "cast('1.50' as Decimal)": [1.5, 1.5],
  "cast(n as Boolean)": true,
  "cast(d as Boolean)": true,
  "cast(b as Decimal)": 1,
  "cast(b as Integer)": 1,
  "cast(b as UInt8)": 1,
  "cast(b as Int64)": 1,
  "cast(b as Double)": 1,
  "cast(n > 1 as Int64)": 1,
  "cast(99999 as Int16)": null,
  "cast(300 as UInt8)": null,
  "cast(-1 as UInt8)": null,
  "cast(large as Integer)": null,
  "cast(large as Int64)": "9007199254740993",
  "cast(large as Double)": 9007199254740992,
  "cast(1e20 as Int64)": null,
  "cast(d as Integer)": -2,
};
/** Platforms without regular expressions do not tell which texts are values. */
const CASTS_OF_TEXTS: Readonly<Record<string, unknown>> = {
  "cast(s as Integer)": null,
  "cast(t as Integer)": 12,
  "cast(t as Int64)": 12,
  "cast(t as Decimal)": 12,
  "cast(s as Double)": null,
  "cast(s as Date)": null,
  "cast(s as Timestamp)": null,
  "cast(day || 'T12:00:00Z' as DateTime)": "2024-02-29T12:00:00Z",
  "cast(cast(at as String) as Timestamp)": INSTANT,
  "cast(cast(day as String) as Date)": "2024-02-29",
};

Deno.test("casts give null for what the other type does not have, on all engines (db/README, Casts)", () =>
  onAllEngines(async (database) => {
    await assertValues(database, CASTS);
    if (database.kind !== "d1") return await assertValues(database, CASTS_OF_TEXTS);
    for (const column of Object.keys(CASTS_OF_TEXTS)) {
      await assert.rejects(read(database, `SELECT from E { ${column} as x }`), { status: 501 }, column);
    }
  }));

const CHOSEN: Readonly<Record<string, unknown>> = {
  "coalesce(b, false)": [true, false],
  "coalesce(b, 0)": [true, false],
  "ifnull(b, 'x')": ["true", "x"],
  "coalesce(n, 'x')": ["5", "x"],
  "coalesce(n, '7')": [5, 7],
  "coalesce(s, 1.50)": ["x", "1.5"],
  "coalesce(s, n)": "x",
  "coalesce(n, s)": "5",
  "coalesce(d, 'x')": ["-2.5", "x"],
  "coalesce(n, d, 0.5)": [5, 0.5],
  "coalesce(day, at)": "2024-02-29T00:00:00.000Z",
  "coalesce(second, at)": "2024-02-29T12:34:56.000Z",
  "coalesce(at, '2024-01-01T00:00:00Z')": [INSTANT, "2024-01-01T00:00:00.000Z"],
  "coalesce(day, 'x')": ["2024-02-29", "x"],
  "coalesce(null, 'x')": ["x", "x"],
  "case when n = 5 then 'a' else 1 end": ["a", "1"],
  "case when n = 5 then b end": true,
  "case when n = 5 then true else false end": [true, false],
  "case when n = 5 then n else s end": "5",
  "case when n = 5 then at else day end": INSTANT,
  "case b when 1 then 1 else 0 end": [1, 0],
  "nullif(b, 1)": null,
  "nullif(n, '5')": null,
  "nullif(s, 5)": "x",
  "nullif(day, '2024-02-29T10:00:00Z')": null,
  "max(b, false)": true,
  "toupper(coalesce(d, 'x'))": ["-2.5", "X"],
  "cast(cast('2024-02-29' as Timestamp) as String)": ["2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"],
  "cast(cast(n as Boolean) as String)": "true",
  "nullif(b, false) = 1": true,
  "case when n = 5 then b else null end <> 'false'": true,
  "coalesce(b, false) = '0' and n is null": [false, true],
};

Deno.test("values of which one is chosen have one type on all engines (db/README, Choices)", () =>
  onAllEngines((database) => assertValues(database, CHOSEN)));

Deno.test("aggregates of truth values are those of numbers, extremes have their type, on all engines (db/README, Choices)", () =>
  onAllEngines(async (database) => {
    const found = await read(
      database,
      "SELECT from E { max(b) as most, min(b) as least, sum(b) as sum, avg(b) as avg, max(contains(s, 'y')) as y, " +
        "max(second) as second, min(at) as at, max(day) as day }",
    );
    assert.deepEqual(found, [{
      ...{ most: true, least: true, sum: 1, avg: 1, y: false, day: "2024-02-29" },
      ...{ second: "2024-02-29T12:34:56Z", at: INSTANT },
    }], database.kind);
  }));

Deno.test("days, seconds and instants are compared as instants on all engines (db/README, Time)", () =>
  onAllEngines(async (database) => {
    const conditions = {
      ...{ "second <= at": 1, "second = at": 0, "at > second": 1, "at < second": 0 },
      ...{ "day < at": 1, "day = at": 0, "day <= second": 1, "second > day": 1 },
      ...{ "cast(at as DateTime) = second": 1, "cast(at as Date) = day": 1 },
    };
    for (const [condition, expected] of Object.entries(conditions)) {
      const rows = await read(database, `SELECT from E { ID } where ${condition}`);
      assert.equal(rows.length, expected, `${database.kind}: ${condition}`);
    }
  }));
