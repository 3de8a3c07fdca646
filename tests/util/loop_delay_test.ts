import assert from "node:assert/strict";
import { LoopDelay } from "../../src/util/loop_delay.ts";

/** Runs with a clock of its own: it advances it, and what is due then runs late by as much as it was moved on. */
function withClock(run: (clock: { now: number; fire: () => void }) => void): void {
  const due: (() => void)[] = [];
  const clock = { now: 1000, fire: () => due.splice(0).forEach((one) => one()) };
  const { setTimeout } = globalThis;
  const now = performance.now;
  globalThis.setTimeout = ((one: () => void) => due.push(one)) as never;
  performance.now = () => clock.now;
  try {
    run(clock);
  } finally {
    Object.assign(globalThis, { setTimeout });
    performance.now = now;
  }
}

Deno.test("what was due and has not had its turn tells how late a process is, and what had it late until the next look", () =>
  withClock((clock) => {
    let isNeeded = true;
    const delay = new LoopDelay(() => isNeeded);
    assert.equal(delay.ms, 0);
    delay.watch();
    clock.now += 20;
    assert.equal(delay.ms, 0, "due at this moment");
    clock.now += 300;
    assert.equal(delay.ms, 300);
    clock.fire();
    assert.equal(delay.ms, 300, "until the next one is due");
    clock.now += 20;
    clock.fire();
    assert.equal(delay.ms, 0, "the next one was on time");
    clock.now += 70;
    isNeeded = false;
    clock.fire();
    assert.equal(delay.ms, 0, "nobody asks any more");
    clock.now += 1000;
    assert.equal(delay.ms, 0, "nothing is due");
  }));

Deno.test("who asks twice waits for one timer only", () =>
  withClock((clock) => {
    let asked = 0;
    const delay = new LoopDelay(() => {
      asked++;
      return false;
    });
    delay.watch();
    delay.watch();
    clock.now += 20;
    clock.fire();
    assert.equal(asked, 1);
  }));
