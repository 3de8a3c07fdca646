import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, Xo } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; at : Timestamp; second : DateTime; day : Date; time : Time; }`));

const MIDNIGHT = new Date("2024-03-01T00:00:00Z");
/** One instant, as handlers may write it. */
const ROWS: readonly Row[] = [
  MIDNIGHT,
  "2024-03-01T00:00:00Z",
  "2024-03-01",
  "2024-03-01T01:00:00+01:00",
  "2024-02-29 22:00-0200",
]
  .map((value, index) => ({ ID: index + 1, at: value, second: value, day: value, time: value }))
  .map((row) => row.at === "2024-03-01" ? { ...row, time: "00:00" } : row);

Deno.test("instants, days and times that handlers write are stored in one form on all engines (db/README, Time)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      const tx = database.begin(new EventContext());
      await tx.run({ INSERT: { into: "E", entries: ROWS } });
      const rows = await tx.run({ SELECT: { from: { ref: ["E"] }, orderBy: [{ ref: ["ID"] }] } }) as Row[];
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        ROWS.map(({ ID }) => ({
          ...{ ID, at: "2024-03-01T00:00:00.000Z", second: "2024-03-01T00:00:00Z" },
          ...{ day: "2024-03-01", time: "00:00:00" },
        })),
      );
      const all = ROWS.map(({ ID }) => ID);
      const day = { val: "2024-03-01" };
      for (
        const where of [
          [{ ref: ["at"] }, "=", { val: MIDNIGHT }],
          [{ val: MIDNIGHT }, "<=", { ref: ["second"] }],
          [{ ref: ["day"] }, "=", { val: MIDNIGHT }],
          [{ ref: ["at"] }, "=", { val: "2024-03-01T00:00:00Z" }],
          [{ ref: ["at"] }, "=", { val: "2024-03-01T01:00+01:00" }],
          [{ ref: ["at"] }, "in", { list: [day, { val: MIDNIGHT }] }],
          [{ ref: ["second"] }, "=", { val: "2024-03-01T00:00:00.000Z" }],
          [
            { ref: ["second"] },
            "between",
            { val: MIDNIGHT },
            "and",
            { val: MIDNIGHT },
            "and",
            { ref: ["day"] },
            "=",
            day,
          ],
          [{ ref: ["day"] }, "=", { val: "2024-03-01T00:00:00Z" }],
          [{ ref: ["time"] }, "=", { val: "00:00" }],
        ] as Xo[][]
      ) {
        const columns = [{ ref: ["ID"] }];
        const found = await tx.run({
          SELECT: { from: { ref: ["E"] }, columns, where, orderBy: columns },
        }) as Row[];
        assert.deepEqual(found.map(({ ID }) => ID), all, JSON.stringify(where));
      }
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});

Deno.test("instants have milliseconds, finer digits are cut off where they are written and compared, on all engines (db/README, Time)", async () => {
  const [whole, limit] = ["2024-02-29T12:34:56.123Z", "9999-12-31T23:59:59.999Z"];
  const given = [whole, "2024-02-29T12:34:56.123456Z", "2024-02-29T14:34:56.1239999+02:00"];
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      const tx = database.begin(new EventContext());
      const entries = [...given, "9999-12-31T23:59:59.9999999Z"].map((at, ID) => ({ ID, at }));
      await tx.run({ INSERT: { into: "E", entries } });
      const read = async (where?: Xo[]) => {
        const [from, columns] = [{ ref: ["E"] }, [{ ref: ["at"] }]];
        const query = { SELECT: { from, columns, where, orderBy: [{ ref: ["ID"] }] } };
        return (await tx.run(query) as Row[]).map(({ at }) => at);
      };
      assert.deepEqual(await read(), [whole, whole, whole, limit], database.kind);
      const at = { ref: ["at"] };
      for (const val of given) {
        assert.deepEqual(await read([at, "=", { val }]), [whole, whole, whole], database.kind);
        assert.deepEqual(await read([at, ">", { val }]), [limit], database.kind);
      }
      await tx.rollback();
    } finally {
      await database.close();
    }
  }
});
