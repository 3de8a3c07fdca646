import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row, UpdateQuery } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity E { key ID : Integer; owner : String @cds.on.insert: $tenant; n : Integer; }
  entity U { key ID : Integer; changer : String @cds.on.update: $tenant; n : Integer; }
  entity N as projection on U { ID, n };
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

/** Updates, and whether they change a row. */
const UPDATES: readonly (readonly [UpdateQuery["UPDATE"], boolean])[] = [
  [{ entity: "U", data: { n: 2 } }, true],
  [{ entity: "U", with: { n: { xpr: [{ ref: ["n"] }, "+", { val: 1 }] } } }, true],
  [{ entity: "N", data: { n: 2 } }, true],
  [{ entity: "U", data: {} }, false],
  [{ entity: "N", data: {} }, false],
];

Deno.test("an update that sets something generates values, through views that do not show them, too (csn-cqn 5)", async () => {
  for (const database of await createAllEngines(MODEL)) {
    try {
      await database.deploy(new Map());
      for (const [UPDATE, isChange] of UPDATES) {
        const tx = database.begin(new EventContext({ tenant: "t2" }));
        await tx.run({ INSERT: { into: "U", entries: [{ ID: 1, n: 1, changer: "t1" }] } });
        assert.equal(await tx.run({ UPDATE }), 1);
        const [row] = await tx.run({ SELECT: { from: { ref: ["U"] } } }) as Row[];
        const expected = isChange ? { ID: 1, n: 2, changer: "t2" } : { ID: 1, n: 1, changer: "t1" };
        assert.deepEqual({ ...row }, expected, `${database.kind}: ${JSON.stringify(UPDATE)}`);
        await tx.rollback();
      }
    } finally {
      await database.close();
    }
  }
});
