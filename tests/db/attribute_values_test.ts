import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, Xo } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import type { Database } from "../../src/service/database.ts";
import { deepFreeze } from "../../src/util/deep_freeze.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`entity E { key ID : Integer; b : String; n : Integer; c : Integer; }`));
const ROWS: readonly Row[] = [
  { ID: 1, b: "x", n: 1, c: 0 },
  { ID: 2, b: "y", n: 2, c: 0 },
  { ID: 3, b: null, n: null, c: 0 },
];

/** Values of the attribute, and the rows that have one of them and none of them. */
const VALUES: readonly (readonly [value: unknown, some: readonly number[], none: readonly number[]])[] = [
  ["x", [1], [2]],
  [["x"], [1], [2]],
  [["x", "y"], [1, 2], []],
  ["x", [1], [2]],
  ["z", [], [1, 2]],
  [["x", "z"], [1], [2]],
  [[], [], [1, 2, 3]],
  [undefined, [], [1, 2, 3]],
];

const attribute = { ref: ["$user", "attr"] };
const CONDITIONS: readonly (readonly [where: readonly Xo[], isNegated: boolean])[] = [
  [deepFreeze([{ ref: ["b"] }, "=", attribute]), false],
  [deepFreeze([attribute, "=", { ref: ["b"] }]), false],
  [deepFreeze([{ ref: ["b"] }, "in", { list: [attribute] }]), false],
  [deepFreeze([{ ref: ["b"] }, "<>", attribute]), true],
  [deepFreeze([{ ref: ["b"] }, "not", "in", { list: [attribute] }]), true],
];

Deno.test("a comparison with an attribute means any of its values, however many there are, in reads and writes on all engines (auth 7)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map([["E", ROWS]]));
      for (const [where, isNegated] of CONDITIONS) {
        const [select, update] = [
          deepFreeze({ SELECT: { from: { ref: ["E"] }, columns: [{ ref: ["ID"] }], where } }),
          { UPDATE: { entity: "E", where, data: { c: 1 } } },
        ];
        for (const [value, some, none] of VALUES) {
          const expected = isNegated ? none : some;
          const told = `${database.kind}: ${JSON.stringify([where, value])}`;
          const found = await inTransaction(database, value, (tx) => tx.run(select)) as Row[];
          assert.deepEqual(found.map(({ ID }) => ID).sort(), expected, told);
          assert.equal(await inTransaction(database, value, (tx) => tx.run(update)), expected.length, told);
        }
      }
    } finally {
      await database.close();
    }
  }
});

Deno.test("a value that no whole number is equal to is none of those of an element of whole numbers", async () => {
  const where = deepFreeze([{ ref: ["n"] }, "=", attribute]);
  const select = deepFreeze({ SELECT: { from: { ref: ["E"] }, columns: [{ ref: ["ID"] }], where } });
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map([["E", ROWS]]));
      for (const [value, expected] of [[2, [2]], [1.5, []], ["1", [1]], [[1, 1.5], [1]]] as const) {
        const found = await inTransaction(database, value, (tx) => tx.run(select)) as Row[];
        assert.deepEqual(found.map(({ ID }) => ID), expected, `${database.kind}: ${value}`);
      }
    } finally {
      await database.close();
    }
  }
});

async function inTransaction<T>(
  database: Database,
  value: unknown,
  run: (tx: ReturnType<Database["begin"]>) => T,
): Promise<Awaited<T>> {
  const tx = database.begin(new EventContext({ user: { id: "u", attr: { attr: value } } }));
  const result = await run(tx);
  await tx.commit();
  return result;
}
