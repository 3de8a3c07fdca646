import assert from "node:assert/strict";
import { keepWhileAway } from "../../../scripts/faults/broker_away.ts";
import { BROKERS } from "../../../scripts/faults/broker_setups.ts";
import { findService } from "../../contract/services.ts";

for (const broker of BROKERS) {
  const { address, isThere } = await findService(broker.service);
  Deno.test({
    name:
      `${broker.kind}: messages of one key that were emitted while the broker was away leave in order when it is back (MSG-037)`,
    ignore: !isThere,
    fn: async () => {
      const { faults, handledOnce } = await keepWhileAway(broker, { address, awayMs: 1_000 });
      assert.deepEqual([faults, handledOnce], [[], 21]);
    },
  });
  Deno.test({
    name:
      `${broker.kind}: an application starts while the broker is away, keeps what is emitted, and sends and receives once it is there`,
    ignore: !isThere,
    fn: async () => {
      const { faults, handledOnce } = await keepWhileAway(broker, { address, awayMs: 1_000, isAbsent: true });
      assert.deepEqual([faults, handledOnce], [[], 21]);
    },
  });
}
