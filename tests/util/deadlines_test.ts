import assert from "node:assert/strict";
import { Deadlines } from "../../src/util/deadlines.ts";

/** Runs with timers that the test lets go off, each at most once. */
function withTimers(run: (tick: () => number | undefined) => void): void {
  const original = globalThis.setTimeout;
  const set: { readonly fire: () => void; readonly ms: number }[] = [];
  const replaced = (fire: () => void, ms?: number) => set.push({ fire, ms: ms ?? 0 });
  globalThis.setTimeout = replaced as unknown as typeof setTimeout;
  try {
    run(() => {
      const next = set.shift();
      next?.fire();
      return next?.ms;
    });
  } finally {
    globalThis.setTimeout = original;
  }
}

Deno.test("one timer serves all work, and each has its full time, whenever it began", () => {
  withTimers((tick) => {
    const deadlines = new Deadlines(2000, true);
    const ended: string[] = [];
    deadlines.start(() => ended.push("first"));
    deadlines.start(() => ended.push("second"));
    assert.equal(tick(), 1000);
    deadlines.start(() => ended.push("third"));
    assert.equal(tick(), 1000);
    assert.deepEqual(ended, []);
    tick();
    assert.deepEqual(ended, ["first", "second"]);
    tick();
    assert.deepEqual(ended, ["first", "second", "third"]);
    assert.equal(tick(), undefined, "a timer runs, but no work");
  });
});

Deno.test("a limit beyond the longest timer is that timer: longer ones would fire at once", () => {
  withTimers((tick) => {
    new Deadlines(2 ** 40, false).start(() => {});
    assert.equal(tick(), 2 ** 31 - 1);
  });
});

Deno.test("work that is stopped does not end, and no timer runs on for it", () => {
  withTimers((tick) => {
    const deadlines = new Deadlines(50, true);
    const work = deadlines.start(() => assert.fail("ended"));
    assert.equal(work.stop(), true);
    assert.equal(work.stop(), false);
    assert.equal(tick(), 50);
    assert.equal(tick(), undefined);
  });
});

Deno.test("work that is stopped takes a timer of its own with it, but not the shared one", () => {
  withTimers(() => {
    const { clearTimeout: clear } = globalThis;
    const cleared: unknown[] = [];
    globalThis.clearTimeout = (timer) => void cleared.push(timer);
    try {
      const [own, shared] = [false, true].map((isShared) => new Deadlines(50, isShared).start(() => {}));
      assert.equal(shared.timer, undefined);
      for (const work of [own, shared]) assert.equal(work.stop(), true);
      assert.deepEqual(cleared, [own.timer]);
      own.stop();
      assert.equal(cleared.length, 1);
    } finally {
      globalThis.clearTimeout = clear;
    }
  });
});

Deno.test("what begins when all others have ended has a timer again", () => {
  withTimers((tick) => {
    const deadlines = new Deadlines(10, true);
    let ended = 0;
    for (const expected of [1, 2]) {
      deadlines.start(() => ended++);
      for (let ms = tick(); ms !== undefined; ms = tick()) assert.equal(ms, 10);
      assert.equal(ended, expected);
    }
  });
});

Deno.test("what begins while others end has a timer", () => {
  withTimers((tick) => {
    const deadlines = new Deadlines(10, true);
    let ended = 0;
    deadlines.start(() => deadlines.start(() => ended++));
    for (let i = 0; i < 4; i++) tick();
    assert.equal(ended, 1);
    assert.equal(tick(), undefined);
  });
});

Deno.test("time goes on for other work when the end of one throws", () => {
  withTimers((tick) => {
    const deadlines = new Deadlines(10, true);
    const ended: string[] = [];
    deadlines.start(() => {
      throw new Error("broken");
    });
    deadlines.start(() => ended.push("second"));
    tick();
    assert.throws(tick, /broken/);
    tick();
    assert.deepEqual(ended, ["second"]);
    assert.equal(tick(), undefined);
  });
});

Deno.test("work whose time is over cannot be stopped, with timers of its own as well as with a shared one", () => {
  for (const shared of [true, false]) {
    withTimers((tick) => {
      const deadlines = new Deadlines(0, shared);
      const ended: boolean[] = [];
      const work = deadlines.start(() => ended.push(work.stop()));
      tick();
      assert.deepEqual(ended, [false]);
    });
  }
});
