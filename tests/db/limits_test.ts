/**
 * Limits of queries on all engines: null is none, what is no number of rows is refused.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { QueryParams, SelectQuery } from "../../src/cqn/cqn.ts";
import { d1Database } from "../../src/db/d1/mod.ts";
import type { Database } from "../../src/service/database.ts";
import { createAllEngines } from "./all_engines.ts";
import { testModel } from "./fixture.ts";
import { startD1 } from "./miniflare.ts";

const server = startD1();
globalThis.addEventListener("unload", () => void server.stop());
const AUTHORS = [1, 2, 3].map((ID) => ({ ID, name: `a${ID}` }));

async function read(database: Database, limit: readonly [unknown, unknown], asParams: boolean) {
  const params: QueryParams = asParams ? { rows: limit[0], offset: limit[1] } : {};
  const [rows, offset] = asParams
    ? ["rows", "offset"].map((name) => ({ ref: [name], param: true }))
    : limit.map((val) => ({ val }));
  const query = {
    SELECT: {
      from: { ref: ["my.Authors"] },
      columns: [{ ref: ["ID"] }],
      orderBy: [{ ref: ["ID"] }],
      limit: { rows, offset },
    },
  } as SelectQuery; // tests the values of limits
  const tx = database.begin(new EventContext());
  try {
    return (await tx.run(query, params) as { ID: number }[]).map(({ ID }) => ID);
  } finally {
    await tx.rollback();
  }
}

const LIMITS:
  readonly (readonly [rows: unknown, offset: unknown, expected: readonly number[] | undefined])[] = [
    [null, null, [1, 2, 3]],
    [null, 1, [2, 3]],
    [2, null, [1, 2]],
    ["2", "1", [2, 3]],
    [0, 0, []],
    [1n, 2n, [3]],
    [1e15, 0, [1, 2, 3]],
    [-1, 0, undefined],
    [1, -1, undefined],
    [1.5, 0, undefined],
    ["x", 0, undefined],
    ["", 0, undefined],
    [NaN, 0, undefined],
  ];

Deno.test("a limit of null is none, and one that is no number of rows is refused, on all engines (csn-cqn 6)", async () => {
  const model = testModel();
  for (
    const db of [
      ...await createAllEngines(model),
      await d1Database(await server.take())({ model, options: {} }),
    ]
  ) {
    try {
      await db.deploy(new Map([["my.Authors", AUTHORS]]));
      for (const [rows, offset, expected] of LIMITS) {
        for (const asParams of [false, true]) {
          const about = `${db.kind}: limit ${rows} offset ${offset}${asParams ? " as parameters" : ""}`;
          if (expected) assert.deepEqual(await read(db, [rows, offset], asParams), expected, about);
          else {
            // what stands in the query itself is a mistake of who wrote it
            const refused = asParams || rows === "" ? { status: 400 } : { name: "TypeError" };
            await assert.rejects(read(db, [rows, offset], asParams), refused, about);
          }
        }
      }
    } finally {
      await db.close();
    }
  }
});
