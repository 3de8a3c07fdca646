import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { OUTBOX_MESSAGES, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import type { Csn } from "../../src/model/csn.ts";
import { createRuntime } from "../../src/fw.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { eventually } from "../contract/channel.ts";
import { createShop, openShop, SHOP, TestChannel, withShop } from "./outbox_app.ts";
import { inFolder } from "./services.ts";

const down = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
const KEYS = 7;

interface Order {
  readonly ID: number;
  readonly n: number;
}

/** Leaves events of several keys in the outbox, in one transaction. */
async function leave(file: string, count: number): Promise<void> {
  const channel = new TestChannel();
  channel.failure = down;
  const { runtime, messaging } = await openShop({ file, channel });
  await runtime.db!.tx(async () => {
    for (let n = 0; n < count; n++) await messaging.emit("Shop.ordered", { ID: n % KEYS, n });
  });
  await runtime.close();
}

/** Each number once, and those of one key in order. */
function assertAll(data: readonly unknown[], count: number): void {
  const orders = data as readonly Order[];
  assert.equal(orders.length, count);
  assert.equal(new Set(orders.map(({ n }) => n)).size, count);
  for (const [, some] of Map.groupBy(orders, ({ ID }) => ID)) {
    assert.deepEqual(some.map(({ n }) => n), some.map(({ n }) => n).toSorted((one, other) => one - other));
  }
}

Deno.test("chunks grow with a backlog from 10 to 1,000 at most, and everything else has its turn between them (messaging 6.3)", () =>
  inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    await leave(file, 3_000);
    const channel = new TestChannel();
    const sizes: number[] = [];
    const turns: number[] = [];
    let turn = 0;
    const clock = setInterval(() => turn++, 0);
    const publish = channel.publish.bind(channel);
    channel.publish = (messages) => {
      sizes.push(messages.length);
      turns.push(turn);
      return publish(messages);
    };
    const { runtime } = await openShop({ file, channel });
    const health: number[] = [];
    while (channel.published.length < 3_000) {
      health.push((await runtime.fetch(new Request("http://localhost/health"))).status);
      await new Promise((go) => setTimeout(go, 0));
    }
    clearInterval(clock);
    await runtime.close();
    assertAll(channel.data, 3_000);
    assert.deepEqual(sizes.slice(0, 2), [10, 10]);
    assert.ok(Math.max(...sizes) > 10 && Math.max(...sizes) <= 1_000, String(sizes));
    assert.ok(turns.every((at, index) => index === 0 || at > turns[index - 1]!), String(turns));
    assert.ok(health.length > 1 && health.every((status) => status === 200));
  }));

Deno.test("an application that is told to end while a backlog leaves ends, and the next one goes on", () =>
  inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    await leave(file, 2_000);
    const channel = new TestChannel();
    const publish = channel.publish.bind(channel);
    channel.publish = async (messages) => {
      await new Promise((go) => setTimeout(go, 200));
      await publish(messages);
    };
    const first = await openShop({ file, channel });
    await eventually(() => channel.published.length > 0);
    await first.runtime.close();
    const left = channel.published.length;
    assert.ok(left < 2_000, String(left));
    channel.publish = publish;
    const second = await openShop({ file, channel });
    await eventually(() => channel.published.length >= 2_000);
    await second.runtime.close();
    assertAll(channel.data, 2_000);
  }));

Deno.test("ten handlers at most take what came in at a time, and meanwhile messages leave (messaging 6.3)", () =>
  withShop({ messaging: { inboxed: true } }, async ({ runtime, messaging, channel }) => {
    const gate = Promise.withResolvers<void>();
    let [running, most, done] = [0, 0, 0];
    messaging.on("orders", async () => {
      most = Math.max(most, ++running);
      await gate.promise;
      running--;
      done++;
    });
    await messaging.exchange.settled();
    for (let n = 0; n < 25; n++) {
      assert.equal(await channel.deliver({ topic: "orders", data: { n }, headers: {} }), "ack");
    }
    await eventually(() => running === 10);
    await messaging.emit("Shop.note", { n: 1 });
    await eventually(() => channel.published.length === 1);
    assert.deepEqual([running, done], [10, 0]);
    gate.resolve();
    await eventually(() => done === 25);
    await runtime.queue!.flush();
    assert.equal(most, 10);
  }));

Deno.test("a message that is refused amid a backlog is found in a small chunk, and holds up its key only", () =>
  inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    await leave(file, 1_000);
    const channel = new TestChannel();
    const publish = channel.publish.bind(channel);
    // refused before anything is stored, as most channels do
    channel.publish = (messages) => {
      const isRefused = messages.some(({ data }) => (data as Order).n === 700);
      return isRefused ? Promise.reject(new Error("refused")) : publish(messages);
    };
    const { runtime, rows } = await openShop({ file, channel });
    const held = Array.from({ length: 1_000 }, (_, n) => n).filter((n) =>
      n >= 700 && n % KEYS === 700 % KEYS
    );
    await eventually(() => channel.published.length >= 1_000 - held.length);
    await runtime.queue!.flush();
    const waiting = await rows(OUTBOX_MESSAGES);
    assert.deepEqual(waiting.map(({ msg }) => JSON.parse(String(msg)).data.n), held);
    assert.deepEqual(waiting.map(({ attempts }) => attempts !== 0), held.map((n) => n === 700));
    channel.publish = publish;
    await eventually(() => channel.published.length >= 1_000);
    await runtime.close();
    assertAll(channel.data, 1_000);
  }));

/** The indexes that the outbox of a database file has, beside its constraints. */
function indexesOf(file: string): readonly unknown[] {
  const db = new DatabaseSync(file);
  try {
    return db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'fw_outbox_Messages' AND sql IS NOT NULL ORDER BY name",
    ).all().map(({ name }) => name);
  } finally {
    db.close();
  }
}

Deno.test("the outbox of an existing database gets the indexes of claims, and loses those nobody reads by", () =>
  inFolder(async (folder) => {
    const file = `${folder}/shop.sqlite`;
    const { [OUTBOX_MESSAGES]: outbox } = withQueueTables({ definitions: {} }).definitions!;
    const former = Object.fromEntries(
      Object.entries(outbox!).filter(([name]) => !name.startsWith("@fw.index.")),
    );
    const model = {
      definitions: {
        ...SHOP.definitions,
        [OUTBOX_MESSAGES]: { ...former, "@fw.index.due": ["status", "due", "seq"] },
      },
    } as Csn;
    const before = createRuntime({
      model,
      name: "shop",
      env: {
        requires: {
          auth: { kind: "mocked" },
          db: { kind: "sqlite", credentials: { url: file } },
          messaging: { kind: "test-messaging" },
        },
        log: { levels: { default: "silent" } },
      },
      kinds: {
        databases: { sqlite: () => createSqliteDatabase },
        channels: {
          "test-messaging": () => () => {
            const channel = new TestChannel();
            channel.failure = down;
            return channel;
          },
        },
      },
    });
    await before.start();
    await (await before.connect("messaging") as MessagingService).emit("Shop.note", { n: 1 });
    await before.close();
    assert.deepEqual(indexesOf(file), ["fw_outbox_Messages_due"]);
    const channel = new TestChannel();
    const now = createShop({ file, channel });
    await now.start();
    await eventually(() => channel.published.length === 1);
    await now.close();
    assert.deepEqual(indexesOf(file), [
      "fw_outbox_Messages_claimed",
      "fw_outbox_Messages_delayed",
      "fw_outbox_Messages_locked",
    ]);
  }));
