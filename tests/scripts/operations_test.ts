import assert from "node:assert/strict";
import { upgradeUnderLoad } from "../../scripts/faults/operations.ts";
import type { PostgresPlace } from "../../scripts/faults/shop_databases.ts";
import { credentials, server } from "../db/postgres.ts";
import { uniqueName } from "../contract/services.ts";

Deno.test({
  name:
    "two servers are replaced by those of a new version while clients go on: no request fails, nothing is lost",
  ignore: !server.isThere,
  fn: async () => {
    const folder = Deno.makeTempDirSync();
    try {
      const options = {
        postgres: credentials(uniqueName()) as unknown as PostgresPlace,
        seconds: 3,
        clients: 2,
        paceMs: 10,
      };
      const { faults, acknowledged } = await upgradeUnderLoad(folder, options);
      assert.deepEqual(faults, []);
      assert.ok(acknowledged > 10);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
