/** Buckets of tokens in Redis. */

import assert from "node:assert/strict";
import { RedisQuotas } from "../../../src/messaging/brokers/redis/redis_quotas.ts";
import { findService, uniqueName } from "../../contract/services.ts";
import { TcpProxy } from "../../../scripts/faults/tcp_proxy.ts";
import { recordingLog } from "../channels.ts";

const { address, isThere } = await findService("redis");
const WINDOW_MS = 60_000;

/** Machines with much to do answer late, too. */
const PATIENCE_MS = 10_000;
/** For servers that do not answer: tests wait as long for them. */
const SHORT_MS = 1_000;

/** Quotas of an application, and what they log. */
function open(at: string, { application = uniqueName(), patienceMs = PATIENCE_MS } = {}) {
  const log = recordingLog();
  const quotas = new RedisQuotas({ credentials: { url: `redis://${at}` }, application, log, patienceMs });
  const take = async (key = "ann", limit = 2) => {
    const state = await quotas.take({ key, limit, windowMs: WINDOW_MS });
    return state && [state.isTaken, Math.round(state.tokens)];
  };
  return { quotas, take, lines: log.lines };
}

Deno.test({
  name: "a bucket has as many tokens as its limit, for all who name it in one application",
  ignore: !isThere,
  fn: async () => {
    const application = uniqueName();
    const all = [open(address, { application }), open(address, { application }), open(address)];
    const [one, other, foreign] = all;
    assert.deepEqual([await one!.take(), await other!.take(), await one!.take()], [[true, 1], [true, 0], [
      false,
      0,
    ]]);
    assert.deepEqual([await one!.take("ben"), await foreign!.take(), await one!.take("cy", 5)], [
      ...[[true, 1], [true, 1], [true, 4]],
    ]);
    for (const { quotas, lines } of all) {
      quotas.close();
      assert.deepEqual(lines, []);
    }
  },
});

Deno.test("a Redis that is away is told once, and not asked with each request", async () => {
  const { now } = performance;
  const { quotas, take, lines } = open("127.0.0.1:1", { patienceMs: SHORT_MS });
  let clock = 1_000;
  performance.now = () => clock;
  try {
    assert.deepEqual(await Promise.all([take(), take()]), [undefined, undefined]);
    clock += 4_999;
    assert.equal(await take(), undefined);
    assert.deepEqual(lines.map(([text]) => text), [
      "Requests are counted in each process alone, as Redis does not answer:",
    ]);
  } finally {
    performance.now = now;
    quotas.close();
  }
});

Deno.test({
  name: "a Redis that answers no more is told, and when it answers again; nothing behind the end",
  ignore: !isThere,
  fn: async () => {
    const proxy = new TcpProxy(address);
    const { quotas, take, lines } = open(proxy.address, { patienceMs: SHORT_MS });
    try {
      assert.deepEqual(await take(), [true, 1]);
      proxy.stall();
      assert.deepEqual([await take(), await take()], [undefined, undefined]);
      proxy.resume();
      for (let attempt = 0; attempt < 100 && lines.length < 2; attempt++) await take();
      assert.deepEqual(lines.map(([text]) => text), [
        "Requests are counted in each process alone, as Redis does not answer:",
        "Requests are counted in Redis again",
      ]);
      quotas.close();
      assert.equal(await take(), undefined);
      assert.equal(lines.length, 2);
    } finally {
      quotas.close();
      await proxy.close();
    }
  },
});

Deno.test({
  name: "a Redis that was away is connected to when its time has come, and not before",
  ignore: !isThere,
  fn: async () => {
    const { now } = performance;
    const proxy = new TcpProxy(address);
    const { quotas, take, lines } = open(proxy.address, { patienceMs: SHORT_MS });
    let clock = 1_000;
    performance.now = () => clock;
    try {
      proxy.stall();
      assert.equal(await take(), undefined);
      proxy.resume();
      clock += 4_999;
      assert.equal(await take(), undefined);
      assert.equal(lines.length, 1);
      clock++;
      assert.deepEqual([await take(), lines.length], [[true, 1], 2]);
    } finally {
      performance.now = now;
      quotas.close();
      await proxy.close();
    }
  },
});
