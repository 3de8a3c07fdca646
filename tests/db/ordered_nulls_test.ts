/** Null is below all values, whatever a condition says beside `is not null` (behaviours 2). */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, Xo } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { ENGINES } from "../odata/engines.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const N = { ref: ["n"] };
const isNotNull = [N, "is not", { val: null }] as unknown as Xo[];
const isAny: Xo[] = [{ ref: ["ID"] }, ">", { val: 0 }];
const CASES: readonly (readonly [Xo[], number[]])[] = [
  [isNotNull, [3, 1]],
  [[...isNotNull, "and", ...isAny], [3, 1]],
  [[...isNotNull, "or", ...isAny], [2, 3, 1]],
  [["not", { xpr: isNotNull }], [2]],
  [isAny, [2, 3, 1]],
];

const MODEL = "@assert.unique.n: [n] entity Items { key ID : Integer; n : Integer; }";
/** A key of a join is null where its row is missing; a page ends with keys where several rows lack what is unique. */
const QUERIES: readonly (readonly [string, number[]])[] = [
  ["SELECT from Items as a right join Items as b on a.ID = b.ID + 1 { b.ID as ID } order by a.ID", [
    3,
    0,
    1,
    2,
  ]],
  ["SELECT from Items { ID } order by n limit 3", [0, 2, 3]],
];

for (const [engine, create] of Object.entries(ENGINES)) {
  Deno.test(`rows without a value come first unless no row of the query lacks it (${engine})`, async () => {
    const model = linkModel(parseCdl(MODEL));
    const db = await create({ model, options: {} });
    try {
      await db.deploy(new Map([["Items", [{ ID: 1, n: 5 }, { ID: 2, n: null }, { ID: 3, n: 4 }]]]));
      const tx = db.begin(new EventContext());
      for (const [where, ids] of CASES) {
        const SELECT = { from: { ref: ["Items"] }, columns: [{ ref: ["ID"] }], where, orderBy: [N] };
        const rows = await tx.run({ SELECT }) as Row[];
        assert.deepEqual(rows.map(({ ID }) => ID), ids, JSON.stringify(where));
      }
      await tx.run({ INSERT: { into: "Items", entries: [{ ID: 0, n: null }] } });
      for (const [text, ids] of QUERIES) {
        if (engine === "memory" && text.includes("right join")) continue; // which it refuses
        const rows = await tx.run(parseCqlQuery(text)) as Row[];
        assert.deepEqual(rows.map(({ ID }) => ID), ids, text);
      }
      await tx.rollback();
    } finally {
      await db.close();
    }
  });
}
