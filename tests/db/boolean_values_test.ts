import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, Xo } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`entity E { key ID : Integer; b : Boolean; n : Integer; }`));

/** Those with odd keys are true. */
const FORMS: readonly unknown[] = [true, false, 1, 0, "true", "false", "1", "0", "TRUE", "False"];

Deno.test("each form of a truth value that handlers write is stored as that truth value on all engines (db/README, Truth values)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      const tx = database.begin(new EventContext());
      const entries = FORMS.map((b, index) => ({ ID: index + 1, b, n: index % 2 }));
      await tx.run({ INSERT: { into: "E", entries: entries as Row[] } });
      const columns = [{ ref: ["ID"] }];
      const idsOf = async (where: Xo[]) => {
        const query = { SELECT: { from: { ref: ["E"] }, columns, where, orderBy: columns } };
        return (await tx.run(query) as Row[]).map(({ ID }) => ID as number);
      };
      const all = await tx.run({ SELECT: { from: { ref: ["E"] }, orderBy: columns } }) as Row[];
      assert.deepEqual(all.map(({ b }) => b), FORMS.map((_, index) => index % 2 === 0));

      const odd = [1, 3, 5, 7, 9];
      const b = { ref: ["b"] };
      for (const val of [true, 1, "true", "1"]) {
        for (
          const where of [
            [b, "=", { val }],
            [{ val }, "==", b],
            [b, "in", { list: [{ val }] }],
            ["not", { xpr: [b, "!=", { val }] }],
            [b, "=", { val }, "and", { ref: ["n"] }, "=", { val: 0 }],
          ] as Xo[][]
        ) assert.deepEqual(await idsOf(where), odd, JSON.stringify(where));
      }
      for (const val of [false, 0, "false", "0"]) {
        assert.deepEqual(await idsOf([b, "<>", { val }]), odd, String(val));
      }

      await tx.run({ UPDATE: { entity: "E", data: { b: "false" } } });
      assert.deepEqual(await idsOf([b, "=", { val: true }]), []);
      for (const value of ["yes", 2, {}]) {
        await assert.rejects(
          async () => await tx.run({ UPDATE: { entity: "E", data: { b: value as string } } }),
          { code: "ASSERT_DATA_TYPE", status: 400, target: "b" },
        );
      }
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

/** What aggregates and windows give for true, false and null in this order. */
const AGGREGATES: Readonly<Record<string, unknown>> = {
  ...{ "count(b)": 2, "count(distinct b)": 2, "sum(b)": 1, "avg(b)": 0.5, "max(b)": true, "min(b)": false },
  ...{ "max(b = true)": true, "sum(null)": null },
};
const WINDOWS: Readonly<Record<string, readonly unknown[]>> = {
  "first_value(b) over (order by ID)": [true, true, true],
  "lag(b) over (order by ID)": [null, true, false],
  "max(b) over (order by ID desc)": [true, false, null],
};

Deno.test("aggregates and windows give truth values, or count them as 1 and 0, on all engines (db/README, Choices)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      const tx = database.begin(new EventContext());
      const entries = [true, false, null].map((b, index) => ({ ID: index + 1, b }));
      await tx.run({ INSERT: { into: "E", entries } });
      const valuesOf = async (column: string, rest = "") =>
        (await tx.run(parseCqlQuery(`SELECT from E { ${column} as v } ${rest}`)) as Row[]).map(({ v }) => v);
      for (const [column, expected] of Object.entries(AGGREGATES)) {
        assert.deepEqual(await valuesOf(column), [expected], `${database.kind}: ${column}`);
      }
      for (const [column, expected] of Object.entries(WINDOWS)) {
        assert.deepEqual(await valuesOf(column, "order by ID"), expected, `${database.kind}: ${column}`);
      }
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});
