/**
 * Conditions of queries that compare elements with values of other types, and sums of what is no number, on all engines.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { DELETE } from "../../src/cqn/builders/delete.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { UPDATE } from "../../src/cqn/builders/update.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; n : Integer; large : Int64; d : Decimal(9,2); f : Double; s : String(40); b : Boolean;
    day : Date; at : Timestamp; second : DateTime; time : Time; bin : Binary(10); to : Association to E; }`));

type Outcome = readonly [status: unknown, code: unknown, target: unknown, args: unknown] | readonly unknown[];

/** What a query gives on each engine: rows, or what it is refused with. */
async function onAllEngines(query: Query, expected: Outcome): Promise<void> {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map([["E", [{ ID: 1, n: 5, s: "5", b: true }]]]));
      const tx = database.begin(new EventContext());
      try {
        const found = await (async () => await tx.run(query))().then(
          (rows) => rows as readonly unknown[],
          ({ status, code, target, args }) => [status, code, target, args],
        );
        assert.deepEqual(JSON.parse(JSON.stringify(found)), expected, `${database.kind}: ${query}`);
      } finally {
        await tx.rollback();
      }
    } finally {
      await database.close();
    }
  }
}

const WRONG: Readonly<Record<string, readonly [value: unknown, type: string]>> = {
  n: ["abc", "Integer"],
  large: ["", "Int64"],
  d: ["1,5", "Decimal"],
  f: ["one", "Double"],
  b: ["yes", "Boolean"],
  day: [20240101, "Date"],
  at: ["12:00:00", "Timestamp"],
  second: [true, "DateTime"],
  time: ["noon", "Time"],
  bin: [5, "Binary"],
};

Deno.test("a comparison with a value of another type is 400 with the name of the element, on all engines (api 8)", async () => {
  for (const [name, [value, type]] of Object.entries(WRONG)) {
    const refused = [400, "ASSERT_DATA_TYPE", name, [String(value), type]];
    await onAllEngines(SELECT.from("E").where({ [name]: value }), refused);
  }
  const refused = [400, "ASSERT_DATA_TYPE", "n", ["abc", "Integer"]];
  await onAllEngines(SELECT.from("E").where({ n: [5, "abc"] }), refused);
  await onAllEngines(SELECT.from("E").where({ n: { between: 1, and: "abc" } }), refused);
  await onAllEngines(SELECT.from("E").where({ "to.n": "abc" }), refused);
  await onAllEngines(SELECT.from("E").where`exists to[n = 'abc']`, refused);
  await onAllEngines(UPDATE("E").set({ s: "x" }).where({ n: "abc" }), refused);
  await onAllEngines(DELETE.from("E").where({ n: "abc" }), refused);
});

Deno.test("values that convert to the type of the element are compared, on all engines (behaviours 2)", async () => {
  for (const where of [{ n: "5" }, { s: 5 }, { b: "true" }, { n: 5n }]) {
    await onAllEngines(SELECT.from("E").where(where).columns("ID"), [{ ID: 1 }]);
  }
});

Deno.test("sum(null) is null, and what is no number has no sum, on all engines", async () => {
  await onAllEngines(parseCqlQuery("SELECT from E { sum(null) as x, avg(null) as y }"), [{
    x: null,
    y: null,
  }]);
  for (const name of ["s", "day", "at", "to.s"]) {
    for (const sum of ["sum", "avg"]) {
      const refused = [400, "ASSERT_DATA_TYPE", name, [name, "Number"]];
      await onAllEngines(parseCqlQuery(`SELECT from E { ${sum}(${name}) as x }`), refused);
    }
  }
});
