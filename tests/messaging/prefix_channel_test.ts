import assert from "node:assert/strict";
import type { Channel, Delivery, Message } from "../../src/messaging/channel.ts";
import { withPrefixes } from "../../src/messaging/prefix_channel.ts";

/** A channel that notes what is asked of it, and hands on deliveries of a test. */
function recorded(optional: Partial<Channel> = {}) {
  const calls: unknown[][] = [];
  let take: (delivery: Delivery) => Promise<void>;
  const note =
    <T>(name: string, answer: T) => (...given: unknown[]) => (calls.push([name, ...given]), answer);
  const channel = {
    ...{ kind: "test", guarantees: { survives: "nothing" }, notice: "n", keepsMessages: false },
    connect: note("connect", Promise.resolve()),
    close: note("close", Promise.resolve()),
    publish: (
      messages: readonly Message[],
    ) => (calls.push(["publish", ...messages.map(({ topic }) => topic)]), Promise.resolve()),
    subscribe: ({ topics }: { topics: unknown }, onDelivery: typeof take) => {
      calls.push(["subscribe", topics]);
      take = onDelivery;
      return Promise.resolve({ close: note("end", Promise.resolve()) });
    },
    ...optional,
  } as unknown as Channel;
  return { channel, calls, note, take: (delivery: Delivery) => take(delivery) };
}

const PREFIXES = { publishPrefix: "out/", subscribePrefix: "in/" };
const message = (topic: string): Message => ({ topic, data: 1, headers: {} });

Deno.test("without prefixes a channel stays as it is; one of them is enough (messaging 1)", () => {
  const { channel } = recorded();
  for (const none of [{}, { publishPrefix: "" }, { publishPrefix: "", subscribePrefix: "" }]) {
    assert.equal(withPrefixes(channel, none), channel);
  }
  for (const some of [{ publishPrefix: "a" }, { subscribePrefix: "a" }, PREFIXES]) {
    assert.notEqual(withPrefixes(channel, some), channel);
  }
});

Deno.test("topics have their prefixes on the wire only (messaging 1)", async () => {
  const { channel, calls, take } = recorded();
  const prefixed = withPrefixes(channel, PREFIXES);
  const got: string[] = [];
  await prefixed.publish([message("a"), message("in/b")]);
  await prefixed.subscribe({ group: "g", topics: ["a", "b"], concurrency: 1 }, ({ message }) => {
    got.push(message.topic);
    return Promise.resolve();
  });
  for (const topic of ["in/a", "other/a", "in/in/a", "a/in/"]) {
    await take({ message: message(topic) } as Delivery);
  }
  await prefixed.subscribe({ group: "g", topics: "*", concurrency: 1 }, () => Promise.resolve());
  assert.deepEqual(calls, [["publish", "out/a", "out/in/b"], ["subscribe", ["in/a", "in/b"]], [
    "subscribe",
    "*",
  ]]);
  assert.deepEqual(got, ["a", "other/a", "in/a", "a/in/"]);
  const sending = recorded();
  const only = withPrefixes(sending.channel, { publishPrefix: "out/" });
  await only.subscribe({ group: "g", topics: ["a"], concurrency: 1 }, ({ message }) => {
    got.push(message.topic);
    return Promise.resolve();
  });
  await sending.take({ message: message("in/a") } as Delivery);
  assert.deepEqual([sending.calls, got.at(-1)], [[["subscribe", ["a"]]], "in/a"]);
});

Deno.test("a message without its prefix is settled as the channel under it settles, and fails as that does", async () => {
  const { channel, calls, note, take } = recorded();
  const prefixed = withPrefixes(channel, PREFIXES);
  const ends: Promise<void>[] = [];
  const failing = () => Promise.reject(new Error("gone"));
  await prefixed.subscribe(
    { group: "g", topics: "*", concurrency: 1 },
    ({ deliveries, ack, nack, extend }) => {
      assert.equal(deliveries, 3);
      ends.push(ack(), nack({ delayMs: 5 }), extend());
      return Promise.reject(new Error("not taken"));
    },
  );
  calls.length = 0;
  for (const isFailing of [false, true]) {
    const how = (name: string) => isFailing ? failing : note(name, Promise.resolve());
    const delivery = {
      message: message("in/a"),
      deliveries: 3,
      ack: how("ack"),
      nack: how("nack"),
      extend: how("extend"),
    };
    await assert.rejects(take(delivery as unknown as Delivery), { message: "not taken" });
  }
  assert.deepEqual(calls, [["ack"], ["nack", { delayMs: 5 }], ["extend"]]);
  const results = await Promise.allSettled(ends);
  assert.deepEqual(results.map(({ status }) => status), [
    ...Array(3).fill("fulfilled"),
    ...Array(3).fill("rejected"),
  ]);
});

Deno.test("what is asked of a channel with prefixes reaches the one under it", async () => {
  const bare = withPrefixes(recorded().channel, PREFIXES);
  assert.deepEqual([bare.isAway, bare.backlog, bare.deadLetters?.("g")], [undefined, undefined, undefined]);
  bare.assertRoute?.("t");
  const letter = { id: "1", attempts: 1, lastError: "no", message: message("in/a") };
  const { channel, calls, note } = recorded();
  Object.assign(channel, {
    isAway: note("isAway", true),
    backlog: note("backlog", Promise.resolve(7)),
    assertRoute: note("assertRoute", undefined),
    deadLetters: note("deadLetters", {
      list: note("list", Promise.resolve([letter])),
      replay: note("replay", Promise.resolve(true)),
      discard: note("discard", Promise.resolve(false)),
    }),
  });
  const prefixed = withPrefixes(channel, PREFIXES);
  assert.deepEqual(
    [prefixed.kind, prefixed.guarantees, prefixed.notice, prefixed.keepsMessages, prefixed.isAway?.()],
    ["test", channel.guarantees, "n", false, true],
  );
  assert.equal(await prefixed.backlog?.("g"), 7);
  prefixed.assertRoute?.("t");
  const letters = prefixed.deadLetters?.("g");
  assert.deepEqual(await letters?.list(5), [{ ...letter, message: message("a") }]);
  assert.deepEqual([await letters?.replay("1"), await letters?.discard("2")], [true, false]);
  const { signal } = new AbortController();
  await prefixed.connect(signal);
  await prefixed.close({ drainMs: 3 });
  assert.deepEqual(calls, [
    ...[["isAway"], ["backlog", "g"], ["assertRoute", "t"], ["deadLetters", "g"], ["list", 5], [
      "replay",
      "1",
    ]],
    ...[["discard", "2"], ["connect", signal], ["close", { drainMs: 3 }]],
  ]);
});
