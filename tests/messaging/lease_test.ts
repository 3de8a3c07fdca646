import assert from "node:assert/strict";
import { Lease, type MessageStore } from "../../src/messaging/outbox/message_store.ts";
import type { OutboxMessage } from "../../src/messaging/outbox/stored_work.ts";
import { withClock } from "../security/clock.ts";

Deno.test("a worker that could not renew its lease for long does not count on its rows (messaging 6.3)", () =>
  withClock((forward) => {
    const lease = new Lease({ leaseMs: 6_000 } as MessageStore, [{ ID: "1" } as OutboxMessage]);
    try {
      const validAfter = (ms: number) => {
        forward(ms);
        return lease.isValid;
      };
      assert.deepEqual([0, 4_999, 2, 1_000].map(validAfter), [true, true, false, false]);
    } finally {
      lease.end();
    }
    return Promise.resolve();
  }));
