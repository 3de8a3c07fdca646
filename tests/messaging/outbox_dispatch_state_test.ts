import assert from "node:assert/strict";
import { Silence, WaitingEmitters } from "../../src/messaging/outbox/dispatch_state.ts";

Deno.test("whoever waits for several messages goes on when the last one is let go, and nobody waits then", async () => {
  const emitters = new WaitingEmitters();
  const order: string[] = [];
  const waiting = emitters.wait(["a", "b"]).then(() => order.push("went on"));
  assert.deepEqual([emitters.isEmpty, emitters.ids], [false, ["a", "b"]]);
  emitters.release(["a", "unknown"]);
  assert.deepEqual([emitters.isEmpty, emitters.ids], [false, ["b"]]);
  await Promise.resolve();
  order.push("let b go");
  emitters.release();
  assert.deepEqual([emitters.isEmpty, emitters.ids], [true, []]);
  await waiting;
  assert.deepEqual(order, ["let b go", "went on"]);
});

Deno.test("a trouble that goes on is told after pauses that grow from 5 seconds to a minute", () => {
  const now = Date.now;
  let ms = 1_000_000;
  Date.now = () => ms;
  try {
    const silence = new Silence();
    assert.equal(silence.ends(true), true);
    for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      ms += pauseMs - 1;
      assert.equal(silence.ends(false), false, `before ${pauseMs} ms`);
      ms += 1;
      assert.equal(silence.ends(false), true, `after ${pauseMs} ms`);
    }
    assert.equal(silence.ends(true), true, "another one begins");
    ms += 4_999;
    assert.equal(silence.ends(false), false);
  } finally {
    Date.now = now;
  }
});
