import assert from "node:assert/strict";
import { andThen, inTurn, maybePromise, orElse } from "../../src/util/maybe_promise.ts";

const fail = (): never => {
  throw new Error("no");
};

Deno.test("andThen() goes on at once where there is no promise", async () => {
  assert.equal(andThen(1, (n) => n + 1), 2);
  const later = andThen(Promise.resolve(1), (n) => n + 1);
  assert.ok(later instanceof Promise);
  assert.equal(await later, 2);
});

Deno.test("inTurn() runs each step once, in their order, and waits only for those that take time", async () => {
  const order = async (slow: readonly number[]) => {
    const events: string[] = [];
    const run = (item: number) => {
      events.push(`begin ${item}`);
      const end = () => void events.push(`end ${item}`);
      return slow.includes(item) ? Promise.resolve().then(end) : end();
    };
    const done = inTurn([1, 2, 3], run);
    assert.equal(done instanceof Promise, slow.length > 0);
    await done;
    return events;
  };
  const expected = [1, 2, 3].flatMap((item) => [`begin ${item}`, `end ${item}`]);
  for (const slow of [[], [1], [2, 3], [1, 2, 3]]) {
    assert.deepEqual(await order(slow), expected, String(slow));
  }
});

Deno.test("orElse() recovers from what is thrown, at once or later", async () => {
  const recover = (error: unknown) => (error as Error).message;
  assert.equal(orElse(() => "a", recover), "a");
  assert.equal(orElse(fail, recover), "no");
  assert.equal(await orElse<string>(() => Promise.resolve().then(fail), recover), "no");
});

Deno.test("maybePromise() takes anything to await for a promise, and all else as it is", async () => {
  const thenable = { then: (done: (value: number) => void) => done(7) };
  const found = maybePromise(thenable);
  assert.ok(found instanceof Promise);
  assert.equal(await found, 7);
  for (const value of [1, "a", null, undefined, { then: 1 }, {}, Promise.resolve()]) {
    assert.equal(maybePromise(value), value);
  }
});
