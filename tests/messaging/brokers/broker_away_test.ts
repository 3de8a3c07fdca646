import assert from "node:assert/strict";
import { BROKERS } from "../../../scripts/faults/broker_setups.ts";
import { TcpProxy } from "../../../scripts/faults/tcp_proxy.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { OUTBOX_MESSAGES } from "../../../src/messaging/outbox/queue_model.ts";
import type { MessagingService } from "../../../src/messaging/messaging_service.ts";
import { SELECT } from "../../../mod.ts";
import { eventually } from "../../contract/channel.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { SHOP } from "../outbox_app.ts";

for (const broker of BROKERS) {
  const { address, isThere } = await findService(broker.service);
  Deno.test({
    name:
      `${broker.kind}: messages of one key that were emitted while the broker was away leave in order when it is back (MSG-037)`,
    ignore: !isThere,
    fn: async () => {
      const proxy = new TcpProxy(address);
      const setup = await broker.setUp(address, uniqueName(), ["shop"]);
      const runtime = createRuntime({
        model: SHOP,
        name: "shop",
        kinds: denoKinds,
        env: {
          requires: {
            auth: { kind: "dummy" },
            db: { kind: "sqlite", credentials: { url: ":memory:" } },
            messaging: { ...setup.entry(proxy.address), timeoutMs: 2_000 },
          },
          log: { levels: { default: "silent" } },
        },
      });
      const got: unknown[] = [];
      try {
        await runtime.start();
        const messaging = await runtime.connect("messaging") as MessagingService;
        messaging.on("Shop.ordered", ({ data }) => void got.push((data as { n: number }).n));
        await messaging.exchange.settled();
        await messaging.emit("Shop.ordered", { ID: 7, n: 0 });
        await eventually(() => got.length === 1);
        proxy.refuse();
        for (let n = 1; n <= 20; n++) await messaging.emit("Shop.ordered", { ID: 7, n });
        const waiting = await runtime.db!.run(SELECT.from(OUTBOX_MESSAGES)) as readonly unknown[];
        assert.equal(waiting.length, 20);
        proxy.admit();
        await eventually(() => new Set(got).size === 21, 60_000);
        assert.deepEqual([...new Set(got)], Array.from({ length: 21 }, (_, n) => n));
        assert.deepEqual(await runtime.queue!.deadLetters(), []);
      } finally {
        await runtime.close();
        await setup.clean();
        await proxy.close();
      }
    },
  });
}
