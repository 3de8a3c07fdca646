import assert from "node:assert/strict";
import type { Guarantees } from "../../src/messaging/channel.ts";
import { Outbox } from "../../src/messaging/outbox/outbox.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { queued } from "../../src/service/queue/queued_service.ts";
import { eventually } from "../contract/channel.ts";
import { ANNOUNCING, createShop, note, TestChannel, withOwnOutbox, withShop } from "./outbox_app.ts";
import { inFolder } from "./services.ts";

const down = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });

/** A channel that forgets what it has got with the process. */
class ForgetfulChannel extends TestChannel {
  override readonly guarantees: Guarantees = { ...new TestChannel().guarantees, survives: "nothing" };
}

/** A channel that hands messages on. */
class RelayingChannel extends TestChannel {
  readonly keepsMessages = false;
}

Deno.test("where the outbox is in memory, a commit returns when the channel has its messages, in order [6.3.5] [1.6]", () =>
  withShop({}, async ({ messaging, channel, runtime, rows }) => {
    for (let n = 0; n < 3; n++) {
      await messaging.emit("Shop.note", { n });
      assert.equal(channel.published.length, n + 1);
    }
    await runtime.db!.tx(async () => {
      for (let n = 3; n < 30; n++) await messaging.emit("Shop.note", { n });
      assert.equal(channel.published.length, 3);
    });
    assert.deepEqual(channel.data, Array.from({ length: 30 }, (_, n) => ({ n })));
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
  }));

Deno.test("where the outbox is in memory, a request is answered when the channel has its messages, and nothing leaves with one that fails", () =>
  withShop({ handlers: ANNOUNCING }, async ({ post, channel }) => {
    assert.equal((await post({ ID: 1, n: 1 })).status, 201);
    assert.deepEqual(channel.data, [{ ID: 1, n: 1 }]);
    assert.equal((await post({ ID: 2, n: -1 })).status, 400);
    assert.deepEqual(channel.data, [{ ID: 1, n: 1 }]);
  }));

Deno.test("where the outbox is in memory, messages wait for a channel that fails at the commit, and leave in order", async () => {
  const channel = new TestChannel();
  await withShop({ channel }, async ({ messaging }) => {
    channel.failure = down;
    for (let n = 0; n < 4; n++) await messaging.emit("Shop.ordered", { ID: 1, n });
    assert.deepEqual(channel.data, []);
    channel.failure = () => undefined;
    await eventually(() => channel.published.length === 4);
    await messaging.emit("Shop.ordered", { ID: 1, n: 4 });
    assert.deepEqual(channel.data, [0, 1, 2, 3, 4].map((n) => ({ ID: 1, n })));
  });
});

Deno.test("a commit does not wait for messages behind one that is refused", async () => {
  const channel = new TestChannel();
  channel.failure = ({ data }) => (data as { n: number }).n === 0 ? new Error("refused") : undefined;
  await withShop({ channel }, async ({ messaging }) => {
    for (let n = 0; n < 2; n++) await messaging.emit("Shop.ordered", { ID: 1, n });
    await messaging.emit("Shop.ordered", { ID: 2, n: 2 });
    assert.deepEqual(channel.data, [{ ID: 2, n: 2 }]);
  });
});

Deno.test("a commit does not wait longer than the limit for a channel that says nothing", async () => {
  const channel = new TestChannel();
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.publish = () => promise;
  await withShop({ channel, env: { limits: { storedMessagesMs: 50 } } }, async ({ messaging, rows }) => {
    await messaging.emit("Shop.note", { n: 1 });
    assert.equal((await rows(OUTBOX_MESSAGES)).length, 1);
    resolve();
  });
});

Deno.test("what a stored call emits through its own worker does not wait for it", () =>
  withShop({ messaging: { inboxed: true } }, async ({ messaging, channel }) => {
    messaging.on("Shop.note", async ({ data }) => {
      if ((data as { n: number }).n === 1) await messaging.emit("Shop.ordered", { ID: 1, n: 2 });
    });
    await messaging.exchange.settled();
    const message = { topic: "Shop.note", data: { n: 1 }, headers: {} };
    assert.equal(await channel.deliver(message), "ack");
    await eventually(() => channel.published.length === 1);
    assert.deepEqual(channel.data, [{ ID: 1, n: 2 }]);
  }));

Deno.test("calls of queued services are made after the commit, which does not wait for them", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDone = false;
  const handlers = {
    Shop: (srv: { on(event: string, handler: () => unknown): void }) =>
      srv.on("tidy", async () => {
        await promise;
        isDone = true;
      }),
  };
  await withShop({ handlers: handlers as never }, async ({ runtime }) => {
    await queued(runtime.services.Shop).send("tidy", { n: 1 });
    assert.equal(isDone, false);
    resolve();
    await eventually(() => isDone);
  });
});

/** The line about a messaging service that a start writes. */
async function promiseOf(options: Parameters<typeof createShop>[0]): Promise<string> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...parts) => void lines.push(parts.join(" "));
  const runtime = createShop({ ...options, env: { ...options.env, log: { levels: { default: "info" } } } });
  try {
    await runtime.start();
  } finally {
    console.log = log;
    await runtime.close();
  }
  return lines.find((line) => line.includes("test-messaging, consumer group")) ?? "";
}

Deno.test("a start tells what becomes of messages that a channel has not got yet", () =>
  inFolder(async (folder) => {
    const durable = await promiseOf({ file: `${folder}/shop.sqlite` });
    assert.doesNotMatch(durable, /lost/);
    const inMemory = await promiseOf({});
    assert.match(
      inMemory,
      /The outbox is in memory, .*a commit waits until the channel has stored its messages/,
    );
    assert.match(
      await promiseOf({ channel: new RelayingChannel() }),
      /in memory, .*not handed over yet are lost/,
    );
    assert.doesNotMatch(await promiseOf({ channel: new ForgetfulChannel() }), /a commit waits/);
    assert.match(await promiseOf({ messaging: { inboxed: true } }), /received ones that wait \(inboxed\)/);
    assert.match(await promiseOf({ messaging: { outboxed: false } }), /There is no outbox: a commit waits/);
  }));

/** How often an outbox looks for work at its start and while nothing is emitted. */
async function looksOf(file: string | undefined): Promise<number> {
  let looks = 0;
  await withShop({ file }, async ({ runtime }) => {
    const db = runtime.db!;
    const outbox = new Outbox({
      ...{ db, multitenancy: false, application: "shop", log: runtime.log("messaging"), pollMs: 1 },
      connect: (name) => runtime.connect(name),
    });
    const withEngine = db.withEngine.bind(db);
    db.withEngine = (run) => {
      looks++;
      return withEngine(run);
    };
    outbox.use();
    await outbox.start();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
    db.withEngine = withEngine;
    await outbox.stop(0);
  });
  return looks;
}

Deno.test("an outbox in memory, to which nobody else can add anything, is not looked through while nothing is emitted", async () => {
  assert.equal(await looksOf(undefined), 0);
  await inFolder(async (folder) => assert.notEqual(await looksOf(`${folder}/shop.sqlite`), 0));
});

Deno.test("what an outbox in memory was given before its start leaves with it", () =>
  withShop({}, async ({ runtime, channel }) => {
    const outbox = new Outbox({
      ...{ db: runtime.db!, multitenancy: false, application: "shop", log: runtime.log("messaging") },
      connect: (name) => runtime.connect(name),
    });
    await outbox.enqueue({ service: "messaging", kind: "publish", event: "Shop.note", data: { n: 1 } });
    assert.deepEqual(channel.data, []);
    await outbox.start();
    await eventually(() => channel.published.length === 1);
    await outbox.stop(0);
  }));

Deno.test("where the outbox is in memory, no message leaves behind its end, and no commit waits for one [6.3.5]", () =>
  withOwnOutbox(async (outbox, { channel, rows }) => {
    await outbox.start();
    await outbox.stop(0);
    await outbox.enqueue(note(1), { isKept: true });
    assert.deepEqual(channel.data, []);
    assert.equal((await rows(OUTBOX_MESSAGES)).length, 1);
  }, { inMemory: true }));

Deno.test("an outbox looks for work by one timer, from its first use or what it found at its start to its end", () =>
  inFolder((folder) =>
    withShop({ file: `${folder}/shop.sqlite` }, async ({ runtime }) => {
      const running = new Set<unknown>();
      const { setInterval, clearInterval } = globalThis;
      const [outbox, next] = [0, 1].map(() =>
        new Outbox({
          ...{ db: runtime.db!, multitenancy: false, application: "shop", log: runtime.log("messaging") },
          connect: (name) => runtime.connect(name),
        })
      );
      Object.assign(globalThis, {
        setInterval: (...given: Parameters<typeof setInterval>) => {
          const id = setInterval(...given);
          running.add(id);
          return id;
        },
        clearInterval: (id?: number) => {
          running.delete(id);
          clearInterval(id);
        },
      });
      try {
        outbox.use();
        assert.equal(running.size, 0);
        await outbox.start();
        assert.equal(running.size, 1);
        for (let uses = 0; uses < 3; uses++) outbox.use();
        assert.equal(running.size, 1);
        await outbox.stop(0);
        assert.equal(running.size, 0);
        await outbox.enqueue({ service: "messaging", kind: "publish", event: "Shop.note", data: { n: 1 } });
        await next.start();
        assert.equal(running.size, 1);
        await next.stop(0);
        assert.equal(running.size, 0);
      } finally {
        Object.assign(globalThis, { setInterval, clearInterval });
      }
    })
  ));
