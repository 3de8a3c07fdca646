import assert from "node:assert/strict";
import { EventContext } from "../../../src/context/event_context.ts";
import { createPostgresDatabase } from "../../../src/db/postgres/postgres_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../postgres.ts";

Deno.test({
  name: "postgres: a deployment that shortens a text waits for those who write, and sees what they wrote",
  ignore: !server.isThere,
  fn: async () => {
    const schema = uniqueName();
    const open = (type: string) => {
      const model = linkModel(parseCdl(`entity E { key ID : Integer; a : ${type}; }`));
      return createPostgresDatabase({ model, options: { credentials: credentials(schema) } });
    };
    const [before, after] = [open("String(40)"), open("String(3)")];
    try {
      await before.deploy(new Map([["E", [{ ID: 1, a: "abc" }]]]));
      const writer = before.begin(new EventContext());
      await writer.run({ INSERT: { into: "E", entries: [{ ID: 2, a: "much longer" }] } });
      let isOver = false;
      const deployed = after.deploy(undefined, { mode: "lossless" }).then(() => "done", String)
        .finally(() => isOver = true);
      const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = " +
        `'"${schema}"."E"'::regclass`;
      const watcher = before.begin(new EventContext());
      let waits = false;
      while (!isOver && !waits) waits = (await watcher.sql!(waiting) as unknown[]).length > 0;
      await watcher.rollback();
      await writer.commit();
      assert.match(await deployed, /values of column "a" of "E"/);
    } finally {
      await before.close();
      await after.close();
      await dropSchemas(schema);
    }
  },
});
