import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import type { Channel, Message, Subscription } from "../../src/messaging/channel.ts";
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
