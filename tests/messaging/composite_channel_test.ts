import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import type { Channel, DeadLetters, Guarantees, Message, Subscription } from "../../src/messaging/channel.ts";
import { ChannelRegistry } from "../../src/messaging/channel_registry.ts";
import { createCompositeChannel } from "../../src/messaging/composite_channel.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { eventually } from "../contract/channel.ts";
import { channelOptions, recordingLog } from "./channels.ts";
import { boxLines, inFolder, messaging, service } from "./services.ts";

const ROUTES = { A: ["**/ReviewsService/*"], B: ["**/sap/s4/**", "both"], C: ["both"] };

/** A channel that keeps what it is given. */
function recording(): Channel & { published: string[]; subscribed: Subscription[] } {
  const channel = createLocalChannel(channelOptions({}));
  const published: string[] = [];
  const subscribed: Subscription[] = [];
  return Object.assign(Object.create(channel), {
    kind: channel.kind,
    guarantees: channel.guarantees,
    notice: channel.notice,
    published,
    subscribed,
    connect: () => Promise.resolve(),
    close: () => Promise.resolve(),
    publish: (messages: readonly Message[]) => {
      published.push(...messages.map(({ topic }) => topic));
      return Promise.resolve();
    },
    subscribe: (subscription: Subscription) => {
      subscribed.push(subscription);
      return Promise.resolve({ close: () => Promise.resolve() });
    },
  });
}

async function composite() {
  const channels = { A: recording(), B: recording(), C: recording() };
  const channel = await createCompositeChannel(channelOptions({ routes: ROUTES }, channels));
  return { ...channels, channel };
}

Deno.test("routes send each event to every channel with a matching pattern [2.7.routes] [6.3.4b]", async () => {
  const { A, B, C, channel } = await composite();
  const srv = messaging(channel);
  for (const topic of ["/ReviewsService/reviewed", "x/sap/s4/beh", "both"]) await srv.emit(topic, {});
  assert.deepEqual([A.published, B.published, C.published], [
    ["/ReviewsService/reviewed"],
    ["x/sap/s4/beh", "both"],
    ["both"],
  ]);
  await srv.close();
});

Deno.test("routes select the channels of inbound events [6.3.4b]", async () => {
  const { A, B, C, channel } = await composite();
  const srv = messaging(channel);
  srv.on("x/sap/s4/beh", () => {});
  await srv.start();
  assert.deepEqual(B.subscribed.map(({ topics }) => topics), [["x/sap/s4/beh"]]);
  assert.deepEqual([A.subscribed.length, C.subscribed.length], [0, 0]);
  await srv.close();
});

Deno.test("an event without a route is an error at emit and when a handler is registered", async () => {
  const { A, channel } = await composite();
  const srv = messaging(channel);
  await assert.rejects(srv.emit("no/route", {}), (error: Error & { code?: string }) => {
    assert.equal(error.code, "NO_ROUTE");
    for (const part of ["no/route", "A", "**/ReviewsService/*", "B"]) assert.ok(error.message.includes(part));
    return true;
  });
  assert.throws(() => srv.on("no/route", () => {}), (error: Error & { code?: string }) => {
    assert.equal(error.code, "NO_ROUTE");
    assert.match(
      error.message,
      /composite_channel_test\.ts:\d+: A handler of messaging waits for 'no\/route', which never/,
    );
    assert.match(error.message, /the routes are A: /);
    return true;
  });
  const served = service("T");
  srv.forward(served);
  await assert.rejects(served.emit("e", {}), { code: "NO_ROUTE" });
  const remote = service("T");
  srv.receive(remote);
  assert.throws(() => remote.on("e", () => {}), { code: "NO_ROUTE" });
  assert.deepEqual(A.published, []);
  await srv.close();
});

Deno.test("a composite channel promises what its weakest channel does", async () => {
  await inFolder(async (folder) => {
    const file = createFileChannel(channelOptions({ file: `${folder}/box` }));
    const local = createLocalChannel(channelOptions({}));
    const options = channelOptions({ routes: { file: ["f"], local: ["l"] } }, { file, local });
    const { guarantees } = await createCompositeChannel(options);
    assert.deepEqual([guarantees.delivery, guarantees.survives], ["at-most-once", "nothing"]);
  });
});

function registry(requires: Readonly<Record<string, unknown>>): ChannelRegistry {
  return new ChannelRegistry({
    requires,
    kinds: {
      "file-based-messaging": () => createFileChannel,
      "local-messaging": () => createLocalChannel,
      "composite-messaging": () => createCompositeChannel,
    },
    limits: DEFAULT_LIMITS,
    log: recordingLog(),
  });
}

Deno.test("every channel named in routes is an entry with its own kind; several live side by side [2.7.channels] [2.7.names]", async () => {
  await inFolder(async (folder) => {
    const channels = registry({
      messaging: { kind: "composite-messaging", routes: { one: ["a.**"], two: ["b.**"] } },
      one: { kind: "file-based-messaging", file: `${folder}/one` },
      two: { kind: "file-based-messaging", file: `${folder}/two` },
      myOwn: { kind: "local-messaging" },
    });
    const srv = messaging(await channels.get("messaging"));
    const other = messaging(await channels.get("myOwn"));
    const got: unknown[] = [];
    other.on("a.x", ({ data }) => void got.push(data));
    await other.start();
    await srv.emit("a.x", 1);
    await srv.emit("b.x", 2);
    await other.emit("a.x", 3);
    await eventually(() => got.length === 1);
    assert.deepEqual(got, [3]);
    assert.deepEqual([boxLines(`${folder}/one`).length, boxLines(`${folder}/two`).length], [1, 1]);
    await srv.close();
    await other.close();
  });
});

Deno.test("the same handlers work over one channel or routed to several, by configuration only [6.3.4a] [6.3.4c] [6.3.1]", async () => {
  await inFolder(async (folder) => {
    const file = (name: string) => ({ kind: "file-based-messaging", file: `${folder}/${name}` });
    const topologies = [
      { messaging: { kind: "local-messaging" } },
      { messaging: file("single") },
      {
        messaging: { kind: "composite-messaging", routes: { a: ["a"], b: ["b"] } },
        a: file("a"),
        b: file("b"),
      },
    ];
    for (const requires of topologies) {
      const srv = messaging(await registry(requires).get("messaging"));
      const got: string[] = [];
      srv.on(["a", "b"], ({ event }) => void got.push(event));
      await srv.start();
      await srv.emit("a", 1);
      await srv.emit("b", 2);
      await eventually(() => got.length === 2);
      assert.deepEqual(got.toSorted(), ["a", "b"]);
      await srv.close();
    }
  });
});

Deno.test("prefixes are on the wire only", async () => {
  await inFolder(async (folder) => {
    const prefix = "default/a/1/";
    const channels = registry({
      messaging: {
        kind: "file-based-messaging",
        file: `${folder}/box`,
        publishPrefix: prefix,
        subscribePrefix: prefix,
      },
    });
    const srv = messaging(await channels.get("messaging"));
    const events: string[] = [];
    srv.on("x/y", ({ event }) => void events.push(event));
    await srv.start();
    await srv.emit("x/y", { n: 1 });
    await eventually(() => events.length === 1);
    assert.deepEqual(events, ["x/y"]);
    assert.match(boxLines(`${folder}/box`)[0], /^default\/a\/1\/x\/y \{/);
    await srv.close();
  });
});

Deno.test("prefixes of a composite channel come behind its routes, those of its channels behind them", async () => {
  await inFolder(async (folder) => {
    const channels = registry({
      messaging: {
        kind: "composite-messaging",
        routes: { one: ["x/*"] },
        ...{ publishPrefix: "a/", subscribePrefix: "a/" },
      },
      one: {
        kind: "file-based-messaging",
        file: `${folder}/box`,
        ...{ publishPrefix: "b/", subscribePrefix: "b/" },
      },
    });
    const srv = messaging(await channels.get("messaging"));
    const events: string[] = [];
    srv.on("x/y", ({ event }) => void events.push(event));
    await srv.start();
    await srv.emit("x/y", 1);
    await eventually(() => events.length === 1);
    assert.deepEqual(events, ["x/y"]);
    assert.match(boxLines(`${folder}/box`)[0], /^b\/a\/x\/y \{/);
    await srv.close();
  });
});

Deno.test("wrong configuration of channels stops the start", async () => {
  const rejects = (requires: Record<string, unknown>, message: RegExp) =>
    assert.rejects(registry(requires).get("messaging"), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, message);
      return true;
    });
  await rejects({}, /fw\.requires\.messaging is missing/);
  await rejects({ messaging: { kind: "carrier-pigeon" } }, /carrier-pigeon.*expected one of file-based/);
  await rejects({ messaging: { kind: "composite-messaging" } }, /routes is missing/);
  await rejects(
    { messaging: { kind: "composite-messaging", routes: { a: "x" } } },
    /routes\.a must be a list/,
  );
  await rejects(
    { messaging: { kind: "composite-messaging", routes: { a: ["x"] } } },
    /fw\.requires\.a is missing/,
  );
  await rejects(
    { messaging: { kind: "composite-messaging", routes: { messaging: ["x"] } } },
    /contain each other: messaging -> messaging/,
  );
});

/** A channel whose calls are noted with its name, behind a composite one. */
function noting(name: string, calls: unknown[][], more: Partial<Channel> = {}): Channel {
  const note = (what: string) => (...given: unknown[]) =>
    Promise.resolve(void calls.push([name, what, ...given]));
  const { guarantees } = createLocalChannel(channelOptions({}));
  return {
    ...{ kind: "test", guarantees, connect: note("connect"), publish: note("publish"), close: note("close") },
    subscribe: ({ topics }) => {
      calls.push([name, "subscribe", topics]);
      return Promise.resolve({ close: note("end") });
    },
    ...more,
  };
}

/** A composite channel over channels by name, and the calls that they got. */
async function over(
  channels: Readonly<Record<string, Partial<Channel>>>,
  routes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    Object.keys(channels).map((name) => [name, [name]]),
  ),
) {
  const calls: unknown[][] = [];
  const all = Object.fromEntries(
    Object.entries(channels).map(([name, more]) => [name, noting(name, calls, more)]),
  );
  const channel = await createCompositeChannel(channelOptions({ routes }, all));
  return { channel, calls };
}

Deno.test("a channel gets what is routed to it, in one call, and none where nothing is", async () => {
  const { channel, calls } = await over({ a: {}, b: {}, c: {} }, {
    a: ["x", "z"],
    b: ["y", "z"],
    c: ["other"],
  });
  const message = (topic: string) => ({ topic, data: 1, headers: {} });
  const [x, y, z] = ["x", "y", "z"].map(message);
  await channel.publish([x!, y!, z!]);
  assert.deepEqual(calls, [["a", "publish", [x, z]], ["b", "publish", [y, z]]]);
  calls.length = 0;
  await channel.publish([]);
  assert.deepEqual(calls, []);
  await assert.rejects(channel.publish([x!, message("none")]), { code: "NO_ROUTE" });
  assert.deepEqual(calls, [], "nothing is published beside a message without route");
  const subscription = { group: "g", concurrency: 1 };
  const { close } = await channel.subscribe({ ...subscription, topics: ["x", "z"] }, () => Promise.resolve());
  assert.deepEqual(calls, [["a", "subscribe", ["x", "z"]], ["b", "subscribe", ["z"]]]);
  calls.length = 0;
  await close();
  assert.deepEqual(calls, [["a", "end"], ["b", "end"]]);
  calls.length = 0;
  await channel.subscribe({ ...subscription, topics: "*" }, () => Promise.resolve());
  assert.deepEqual(calls, ["a", "b", "c"].map((name) => [name, "subscribe", "*"]));
});

Deno.test("two names of one channel are connected, asked and closed as one", async () => {
  const calls: unknown[][] = [];
  const one = noting("one", calls, { backlog: () => Promise.resolve({ waiting: 2 }) });
  const options = channelOptions({ routes: { a: ["x"], b: ["x", "y"] } }, { a: one, b: one });
  const channel = await createCompositeChannel(options);
  const { signal } = new AbortController();
  await channel.connect(signal);
  const message = { topic: "x", data: 1, headers: {} };
  await channel.publish([message]);
  assert.deepEqual(await channel.backlog!("g"), { waiting: 2 });
  await channel.close({ drainMs: 5 });
  assert.deepEqual(calls, [
    ...[["one", "connect", signal], ["one", "publish", [message]], ["one", "close", { drainMs: 5 }]],
  ]);
});

Deno.test("what one of the channels fails with is told, after all have been asked", async () => {
  const fails = () => Promise.reject(new Error("away"));
  const failing = { connect: fails, publish: fails, close: fails };
  const message = { topic: "x", data: 1, headers: {} };
  const { channel, calls } = await over({ a: failing, b: {} }, { a: ["x"], b: ["x"] });
  for (const attempt of [() => channel.connect(), () => channel.publish([message]), () => channel.close()]) {
    await assert.rejects(attempt(), { message: "away" });
  }
  assert.deepEqual(calls.map(([name, what]) => [name, what]), [["b", "connect"], ["b", "publish"], [
    "b",
    "close",
  ]]);
  const subscription = { group: "g", concurrency: 1, topics: "*" } as const;
  const refusing = await over({ a: { subscribe: fails }, b: {} });
  await assert.rejects(refusing.channel.subscribe(subscription, () => Promise.resolve()), {
    message: "away",
  });
  const ending = await over({ a: { subscribe: () => Promise.resolve({ close: fails }) }, b: {} });
  const { close } = await ending.channel.subscribe(subscription, () => Promise.resolve());
  await assert.rejects(close(), { message: "away" });
});

Deno.test("notices stand behind the names of their channels; without any there is none", async () => {
  assert.equal((await over({ a: {}, b: {} })).channel.notice, undefined);
  const { channel } = await over({ a: { notice: "one" }, b: {}, c: { notice: "two" } });
  assert.equal(channel.notice, "a: one\nc: two");
});

Deno.test("a composite channel is away with any of its channels, and keeps messages where all do", async () => {
  const away = { isAway: () => true };
  const there = { isAway: () => false };
  for (const [b, expected] of [[away, true], [there, false], [{}, false]] as const) {
    assert.equal((await over({ a: there, b })).channel.isAway!(), expected);
  }
  for (const [keepsMessages, expected] of [[true, true], [undefined, true], [false, false]] as const) {
    assert.equal((await over({ a: { keepsMessages }, b: {} })).channel.keepsMessages, expected);
  }
});

Deno.test("a composite channel promises of each kind what the weakest does", async () => {
  const strong: Guarantees = {
    ...{ delivery: "at-least-once", survives: "host crash", order: "topic", dedupeWindowMs: 9 },
    ...{ maxMessageBytes: 9, delayedRetry: true, deadLetters: true, replay: true },
  };
  const weak: Guarantees = {
    ...{ delivery: "at-most-once", survives: "process crash", order: "key", dedupeWindowMs: 3 },
    ...{ maxMessageBytes: 5, delayedRetry: false, deadLetters: false, replay: false },
  };
  const of = async (a: Guarantees, b: Guarantees) =>
    (await over({ a: { guarantees: a }, b: { guarantees: b } })).channel.guarantees;
  assert.deepEqual(await of(strong, strong), strong);
  for (const name of Object.keys(weak) as (keyof Guarantees)[]) {
    const mixed = { ...strong, [name]: weak[name] };
    assert.deepEqual(await of(strong, mixed), mixed, name);
    assert.deepEqual(await of(mixed, strong), mixed, name);
  }
});

Deno.test("routes of the last thousand event names are remembered", async () => {
  const { channel } = await over({ a: {} }, { a: ["*"] });
  const { routesOf } = channel as unknown as { routesOf(topic: string): unknown };
  const of = (topic: string) => routesOf.call(channel, topic);
  const first = of("t0");
  for (let n = 1; n < 1_000; n++) of(`t${n}`);
  assert.equal(of("t0"), first);
  of("t1000");
  assert.notEqual(of("t0"), first);
});

Deno.test("dead letters of all channels are found behind the names of these, those of a channel with two names once", async () => {
  const asked: unknown[] = [];
  const letters = (name: string, at: string): DeadLetters => ({
    list: (limit) => {
      asked.push([name, limit]);
      const message = { topic: "t", data: 1, headers: {} };
      return Promise.resolve([{ id: "1:x", message, attempts: 1, lastError: "", at }]);
    },
    replay: (id) => Promise.resolve(asked.push([name, "replay", id]) > 0),
    discard: (id) => Promise.resolve(asked.push([name, "discard", id]) > 0),
  });
  const calls: unknown[][] = [];
  const a = noting("a", calls, { deadLetters: (group) => letters(`a of ${group}`, "2") });
  const b = noting("b", calls, { deadLetters: (group) => letters(`b of ${group}`, "1") });
  const options = channelOptions({ routes: { a: ["x"], b: ["y"], again: ["z"], none: ["n"] } }, {
    ...{ a, b, again: a, none: noting("none", calls) },
  });
  const found = (await createCompositeChannel(options)).deadLetters!("g")!;
  assert.deepEqual((await found.list(5)).map(({ id }) => id), ["b:1:x", "a:1:x"]);
  assert.deepEqual((await found.list(1)).map(({ id }) => id), ["b:1:x"]);
  assert.deepEqual(asked, [["a of g", 5], ["b of g", 5], ["a of g", 1], ["b of g", 1]]);
  asked.length = 0;
  assert.deepEqual([await found.replay("a:1:x"), await found.discard("b:1:x")], [true, true]);
  assert.deepEqual(asked, [["a of g", "replay", "1:x"], ["b of g", "discard", "1:x"]]);
  for (const id of ["again:1:x", "none:1:x", "1:x", "", "a"]) {
    assert.deepEqual([await found.replay(id), await found.discard(id)], [false, false], id);
  }
  assert.equal(asked.length, 2);
  assert.equal((await over({ a: {} })).channel.deadLetters!("g"), undefined);
});
