/** What leases and dead letters ask of Redis, over connections that a test gives. */

import assert from "node:assert/strict";
import type { Redis } from "ioredis";
import { KeyLease, redisAddress } from "../../../src/messaging/brokers/redis/connect_redis.ts";
import { RedisDeadLetters } from "../../../src/messaging/brokers/redis/redis_dead_letters.ts";
import { RedisNames } from "../../../src/messaging/brokers/redis/redis_message.ts";
import { writeDeadLetter } from "../../../src/messaging/dead_letter.ts";

/** Runs a test with a lease of a second, its clock, and a Redis that answers as the test says. */
async function withLease(
  run: (given: {
    readonly lease: KeyLease;
    readonly asked: unknown[][];
    readonly answers: unknown[];
    readonly at: (ms: number) => void;
  }) => Promise<void>,
): Promise<void> {
  const { now } = performance;
  let clock = 0;
  performance.now = () => clock;
  const asked: unknown[][] = [];
  const answers: unknown[] = [];
  const answer = (name: string) => (...given: readonly unknown[]) => {
    asked.push([name, ...given]);
    const next = answers.shift();
    return Promise.resolve(typeof next === "function" ? next() : next);
  };
  const redis = { set: answer("set"), eval: answer("eval") } as unknown as Redis;
  try {
    const lease = new KeyLease(redis, { key: "k", token: "t", leaseMs: 1_000 });
    await run({ lease, asked, answers, at: (ms) => void (clock = ms) });
  } finally {
    performance.now = now;
  }
}

Deno.test("a lease is taken where nobody has it, held for its time from before the call, and renewed in its term (messaging 9)", async () => {
  await withLease(async ({ lease, asked, answers, at }) => {
    assert.deepEqual([lease.isHeld, lease.term], [false, -1]);
    answers.push(null);
    await lease.keep();
    assert.deepEqual([lease.isHeld, lease.term], [false, -1], "somebody else has it");
    answers.push(() => (at(10), "OK"));
    await lease.keep();
    const { term } = lease;
    assert.deepEqual([lease.isHeld, term >= 0], [true, true]);
    assert.deepEqual(asked, Array(2).fill(["set", "k", "t", "PX", 1_000, "NX"]));
    at(999);
    assert.equal(lease.isHeld, true);
    answers.push(1);
    await lease.keep();
    assert.deepEqual(asked[2]!.slice(2), [1, "k", "t", 1_000]);
    at(1_998);
    assert.deepEqual([lease.isHeld, lease.term], [true, term]);
    at(1_999);
    assert.deepEqual([lease.isHeld, lease.term], [false, -1]);
    answers.push("OK");
    await lease.keep();
    assert.deepEqual([lease.isHeld, lease.term === term], [true, false], "another term");
  });
});

Deno.test("a lease whose renewal is refused is not held, and one that is confirmed too late begins a new term (messaging 9)", async () => {
  await withLease(async ({ lease, answers, at }) => {
    answers.push("OK");
    await lease.keep();
    const { term } = lease;
    at(500);
    answers.push(() => (at(1_200), 1));
    await lease.keep();
    assert.equal(lease.isHeld, true);
    assert.notEqual(lease.term, term);
    answers.push(0);
    await lease.keep();
    assert.deepEqual([lease.isHeld, lease.term], [false, -1]);
  });
});

Deno.test("a lease that is held is given to the next one, any other is left alone (messaging 9)", async () => {
  await withLease(async ({ lease, asked, answers }) => {
    await lease.release();
    assert.equal(asked.length, 0);
    answers.push("OK", 1);
    await lease.keep();
    await lease.release();
    assert.deepEqual([lease.isHeld, asked[1]!.slice(2)], [false, [1, "k", "t"]]);
    await lease.release();
    assert.equal(asked.length, 2);
  });
});

/** Dead letters of a group whose stream has one, and what is asked. */
function lettersOf(letter: string | undefined, more: Readonly<Record<string, unknown>> = {}) {
  const asked: unknown[][] = [];
  const answer = (name: string, result: unknown) => (...given: readonly unknown[]) => {
    asked.push([name, ...given]);
    return Promise.resolve(result);
  };
  const entries = letter === undefined ? [] : [["1-0", ["letter", letter]]];
  const redis = {
    ...{ xrange: answer("xrange", entries), xdel: answer("xdel", more.xdel ?? 1) },
    eval: answer("eval", more.eval ?? 1),
  };
  const names = new RedisNames("s");
  const letters = new RedisDeadLetters({
    ...{ names, group: "g", maxMessageBytes: 1_000 },
    redis: () => Promise.resolve(redis as unknown as Redis),
  });
  return { letters, asked, names };
}

const letterOf = (key?: string) => writeDeadLetter({ topic: "T.e", data: 1, headers: {}, key }, 3, "no");

Deno.test("dead letters are listed up to a number, also what is none", async () => {
  const { letters, asked, names } = lettersOf(letterOf());
  const [{ id, attempts, lastError, message }] = await letters.list(5) as [
    Awaited<ReturnType<typeof letters.list>>[0],
  ];
  assert.deepEqual([id, attempts, lastError, message.topic], ["1-0", 3, "no", "T.e"]);
  assert.deepEqual(asked, [["xrange", names.dead("g"), "-", "+", "COUNT", 5]]);
  assert.equal((await lettersOf("{").letters.list(5)).length, 1);
});

Deno.test("a dead letter is replayed for its group, in the stream of its kind, once", async () => {
  for (const [key, stream] of [[undefined, "plain"], ["k", "keyed"]] as const) {
    const { letters, asked, names } = lettersOf(letterOf(key));
    assert.equal(await letters.replay("1-0"), true);
    assert.deepEqual(asked[0], ["xrange", names.dead("g"), "1-0", "1-0", "COUNT", 1]);
    assert.deepEqual(asked[1]!.slice(2, 6), [2, names.dead("g"), names[stream], "1-0"]);
    assert.deepEqual([asked[1]!.slice(-2), asked[1]!.includes("key")], [["group", "g"], key !== undefined]);
  }
  assert.equal(await lettersOf(letterOf(), { eval: 0 }).letters.replay("1-0"), false, "somebody was faster");
  for (
    const [letter, id] of [[undefined, "1-0"], ["{", "1-0"], [letterOf(), "x"], [letterOf(), "1-0-"]] as const
  ) {
    const { letters, asked } = lettersOf(letter);
    assert.equal(await letters.replay(id), false);
    assert.ok(!asked.some(([name]) => name === "eval"));
  }
});

Deno.test("a dead letter is discarded by its id", async () => {
  const { letters, asked, names } = lettersOf(letterOf());
  assert.equal(await letters.discard("1-0"), true);
  assert.deepEqual(asked, [["xdel", names.dead("g"), "1-0"]]);
  assert.equal(await letters.discard("all"), false);
  assert.equal(asked.length, 1);
  assert.equal(await lettersOf(letterOf(), { xdel: 0 }).letters.discard("1-0"), false);
});

Deno.test("the address of Redis has a port and a database, a login and TLS where it says so", () => {
  const address = (credentials: Readonly<Record<string, unknown>>) =>
    redisAddress({ entry: "e", credentials });
  assert.deepEqual(address({ url: "redis://h" }), { host: "h", port: 6379, db: 0 });
  assert.deepEqual(address({ url: "redis://h:1/2", user: "u", password: "p" }), {
    ...{ host: "h", port: 1, db: 2, username: "u", password: "p" },
  });
  assert.deepEqual(address({ url: "rediss://h" }).tls, {});
  assert.deepEqual(address({ url: "redis://h", tls: true }).tls, {});
  assert.deepEqual(address({ url: "redis://h", tls: { ca: "c" } }).tls, { ca: "c" });
});
