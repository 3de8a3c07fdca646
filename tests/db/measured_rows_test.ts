/**
 * Rows of answers are measured while SQLite reads them: it gives all of them at once. Joined texts are, in the process.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, SelectQuery, Xo } from "../../src/cqn/cqn.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(
  parseCdl("entity Notes { key ID : Integer; text : LargeString; more : LargeString; }"),
);
const COLUMNS = [{ ref: ["ID"] }, { ref: ["text"], as: 'a "text"' }, { ref: ["more"] }];
const ROWS = [5, 4, 3, 2, 1].map((ID) => ({ ID, text: "x".repeat(400), more: null }));

/** Reads notes for an answer of 1000 bytes at most. */
async function read(rest: Partial<SelectQuery["SELECT"]>): Promise<Row[]> {
  const limits = { ...DEFAULT_LIMITS, answerBytes: 1000 };
  const db = await createSqliteDatabase({ model: MODEL, options: {}, limits });
  try {
    await db.deploy(new Map([["Notes", ROWS]]));
    const tx = db.begin(new EventContext());
    const SELECT = { from: { ref: ["Notes"] }, columns: COLUMNS, bounded: true, ...rest };
    return await Promise.resolve(tx.run({ SELECT } as SelectQuery)).finally(() => tx.rollback()) as Row[];
  } finally {
    await db.close();
  }
}

const orderBy = [{ ref: ["ID"] }];
const idsOf = (rows: readonly Row[]) => rows.map(({ ID }) => ID);

Deno.test("rows that together are larger than an answer are not read, whatever their columns are called", async () => {
  const tooLarge = { status: 413, code: "ANSWER_TOO_LARGE" };
  await assert.rejects(read({}), tooLarge);
  await assert.rejects(read({ orderBy, limit: { rows: { val: 3 } } }), tooLarge);
});

Deno.test("rows that fit into an answer are read in their order: those of the page only, nulls have no size", async () => {
  assert.deepEqual(idsOf(await read({ orderBy, limit: { rows: { val: 2 } } })), [1, 2]);
  assert.deepEqual(idsOf(await read({ where: [{ ref: ["ID"] }, ">", { val: 3 }], orderBy })), [4, 5]);
  assert.deepEqual(idsOf(await read({ columns: COLUMNS.filter(({ as }) => !as), orderBy })), [1, 2, 3, 4, 5]);
});

Deno.test("a value that is larger than an answer is not made for one, not even to be measured", async () => {
  const text = { func: "upper", args: [{ func: "concat", args: [1, 2, 3].map(() => ({ ref: ["text"] })) }] };
  const columns = [{ func: "length", args: [text], as: "size" }] as SelectQuery["SELECT"]["columns"];
  await assert.rejects(read({ columns }), { status: 413, code: "ANSWER_TOO_LARGE" });
  assert.deepEqual((await read({ columns, bounded: false }))[0], { size: 1200 });
});

Deno.test("rows that are for no answer may be larger than one", async () => {
  assert.equal((await read({ bounded: false })).length, 5);
});

/** What joins a text so often that its length is looked at. */
const JOINED = Array.from(
  { length: 17 },
  (_, at): readonly Xo[] => [...at > 0 ? ["||"] : [], { ref: ["text"] }],
)
  .flat();
const OPEN = {
  sqlite: createSqliteDatabase,
  memory: createMemoryDatabase,
} as const;

for (const [kind, open] of Object.entries(OPEN)) {
  Deno.test(`texts that are joined in each row are no longer together than an answer, on ${kind}`, async () => {
    const limits = { ...DEFAULT_LIMITS, answerBytes: 1000 };
    const db = await open({ model: MODEL, options: {}, limits });
    const rows = ROWS.map((row) => ({ ...row, text: "x".repeat(15) }));
    const ask = async (rest: Partial<SelectQuery["SELECT"]>) => {
      const tx = db.begin(new EventContext());
      const SELECT = { from: { ref: ["Notes"] }, columns: [{ ref: ["ID"] }], ...rest } as const;
      return await Promise.resolve(tx.run({ SELECT })).finally(() => tx.rollback()) as Row[];
    };
    try {
      await db.deploy(new Map([["Notes", rows]]));
      const columns = [{ xpr: JOINED, as: "long" }];
      const tooLarge = { status: 413, code: "ANSWER_TOO_LARGE" };
      await assert.rejects(ask({ columns }), tooLarge);
      await assert.rejects(ask({ orderBy: [{ xpr: JOINED }] }), tooLarge);
      const few = await ask({ columns, where: [{ ref: ["ID"] }, "<", { val: 4 }] });
      assert.deepEqual(few, new Array(3).fill({ long: "x".repeat(17 * 15) }));
      // conditions keep none of them
      assert.equal((await ask({ where: [{ xpr: JOINED }, "!=", { val: "" }] })).length, 5);
    } finally {
      await db.close();
    }
  });
}
