import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { EntityRef, Query, Row, Xo } from "../../src/cqn/cqn.ts";
import { withKeyTemplate } from "../../src/db/write/key_template.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key a : Integer; key b : String; c : Integer; }
  entity D { key day : Date; c : Integer; }
`));
const A = { ref: ["a"] };
const B = { ref: ["b"] };
const ROWS: readonly Row[] = [1, 2].flatMap((a) => ["x", "y"].map((b) => ({ a, b, c: 0 })));

/** Conditions, and the keys of the rows that they mean. */
const CONDITIONS: readonly (readonly [where: readonly Xo[], found: readonly string[]])[] = [
  [[A, "=", { val: 1 }, "and", B, "=", { val: "x" }], ["1x"]],
  [[B, "=", { val: "y" }, "and", A, "=", { val: 2 }], ["2y"]],
  [[A, "=", { val: 1 }], ["1x", "1y"]],
  [[A, "=", { val: 1 }, "and", A, "=", { val: 2 }], []],
  [[A, "=", { val: 1 }, "or", B, "=", { val: "x" }], ["1x", "1y", "2x"]],
  [[A, "=", { val: 1 }, "and", B, "=", { val: null }], []],
  [[A, "=", { val: 1 }, "and", B, "=", B], ["1x", "1y"]],
  [[A, ">", { val: 1 }, "and", B, "=", { val: "x" }], ["2x"]],
  [[A, "=", { val: 1 }, "and", B, "=", { val: "X" }], []],
];

const FORMS:
  readonly ((where: readonly Xo[]) => { readonly ref: EntityRef; readonly where?: readonly Xo[] })[] = [
    (where) => ({ ref: "E", where }),
    (where) => ({ ref: { ref: ["E"] }, where }),
    (where) => ({ ref: { ref: [{ id: "E", where }] } }),
  ];

Deno.test("an UPDATE or DELETE means the same rows however they are addressed by key, on all engines (csn-cqn 3)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      for (const [where, found] of CONDITIONS) {
        for (const form of FORMS) {
          const { ref, where: rest } = form(where);
          const condition = rest && { where: rest };
          const update: Query = { UPDATE: { entity: ref, data: { c: 7 }, ...condition } };
          const changed = await written(database, update);
          assert.deepEqual(changed.filter(({ c }) => c === 7).map(keyOf), found, JSON.stringify(update));
          const left = await written(database, { DELETE: { from: ref, ...condition } });
          const gone = ROWS.map(keyOf).filter((key) => !left.map(keyOf).includes(key));
          assert.deepEqual(gone, found, JSON.stringify(where));
        }
      }
    } finally {
      await database.close();
    }
  }
});

Deno.test("withKeyTemplate() gives one frozen condition for each entity, and values as parameters; others stay as they are", () => {
  const keys = [A, "=", { val: 1 }, "and", B, "=", { val: "x" }] as const;
  const first = withKeyTemplate(MODEL, { ref: "E", where: keys, params: { p: 1 } });
  const where = [B, "=", { val: "y" }, "and", A, "=", { val: 2 }] as const;
  const second = withKeyTemplate(MODEL, { ref: { ref: [{ id: "E", where }] }, where: undefined, params: {} });
  assert.equal(first.where, second.where);
  assert.ok(Object.isFrozen(first.where));
  assert.deepEqual([first.ref, first.params], ["E", { p: 1, $key0: 1, $key1: "x" }]);
  assert.deepEqual(second.params, { $key0: 2, $key1: "y" });
  const day = {
    ref: "D",
    where: [{ ref: ["day"] }, "=", { val: "2024-02-29T00:00:00Z" }],
    params: {},
  } as const;
  assert.equal(withKeyTemplate(MODEL, day), day);
});

/** The rows behind a write, which is undone. */
async function written(
  database: Awaited<ReturnType<typeof createAllEngines>>[number],
  query: Query,
): Promise<Row[]> {
  const tx = database.begin(new EventContext());
  await tx.run({ INSERT: { into: "E", entries: ROWS.map((row) => ({ ...row })) } });
  await tx.run(query);
  const orderBy = [A, B];
  const rows = await tx.run({ SELECT: { from: { ref: ["E"] }, orderBy } }) as Row[];
  await tx.rollback();
  return [...rows];
}

function keyOf({ a, b }: Row): string {
  return `${a}${b}`;
}
