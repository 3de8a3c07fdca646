import assert from "node:assert/strict";
import { killedWorkers } from "../../scripts/faults/killed_workers.ts";
import type { PostgresPlace } from "../../scripts/faults/shop_databases.ts";
import { uniqueName } from "../contract/services.ts";
import { credentials, server } from "../db/postgres.ts";

Deno.test({
  name: "workers are killed while clients go on: monitors and delta links tell what has become of the rows",
  ignore: !server.isThere,
  fn: async () => {
    const folder = Deno.makeTempDirSync();
    try {
      const { faults, acknowledged } = await killedWorkers(folder, {
        postgres: credentials(uniqueName()) as unknown as PostgresPlace,
        ...{ seconds: 5, workers: 2, clients: 4, kills: 3, orders: 10 },
      });
      assert.deepEqual(faults, []);
      assert.ok(acknowledged >= 10);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
