/** What a messaging service asks of its channel, over a channel that a test holds. */

import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors/service_error.ts";
import type { Channel, Message } from "../../src/messaging/channel.ts";
import { Exchange, type ExchangeOptions } from "../../src/messaging/exchange.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import type { RootTransaction } from "../../src/service/transactions/transaction.ts";
import { channelOptions, recordingLog } from "./channels.ts";

/** Turns of the event loop that promises need. */
async function settle(): Promise<void> {
  for (let step = 0; step < 50; step++) await Promise.resolve();
}

const message = (topic: string, data: unknown = 1): Message => ({ topic, data, headers: {} });
const refused = () => new ServiceError({ status: 500, message: "refused", unrecoverable: true });

/** An exchange, what its channel was asked, and its timers, which a test lets end. */
function open(more: Partial<Channel> = {}, options: Partial<ExchangeOptions> = {}) {
  const asked: unknown[][] = [];
  const failing: unknown[] = [];
  const debug: unknown[] = [];
  const call = (...what: unknown[]) => {
    asked.push(what);
    const error = failing.shift();
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  const { guarantees } = createLocalChannel(channelOptions({}));
  const channel: Channel = {
    ...{ kind: "test", guarantees },
    connect: () => call("connect"),
    publish: (messages) => call("publish", ...messages.map(({ topic }) => topic)),
    close: (given) => call("close", given),
    subscribe: async (subscription) => {
      await call("subscribe", subscription);
      return { close: () => call("end") };
    },
    ...more,
  };
  const log = { ...recordingLog(), debug: (...values: unknown[]) => void debug.push(values) };
  const exchange = new Exchange({
    ...{ name: "messaging", channel, group: "g", concurrency: 2, log, waitingMessages: 3 },
    retryDelayMs: (attempts) => attempts * 1_000,
    onDelivery: () => Promise.resolve(),
    ...options,
  });
  const steps = () => asked.splice(0).map(([name, ...given]) => [name, ...given]);
  return { exchange, channel, steps, failing, lines: log.lines, debug };
}

/** Runs a test with timers that end when the test says. */
async function withTimers(run: (timers: { ms: number; ring: () => void }[]) => Promise<void>): Promise<void> {
  const { setTimeout, clearTimeout } = globalThis;
  const timers: { ms: number; ring: () => void }[] = [];
  globalThis.setTimeout = ((go: () => void, ms: number) => {
    const timer = { ms, ring: () => (timers.splice(timers.indexOf(timer), 1), go()) };
    timers.push(timer);
    return timer;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: (typeof timers)[0]) => {
    if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
  }) as unknown as typeof clearTimeout;
  try {
    await run(timers);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
}

/** A transaction that a test commits. */
function transaction() {
  const commits: (() => unknown)[] = [];
  return {
    root: { afterCommit: (run: () => unknown) => void commits.push(run) } as unknown as RootTransaction,
    commits,
    commit: async () => {
      for (const run of commits) await run();
    },
  };
}

const subscribed = (...topics: string[]) => [
  ...["subscribe", { group: "g", topics, concurrency: 2, strays: true }],
];

Deno.test("a start connects once, tells what is promised, and subscribes to what there is", async () => {
  const { exchange, steps, lines, debug } = open({ notice: "All of it" });
  exchange.addTopic("a");
  exchange.addTopic("b");
  assert.deepEqual(steps(), [], "nothing is asked before the start");
  await exchange.start("More");
  await exchange.start();
  assert.deepEqual(steps(), [["connect"], subscribed("a", "b")]);
  assert.deepEqual(lines, [
    ["messaging: test, consumer group 'g'; at most once, survives nothing, order: topic. More"],
  ]);
  assert.deepEqual(debug, [["messaging: All of it"]]);
  await exchange.close(7);
  assert.deepEqual(steps(), [["close", { drainMs: 7 }]]);
});

Deno.test("a start without topics subscribes to nothing, and says no more than it knows", async () => {
  const { exchange, steps, lines, debug } = open();
  await exchange.start();
  assert.deepEqual([steps(), debug], [[["connect"]], []]);
  assert.match(String(lines[0]), /order: \w+$/);
});

Deno.test("a start that fails begins anew with the next one", async () => {
  const { exchange, steps, failing, lines } = open();
  failing.push(new Error("away"));
  await assert.rejects(exchange.start(), { message: "away" });
  assert.deepEqual(lines, []);
  await exchange.start();
  assert.deepEqual([steps(), lines.length], [[["connect"], ["connect"]], 1]);
});

Deno.test("topics that are added after the start are subscribed to together, in place of the subscription before", async () => {
  const { exchange, steps } = open();
  exchange.addTopic("a");
  await exchange.start();
  steps();
  for (const topic of ["b", "c", "a", "b"]) exchange.addTopic(topic);
  await exchange.settled();
  assert.deepEqual(steps(), [["end"], subscribed("a", "b", "c")]);
  exchange.addTopic("a");
  await exchange.settled();
  assert.deepEqual(steps(), [], "nothing is new");
  exchange.addTopic("*");
  await exchange.settled();
  const all = { group: "g", topics: "*", concurrency: 2, strays: true };
  assert.deepEqual([steps(), [...exchange.topics]], [[["end"], ["subscribe", all]], ["a", "b", "c", "*"]]);
});

Deno.test("a topic that no route leads to is refused with its place, and not kept; * has no route of its own", () => {
  const asked: string[] = [];
  const { exchange } = open({
    assertRoute: (topic) => {
      asked.push(topic);
      throw topic === "odd"
        ? new TypeError("odd")
        : new ServiceError({ status: 500, code: "NO_ROUTE", message: "No route" });
    },
  });
  assert.throws(
    () => exchange.addTopic("a"),
    (error: ServiceError & { readonly unrecoverable?: boolean }) => {
      assert.deepEqual([error.status, error.code, error.unrecoverable], [500, "NO_ROUTE", true]);
      assert.match(error.message, /A handler of messaging waits for 'a', which never arrives: No route$/);
      return (error.cause as Error).message === "No route";
    },
  );
  assert.throws(() => exchange.addTopic("odd"), { name: "TypeError", message: "odd" });
  exchange.addTopic("*");
  assert.deepEqual([asked, [...exchange.topics]], [["a", "odd"], ["*"]]);
});

Deno.test("a subscription that fails is tried again after growing pauses, unless it never can be or the service ends", () =>
  withTimers(async (timers) => {
    const { exchange, steps, failing, lines } = open();
    await exchange.start();
    steps();
    failing.push(new Error("one"), new Error("two"));
    exchange.addTopic("a");
    await settle();
    assert.deepEqual([timers.map(({ ms }) => ms), lines.at(-1)?.[0]], [
      [1_000],
      "Cannot subscribe, attempt 1:",
    ]);
    timers[0]!.ring();
    await settle();
    assert.deepEqual([timers.map(({ ms }) => ms), lines.at(-1)?.[0]], [
      [2_000],
      "Cannot subscribe, attempt 2:",
    ]);
    timers[0]!.ring();
    await settle();
    assert.deepEqual([timers, steps()], [[], Array(3).fill(subscribed("a"))]);
    failing.push(undefined, refused());
    exchange.addTopic("b");
    await settle();
    assert.deepEqual([timers, lines.at(-1)?.[0]], [[], "Cannot subscribe, attempt 1:"]);
    // the subscription of "a" is over by now
    for (const topic of ["c", "d"]) {
      failing.push(new Error("away"));
      exchange.addTopic(topic);
      await settle();
      assert.equal(timers.length, 1, "one attempt is waited for");
    }
    await exchange.close(0);
    assert.equal(timers.length, 0, "nothing is tried behind the end");
  }));

Deno.test("messages of a transaction leave after its commit, together and in their order", async () => {
  const { exchange, steps, lines } = open();
  const [one, other] = [transaction(), transaction()];
  exchange.publishAfterCommit(one.root, message("a"));
  exchange.publishAfterCommit(other.root, message("x"));
  exchange.publishAfterCommit(one.root, message("b"));
  assert.deepEqual([one.commits.length, other.commits.length, steps()], [1, 1, []]);
  await one.commit();
  assert.deepEqual(steps(), [["publish", "a", "b"]]);
  assert.deepEqual(lines.map(([, topic]) => topic), ["a", "b"]);
  await other.commit();
  assert.deepEqual(steps(), [["publish", "x"]]);
});

Deno.test("messages are published again after growing pauses while the channel fails", () =>
  withTimers(async (timers) => {
    const { exchange, steps, failing, lines } = open();
    const { root, commit } = transaction();
    exchange.publishAfterCommit(root, message("a"));
    exchange.publishAfterCommit(root, message("b"));
    failing.push(new Error("one"), new Error("two"));
    await commit();
    for (const ms of [1_000, 2_000]) {
      assert.deepEqual(timers.map((timer) => timer.ms), [ms]);
      assert.equal(lines.at(-1)?.[0], `Cannot publish 2 messages, attempt ${ms / 1_000}:`);
      timers[0]!.ring();
      await settle();
    }
    assert.deepEqual([timers, steps()], [[], Array(3).fill(["publish", "a", "b"])]);
    await exchange.close(0);
    assert.deepEqual(steps().map(([name]) => name), ["close"], "nothing waits any more");
  }));

Deno.test("of several messages of which one is refused for good the others leave", () =>
  withTimers(async (timers) => {
    const { exchange, steps, failing, lines } = open();
    const { root, commit } = transaction();
    for (const topic of ["a", "b", "c"]) exchange.publishAfterCommit(root, message(topic));
    failing.push(refused(), undefined, refused(), new Error("away"));
    await commit();
    await settle();
    assert.deepEqual(steps(), [["publish", "a", "b", "c"], ["publish", "a"], ["publish", "b"], [
      "publish",
      "c",
    ]]);
    const told = lines.map(([text]) => text).filter((text) => text !== "emitting");
    assert.deepEqual(told, ["1 message was not published:", "Cannot publish 1 message, attempt 1:"]);
    assert.deepEqual(timers.map(({ ms }) => ms), [1_000]);
    timers[0]!.ring();
    await settle();
    assert.deepEqual(steps(), [["publish", "c"]]);
  }));

Deno.test("of two messages that are published one by one the second waits for the first", () =>
  withTimers(async () => {
    const gate = Promise.withResolvers<void>();
    const published: string[][] = [];
    const { exchange } = open({
      publish: (messages) => {
        published.push(messages.map(({ topic }) => topic));
        return messages.length > 1 ? Promise.reject(refused()) : gate.promise;
      },
    });
    const { root, commit } = transaction();
    for (const topic of ["a", "b"]) exchange.publishAfterCommit(root, message(topic));
    await commit();
    await settle();
    assert.deepEqual(published, [["a", "b"], ["a"]]);
    gate.resolve();
    await settle();
    assert.deepEqual(published, [["a", "b"], ["a"], ["b"]]);
  }));

Deno.test("what the channel fails with at its end is told", async () => {
  const { exchange, failing } = open();
  failing.push(new Error("away"));
  await assert.rejects(exchange.close(0), { message: "away" });
});

Deno.test("closing waits for a subscription that is being opened, whatever comes of it", async () => {
  for (const error of [undefined, new Error("away")]) {
    const opening = Promise.withResolvers<void>();
    const { exchange, steps } = open({
      subscribe: async () => {
        await opening.promise;
        if (error) throw error;
        return { close: () => Promise.resolve() };
      },
    });
    exchange.addTopic("a");
    const started = exchange.start().catch((reason) => reason);
    await settle();
    const closing = exchange.close(0);
    await settle();
    assert.deepEqual(steps(), [["connect"]]);
    opening.resolve();
    await closing;
    assert.deepEqual([steps(), await started], [[["close", { drainMs: 0 }]], error]);
  }
});

Deno.test("as many messages wait for a channel as the limit says; more are refused at emit", () =>
  withTimers(async () => {
    const { exchange, failing } = open();
    failing.push(new Error("away"), new Error("away"));
    for (const topics of [["a", "b"], ["c"]]) {
      const { root, commit } = transaction();
      for (const topic of topics) exchange.publishAfterCommit(root, message(topic));
      await commit();
    }
    assert.throws(() => exchange.publishAfterCommit(transaction().root, message("d")), {
      ...{ status: 503, code: "CHANNEL_UNREACHABLE", unreachable: true },
      message: "3 messages wait already for a channel that cannot be reached",
    });
    failing.push(undefined, undefined);
    await exchange.close(0);
    exchange.publishAfterCommit(transaction().root, message("d"));
  }));

Deno.test("what waits when the service ends is tried once more, and told where that fails", () =>
  withTimers(async (timers) => {
    const { exchange, steps, failing, lines } = open();
    failing.push(new Error("away"), new Error("away"), undefined, new Error("still away"));
    for (const topic of ["a", "b"]) {
      const { root, commit } = transaction();
      exchange.publishAfterCommit(root, message(topic));
      await commit();
    }
    steps();
    await exchange.close(3);
    assert.deepEqual(steps(), [["publish", "a"], ["publish", "b"], ["close", { drainMs: 3 }]]);
    assert.deepEqual([timers, lines.at(-1)?.[0]], [[], "1 message was not published:"]);
    assert.deepEqual(lines.at(-1)?.[2], [message("b")]);
    failing.push(new Error("closed"));
    const late = transaction();
    exchange.publishAfterCommit(late.root, message("c"));
    await late.commit();
    assert.deepEqual([timers, lines.at(-1)?.[0]], [[], "1 message was not published:"]);
  }));

Deno.test("a message that is too large for the channel is refused at emit", () => {
  const { guarantees } = createLocalChannel(channelOptions({}));
  const { exchange } = open({ guarantees: { ...guarantees, maxMessageBytes: 10 } });
  const { root, commits } = transaction();
  exchange.publishAfterCommit(root, message("a", "12345678"));
  assert.throws(() => exchange.publishAfterCommit(root, message("a", "123456789")), {
    code: "MESSAGE_TOO_LARGE",
  });
  assert.equal(commits.length, 1);
});

Deno.test("a message may be published to one of several channels", async () => {
  const { exchange, steps } = open();
  const published: Message[] = [];
  const other = open({ publish: (messages) => Promise.resolve(void published.push(...messages)) }).channel;
  await exchange.publish([message("a")], other);
  assert.deepEqual([steps(), published], [[], [message("a")]]);
});
