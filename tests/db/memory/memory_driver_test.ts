/** Answers of the database in memory: rows that come in groups, and how large an answer may be. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import type { Query, Row, SelectQuery } from "../../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Database } from "../../../src/service/database.ts";

const MODEL = linkModel(
  parseCdl("entity E { key ID : Integer; s : LargeString; b : LargeBinary; l : Int64; }"),
);

async function withDatabase(
  rows: readonly Row[],
  answerBytes: number,
  use: (db: Database) => Promise<unknown>,
) {
  const limits = { ...DEFAULT_LIMITS, answerBytes };
  const db = await createMemoryDatabase({ model: MODEL, options: {}, limits });
  try {
    await db.deploy(new Map([["E", rows]]));
    await use(db);
  } finally {
    await db.close();
  }
}

const SELECT = { from: { ref: ["E"] }, columns: [{ ref: ["ID"] }, { ref: ["s"] }, { ref: ["b"] }] };

Deno.test("an answer has as many characters as it may have: those of texts and bytes, one for other values", () =>
  withDatabase([{ ID: 1, s: "abcd", b: "AQID" }, { ID: 2, s: "", b: null }], 10, async (db) => {
    const tx = db.begin(new EventContext());
    const read = async (more: object) =>
      (await tx.run({ SELECT: { ...SELECT, ...more } } as Query) as Row[]).length;
    const id = (val: number) => [{ ref: ["ID"] }, "=", { val }];
    assert.equal(await read({ bounded: true }), 2, "1 + 4 + 3 and 1 + 0 + 1 are ten");
    assert.equal(await tx.run({ UPDATE: { entity: "E", data: { s: "a" }, where: id(2) } }), 1);
    await assert.rejects(read({ bounded: true }), { status: 413 });
    assert.equal(await read({}), 2);
    assert.equal(await read({ bounded: true, where: id(1) }), 1);
    await tx.rollback();
  }));

Deno.test("rows of a cursor come in groups until there are no more, with the number of all (db/README)", () =>
  withDatabase(
    Array.from({ length: 1000 }, (_, ID) => ({ ID, l: 2n ** 53n + 1n })) as unknown as Row[],
    DEFAULT_LIMITS.answerBytes,
    async (db) => {
      const tx = db.begin(new EventContext());
      const query: SelectQuery = {
        SELECT: { ...SELECT, columns: [{ ref: ["ID"] }, { ref: ["l"] }], orderBy: [{ ref: ["ID"] }] },
      };
      const cursor = (await tx.openCursor!(query, {}, { asText: false }))!;
      const found: Row[] = [];
      let groups = 0;
      for (let group = await cursor.next(); group.length > 0; group = await cursor.next()) {
        found.push(...group as Row[]);
        groups++;
      }
      assert.ok(groups > 1);
      assert.deepEqual(found.map(({ ID }) => ID), Array.from({ length: 1000 }, (_, ID) => ID));
      assert.ok(found.every(({ l }) => l === "9007199254740993"));
      assert.deepEqual(await cursor.next(), []);
      await cursor.close();
      const counted = { SELECT: { ...query.SELECT, count: true, limit: { rows: { val: 3 } } } };
      const other = (await tx.openCursor!(counted, {}, { asText: false }))!;
      assert.equal((other as unknown as { readonly count?: number }).count, 1000);
      await other.close();
      await tx.rollback();
    },
  ));
