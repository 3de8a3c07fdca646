import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { createAllEngines } from "./all_engines.ts";

const MODEL = linkModel(parseCdl(`
  entity Projects { key ID : Integer; title : String; parts : Association to many Parts on parts.project = $self; }
  entity Parts { key ID : Integer; hours : Integer; project : Association to Projects; }
  entity Sums as select from Projects { key ID, title, sum(parts.hours) as hours : Integer } group by Projects.ID, title;
  entity Titles as select from Projects { key title, count(*) as number : Integer } group by title;
  entity Notes { text : String; }
  entity Texts as select from Notes { text } group by text;
`));

for (const [index, name] of ["memory", "sqlite", "postgres"].entries()) {
  Deno.test(`rows of a view with groups are written where a group is one row of its source (${name})`, async () => {
    const databases = await createAllEngines(MODEL);
    try {
      const database = databases[index];
      if (database === undefined) return;
      await database.deploy(new Map());
      const tx = database.begin(new EventContext());
      await tx.run({ INSERT: { into: "Sums", entries: [{ ID: 1, title: "a" }] } });
      await tx.run({
        INSERT: {
          into: "Parts",
          entries: [{ ID: 1, hours: 2, project_ID: 1 }, { ID: 2, hours: 3, project_ID: 1 }],
        },
      });
      await tx.run({
        UPDATE: { entity: "Sums", data: { title: "b" }, where: [{ ref: ["ID"] }, "=", { val: 1 }] },
      });
      const rows = await tx.run({ SELECT: { from: { ref: ["Sums"] } } }) as Row[];
      assert.deepEqual(rows.map((row) => ({ ...row })), [{ ID: 1, title: "b", hours: 5 }]);
      // rows that no key tells apart are no groups of one row each
      for (const [into, entry] of [["Titles", { title: "c" }], ["Texts", { text: "c" }]] as const) {
        await assert.rejects(
          async () => await tx.run({ INSERT: { into, entries: [entry] } }),
          { message: `Rows of "${into}" cannot be written`, status: 501 },
        );
      }
      await tx.rollback();
    } finally {
      for (const database of databases) await database.close();
    }
  });
}
