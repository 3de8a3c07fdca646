import { testDatabase } from "../contract/database.ts";
import { testQueue } from "../contract/queue.ts";
import { hasPooler, startPooler } from "./pooler.ts";
import { postgresDatabase } from "./postgres.ts";

const NAME = "PostgreSQL behind pgbouncer";

if (hasPooler) {
  // fewer than there are transactions at a time
  const pooler = await startPooler(4);
  addEventListener("unload", () => void pooler.stop());
  const options = { pooler: true, credentials: { host: "127.0.0.1", port: pooler.port } };
  testDatabase(NAME, (model) => postgresDatabase(model, options));
  testQueue({ name: NAME, open: (model) => postgresDatabase(model, options) });
}
