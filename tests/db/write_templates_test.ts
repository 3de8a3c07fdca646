import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { EntityRef, Query, Row, Xo } from "../../src/cqn/cqn.ts";
import { selectRows } from "../../src/db/write/write_condition.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key a : Integer; key b : String; c : Integer; }
  entity D { key day : Date; c : Integer; }
  entity Some as select from E where a = 1;
  entity OfSome as projection on Some;
  entity All as projection on E { a, b as name, c };
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
    // a query in place of the entity, as restrictions of views are
    (where) => ({ ref: { ref: [{ id: "E", query: { SELECT: { from: { ref: ["E"] }, where } } }] } }),
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

/** Views, and the keys of the rows that they show. */
const VIEWS: Readonly<Record<string, readonly string[]>> = {
  ...{ Some: ["1x", "1y"], OfSome: ["1x", "1y"], All: ["1x", "1y", "2x", "2y"] },
};

Deno.test("an UPDATE or DELETE of a view reaches the rows that it shows, and no others, on all engines (csn-cqn 5)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      for (const [view, shown] of Object.entries(VIEWS)) {
        for (const where of [undefined, [{ ref: ["c"] }, "=", { val: 0 }]]) {
          const changed = await written(database, { UPDATE: { entity: view, data: { c: 7 }, where } });
          assert.deepEqual(changed.filter(({ c }) => c === 7).map(keyOf), shown, view);
          const left = await written(database, { DELETE: { from: view, where } });
          assert.deepEqual(left.map(keyOf), ROWS.map(keyOf).filter((key) => !shown.includes(key)), view);
        }
      }
    } finally {
      await database.close();
    }
  }
});

Deno.test("what an UPDATE or DELETE addresses is lowered once for all that are alike, with values as parameters; written forms of an entity do not matter", () => {
  const keys = [A, "=", { val: 1 }, "and", B, "=", { val: "x" }] as const;
  const others = [A, "=", { val: 2 }, "and", B, "=", { val: "y" }] as const;
  const first = selectRows({ model: MODEL }, { ref: "E", where: keys }, { p: 1 });
  for (
    const addressed of [{ ref: "E", where: others }, { ref: { ref: ["E"] }, where: others }, {
      ref: { ref: [{ id: "E", where: others }] },
    }]
  ) {
    const second = selectRows({ model: MODEL }, addressed, {});
    assert.equal(second.selection, first.selection);
    assert.deepEqual(second.params, { $w0: 2, $w1: "y" });
  }
  assert.ok(Object.isFrozen(first.selection.where));
  assert.deepEqual(first.params, { p: 1, $w0: 1, $w1: "x" });
  const range = (a: number) => ({
    ref: "E",
    where: [A, ">", { val: a }, "or", A, "in", { list: [{ val: a }] }],
  });
  const [low, high] = [1, 2].map((a) => selectRows({ model: MODEL }, range(a), {}));
  assert.equal(low!.selection, high!.selection);
  const isNull = (val: null | number) =>
    selectRows({ model: MODEL }, { ref: "E", where: [A, "=", { val }] }, {}).selection;
  assert.notEqual(isNull(null), isNull(1));
});

Deno.test("values that an element cannot have are refused in conditions of writes, also where there are no rows, on all engines (behaviours 3)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      for (const where of [[{ ref: ["day"] }, "=", { val: "no day" }], [{ ref: ["c"] }, "=", { val: "x" }]]) {
        for (
          const query of [{ DELETE: { from: "D", where } }, {
            UPDATE: { entity: "D", data: { c: 1 }, where },
          }]
        ) {
          const tx = database.begin(new EventContext());
          await assert.rejects(async () => await tx.run(query), { status: 400 }, JSON.stringify(query));
          await tx.rollback();
        }
      }
    } finally {
      await database.close();
    }
  }
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
