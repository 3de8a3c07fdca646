import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { DeleteQuery, Row } from "../../src/cqn/cqn.ts";
import { deleteRows } from "../../src/db/write/delete.ts";
import type { WriteStatement } from "../../src/db/write/statement_runner.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity Orders { key ID : Integer; items : Composition of many Items on items.order = $self;
    notes : Composition of many Notes on notes.order = ID;
    hints : Composition of many Hints on hints.order = $self and hints.kind = 'x'; }
  entity Items { key order : Association to Orders; key pos : Integer; parts : Composition of many Parts on parts.item = $self; }
  entity Parts { key item : Association to Items; key no : Integer; }
  entity Hints { key order : Association to Orders; key kind : String(1); }
  entity Notes { key ID : Integer; order : String(10); }
`));

const ROWS: readonly (readonly [string, readonly Row[]])[] = [
  ["Orders", [{ ID: 1 }, { ID: 2 }, { ID: 3 }]],
  ["Items", [1, 2, 3].flatMap((order_ID) => [1, 2].map((pos) => ({ order_ID, pos })))],
  ["Parts", [1, 2, 3].flatMap((item_order_ID) => [1, 2].map((no) => ({ item_order_ID, item_pos: 2, no })))],
  ["Hints", [1, 2, 3].flatMap((order_ID) => ["x", "y"].map((kind) => ({ order_ID, kind })))],
  ["Notes", [{ ID: 1, order: "1" }, { ID: 2, order: "no number" }, { ID: 3, order: "3" }]],
];

/** The same orders, by the name of the entity and by an alias. */
const DELETIONS: readonly DeleteQuery["DELETE"][] = [
  { from: "Orders", where: [{ ref: ["ID"] }, "<", { val: 3 }] },
  { from: { ref: ["Orders"], as: "o" }, where: [{ ref: ["o", "ID"] }, "<", { val: 3 }] },
];

Deno.test("a deletion takes the parts of its rows at any depth, whatever links them, on all engines (csn-cqn 5)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map(ROWS));
      for (const DELETE of DELETIONS) {
        const tx = database.begin(new EventContext());
        assert.equal(await tx.run({ DELETE }), 2);
        const left = async (entity: string, name: string) =>
          (await tx.run({ SELECT: { from: { ref: [entity] }, orderBy: [{ ref: [name] }] } }) as Row[])
            .map((row) => row[name]);
        assert.deepEqual(await left("Orders", "ID"), [3]);
        assert.deepEqual(await left("Items", "order_ID"), [3, 3]);
        assert.deepEqual(await left("Parts", "item_order_ID"), [3, 3]);
        assert.deepEqual(await left("Hints", "order_ID"), [1, 2, 3, 3]);
        await tx.rollback();
      }
    } finally {
      await database.close();
    }
  }
});

const OWNED = linkModel(parseCdl(`
  entity Houses { key ID : Integer; roof : Composition of one Parts; door : Composition of one Parts; }
  entity Parts { key ID : Integer; }
`));

Deno.test("a row whose part is taken away refers to none any more, on all engines (csn-cqn 5)", async () => {
  for (const database of await createAllEngines(OWNED)) {
    try {
      await database.deploy(
        new Map<string, Row[]>([
          ["Houses", [{ ID: 1, roof_ID: 1, door_ID: 2 }]],
          ["Parts", [{ ID: 1 }, { ID: 2 }]],
        ]),
      );
      for (const [name, left] of [["roof", 2], ["door", 1]] as const) {
        const tx = database.begin(new EventContext());
        const where = [{ ref: ["ID"] }, "=", { val: 1 }];
        await tx.run({ UPDATE: { entity: "Houses", data: { [name]: null }, where } });
        const [house] = await tx.run({ SELECT: { from: { ref: ["Houses"] } } }) as Row[];
        assert.deepEqual(house, { ID: 1, roof_ID: 1, door_ID: 2, [`${name}_ID`]: null });
        assert.deepEqual(await tx.run({ SELECT: { from: { ref: ["Parts"] } } }), [{ ID: left }]);
        await tx.rollback();
      }
    } finally {
      await database.close();
    }
  }
});

Deno.test("parts without parts are deleted by what links them: nothing is read but the rows above them", async () => {
  const reads: string[] = [];
  const deleted: string[] = [];
  const runner = {
    model: MODEL,
    context: new EventContext({}),
    change: (statement: WriteStatement) =>
      deleted.push(statement.kind === "delete" ? statement.table.name : statement.kind),
    select: ({ SELECT: { from } }: { SELECT: { from: unknown } }) => {
      reads.push(String((from as { ref: unknown[] }).ref[0]));
      return [{ ID: 1, order_ID: 1, pos: 1 }];
    },
    mark: () => undefined,
  };
  await deleteRows(runner, { DELETE: { from: "Items", where: [{ ref: ["pos"] }, "=", { val: 1 }] } }, {});
  assert.deepEqual([reads.splice(0), deleted.splice(0)], [["Items"], ["Parts", "Items"]]);
  await deleteRows(runner, { DELETE: { from: "Orders" } }, {});
  // what links notes are numbers there and texts here
  assert.deepEqual(reads, ["Orders", "Items", "Notes"]);
  assert.deepEqual(deleted, ["Parts", "Items", "Notes", "Hints", "Orders"]);
});
