/** Columns of PostgreSQL that were made by hand, and that the model does not have: they keep nobody from inserting rows. */

import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { postgresDatabase, server } from "../postgres.ts";

Deno.test({
  name: "columns that only the database has stay not null where something fills them, and no others",
  ignore: !server.isThere,
  fn: async () => {
    const database = postgresDatabase(linkModel(parseCdl("entity T { key ID : Integer; }")));
    const sql = async (text: string) => {
      const tx = database.begin(new EventContext());
      const result = await tx.sql!(text);
      await tx.commit();
      return result;
    };
    try {
      await database.deploy();
      await sql(`DROP TABLE "fw_deployed"`);
      await sql(
        `ALTER TABLE "T" ADD "filled" int NOT NULL DEFAULT 5, ADD "open" int NOT NULL, ` +
          `ADD "sum" int NOT NULL GENERATED ALWAYS AS ("ID" + 1) STORED, ADD "free" int`,
      );
      await database.deploy();
      assert.deepEqual(
        await sql(
          "SELECT column_name AS name, is_nullable AS free FROM information_schema.columns " +
            "WHERE table_schema = current_schema() AND table_name = 'T' ORDER BY ordinal_position",
        ),
        [
          { name: "ID", free: "NO" },
          { name: "filled", free: "NO" },
          { name: "open", free: "YES" },
          { name: "sum", free: "NO" },
          { name: "free", free: "YES" },
        ],
      );
      await sql(`INSERT INTO "T" ("ID") VALUES (1)`);
      assert.deepEqual(await sql(`SELECT * FROM "T"`), [{
        ID: 1,
        filled: 5,
        open: null,
        sum: 2,
        free: null,
      }]);
    } finally {
      await database.close();
    }
  },
});
