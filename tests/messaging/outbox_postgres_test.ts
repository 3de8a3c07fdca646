import assert from "node:assert/strict";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import { createRuntime } from "../../src/fw.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { eventually } from "../contract/channel.ts";
import { uniqueName } from "../contract/services.ts";
import { hasPooler, startPooler } from "../db/pooler.ts";
import { credentials, dropSchemas, server } from "../db/postgres.ts";
import { ANNOUNCING, SHOP, TestChannel } from "./outbox_app.ts";

/** How the database is reached. */
interface Way {
  readonly pooler?: boolean;
  readonly credentials?: Readonly<Record<string, unknown>>;
}

/** Where a shop publishes and stores. */
interface Place {
  readonly channel: TestChannel;
  readonly schema: string;
  readonly settings: Way;
}

/** A shop on PostgreSQL that is closed in the end. */
async function withShop(
  { channel, schema, settings }: Place,
  run: (
    shop: {
      readonly runtime: Runtime;
      post(body: Row): Promise<Response>;
      rows(entity: string): Promise<readonly Row[]>;
    },
  ) => Promise<void>,
): Promise<void> {
  const runtime = createRuntime({
    model: SHOP,
    name: "shop",
    handlers: ANNOUNCING,
    env: {
      requires: {
        db: {
          kind: "postgres",
          ...settings,
          credentials: { ...credentials(schema), ...settings.credentials },
        },
        messaging: { kind: "test-messaging" },
      },
      log: { levels: { default: "silent" } },
    },
    kinds: {
      databases: { postgres: () => createPostgresDatabase },
      channels: { "test-messaging": () => () => channel },
    },
  });
  try {
    await runtime.start();
    await run({
      runtime,
      post: (body) =>
        runtime.fetch(
          new Request("http://localhost/odata/v4/shop/Orders", {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Basic ${btoa("alice:")}` },
            body: JSON.stringify(body),
          }),
        ),
      rows: async (entity) =>
        await runtime.db!.run({ SELECT: { from: { ref: [entity] } } }) as readonly Row[],
    });
  } finally {
    await runtime.close();
  }
}

function testOutbox(name: string, settings: Way): void {
  Deno.test(`on ${name} messages leave with their transaction, and what a process left behind leaves at the next start`, async () => {
    const schema = uniqueName();
    const down = new TestChannel();
    down.failure = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    try {
      await withShop({ channel: down, schema, settings }, async ({ post, rows }) => {
        assert.equal((await post({ ID: 1, n: 5 })).status, 201);
        assert.equal((await post({ ID: 2, n: -1 })).status, 400);
        assert.deepEqual((await rows(OUTBOX_MESSAGES)).map(({ target, attempts }) => [target, attempts]), [[
          "messaging",
          0,
        ]]);
      });
      const channel = new TestChannel();
      await withShop({ channel, schema, settings }, async ({ post, rows }) => {
        await eventually(() => channel.published.length === 1);
        for (let n = 10; n < 20; n++) assert.equal((await post({ ID: n, n: 5 })).status, 201);
        await eventually(() => channel.published.length === 11);
        const empty = async () => (await rows(OUTBOX_MESSAGES)).length === 0;
        for (let tries = 0; tries < 1_500 && !await empty(); tries++) {
          await new Promise((go) => setTimeout(go, 20));
        }
        assert.ok(await empty());
      });
    } finally {
      await dropSchemas(schema);
    }
  });

  Deno.test(`on ${name} a message that comes twice is handled once`, async () => {
    const schema = uniqueName();
    const channel = new TestChannel();
    try {
      await withShop({ channel, schema, settings }, async ({ runtime }) => {
        const handled: unknown[] = [];
        const messaging = await runtime.connect("messaging");
        messaging.on("Other.e", ({ data }) => void handled.push(data));
        await (messaging as MessagingService).exchange.settled();
        const headers = { specversion: "1.0", id: "a", source: "/other", type: "Other.e" };
        const message = { topic: "Other.e", data: { n: 1 }, headers };
        assert.deepEqual([await channel.deliver(message), await channel.deliver(message, 2)], ["ack", "ack"]);
        assert.deepEqual(handled, [{ n: 1 }]);
      });
    } finally {
      await dropSchemas(schema);
    }
  });

  Deno.test(`on ${name} two workers share a backlog: each message leaves once, those of a key in order (messaging 6.2)`, async () => {
    const schema = uniqueName();
    const count = 1_500;
    const down = new TestChannel();
    down.failure = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    try {
      await withShop({ channel: down, schema, settings }, async ({ runtime }) => {
        const messaging = await runtime.connect("messaging");
        await runtime.db!.tx(async () => {
          for (let n = 0; n < count; n++) await messaging.emit("Shop.ordered", { ID: n % 7, n });
        });
      });
      const channel = new TestChannel();
      const drain = () =>
        withShop({ channel, schema, settings }, () => eventually(() => channel.published.length >= count));
      await Promise.all([drain(), drain()]);
      const orders = channel.data as readonly { ID: number; n: number }[];
      assert.deepEqual(orders.map(({ n }) => n).toSorted((one, other) => one - other), [
        ...Array(count).keys(),
      ]);
      for (const [, some] of Map.groupBy(orders, ({ ID }) => ID)) {
        assert.deepEqual(
          some.map(({ n }) => n),
          some.map(({ n }) => n).toSorted((one, other) => one - other),
        );
      }
    } finally {
      await dropSchemas(schema);
    }
  });
}

if (server.isThere) testOutbox("PostgreSQL", {});
if (hasPooler) {
  const pooler = await startPooler(4);
  addEventListener("unload", () => void pooler.stop());
  testOutbox("PostgreSQL behind pgbouncer", {
    pooler: true,
    credentials: { host: "127.0.0.1", port: pooler.port },
  });
}
