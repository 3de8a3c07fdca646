import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext } from "../../src/context/store.ts";
import { createHttpContext } from "../../src/context/http_context.ts";
import { runInTransaction } from "../../src/service/transactions/transaction.ts";
import type { ServiceEvent } from "../../src/service/requests/service_event.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { eventually } from "../contract/channel.ts";
import { channelOptions, fileChannel, recordingLog } from "./channels.ts";
import { boxLines, environment, inFolder, messaging, service } from "./services.ts";

const local = () => createLocalChannel(channelOptions({}));
const log = recordingLog();

/** A service with handlers that keep what they get. */
function collect(target: { on(event: string | string[], handler: (msg: ServiceEvent) => void): unknown }) {
  const got: ServiceEvent[] = [];
  return { got, on: (event: string | string[]) => void target.on(event, (msg) => void got.push(msg)) };
}

Deno.test("emit and on with full names reach each other, headers included [6.3.3a] [6.3.8]", async () => {
  const srv = messaging();
  const { got, on } = collect(srv);
  on("a/b");
  await srv.start();
  await srv.emit({ event: "a/b", data: { n: 1 }, headers: { "x-my": "v" } });
  await srv.emit("a/b", { n: 2 }, { "x-my": "w" });
  await eventually(() => got.length === 2);
  assert.deepEqual(got.map(({ event, data, headers }) => [event, data, headers["x-my"]]), [
    ["a/b", { n: 1 }, "v"],
    ["a/b", { n: 2 }, "w"],
  ]);
  await srv.close();
});

Deno.test("every registered handler runs once; arrays register each topic", async () => {
  const srv = messaging();
  const one = collect(srv);
  const two = collect(srv);
  one.on(["a/b", "a/c"]);
  two.on("a/b");
  await srv.start();
  await srv.emit("a/b", 1);
  await srv.emit("a/c", 2);
  await eventually(() => one.got.length === 2 && two.got.length === 1);
  assert.deepEqual(one.got.map(({ event }) => event), ["a/b", "a/c"]);
  await srv.close();
});

Deno.test("messages are handled one at a time, or as many as are configured", async () => {
  for (const [options, expected] of [[{}, 1], [{ concurrency: 7 }, 7], [{ concurrency: "7" }, 1]] as const) {
    const channel = local();
    const { subscribe } = channel;
    const asked: number[] = [];
    channel.subscribe = (subscription, onDelivery) => {
      asked.push(subscription.concurrency);
      return subscribe.call(channel, subscription, onDelivery);
    };
    const srv = messaging(channel, { options });
    srv.on("a/b", () => {});
    await srv.start();
    assert.deepEqual(asked, [expected]);
    await srv.close();
  }
});

Deno.test("on('*') receives every message", async () => {
  const srv = messaging();
  const { got, on } = collect(srv);
  on("*");
  await srv.start();
  await srv.emit("a/b", 1);
  await srv.emit("T.e", 2);
  await eventually(() => got.length === 2);
  assert.deepEqual(got.map(({ event }) => event), ["a/b", "T.e"]);
  await srv.close();
});

Deno.test("a handler registered after the start is subscribed", async () => {
  const srv = messaging();
  const { got, on } = collect(srv);
  await srv.start();
  on("late");
  await srv.exchange.settled();
  await srv.emit("late", 1);
  await eventually(() => got.length === 1);
  await srv.close();
});

Deno.test("a messaging service can be extended with before, on and after handlers [6.3.3b]", async () => {
  const srv = messaging();
  const { got, on } = collect(srv);
  const after: unknown[] = [];
  srv.before("a/b", (msg) => {
    if (!("inbound" in msg)) (msg.data as Record<string, unknown>).added = true;
  });
  srv.after("a/b", (_, msg) => void after.push("inbound" in msg));
  on("a/b");
  await srv.start();
  await srv.emit("a/b", { n: 1 });
  await eventually(() => got.length === 1 && after.length === 2);
  assert.deepEqual(got[0].data, { n: 1, added: true });
  assert.deepEqual(after.toSorted(), [false, true]);
  await srv.close();
});

Deno.test("a before handler of an emitted message can refuse it", async () => {
  const srv = messaging();
  const { got, on } = collect(srv);
  on("a/b");
  srv.before("a/b", (msg) => msg.reject(400, "No"));
  await srv.start();
  await assert.rejects(srv.emit("a/b", 1), { status: 400 });
  assert.equal(got.length, 0);
  await srv.close();
});

Deno.test("emit inside a transaction leaves after the commit, in order", async () => {
  await inFolder(async (folder) => {
    const srv = messaging(fileChannel(`${folder}/box`));
    const context = new EventContext({ user: "alice" });
    await runInTransaction(context, async () => {
      await srv.emit("T.e", 1);
      await srv.emit("T.e", 2);
      assert.deepEqual(boxLines(`${folder}/box`), []);
    }, { log });
    assert.deepEqual(boxLines(`${folder}/box`).map((line) => JSON.parse(line.slice(4)).data), [1, 2]);
    await srv.close();
  });
});

Deno.test("emit inside a transaction that rolls back sends nothing", async () => {
  await inFolder(async (folder) => {
    const srv = messaging(fileChannel(`${folder}/box`));
    const failing = runInTransaction(new EventContext(), async () => {
      await srv.emit("T.e", 1);
      throw new Error("no");
    }, { log });
    await assert.rejects(failing, /no/);
    assert.deepEqual(boxLines(`${folder}/box`), []);
    await srv.close();
  });
});

Deno.test("declared events of a served service are forwarded under their full name or @topic [6.3.2] [2.7.fqn] [2.7.topic]", async () => {
  await inFolder(async (folder) => {
    const host = environment();
    const srv = messaging(fileChannel(`${folder}/box`), { host });
    const emitter = service("my.namespace.SomeEventEmitter", host);
    const own = service("OwnService", host);
    srv.forward(emitter);
    srv.forward(own);
    await emitter.emit("SomeEvent", { ID: "1" });
    await own.emit("OwnEvent", { ID: "2" });
    const lines = boxLines(`${folder}/box`);
    assert.deepEqual(lines.map((line) => line.split(" ")[0]), [
      "my.namespace.SomeEventEmitter.SomeEvent",
      "my.custom.topic",
    ]);
    await srv.close();
  });
});

Deno.test("handlers on a required service get its events by their local names [6.3.2] [6.3.1]", async () => {
  await inFolder(async (folder) => {
    const sender = messaging(fileChannel(`${folder}/box`));
    const own = service("OwnService");
    sender.forward(own);
    const receiver = messaging(fileChannel(`${folder}/box`), { host: environment("other") });
    const remote = service("OwnService", receiver.host);
    receiver.receive(remote);
    const { got, on } = collect(remote);
    await receiver.start();
    on("OwnEvent");
    await own.emit("OwnEvent", { ID: "1" });
    await eventually(() => got.length === 1);
    assert.deepEqual([got[0].event, got[0].data], ["OwnEvent", { ID: "1" }]);
    await sender.close();
    await receiver.close();
  });
});

Deno.test("without messaging, events stay in the process and emit waits for all handlers [6.3.3c] (MSG-008)", async () => {
  const srv = service("T");
  const calls: string[] = [];
  srv.on("e", async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    calls.push("h1");
  });
  srv.on("e", () => void calls.push("h2"));
  await srv.emit("e", { n: 1 });
  assert.deepEqual(calls.toSorted(), ["h1", "h2"]);
});

Deno.test("handlers of messages are privileged, with correlation id and tenant of the message", async () => {
  const options = { tenantHeader: "x-tenant" };
  const srv = messaging(local(), { options });
  const contexts: EventContext[] = [];
  srv.on("T.e", () => void contexts.push(currentContext()!));
  await srv.start();
  const emitter = new EventContext({ id: "corr-1", tenant: "t1", user: "alice" });
  await runInTransaction(emitter, () => srv.emit("T.e", {}), { log });
  await eventually(() => contexts.length === 1);
  const [context] = contexts;
  assert.equal(context.user.is("any-role"), true);
  assert.deepEqual([context.tenant, context.id, context.user.id], ["t1", "corr-1", "privileged"]);
  await srv.close();
});

Deno.test("a tenant never comes from a header that is not configured for it", async () => {
  const srv = messaging();
  const contexts: EventContext[] = [];
  srv.on("T.e", () => void contexts.push(currentContext()!));
  await srv.start();
  await srv.emit("T.e", {}, { tenant: "evil", "x-tenant": "evil" });
  await eventually(() => contexts.length === 1);
  assert.equal(contexts[0].tenant, undefined);
  await srv.close();
});

Deno.test("headers of the HTTP request do not travel with events", async () => {
  await inFolder(async (folder) => {
    const host = environment();
    const srv = messaging(fileChannel(`${folder}/box`), { host });
    const own = service("T", host);
    own.before("e", (msg) => void msg.headers);
    srv.forward(own);
    const request = new Request("http://localhost/", { headers: { authorization: "Bearer secret" } });
    const context = new EventContext({ http: createHttpContext(request) });
    await runInTransaction(context, () => own.emit("e", {}), { log });
    await runInTransaction(new EventContext({ http: createHttpContext(request) }), () => srv.emit("x", {}), {
      log,
    });
    const text = boxLines(`${folder}/box`).join("\n");
    assert.ok(text.includes("T.e ") && text.includes("x {"));
    assert.ok(!text.includes("secret"));
    await srv.close();
  });
});

Deno.test("the key elements of an event become its partition key", async () => {
  const srv = messaging();
  const { got, on } = collect(srv);
  on("OwnService.Keyed");
  await srv.start();
  await srv.emit("OwnService.Keyed", { ID: "k1" });
  await eventually(() => got.length === 1);
  assert.equal(got[0].headers.partitionkey, "k1");
  await srv.close();
});

Deno.test("a handler that fails twice and then succeeds is called three times, with growing delays", async () => {
  const asked: number[] = [];
  const retryDelayMs = (attempts: number) => (asked.push(attempts), attempts * 10);
  const srv = messaging(local(), { retryDelayMs });
  let calls = 0;
  srv.on("T.e", () => {
    if (++calls < 3) throw new Error("not yet");
  });
  await srv.start();
  await srv.emit("T.e", {});
  await eventually(() => calls === 3);
  assert.deepEqual(asked, [1, 2]);
  await srv.close();
});

Deno.test("a poison message ends in the dead letters with its error and blocks no others", async () => {
  await inFolder(async (folder) => {
    const channel = fileChannel(`${folder}/box`);
    const srv = messaging(channel, { options: { maxAttempts: 3 }, retryDelayMs: () => 5 });
    const handled: unknown[] = [];
    srv.on("T.e", ({ data }) => {
      if (data === 1) throw new Error("poison");
      handled.push(data);
    });
    for (let n = 1; n <= 10; n++) await srv.emit("T.e", n);
    await srv.start();
    const dead = `${folder}/box.d/app.dead`;
    await eventually(() => handled.length === 9 && boxLines(dead).length === 1);
    const letter = JSON.parse(boxLines(dead)[0]);
    assert.deepEqual([letter.topic, letter.data, letter.attempts], ["T.e", 1, 3]);
    assert.match(letter.lastError, /poison/);
    await srv.close();
  });
});

Deno.test("an unrecoverable error makes a dead letter at once", async () => {
  await inFolder(async (folder) => {
    const srv = messaging(fileChannel(`${folder}/box`));
    srv.on("T.e", () => {
      throw Object.assign(new Error("never"), { unrecoverable: true });
    });
    await srv.start();
    await srv.emit("T.e", 1);
    await eventually(() => boxLines(`${folder}/box.d/app.dead`).length === 1);
    await srv.close();
  });
});

Deno.test("work of a failed handler is rolled back, emitted messages included", async () => {
  const srv = messaging(local(), { retryDelayMs: () => 5 });
  const { got, on } = collect(srv);
  let calls = 0;
  srv.on("in", async () => {
    await srv.emit("out", ++calls);
    if (calls === 1) throw new Error("first");
  });
  on("out");
  await srv.start();
  await srv.emit("in", {});
  await eventually(() => got.length === 1);
  assert.deepEqual(got.map(({ data }) => data), [2]);
  await srv.close();
});

Deno.test("emitting, receiving and failing are logged with the correlation id and the tenant of the message [6.3.6]", async () => {
  const host = environment();
  const seen: (string | undefined)[][] = [];
  const note = (word: unknown) => {
    const { id, tenant } = currentContext() ?? {};
    seen.push([String(word).split(" ", 1)[0], id, tenant]);
  };
  const logger = { ...host.log("messaging"), info: note, error: note };
  const srv = messaging(local(), {
    host: { ...host, log: () => logger },
    options: { tenantHeader: "x-tenant" },
  });
  srv.on("T.e", () => {
    throw Object.assign(new Error("broken"), { unrecoverable: true });
  });
  await srv.start();
  seen.length = 0;
  const context = new EventContext({ id: "c-9", tenant: "t1" });
  await runInTransaction(context, () => srv.emit("T.e", { n: 1 }), { log: logger });
  await eventually(() => seen.some(([word]) => word === "Handling"));
  assert.deepEqual(seen.slice(0, 3), [
    ["emitting", "c-9", "t1"],
    ["received", "c-9", "t1"],
    ["Handling", "c-9", "t1"],
  ]);
  await srv.close();
});

Deno.test("emitting and receiving are logged with name and payload, which is cut at 1 kB [6.3.6]", async () => {
  const host = environment();
  const srv = messaging(local(), { host });
  srv.on("T.e", () => {});
  await srv.start();
  await srv.emit("T.e", { n: 1 }, { authorization: "secret" });
  await srv.emit("T.e", "x".repeat(5000));
  await eventually(() => host.lines.filter(([word]) => word === "received").length === 2);
  const lines = host.lines.map((line) => line.join(" "));
  assert.ok(lines.includes('emitting T.e {"n":1}'));
  assert.ok(lines.includes('received T.e {"n":1}'));
  assert.ok(lines.every((line) => line.length < 1100 && !line.includes("secret")));
  await srv.close();
});

Deno.test("what the channel promises is printed at the start", async () => {
  await inFolder(async (folder) => {
    const host = environment("shop");
    const srv = messaging(fileChannel(`${folder}/box`), { host });
    await srv.start();
    const [line] = host.lines.flat().map(String);
    assert.match(line!, /consumer group 'shop'; at least once, survives process crash, order: topic\b/);
    await srv.close();
  });
});

Deno.test("names of events that no line can hold are refused at emit", async () => {
  const srv = messaging();
  for (const name of ["", "a b", "a\nb", "x".repeat(513)]) {
    await assert.rejects(srv.emit(name, {}), { code: "BAD_TOPIC" }, JSON.stringify(name));
  }
  await srv.emit("../../x".padEnd(512, "y"), {});
  await srv.close();
});

Deno.test("a subscription that fails while the channel is away is tried again, and closing does not fail", async () => {
  const channel = createLocalChannel(channelOptions({}));
  const { subscribe } = channel;
  let failures = 2;
  channel.subscribe = (...given) =>
    failures-- > 0 ? Promise.reject(new Error("away")) : subscribe.apply(channel, given);
  const service = messaging(channel, { retryDelayMs: () => 1 });
  await service.start();
  const got: unknown[] = [];
  service.on("a/b", ({ data }) => void got.push(data));
  await eventually(() => failures < 0);
  await service.exchange.settled();
  await service.emit("a/b", 1);
  await eventually(() => got.length === 1);
  await service.close();
});

Deno.test("headers that are no attributes of CloudEvents are told where events are written as these", async () => {
  for (
    const [format, headers, expected] of [
      ["cloudevents", { "x-y": 1, Big: 2, fine: 3 }, [
        "Headers of a/b are no CloudEvents attributes: x-y, Big",
      ]],
      ["cloudevents", { fine: 3 }, []],
      [undefined, { "x-y": 1 }, []],
    ] as const
  ) {
    const host = environment();
    const srv = messaging(local(), { host, options: { format } });
    await srv.emit("a/b", {}, headers);
    const told = host.lines.flat().filter((text) => String(text).startsWith("Headers of"));
    assert.deepEqual(told, expected);
    await srv.close();
  }
});

Deno.test("stored messages are done when the channel they were stored for has them, and fail as it does", async () => {
  const seen: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const side = Object.assign(local(), {
    publish: (messages: readonly { topic: string }[]) => {
      seen.push(["side", ...messages.map(({ topic }) => topic)]);
      const isBad = messages.some(({ topic }) => topic === "bad");
      return isBad ? Promise.reject(new Error("away")) : Promise.resolve();
    },
  });
  const channel = Object.assign(local(), {
    publish: async (messages: readonly { topic: string }[]) => {
      await gate.promise;
      seen.push(["own", ...messages.map(({ topic }) => topic)]);
    },
    routesOf: () => new Map([["side", side]]),
  });
  const { queueTarget } = messaging(channel);
  const work = (event: string, channel?: string) => ({
    ...{ service: "messaging", kind: "publish" as const, event, data: 1, channel },
  });
  const done = queueTarget.publish!([work("a"), work("b", "side"), work("c", "gone"), work("d", "side")])
    .then(() => seen.push("done"));
  for (let step = 0; step < 20; step++) await Promise.resolve();
  assert.deepEqual(seen, []);
  gate.resolve();
  await done;
  assert.deepEqual(seen, [["own", "a", "c"], ["side", "b", "d"], "done"]);
  await assert.rejects(queueTarget.publish!([work("bad", "side")]), { message: "away" });
});
