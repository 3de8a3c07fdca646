import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`entity Marks { text : String; }`));

Deno.test("rows of an entity without key are inserted behind a deletion, equal ones too, on all engines", async () => {
  for (const database of await createAllEngines(MODEL)) {
    const run = async (query: Query) => {
      const tx = database.begin(new EventContext());
      const result = await tx.run(query);
      await tx.commit();
      return result;
    };
    const insert = (...texts: string[]) =>
      run({ INSERT: { into: "Marks", entries: texts.map((text) => ({ text })) } });
    try {
      await database.deploy();
      await insert("a", "b", "c");
      await run({ DELETE: { from: "Marks", where: [{ ref: ["text"] }, "=", { val: "a" }] } });
      await insert("d", "b");
      const rows = await run(parseCqlQuery("SELECT from Marks { text } order by text"));
      assert.deepEqual((rows as { text: string }[]).map(({ text }) => text), ["b", "b", "c", "d"]);
    } finally {
      await database.close();
    }
  }
});
