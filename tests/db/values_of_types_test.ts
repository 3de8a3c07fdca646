/**
 * Values that are none of the type of an element, where they are written and where it is compared with them, on all
 * engines: PostgreSQL refuses them itself, SQLite takes any.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, QueryParams, Scalar, Xo } from "../../src/cqn/cqn.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { createAllEngines } from "./all_engines.ts";
import { startD1 } from "./miniflare.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; n : Integer; large : Int64; d : Decimal(9,2); f : Double; s : String(5); u : UUID;
    b : Boolean; day : Date; at : Timestamp; second : DateTime; time : Time; bytes : Binary(10); }`));
const ROW = {
  ...{ ID: 1, n: 5, large: 7, d: 2.5, f: 0.5, s: "12", u: "u", b: true, day: "2024-02-29", time: "12:34:56" },
  ...{ at: "2024-02-29T12:34:56.789Z", second: "2024-02-29T12:34:56Z" },
};
const REFUSED = { status: 400, code: "ASSERT_DATA_TYPE" };
const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());

async function onAllEngines(run: (database: Database) => Promise<void>): Promise<void> {
  const d1 = await d1Database(await server.take())({ model: MODEL, options: {} });
  for (const database of [...await createAllEngines(MODEL), d1]) {
    try {
      await database.deploy(new Map([["E", [ROW]]]));
      await run(database);
    } finally {
      await database.close();
    }
  }
}

async function transact(database: Database, query: Query, params: QueryParams = {}): Promise<unknown> {
  const tx = database.begin(new EventContext());
  try {
    return await tx.run(query, params);
  } finally {
    await tx.rollback();
  }
}

/** Values that elements do not take; bytes are no texts that a query compares. */
const UNFIT: Readonly<Record<string, readonly unknown[]>> = {
  n: ["abc", "", "1.5", " 1", "99999999999"],
  large: ["9223372036854775808", "x"],
  d: ["abc", "", "1,5"],
  f: ["abc", "Infinity", ""],
  b: ["yes", 2, ""],
  day: ["abc", "", "2024-02-30", "0000-01-01", "10000-01-01", "20240229", 5, true],
  at: [
    "abc",
    "2024-02-30T00:00:00Z",
    "2024-02-29T24:00:00Z",
    "2024-02-29T12:60:00Z",
    "now",
    "infinity",
    1e12,
  ],
  second: ["abc", "2024-13-01T00:00:00Z", 0],
  time: ["abc", "24:00:00", "12:60:00", 12],
};
/** and those that only writes refuse: they are just not equal to any value. */
const TOO_LARGE: Readonly<Record<string, readonly unknown[]>> = {
  s: ["123456", "😀".repeat(6), 123456],
  u: ["x".repeat(37)],
  d: [NaN, Infinity],
  bytes: ["!", "A", 5, true],
};

Deno.test("what is no value of the type of an element is refused where it is written, on all engines (db/README, Values)", () =>
  onAllEngines(async (database) => {
    for (const cases of [UNFIT, TOO_LARGE]) {
      for (const [element, values] of Object.entries(cases)) {
        for (const value of values as readonly Scalar[]) {
          const about = `${database.kind}: ${element} = ${value}`;
          const entries = [{ ID: 2, [element]: value }];
          const refused = { ...REFUSED, target: element };
          await assert.rejects(transact(database, { INSERT: { into: "E", entries } }), refused, about);
          const update = { UPDATE: { entity: "E", data: { [element]: value } } };
          await assert.rejects(transact(database, update), refused, about);
        }
      }
    }
  }));

const COUNT = [{ func: "count", args: ["*"] as const, as: "n" }];

/** The number of rows that meet a condition. */
async function found(database: Database, where: Xo[], params: QueryParams = {}): Promise<number> {
  const query = { SELECT: { from: { ref: ["E"] }, columns: COUNT, where } };
  const [{ n }] = await transact(database, query, params) as { n: number }[];
  return n;
}

/** Conditions that hold a value, and its parameters. */
function conditions(element: string, val: Scalar): (readonly [Xo[], QueryParams?])[] {
  const ref = { ref: [element] };
  const parameter = { ref: ["p"], param: true };
  return [
    [[ref, "=", { val }]],
    [[{ val }, "!=", ref]],
    [[ref, "in", { list: [{ val: null }, { val }] }]],
    [[ref, "between", { val }, "and", { val }]],
    [["case", ref, "when", { val }, "then", { val: 1 }, "end", "=", { val: 1 }]],
    [[ref, ">=", parameter], { p: val }],
    [[ref, "in", parameter], { p: [val] }],
    [[ref, "in", { val: [val] as unknown as Scalar }]],
  ];
}

Deno.test("an element is compared with values of its type only, on all engines (db/README, Values)", () =>
  onAllEngines(async (database) => {
    for (const [element, values] of Object.entries(UNFIT)) {
      for (const value of values as readonly Scalar[]) {
        for (const [where, params] of conditions(element, value)) {
          const about = `${database.kind}: ${element}, ${value}: ${JSON.stringify(where)}`;
          await assert.rejects(found(database, where, params), REFUSED, about);
        }
      }
    }
  }));

/** Values that stand for the one of the row. */
const SAME: Readonly<Record<string, readonly unknown[]>> = {
  n: [5, "5", 5n, "+5"],
  large: ["7", 7],
  d: ["2.50", 2.5, "25e-1"],
  f: ["0.5"],
  s: [12, "12", 12n],
  b: [1, "TRUE", true],
  day: [new Date("2024-02-29T23:00:00Z"), "2024-02-29T12:00:00Z"],
  at: [new Date("2024-02-29T12:34:56.789Z"), "2024-02-29T13:34:56.7891+01:00"],
  second: ["2024-02-29 12:34:56", new Date("2024-02-29T12:34:56.789Z")],
  time: ["12:34:56.5"],
};
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  n: [5.5, 99999999999, 1e30, true],
  large: [1e30, 7.5],
  d: [2.504, 1e20],
  f: ["INF", "-INF", NaN],
  s: ["123456789", true, 12.5],
  u: [5, true, "x".repeat(50)],
};

Deno.test("a value is compared in the form of the element, whatever its own, on all engines (db/README, Values)", () =>
  onAllEngines(async (database) => {
    for (const [cases, expected] of [[SAME, 1], [OTHERS, 0]] as const) {
      for (const [element, values] of Object.entries(cases)) {
        for (const value of values as readonly Scalar[]) {
          const about = `${database.kind}: ${element} = ${value}`;
          const parameter = { ref: ["p"], param: true };
          assert.equal(await found(database, [{ ref: [element] }, "=", { val: value }]), expected, about);
          const given = await found(database, [parameter, "=", { ref: [element] }], { p: value });
          assert.equal(given, expected, `${about} as parameter`);
          const listed = await found(database, [{ ref: [element] }, "in", parameter], { p: [value] });
          assert.equal(listed, expected, `${about} in a list`);
        }
      }
    }
  }));
