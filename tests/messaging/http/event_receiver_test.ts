/** What the webhook answers to senders, without an application around it. */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { runWithContext } from "../../../src/context/store.ts";
import { User } from "../../../src/context/user.ts";
import type { Delivery } from "../../../src/messaging/channel.ts";
import { EventReceiver, type ReceiverOptions } from "../../../src/messaging/http/event_receiver.ts";
import { recordingLog } from "../channels.ts";

const HUB = new User({ id: "hub", roles: ["event-sender"] });

/** A receiver, and what sends it events of topics in one request; gives status and seconds to wait. */
function receiverOf(options: Partial<ReceiverOptions> = {}) {
  const log = recordingLog();
  const receiver = new EventReceiver({
    ...{ limits: DEFAULT_LIMITS, log, roles: ["event-sender"], tenantHeader: undefined },
    ...options,
  });
  const ask = async (init: RequestInit, as: { user: User; tenant?: string } | undefined = { user: HUB }) => {
    const context = as && new EventContext(as);
    const request = new Request("http://x/hook", init);
    const answer = () => receiver.answer(request);
    const response = await (context ? runWithContext(context, answer) : answer());
    return response;
  };
  const send = async (topics: readonly string[], more: Record<string, unknown> = {}, as = { user: HUB }) => {
    const events = topics.map((type) => ({ specversion: "1.0", id: "1", source: "/s", type, ...more }));
    const headers = { "content-type": "application/cloudevents-batch+json" };
    const response = await ask({ method: "POST", headers, body: JSON.stringify(events) }, as);
    const seconds = response.headers.get("retry-after");
    return seconds === null ? response.status : `${response.status} in ${seconds}`;
  };
  return { receiver, log, ask, send };
}

type Settle = (delivery: Delivery) => Promise<void>;

/** What handlers do, by the topic. */
const SETTLE: Readonly<Record<string, Settle>> = {
  ok: ({ ack }) => ack(),
  dead: ({ nack }) => nack({ dead: true }),
  now: ({ nack }) => nack(),
  in1: ({ nack }) => nack({ delayMs: 1_000 }),
  in1and: ({ nack }) => nack({ delayMs: 1_001 }),
  in9: ({ nack }) => nack({ delayMs: 9_000 }),
  nothing: () => Promise.resolve(),
  throws: () => Promise.reject(new Error("broken")),
};

Deno.test("a batch is answered by what became of its events: all done, one given up, or the longest wait (Web Hooks 3.2, 3.4)", async () => {
  for (
    const [topics, answer, handled] of [
      [["ok"], 204, 1],
      [["other"], 204, 0],
      [["ok", "ok"], 204, 2],
      [["dead"], 422, 1],
      [["ok", "dead", "ok"], 422, 3],
      [["now"], "503 in 1", 1],
      [["in1"], "503 in 1", 1],
      [["in1and"], "503 in 2", 1],
      [["in9"], "503 in 9", 1],
      [["nothing"], "503 in 1", 1],
      [["throws"], "503 in 1", 1],
      [["dead", "in9"], "503 in 9", 2],
      [["in9", "ok"], "503 in 9", 1],
    ] as const
  ) {
    const { receiver, send, log } = receiverOf();
    const got: string[] = [];
    receiver.add({ group: "g", topics: Object.keys(SETTLE), concurrency: 1 }, (delivery) => {
      got.push(delivery.message.topic);
      return SETTLE[delivery.message.topic]!(delivery);
    });
    assert.deepEqual([await send(topics), got], [answer, topics.slice(0, handled)], topics.join());
    assert.deepEqual(
      log.lines.map(([line]) => line),
      topics.includes("throws" as never) ? ["Failed to take message throws:"] : [],
    );
    await receiver.close(0);
  }
});

Deno.test("every group has each event once, its consumers by turns, and the longest wait of all groups counts", async () => {
  const { receiver, send } = receiverOf();
  const got: string[] = [];
  const add = (group: string, name: string, topics: readonly string[] | "*", more = {}) =>
    receiver.add({ group, topics, concurrency: 1, ...more }, ({ message: { topic }, nack, ack }) => {
      got.push(`${name} ${topic}`);
      return topic === "late" ? nack({ delayMs: name === "h" ? 5_000 : 2_000 }) : ack();
    });
  const first = add("g", "g1", "*");
  add("g", "g2", ["a"]);
  const other = add("h", "h", ["a", "late"]);
  const strays = add("s", "s", [], { strays: true });
  const next = async (topic: string) => {
    const answer = await send([topic]);
    return [answer, ...got.splice(0).toSorted()];
  };
  assert.deepEqual(await next("a"), [204, "g1 a", "h a", "s a"]);
  assert.deepEqual(await next("a"), [204, "g2 a", "h a", "s a"]);
  assert.deepEqual(await next("a"), [204, "g1 a", "h a", "s a"]);
  assert.deepEqual(await next("b"), [204, "g1 b", "s b"]);
  assert.deepEqual(await next("late"), ["503 in 5", "g1 late", "h late", "s late"]);
  await first.close();
  assert.deepEqual(await next("a"), [204, "g2 a", "h a", "s a"]);
  assert.deepEqual(await next("b"), [204, "s b"]);
  await strays.close();
  await other.close();
  assert.deepEqual(await next("a"), ["503 in 1", "g2 a"], "groups whose consumers are being replaced");
  await receiver.close(0);
});

Deno.test("failed deliveries of an event are counted by group, source and id, until it is done or given up", async () => {
  const { receiver, send } = receiverOf();
  const got: number[] = [];
  let outcome: Settle = SETTLE.now!;
  for (const group of ["g", "h"]) {
    receiver.add({ group, topics: "*", concurrency: 1 }, (delivery) => {
      if (group === "h") return delivery.ack();
      got.push(delivery.deliveries);
      return outcome(delivery);
    });
  }
  for (let times = 0; times < 3; times++) await send(["t"]);
  assert.deepEqual(got.splice(0), [1, 2, 3]);
  await send(["t"], { id: "2" });
  await send(["t"], { source: "/other" });
  assert.deepEqual(got.splice(0), [1, 1]);
  for (const name of ["nothing", "throws", "ok", "now", "dead", "now"]) {
    outcome = SETTLE[name]!;
    await send(["t"]);
  }
  assert.deepEqual(got, [4, 5, 6, 1, 2, 1]);
  await receiver.close(0);
});

Deno.test("senders wait while nobody receives, after the end, and while a hundred requests are handled", async () => {
  const { receiver, send } = receiverOf();
  assert.equal(await send(["t"]), "503 in 1");
  const gate = Promise.withResolvers<void>();
  let here = 0;
  const full = Promise.withResolvers<void>();
  receiver.add({ group: "g", topics: "*", concurrency: 1 }, async ({ ack }) => {
    if (++here === 100) full.resolve();
    await gate.promise;
    await ack();
  });
  const sent = Array.from({ length: 100 }, () => send(["t"]));
  await full.promise;
  assert.equal(await send(["t"]), "429 in 1");
  gate.resolve();
  assert.deepEqual(await Promise.all(sent), Array(100).fill(204));
  assert.equal(await send(["t"]), 204, "there is room again");
  await receiver.close(0);
  assert.equal(await send(["t"]), "503 in 1");
});

Deno.test("a consumer that ends, and a receiver that has time, wait for what is handled", async () => {
  for (const end of ["consumer", "receiver"]) {
    const { receiver, send } = receiverOf();
    const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const consumer = receiver.add({ group: "g", topics: "*", concurrency: 1 }, async ({ extend, ack }) => {
      begun.resolve();
      await extend();
      await gate.promise;
      await ack();
    });
    const steps: string[] = [];
    const sent = send(["t"]).then((status) => void steps.push(`answer ${status}`));
    await begun.promise;
    const ended = (end === "consumer" ? consumer.close() : receiver.close(60_000)).then(() =>
      void steps.push("end")
    );
    await new Promise((go) => setTimeout(go, 0));
    assert.deepEqual(steps, []);
    gate.resolve();
    await Promise.all([sent, ended]);
    assert.deepEqual(steps.toSorted(), ["answer 204", "end"]);
    await receiver.close(0);
  }
});

Deno.test("a handshake names the origin that asks, and a rate where one is asked for with it (Web Hooks 4.1, 4.2)", async () => {
  const { ask } = receiverOf();
  const [origin, rate] = ["webhook-request-origin", "webhook-request-rate"];
  for (
    const [headers, allowed, allowedRate] of [
      [{}, null, null],
      [{ [rate]: "120" }, null, null],
      [{ [origin]: "hub.example" }, "hub.example", null],
      [{ [origin]: "hub.example", [rate]: "120" }, "hub.example", "*"],
      [{ [origin]: "" }, "", null],
    ] as [Record<string, string>, string | null, string | null][]
  ) {
    const { status, headers: given } = await ask({ method: "OPTIONS", headers });
    assert.deepEqual(
      [status, given.get("allow"), given.get("webhook-allowed-origin"), given.get("webhook-allowed-rate")],
      [200, "OPTIONS, POST", allowed, allowedRate],
    );
  }
  await assert.rejects(ask({ method: "PUT" }), { status: 405, allow: "OPTIONS, POST" });
});

Deno.test("only senders with one of the roles may ask anything, and their events have them as sender", async () => {
  const { receiver, ask, send } = receiverOf({ roles: ["event-sender", "boss"] });
  const senders: (string | undefined)[] = [];
  receiver.add({ group: "g", topics: "*", concurrency: 1 }, ({ message, ack }) => {
    senders.push((message as { sender?: User }).sender?.id);
    return ack();
  });
  for (
    const [roles, status] of [
      [[], 403],
      [["other"], 403],
      [["boss"], 204],
      [["event-sender"], 204],
    ] as [string[], number][]
  ) {
    const user = new User({ id: "u", roles });
    if (status === 204) assert.equal(await send(["t"], {}, { user }), status);
    else await assert.rejects(send(["t"], {}, { user }), { status });
  }
  await assert.rejects(async () => await receiver.answer(new Request("http://x", { method: "OPTIONS" })), {
    status: 403,
  });
  assert.equal((await ask({ method: "OPTIONS" })).status, 200);
  assert.deepEqual(senders, ["u", "u"]);
  const anybody = receiverOf({ roles: [] });
  await assert.rejects(anybody.send(["t"]), { status: 403 });
  await receiver.close(0);
});

Deno.test("senders with a tenant send events of theirs and of none, unless they are the application (tenant-isolation-001)", async () => {
  const own = new User({ id: "own", roles: ["event-sender", "internal-user"] });
  for (
    const [tenantHeader, user, tenant, named, isTaken] of [
      ["tenantid", HUB, "t1", "t1", true],
      ["tenantid", HUB, "t1", undefined, true],
      ["tenantid", HUB, "t1", "t2", false],
      ["tenantid", HUB, undefined, "t2", true],
      ["tenantid", own, "t1", "t2", true],
      [undefined, HUB, "t1", "t2", true],
    ] as const
  ) {
    const { receiver, send } = receiverOf({ tenantHeader });
    receiver.add({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => ack());
    const sending = send(["t"], named === undefined ? {} : { tenantid: named }, { user, tenant } as never);
    if (isTaken) assert.equal(await sending, 204, `${tenantHeader} ${user.id} ${tenant} ${named}`);
    else await assert.rejects(sending, { status: 403 });
    await receiver.close(0);
  }
});

Deno.test("an event whose body comes when the receiver has ended is not handled, and the sender is to come again", async () => {
  const { receiver, ask } = receiverOf();
  let handled = 0;
  receiver.add({ group: "g", topics: "*", concurrency: 1 }, ({ ack }) => (handled++, ack()));
  let rest: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (rest = controller) });
  const event = { specversion: "1.0", id: "1", source: "/s", type: "t" };
  const headers = { "content-type": "application/cloudevents+json" };
  const answer = ask({ method: "POST", headers, body });
  await receiver.close(0);
  rest!.enqueue(new TextEncoder().encode(JSON.stringify(event)));
  rest!.close();
  const { status, headers: given } = await answer;
  assert.deepEqual([status, given.get("retry-after"), handled], [503, "1", 0]);
});

Deno.test("a receiver that ends waits as long as it is told for what is handled, and leaves no timer behind", async () => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<unknown, number | undefined>();
  globalThis.setTimeout = ((work: () => void, ms?: number) => {
    const timer = setTimeout(work, ms);
    timers.set(timer, ms);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    timers.delete(timer);
    clearTimeout(timer);
  };
  try {
    const { receiver, send } = receiverOf();
    const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    receiver.add({ group: "g", topics: "*", concurrency: 1 }, async ({ ack }) => {
      begun.resolve();
      await gate.promise;
      await ack();
    });
    const sent = send(["t"]);
    await begun.promise;
    const closing = receiver.close(12_345);
    assert.ok([...timers.values()].includes(12_345));
    gate.resolve();
    await Promise.all([sent, closing]);
    assert.ok(![...timers.values()].includes(12_345));
    const stuck = receiverOf();
    stuck.receiver.add({ group: "g", topics: "*", concurrency: 1 }, () => new Promise(() => {}));
    stuck.send(["t"]).catch(() => {});
    await new Promise((go) => setTimeout(go, 0));
    await stuck.receiver.close(1);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});

Deno.test("the failures of ten thousand events are counted, the last ones", async () => {
  const { receiver, send } = receiverOf();
  let deliveries = 0;
  receiver.add({ group: "g", topics: "*", concurrency: 1 }, (delivery) => {
    ({ deliveries } = delivery);
    return delivery.nack();
  });
  const sent = async (id: number) => {
    await send(["t"], { id: String(id) });
    return deliveries;
  };
  for (let id = 0; id < 10_000; id++) await sent(id);
  assert.equal(await sent(0), 2);
  assert.equal(await sent(10_000), 1);
  assert.equal(await sent(1), 1, "the oldest one is forgotten");
  assert.deepEqual([await sent(10_000), await sent(0)], [2, 3]);
  await receiver.close(0);
});
