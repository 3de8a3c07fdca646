import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, RefExpression } from "../../src/cqn/cqn.ts";
import { ROWS, testModel } from "./fixture.ts";
import { postgresDatabase, server } from "./postgres.ts";

/** What two transactions write, one after the other has begun; the second result is told once both have ended. */
async function writeAtOnce(first: Query, second: Query): Promise<unknown> {
  const db = postgresDatabase(testModel());
  const begin = () => db.begin(new EventContext());
  try {
    await db.deploy(ROWS);
    const [one, other, observer] = [begin(), begin(), begin()];
    await one.run(first);
    let isDone = false;
    const later = Promise.resolve(other.run(second)).finally(() => isDone = true);
    const waiting = "SELECT count(*) AS count FROM pg_locks WHERE NOT granted";
    for (let count = 0; count === 0 && !isDone;) {
      const [row] = await observer.sql!(waiting) as { count: number }[];
      count = Number(row!.count);
    }
    await one.commit();
    const result = await later;
    await other.commit();
    await observer.rollback();
    return result;
  } finally {
    await db.close();
  }
}

const from = (id: string): RefExpression => ({ ref: [{ id, where: [{ ref: ["ID"] }, "=", { val: 10 }] }] });
const sell: Query = { UPDATE: { entity: from("my.Books"), data: { stock: 0 } } };

if (server.isThere) {
  for (const [entity, stock] of [["my.Books", "stock"], ["Shop.Books", "available"]] as const) {
    const where = [{ ref: [stock] }, ">", { val: 0 }];
    for (
      const [name, query] of Object.entries<Query>({
        "an update": { UPDATE: { entity: from(entity), where, data: { [stock]: 9 } } },
        "an update with parts": {
          UPDATE: { entity: from(entity), where, data: { [stock]: 9, reviews: [] } },
        },
        "a deletion": { DELETE: { from: from(entity), where } },
      })
    ) {
      Deno.test(`${name} of ${entity} that waits for another one looks at its condition again`, async () => {
        assert.equal(await writeAtOnce(sell, query), 0);
      });
    }
  }
}
