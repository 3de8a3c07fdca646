import assert from "node:assert/strict";
import { UPDATE } from "../../mod.ts";
import { currentContext } from "../../src/context/store.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import { Outbox } from "../../src/messaging/outbox/outbox.ts";
import { queued } from "../../src/service/queue/queued_service.ts";
import { MessageStore } from "../../src/messaging/outbox/message_store.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { partitionOf } from "../../src/messaging/outbox/stored_work.ts";
import { eventually } from "../contract/channel.ts";
import {
  ANNOUNCING,
  createShop,
  note,
  openShop,
  TestChannel,
  withOwnOutbox,
  withShop,
} from "./outbox_app.ts";
import { inFolder } from "./services.ts";

const down = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

Deno.test("while the broker is away it is asked for one message at a time, after a pause", async () => {
  const channel = new TestChannel();
  channel.failure = down;
  await withShop({ channel, handlers: ANNOUNCING }, async ({ post }) => {
    for (let ID = 1; ID < 5; ID++) await post({ ID, n: 5 });
    await eventually(() => channel.attempts > 0);
    const before = channel.attempts;
    // far more turns than messages; the pause is longer than they are
    for (let turns = 0; turns < 30; turns++) await new Promise((go) => setTimeout(go, 0));
    assert.ok(channel.attempts <= before + 1, `${channel.attempts - before} attempts without a pause`);
  });
});

Deno.test("the row of an event is written with the caller's transaction, for the service and as the user (MSG-035)", async () => {
  const channel = new TestChannel();
  channel.failure = down;
  await withShop({ channel, handlers: ANNOUNCING }, async ({ post, rows }) => {
    assert.equal((await post({ ID: 1, n: 5 })).status, 201);
    await eventually(() => channel.attempts > 0);
    const [row, ...more] = await rows(OUTBOX_MESSAGES);
    assert.deepEqual(more, []);
    assert.deepEqual([row.target, row.attempts, row.appid, row.status], ["messaging", 0, "shop", null]);
    assert.notEqual(row.partition, 0);
    const { service, event, data, user } = JSON.parse(String(row.msg));
    assert.deepEqual([service, event, data, user], [
      "messaging",
      "Shop.ordered",
      { ID: 1, n: 5 },
      "mock/alice",
    ]);
    channel.failure = () => undefined;
  });
});

Deno.test("after a rejection there is no row and no message (MSG-006)", async () => {
  await withShop({ handlers: ANNOUNCING }, async ({ post, rows, channel, runtime }) => {
    assert.equal((await post({ ID: 1, n: -1 })).status, 400);
    await runtime.queue!.flush();
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
    assert.deepEqual(await rows("db.Orders"), []);
    assert.equal(channel.attempts, 0);
  });
});

Deno.test("a change set that fails leaves no message behind (MSG-007)", async () => {
  await withShop({ handlers: ANNOUNCING }, async ({ runtime, rows, channel }) => {
    const requests = [[1, 5], [2, -1]].map(([ID, n]) => ({
      ...{ id: String(ID), atomicityGroup: "g", method: "post", url: "Orders" },
      ...{ headers: { "content-type": "application/json" }, body: { ID, n } },
    }));
    const request = new Request("http://localhost/odata/v4/shop/$batch", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Basic ${btoa("alice:")}` },
      body: JSON.stringify({ requests }),
    });
    await (await runtime.fetch(request)).text();
    await runtime.queue!.flush();
    assert.deepEqual([await rows(OUTBOX_MESSAGES), channel.attempts], [[], 0]);
  });
});

Deno.test("published messages leave the table, in the order of their commits", async () => {
  await withShop({}, async ({ messaging, rows, channel, runtime }) => {
    for (let n = 0; n < 25; n++) await messaging.emit("Shop.ordered", { ID: 1, n });
    await runtime.queue!.flush();
    assert.deepEqual(channel.data, Array.from({ length: 25 }, (_, n) => ({ ID: 1, n })));
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
  });
});

Deno.test("what transactions emit in one turn of the event loop is claimed and published together, in chunks of 10 (messaging 6.3)", () =>
  inFolder((folder) =>
    withShop({ file: `${folder}/shop.sqlite` }, async ({ messaging, channel, runtime }) => {
      const sizes: number[] = [];
      const publish = channel.publish.bind(channel);
      channel.publish = (messages) => {
        sizes.push(messages.length);
        return publish(messages);
      };
      for (let n = 0; n < 25; n++) await messaging.emit("Shop.note", { n });
      await runtime.queue!.flush();
      assert.deepEqual(sizes, [10, 10, 5]);
    })
  ));

Deno.test("what a process left is dispatched by the next one, without a further emit (MSG-036)", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    const before = await openShop({ file });
    before.channel.failure = down;
    for (let n = 0; n < 30; n++) await before.messaging.emit("Shop.note", { n });
    await before.runtime.close();
    assert.deepEqual(before.channel.data, []);
    const after = await openShop({ file });
    await eventually(() => after.channel.published.length === 30);
    await after.runtime.close();
    assert.deepEqual(new Set(after.channel.data.map((data) => (data as { n: number }).n)).size, 30);
  });
});

Deno.test("while the channel cannot be reached messages wait uncounted, and then leave in order (MSG-037)", async () => {
  const channel = new TestChannel();
  channel.failure = down;
  await withShop({ channel, messaging: { maxAttempts: 1 } }, async ({ messaging, rows }) => {
    for (let n = 0; n < 20; n++) await messaging.emit("Shop.ordered", { ID: 7, n });
    await eventually(() => channel.attempts >= 3);
    const waiting = await rows(OUTBOX_MESSAGES);
    assert.deepEqual([
      waiting.length,
      new Set(waiting.map(({ attempts, status }) => `${attempts} ${status}`)),
    ], [
      20,
      new Set(["0 null"]),
    ]);
    channel.failure = () => undefined;
    await eventually(() => channel.published.length === 20);
    assert.deepEqual(channel.data, Array.from({ length: 20 }, (_, n) => ({ ID: 7, n })));
  });
});

Deno.test("a refused message holds up its key only; the others leave", async () => {
  const channel = new TestChannel();
  channel.failure = ({ data }) => (data as { n: number }).n === 0 ? new Error("refused") : undefined;
  await withShop({ channel }, async ({ messaging, rows }) => {
    for (let n = 0; n < 6; n++) await messaging.emit("Shop.ordered", { ID: n % 2, n });
    await eventually(() => channel.published.length >= 3);
    assert.deepEqual(channel.data, [1, 3, 5].map((n) => ({ ID: 1, n })));
    const waiting = await rows(OUTBOX_MESSAGES);
    assert.deepEqual(waiting.map(({ attempts }) => Number(attempts) > 0), [true, false, false]);
    channel.failure = () => undefined;
    await eventually(() => channel.published.length === 6);
    assert.deepEqual(channel.data.slice(3), [0, 2, 4].map((n) => ({ ID: 0, n })));
  });
});

Deno.test("a message the channel will never take is a dead letter at once, and lets its key pass", async () => {
  const channel = new TestChannel();
  const refusal = Object.assign(new Error("not allowed"), { unrecoverable: true });
  channel.failure = ({ data }) => (data as { n: number }).n === 0 ? refusal : undefined;
  await withShop({ channel }, async ({ messaging, runtime }) => {
    for (let n = 0; n < 3; n++) await messaging.emit("Shop.ordered", { ID: 1, n });
    await eventually(() => channel.published.length === 2);
    await runtime.queue!.flush();
    const [letter, ...more] = await runtime.queue!.deadLetters();
    assert.deepEqual([letter.attempts, letter.work?.data, more], [1, { ID: 1, n: 0 }, []]);
    assert.match(letter.lastError!, /not allowed/);
  });
});

Deno.test("a refused message is given up only when attempts and age are used up", async () => {
  for (const [maxAgeMs, dead] of [[0, 1], [60_000, 0]]) {
    const channel = new TestChannel();
    channel.failure = () => new Error("refused");
    await withShop({ channel, messaging: { outboxed: { maxAttempts: 1, maxAgeMs } } }, async (shop) => {
      await shop.messaging.emit("Shop.note", { n: 1 });
      await eventually(() => channel.attempts >= 1);
      await shop.runtime.queue!.flush();
      assert.equal((await shop.runtime.queue!.deadLetters()).length, dead);
    });
  }
});

Deno.test("unless told otherwise, a refused message is given up after 10 attempts and 24 hours (messaging 6.4)", async () => {
  const channel = new TestChannel();
  channel.failure = down;
  await withShop({ channel }, async ({ messaging, runtime, rows }) => {
    const kinds = [{ attempts: 9, hours: 24.01 }, { attempts: 8, hours: 25 }, { attempts: 9, hours: 23.5 }];
    for (const n of kinds.keys()) await messaging.emit("Shop.note", { n });
    const stored = await rows(OUTBOX_MESSAGES);
    for (const [n, { attempts, hours }] of kinds.entries()) {
      const { ID } = stored.find(({ msg }) => JSON.parse(String(msg)).data.n === n)!;
      const timestamp = new Date(Date.now() - hours * 3_600_000).toISOString();
      await runtime.db!.run(UPDATE(OUTBOX_MESSAGES).set({ attempts, timestamp }).where({ ID }));
    }
    const refused = new Set<unknown>();
    channel.failure = ({ data }) => {
      refused.add((data as { n: number }).n);
      return new Error("refused");
    };
    await eventually(() => refused.size === kinds.length);
    await runtime.queue!.flush();
    const letters = await runtime.queue!.deadLetters();
    assert.deepEqual(letters.map(({ work }) => work?.data), [{ n: 0 }]);
  });
});

Deno.test("what is due leaves before a process ends, and nothing leaves afterwards", () =>
  inFolder(async (folder) => {
    const channel = new TestChannel();
    const file = `${folder}/shop.sqlite`;
    const { runtime, messaging } = await openShop({ channel, file });
    await runtime.db!.tx(async () => {
      for (let n = 0; n < 5; n++) await messaging.emit("Shop.note", { n });
    });
    await runtime.close();
    assert.equal(channel.published.length, 5);
  }));

Deno.test("a channel that cannot be reached is told once, not with each attempt; what it refuses is told with its name", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (...parts) => void lines.push(parts.join(" "));
  const channel = new TestChannel();
  channel.failure = down;
  try {
    const env = { log: { levels: { default: "error" } } };
    await withShop({ channel, env }, async ({ messaging, runtime }) => {
      await messaging.emit("Shop.note", { n: 1 });
      await eventually(() => channel.attempts > 0);
      await runtime.queue!.flush();
      await eventually(() => channel.attempts > 1);
      const told = lines.filter((line) => line.includes("The channel of messaging cannot be reached"));
      assert.equal(told.length, 1, lines.join("\n"));
      channel.failure = () => Object.assign(new Error("no"), { unrecoverable: true });
      const refusal = "Publishing Shop.note of messaging failed, attempt 1, given up:";
      await eventually(() => lines.some((line) => line.includes(refusal)));
    });
  } finally {
    console.error = error;
  }
});

Deno.test("a dead letter that is revived is tried again; a discarded one is gone", async () => {
  const channel = new TestChannel();
  channel.failure = () => Object.assign(new Error("no"), { unrecoverable: true });
  await withShop({ channel }, async ({ messaging, runtime, rows }) => {
    const queue = runtime.queue!;
    for (let n = 0; n < 2; n++) await messaging.emit("Shop.note", { n });
    await eventually(() => channel.attempts >= 2);
    await queue.flush();
    const [first, second] = await queue.deadLetters();
    const one = await queue.deadLetters({ id: second.ID.slice(0, 20), limit: 1 });
    assert.deepEqual(one.map(({ ID }) => ID), [second.ID]);
    channel.failure = () => undefined;
    assert.equal(await queue.revive({ id: first.ID }), 1);
    await queue.flush();
    assert.deepEqual(channel.data, [first.work?.data]);
    assert.equal(await queue.discard({ id: second.ID }), true);
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
    assert.equal(await queue.revive(), 0);
  });
});

Deno.test("messages are published outside of the request that emitted them", async () => {
  const seen: unknown[] = [];
  const channel = new TestChannel();
  channel.failure = () => void seen.push([currentContext()?.user.id, currentContext()?.http]);
  await withShop({ channel, handlers: ANNOUNCING }, async ({ post, runtime }) => {
    assert.equal((await post({ ID: 1, n: 1 })).status, 201);
    await eventually(() => seen.length === 1);
    await runtime.queue!.flush();
  });
  assert.deepEqual(seen, [["privileged", undefined]]);
});

Deno.test("messages that are too large are refused at emit", async () => {
  await withShop({}, async ({ messaging, rows }) => {
    await assert.rejects(messaging.emit("Shop.note", "x".repeat(100_001)), { code: "MESSAGE_TOO_LARGE" });
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
  });
});

Deno.test("outboxed: false keeps messages in memory until the commit; fw.outbox: false removes the table", async () => {
  await withShop({ messaging: { outboxed: false } }, async ({ messaging, channel, runtime, rows }) => {
    const writes: number[] = [];
    runtime.db!.before("*", () => {});
    await messaging.emit("Shop.note", { n: 1 });
    writes.push((await rows(OUTBOX_MESSAGES)).length);
    assert.deepEqual([channel.data, writes, messaging.isQueued], [[{ n: 1 }], [0], false]);
  });
  await withShop({ env: { outbox: false } }, async ({ messaging, channel, runtime }) => {
    await messaging.emit("Shop.note", { n: 1 });
    assert.deepEqual([channel.data, runtime.queue], [[{ n: 1 }], undefined]);
    assert.equal(runtime.model.entity(OUTBOX_MESSAGES), undefined);
  });
});

Deno.test("an application takes only its own rows of a shared database", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    const one = await openShop({ file, name: "one" });
    one.channel.failure = down;
    await one.messaging.emit("Shop.note", { n: 1 });
    await one.runtime.close();
    const two = await openShop({ file, name: "two" });
    await two.runtime.queue!.flush();
    assert.equal(two.channel.attempts, 0);
    await two.runtime.close();
  });
});

Deno.test("work of a service that does not exist any more is a dead letter", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    const before = await openShop({ file });
    before.channel.failure = down;
    await before.messaging.emit("Shop.note", { n: 1 });
    await before.runtime.db!.run(`UPDATE fw_outbox_Messages SET target = 'gone'`);
    await before.runtime.close();
    const after = createShop({ file });
    await after.start();
    await after.queue!.flush();
    const [letter] = await after.queue!.deadLetters();
    assert.match(letter.lastError!, /There is no service "gone"/);
    await after.close();
  });
});

Deno.test("a database that fails after a message was published counts no attempt; the row goes once it answers again", async () => {
  await withShop({}, async ({ messaging, channel, rows, runtime }) => {
    const database = await runtime.db!.database(undefined);
    const begin = database.begin.bind(database);
    let failures = 1;
    channel.failure = () => {
      // from the first publishing on, the next transaction fails
      database.begin = (context) => {
        if (failures-- > 0) throw new Error("the database is gone");
        return begin(context);
      };
      return undefined;
    };
    await messaging.emit("Shop.note", { n: 1 });
    await eventually(() => channel.published.length >= 1);
    await eventually(() => failures < 0);
    await runtime.queue!.flush();
    assert.deepEqual(await runtime.queue!.deadLetters(), []);
    await runtime.queue!.flush();
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
    assert.deepEqual(channel.data, [{ n: 1 }]);
  });
});

Deno.test("work that takes longer than its lease keeps it: no other worker gets the row", async () => {
  const seen: number[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const handlers: Implementations = {
    Shop: (srv) => {
      srv.on("note", async ({ data }) => {
        seen.push((data as { n: number }).n);
        await released;
      });
    },
  };
  await withShop(
    { handlers, messaging: { outboxed: false }, env: { outbox: { leaseMs: 3_000 } } },
    async ({ runtime }) => {
      const { db } = runtime;
      const options = {
        db: db!,
        multitenancy: false,
        application: "shop",
        log: runtime.log("messaging"),
        leaseMs: 3_000,
      };
      const other = new Outbox({ ...options, connect: (name) => runtime.connect(name) });
      await queued(runtime.services.Shop).emit("note", { n: 1 });
      await eventually(() => seen.length === 1);
      await other.start();
      for (let i = 0; i < 10; i++) {
        await new Promise((resolve) => setTimeout(resolve, 400));
        await other.flush();
      }
      release();
      await runtime.queue!.flush();
      await other.stop(0);
      assert.deepEqual(seen, [1]);
    },
  );
});

Deno.test("a message that is stored while the worker removes its last rows leaves as well", () =>
  withOwnOutbox(async (outbox, { channel }) => {
    await outbox.start();
    const { remove } = MessageStore.prototype;
    let removals = 0;
    MessageStore.prototype.remove = async function (ids) {
      if (removals++ === 0) await outbox.enqueue(note(2));
      await remove.call(this, ids);
    };
    try {
      await outbox.enqueue(note(1));
      await eventually(() => channel.published.length === 2);
    } finally {
      MessageStore.prototype.remove = remove;
    }
    assert.deepEqual(channel.data, [{ n: 1 }, { n: 2 }]);
  }));

Deno.test("dead letters revived in a process that does not send are left to those that do", () =>
  withOwnOutbox(async (outbox, { channel, connects, rows }) => {
    await outbox.bury(note(1), { attempts: 3, reason: "refused" });
    assert.equal(await outbox.revive(), 1);
    for (let turns = 0; turns < 30; turns++) await new Promise((go) => setTimeout(go, 1));
    assert.equal(connects(), 0);
    const [row] = await rows(OUTBOX_MESSAGES);
    assert.deepEqual([row.attempts, row.status, channel.data], [0, null, []]);
  }));

Deno.test("keys keep their numbers: rows of an earlier version are in the order of their key (FNV-1a)", () => {
  assert.deepEqual(
    ["a", "foobar", "Zürich", "🚀", "a\x7f", "a\x80"].map(partitionOf),
    [0xe40c292c >>> 1, 0xbf9cf968 >>> 1, 0xd7007f20 >>> 1, 0x7fa78ada >>> 1, 0x291286d4, 0x3e69ea8f],
  );
});

Deno.test("a look for services with work takes one transaction, however many there are", async () => {
  await withShop({}, async ({ runtime }) => {
    const after = 3_600_000;
    for (const service of ["Shop", "messaging", "Other"]) {
      await runtime.queue!.enqueue({ service, kind: "emit", event: "note", data: { n: 1 } }, { after });
    }
    const db = runtime.db!;
    const database = await db.database(undefined);
    const begin = database.begin.bind(database);
    let begun = 0;
    database.begin = (context) => {
      begun++;
      return begin(context);
    };
    const store = new MessageStore({
      db,
      tenant: undefined,
      application: "shop",
      owner: "me",
      leaseMs: 1000,
    });
    assert.deepEqual(await store.pendingTargets(), ["Other", "Shop", "messaging"]);
    assert.equal(begun, 1);
  });
});
