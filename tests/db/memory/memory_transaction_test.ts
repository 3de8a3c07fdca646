import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import { createMemoryDatabase } from "../../../src/db/memory/memory_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { DatabaseTransaction } from "../../../src/service/database.ts";

const MODEL = linkModel(parseCdl(`
  @assert.unique.name: [name] entity Authors { key ID : Integer; name : String; }
  entity Sizes as select from Authors { count(*) as size : Integer };
`));

async function inTransaction(run: (tx: DatabaseTransaction) => Promise<void>): Promise<void> {
  const database = await createMemoryDatabase({ model: MODEL, options: {} });
  await database.deploy(new Map([["Authors", [{ ID: 1, name: "a" }, { ID: 2, name: "b" }]]]));
  const tx = database.begin(new EventContext());
  await run(tx);
  await tx.rollback();
}

Deno.test("memory: an update that is refused for one row changes none", () =>
  inTransaction(async (tx) => {
    const update = async () => await tx.run({ UPDATE: { entity: "Authors", data: { name: "same" } } });
    await assert.rejects(update, { code: "UNIQUE_CONSTRAINT_VIOLATION" });
    const rows = await tx.run(parseCqlQuery("SELECT from Authors { name } order by ID"));
    assert.deepEqual((rows as { name: string }[]).map(({ name }) => name), ["a", "b"]);
  }));

Deno.test("memory: a view shows each change of its transaction", () =>
  inTransaction(async (tx) => {
    const size = async () => {
      const [row] = await tx.run(parseCqlQuery("SELECT from Sizes { size }")) as { size: number }[];
      return row.size;
    };
    const sizes = [await size()];
    for (const ID of [3, 4]) {
      await tx.run({ INSERT: { into: "Authors", entries: [{ ID, name: `author ${ID}` }] } });
      sizes.push(await size());
    }
    assert.deepEqual(sizes, [2, 3, 4]);
  }));
