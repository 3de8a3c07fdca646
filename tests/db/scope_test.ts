/** Which names a query inside of another one may use. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Expression, Query, Row, Xo } from "../../src/cqn/cqn.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity A { key ID : Integer; n : Integer; b : Association to B; }
  entity B { key ID : Integer; n : Integer; all : Association to many A on all.b = $self; }
`));
const DATA = new Map([
  ["A", [{ ID: 1, n: 1, b_ID: 1 }, { ID: 2, n: 2, b_ID: 1 }, { ID: 3, n: 9, b_ID: 2 }]],
  ["B", [{ ID: 1, n: 2 }, { ID: 2, n: 5 }]],
]);

/** The IDs of the rows of A that a condition is true for. */
async function idsWhere(where: readonly Xo[]): Promise<readonly unknown[]> {
  const database = await createSqliteDatabase({ model: MODEL, options: {} });
  try {
    await database.deploy(DATA);
    const tx = database.begin(new EventContext());
    const query: Query = {
      SELECT: {
        from: { ref: ["A"], as: "outer" },
        columns: [{ ref: ["ID"] }],
        where,
        orderBy: [{ ref: ["ID"] }],
      },
    };
    const rows = await tx.run(query) as Row[];
    await tx.rollback();
    return rows.map(({ ID }) => ID);
  } finally {
    await database.close();
  }
}

const inner = (entity: string, where: readonly Xo[], columns: readonly Expression[] = [{ ref: ["ID"] }]) => ({
  SELECT: { from: { ref: [entity], as: "inner" }, columns, where },
});

Deno.test("a query in a condition uses names of those around it, by their aliases, however far", async () => {
  const isLess = inner("B", [
    ...[{ ref: ["inner", "ID"] }, "=", { ref: ["outer", "b_ID"] }, "and"] as const,
    ...[{ ref: ["inner", "n"] }, ">", { ref: ["outer", "n"] }] as const,
  ]);
  assert.deepEqual(await idsWhere(["exists", isLess]), [1]);
  assert.deepEqual(await idsWhere(["not", "exists", isLess]), [2, 3]);
  const deeper: readonly Xo[] = ["exists", {
    SELECT: {
      from: { ref: ["B"], as: "middle" },
      columns: [{ ref: ["ID"] }],
      where: [
        "exists",
        inner("A", [
          ...[{ ref: ["inner", "ID"] }, "=", { ref: ["outer", "ID"] }, "and"] as const,
          ...[{ ref: ["middle", "n"] }, "=", { ref: ["inner", "n"] }] as const,
        ]),
      ],
    },
  }];
  assert.deepEqual(await idsWhere(deeper), [2]);
});

Deno.test("a query in a condition follows associations of the one around it", async () => {
  const path = inner("B", [{ ref: ["inner", "n"] }, ">", { ref: ["outer", "b", "n"] }]);
  assert.deepEqual(await idsWhere(["exists", path]), [1, 2]);
});
