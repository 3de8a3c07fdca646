import assert from "node:assert/strict";
import { currentContext } from "../../src/context/store.ts";
import { INSERT } from "../../src/cqn/builders/insert.ts";
import type { EventContext } from "../../src/context/event_context.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import type { Message } from "../../src/messaging/channel.ts";
import { identityOf } from "../../src/messaging/inbox/inbox.ts";
import { INBOX_MESSAGES, OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import { eventually } from "../contract/channel.ts";
import { withClock } from "../security/clock.ts";
import {
  openShop,
  type Outcome,
  type Shop,
  type ShopOptions,
  type TestChannel,
  withShop,
} from "./outbox_app.ts";

const event = (id: string, n = 1, source = "/other"): Message => ({
  topic: "Other.e",
  data: { n },
  headers: { specversion: "1.0", id, source, type: "Other.e" },
});

interface Handling {
  readonly shop: Shop;
  readonly channel: TestChannel;
  /** Payloads the handler was called with. */
  readonly calls: number[];
  readonly contexts: EventContext[];
  /** What the handler throws, by payload and call. */
  fail: (n: number, call: number) => unknown;
}

/** A shop that receives `Other.e` and writes an order for each. */
async function receiving(options: ShopOptions, run: (handling: Handling) => Promise<void>): Promise<void> {
  const handling = { calls: [], contexts: [], fail: () => undefined } as unknown as {
    -readonly [K in keyof Handling]: Handling[K];
  };
  await withShop({ ...options }, async (shop) => {
    Object.assign(handling, { shop, channel: shop.channel });
    shop.messaging.on("Other.e", async (msg) => {
      const { n } = msg.data as { n: number };
      const call = handling.calls.push(n);
      handling.contexts.push(currentContext()!);
      await INSERT.into("db.Orders").entries({ ID: call, n });
      const error = handling.fail(n, call);
      if (error) throw error;
    });
    await shop.messaging.exchange.settled();
    await run(handling);
  });
}

Deno.test("a message that comes twice is handled once, and acknowledged both times", async () => {
  await receiving({}, async ({ channel, calls, shop }) => {
    assert.equal(await channel.deliver(event("a")), "ack");
    assert.equal(await channel.deliver(event("a"), 2), "ack");
    assert.equal(await channel.deliver(event("a", 1, "/elsewhere")), "ack");
    assert.equal(await channel.deliver(event("b")), "ack");
    assert.equal(calls.length, 3);
    const rows = await shop.rows(INBOX_MESSAGES);
    assert.deepEqual(rows.map(({ source, id, group }) => `${source} ${id} ${group}`).toSorted(), [
      "/elsewhere a shop",
      "/other a shop",
      "/other b shop",
    ]);
  });
});

Deno.test("a copy that comes while the first one is handled has no effect", async () => {
  await receiving({}, async ({ channel, shop }) => {
    const outcomes = await Promise.all([channel.deliver(event("a")), channel.deliver(event("a"))]);
    assert.deepEqual(outcomes, ["ack", "ack"]);
    assert.equal((await shop.rows("db.Orders")).length, 1);
  });
});

Deno.test("where the database takes its time, a copy that comes meanwhile has no effect either", async () => {
  await receiving({}, async ({ channel, shop }) => {
    const db = shop.runtime.db!;
    const withEngine = db.withEngine.bind(db);
    // what its caller does not wait for ends after its transaction
    db.withEngine = (async (run: Parameters<typeof withEngine>[0]) => await withEngine(run)) as never;
    const outcomes = await Promise.all([channel.deliver(event("a")), channel.deliver(event("a"))]);
    assert.deepEqual(outcomes, ["ack", "ack"]);
    assert.equal((await shop.rows("db.Orders")).length, 1);
  });
});

Deno.test("the record belongs to the transaction of the handler: after a failure the message is handled again", async () => {
  await receiving({}, async (handling) => {
    const { channel, calls, shop } = handling;
    handling.fail = (_, call) => call === 1 ? new Error("no") : undefined;
    assert.equal(typeof await channel.deliver(event("a")), "object");
    assert.deepEqual([await shop.rows(INBOX_MESSAGES), await shop.rows("db.Orders")], [[], []]);
    assert.equal(await channel.deliver(event("a"), 2), "ack");
    assert.deepEqual([calls.length, (await shop.rows("db.Orders")).length], [2, 1]);
  });
});

Deno.test("messages without id, and with inboxed: false, are handled as often as they come", async () => {
  const bare: Message = { topic: "Other.e", data: { n: 1 }, headers: { id: "a" } };
  await receiving({}, async ({ channel, calls }) => {
    for (let i = 0; i < 2; i++) await channel.deliver(bare);
    assert.equal(calls.length, 2);
  });
  await receiving({ messaging: { inboxed: false } }, async ({ channel, calls }) => {
    for (let i = 0; i < 2; i++) await channel.deliver(event("a"));
    assert.equal(calls.length, 2);
  });
});

Deno.test("messages of this framework carry an id, whatever their format", async () => {
  await withShop({}, async ({ messaging, channel, runtime }) => {
    for (let i = 0; i < 2; i++) await messaging.emit("Other.e", { n: 1 });
    await runtime.queue!.flush();
    const [first, second] = channel.published.map(({ headers }) => headers["x-message-id"]);
    assert.ok(typeof first === "string" && first !== second);
    const { shop, calls } = { shop: channel.published[0], calls: [] as unknown[] };
    messaging.on("Other.e", ({ data }) => void calls.push(data));
    await messaging.exchange.settled();
    for (let i = 0; i < 2; i++) await channel.deliver(shop);
    assert.equal(calls.length, 1);
  });
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Writes records of messages that were handled some time ago. */
async function handledBefore(ages: Readonly<Record<string, number>>): Promise<void> {
  const entry = { source: "/other", group: "shop", status: "handled" };
  await INSERT.into(INBOX_MESSAGES).entries(
    Object.entries(ages).map(([id, ms]) => ({
      ...{ ...entry, id },
      receivedAt: new Date(Date.now() - ms).toISOString(),
    })),
  );
}

async function inboxIds(shop: Shop): Promise<unknown[]> {
  return (await shop.rows(INBOX_MESSAGES)).map(({ id }) => id).toSorted();
}

Deno.test("records are kept for seven days, and not for longer", async () => {
  await receiving({}, async ({ channel, shop }) => {
    const week = 7 * 24 * HOUR_MS;
    await handledBefore({ old: week + MINUTE_MS, young: week - MINUTE_MS });
    await channel.deliver(event("a"));
    assert.deepEqual(await inboxIds(shop), ["a", "young"]);
  });
});

Deno.test("a message is acknowledged where old records cannot be removed, and the failure harms nobody", async () => {
  await receiving({}, async ({ channel, shop }) => {
    const table = INBOX_MESSAGES.replaceAll(".", "_");
    await handledBefore({ old: 8 * 24 * HOUR_MS });
    await shop.runtime.db!.run(
      `CREATE TRIGGER refuses BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    assert.equal(await channel.deliver(event("a")), "ack");
    assert.deepEqual(await inboxIds(shop), ["a", "old"]);
  });
});

Deno.test("old records are looked for once an hour", async () => {
  await withClock((forward) =>
    receiving({}, async ({ channel, shop }) => {
      const ids: unknown[] = [];
      for (const [index, ms] of [0, HOUR_MS - 1, 1, HOUR_MS - 1].entries()) {
        forward(ms);
        await handledBefore({ [`old${index}`]: 8 * 24 * HOUR_MS });
        await channel.deliver(event(`m${index}`));
        ids.push((await inboxIds(shop)).filter((id) => String(id).startsWith("old")));
      }
      assert.deepEqual(ids, [[], ["old1"], [], ["old3"]]);
    })
  );
});

Deno.test("messages are known by a source and an id of at most the length that the database stores", async () => {
  const callsOf = async (headers: Readonly<Record<string, unknown>>): Promise<number> => {
    let count = 0;
    await receiving({}, async ({ channel, calls }) => {
      const sent = { ...event("a"), headers } as Message;
      assert.equal(await channel.deliver(sent), "ack");
      assert.equal(await channel.deliver(sent, 2), "ack");
      count = calls.length;
    });
    return count;
  };
  const { headers } = event("a");
  assert.equal(await callsOf({ ...headers, id: "i".repeat(255), source: "s".repeat(1024) }), 1);
  assert.equal(await callsOf({ ...headers, id: "i".repeat(256) }), 2);
  assert.equal(await callsOf({ ...headers, source: "s".repeat(1025) }), 2);
  assert.equal(await callsOf({ "x-message-id": "i" }), 1);
  for (const id of ["", 7, "\ud800", undefined]) {
    assert.equal(await callsOf({ "x-message-id": id }), 2, `${id}`);
  }
});

Deno.test("messages that are no CloudEvents are known by their topic and id, as brokers know them", () => {
  const [one, other] = ["a", "b"].map((topic) =>
    identityOf({ topic, data: 1, headers: { "x-message-id": "1" } })
  );
  assert.deepEqual([one, other], [{ source: "a", id: "1" }, { source: "b", id: "1" }]);
});

Deno.test("a message whose record cannot be written is not acknowledged", async () => {
  await receiving({}, async ({ channel, shop }) => {
    const db = shop.runtime.db!;
    const table = INBOX_MESSAGES.replaceAll(".", "_");
    await db.run(`CREATE TRIGGER refuses BEFORE INSERT ON ${table} BEGIN SELECT no_such_function(); END`);
    const outcome = await channel.deliver(event("a"));
    assert.notEqual(outcome, "ack");
    assert.deepEqual(await shop.rows("db.Orders"), []);
  });
});

Deno.test("a handler that fails twice and then succeeds has one effect, with growing delays (MSG-038)", async () => {
  await receiving({}, async (handling) => {
    const { channel, shop, calls } = handling;
    handling.fail = (_, call) => call < 3 ? new Error("not yet") : undefined;
    const outcomes: Outcome[] = [];
    for (let deliveries = 1; deliveries <= 3; deliveries++) {
      outcomes.push(await channel.deliver(event("a"), deliveries));
    }
    const delays = outcomes.map((outcome) => outcome === "ack" ? Infinity : outcome.delayMs!);
    assert.deepEqual([calls.length, outcomes[2]], [3, "ack"]);
    assert.ok(delays[0] < delays[1], `${delays}`);
    assert.equal((await shop.rows("db.Orders")).length, 1);
    assert.deepEqual(await shop.runtime.queue!.deadLetters(), []);
  });
});

Deno.test("a poison message ends in the dead letters of the application, with its error, and can be replayed (MSG-039)", async () => {
  await receiving({ messaging: { maxAttempts: 3 } }, async (handling) => {
    const { channel, shop } = handling;
    handling.fail = (n) => n === 1 ? new Error("poison") : undefined;
    for (let deliveries = 1; deliveries <= 3; deliveries++) await channel.deliver(event("m1", 1), deliveries);
    for (let n = 2; n <= 10; n++) assert.equal(await channel.deliver(event(`m${n}`, n)), "ack");
    const queue = shop.runtime.queue!;
    const [letter, ...more] = await queue.deadLetters();
    assert.deepEqual([letter.attempts, letter.work?.data, more], [3, { n: 1 }, []]);
    assert.match(letter.lastError!, /poison/);
    assert.equal((await shop.rows("db.Orders")).length, 9);
    handling.fail = () => undefined;
    await queue.revive({ id: letter.ID });
    await eventually(() => handling.calls.filter((n) => n === 1).length === 4);
    await queue.flush();
    assert.equal((await shop.rows("db.Orders")).length, 10);
    assert.deepEqual(await queue.deadLetters(), []);
  });
});

Deno.test("inboxed: true stores a message, acknowledges it at once, and retries by itself", async () => {
  await receiving({ messaging: { inboxed: true } }, async (handling) => {
    const { channel, shop, calls } = handling;
    handling.fail = (_, call) => call === 1 ? new Error("first") : undefined;
    assert.equal(await channel.deliver(event("a")), "ack");
    assert.equal(await channel.deliver(event("a"), 2), "ack");
    assert.equal((await shop.rows(INBOX_MESSAGES)).length, 1);
    await eventually(() => calls.length === 2);
    await shop.runtime.queue!.flush();
    assert.equal((await shop.rows("db.Orders")).length, 1);
    assert.deepEqual(await shop.rows(OUTBOX_MESSAGES), []);
  });
});

Deno.test("failures of a stored message end in the dead letters of the application", async () => {
  await receiving({ messaging: { inboxed: true, maxAttempts: 1 } }, async (handling) => {
    handling.fail = () => new Error("poison");
    await handling.channel.deliver(event("a"));
    await eventually(() => handling.calls.length === 1);
    await handling.shop.runtime.queue!.flush();
    const [letter] = await handling.shop.runtime.queue!.deadLetters();
    assert.deepEqual([letter.work?.kind, letter.work?.event, letter.attempts], ["receive", "Other.e", 1]);
  });
});

Deno.test("handlers are privileged, with correlation id and the tenant of the one configured header (MSG-012)", async () => {
  for (const inboxed of [undefined, true]) {
    await receiving(
      { messaging: { tenantHeader: "x-tenant", inboxed } },
      async ({ channel, contexts, shop }) => {
        await shop.runtime.db!.tx({ tenant: "t1", id: "corr-1", user: "alice" }, async () => {
          await shop.messaging.emit("Other.e", { n: 1 });
        });
        await eventually(() => channel.published.length === 1);
        await channel.deliver(channel.published[0]);
        await eventually(() => contexts.length === 1);
        const [{ user, tenant, id }] = contexts;
        assert.deepEqual([user.is("any-role"), tenant, id], [true, "t1", "corr-1"]);
      },
    );
  }
});

Deno.test("what a handler emits leaves with the record of its message, or not at all", async () => {
  await receiving({}, async (handling) => {
    const { channel, shop } = handling;
    shop.messaging.on("Other.e", () => shop.messaging.emit("Shop.note", { n: 5 }));
    handling.fail = (_, call) => call === 1 ? new Error("no") : undefined;
    await channel.deliver(event("a"));
    await shop.runtime.queue!.flush();
    assert.deepEqual(channel.published, []);
    await channel.deliver(event("a"), 2);
    await shop.runtime.queue!.flush();
    assert.deepEqual(channel.data, [{ n: 5 }]);
  });
});

Deno.test("asking for outbox or inbox without a database stops the start", async () => {
  const handlers: Implementations = {};
  for (const messaging of [{ outboxed: true }, { inboxed: true }]) {
    const opening = openShop({ handlers, messaging, env: { outbox: false } });
    await assert.rejects(opening, ConfigurationError);
  }
});
