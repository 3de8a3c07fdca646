import assert from "node:assert/strict";
import { RequestBudget } from "../../../src/auth/tokens/request_budget.ts";

/** A budget whose clock a test sets, and work that ends when the test says so. */
function setUp(waitMs = 60_000) {
  let now = 0;
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const budget = new RequestBudget({ parallel: 2, burst: 5, refillMs: 1000, waitMs, clock: () => now });
  const run = (name: string) =>
    budget.run(() => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const forward = (ms: number) => void (now += ms);
  return { run, forward, started, end: (name: string) => ends.get(name)!() };
}

Deno.test("more requests than may run at the same time wait for their turn, in order", async () => {
  const { run, started, end } = setUp();
  const all = ["a", "b", "c", "d"].map(run);
  assert.deepEqual(started, ["a", "b"]);
  end("b");
  assert.equal(await all[1], "b");
  assert.deepEqual(started, ["a", "b", "c"]);
  end("a");
  await all[0];
  assert.deepEqual(started, ["a", "b", "c", "d"]);
  end("c");
  end("d");
  assert.deepEqual(await Promise.all(all), ["a", "b", "c", "d"]);
});

Deno.test("a request whose turn does not come in time is not sent", async () => {
  const { run, started, end } = setUp(5);
  const running = ["a", "b"].map(run);
  assert.equal(await run("c"), undefined);
  end("a");
  end("b");
  await Promise.all(running);
  assert.deepEqual(started, ["a", "b"]);
});

Deno.test("a used-up budget comes back evenly", async () => {
  const { run, forward, end } = setUp();
  const one = async (name: string) => {
    const running = run(name);
    await Promise.resolve();
    try {
      end(name);
    } catch {
      // it was not sent
    }
    return await running;
  };
  for (const name of ["a", "b", "c", "d", "e"]) assert.equal(await one(name), name);
  assert.equal(await one("f"), undefined);
  forward(199);
  assert.equal(await one("g"), undefined);
  forward(1);
  assert.equal(await one("h"), "h");
  assert.equal(await one("i"), undefined);
  forward(100_000);
  for (const name of ["j", "k", "l", "m", "n"]) assert.equal(await one(name), name);
  assert.equal(await one("o"), undefined);
});

Deno.test("requests that fail, and those that never end, give their places back", async () => {
  const { run, forward, started, end } = setUp(100);
  void run("a");
  void run("b");
  forward(200);
  void run("late");
  assert.deepEqual(started, ["a", "b"]);
  forward(1);
  const next = run("c");
  assert.deepEqual(started, ["a", "b", "c"]);
  end("c");
  await next;
  const budget = new RequestBudget({ parallel: 1, burst: 9, refillMs: 1000, waitMs: 100, clock: () => 0 });
  await assert.rejects(budget.run(() => Promise.reject(new Error("no"))), /no/);
  assert.equal(await budget.run(() => Promise.resolve(1)), 1);
});
