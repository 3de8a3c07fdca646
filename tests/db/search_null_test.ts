import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, Xo } from "../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { testModel } from "./fixture.ts";

Deno.test("a text that is null holds no search term, so that `NOT term` finds its row", async () => {
  for (const create of [createSqliteDatabase, createMemoryDatabase]) {
    const db = await create({ model: testModel(), options: {} });
    try {
      await db.deploy(
        new Map([["my.Authors", [{ ID: 1, name: null, address_city: null }, {
          ID: 2,
          name: "poe",
          address_city: null,
        }]]]),
      );
      const tx = db.begin(new EventContext());
      const found = async (search: Xo[]) => {
        const columns = [{ ref: ["ID"] }];
        const rows = await tx.run({ SELECT: { from: { ref: ["my.Authors"] }, columns, search } }) as Row[];
        return rows.map(({ ID }) => ID);
      };
      assert.deepEqual(await found(["not", { val: "poe" }]), [1]);
      assert.deepEqual(await found([{ val: "poe" }]), [2]);
      await tx.rollback();
    } finally {
      await db.close();
    }
  }
});
