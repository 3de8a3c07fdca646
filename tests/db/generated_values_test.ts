import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; owner : String @cds.on.insert: $tenant; n : Integer; }
`));

Deno.test("a value that the context of one row lacks is generated for the next row of the same members (design 8, integrity)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      const tenants = [undefined, undefined, "t1", "t2", undefined];
      for (const [index, tenant] of tenants.entries()) {
        const tx = database.begin(new EventContext({ tenant }));
        await tx.run({ INSERT: { into: "E", entries: [{ ID: index, n: 1 }] } });
        await tx.commit();
      }
      const tx = database.begin(new EventContext());
      const rows = await tx.run({ SELECT: { from: { ref: ["E"] }, orderBy: [{ ref: ["ID"] }] } }) as Row[];
      await tx.rollback();
      assert.deepEqual(rows.map(({ owner }) => owner), [null, null, "t1", "t2", null]);
    } finally {
      await database.close();
    }
  }
});
