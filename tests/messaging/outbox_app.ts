/**
 * A shop with a database and a channel that tests control.
 *
 * @module
 */

import type { Channel, Delivery, Guarantees, Message } from "../../src/messaging/channel.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { createRuntime } from "../../src/fw.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { Outbox, type OutboxOptions } from "../../src/messaging/outbox/outbox.ts";
import type { QueuedWork } from "../../src/service/queue/work_queue.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import type { Csn } from "../../src/model/csn.ts";
import { inFolder } from "./services.ts";

/** A service with an entity, and an event with a key. */
export const SHOP: Csn = {
  definitions: {
    "db.Orders": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, n: { type: "cds.Integer" } },
    },
    "Shop": { kind: "service" },
    "Shop.Orders": { kind: "entity", projection: { from: { ref: ["db.Orders"] } } },
    "Shop.ordered": {
      kind: "event",
      elements: { ID: { key: true, type: "cds.Integer" }, n: { type: "cds.Integer" } },
    },
    "Shop.note": { kind: "event", elements: { n: { type: "cds.Integer" } } },
    "Shop.tidy": { kind: "action", params: { n: { type: "cds.Integer" } } },
  },
} as const;

/** How a delivery was settled. */
export type Outcome = "ack" | {
  readonly delayMs?: number;
  readonly dead?: boolean;
  readonly reason?: string;
};

/** A channel that keeps what is published, and delivers what a test hands it. */
export class TestChannel implements Channel {
  readonly kind = "test-messaging";
  readonly guarantees: Guarantees = {
    ...{ delivery: "at-least-once", survives: "host crash", order: "topic", dedupeWindowMs: 0 },
    ...{ maxMessageBytes: 100_000, delayedRetry: true, deadLetters: false, replay: false },
  };
  /** What was stored. */
  readonly published: Message[] = [];
  /** Every attempt to publish a message. */
  attempts = 0;
  /** What publishing a message throws, if anything. */
  failure: (message: Message) => unknown = () => undefined;
  #onDelivery: ((delivery: Delivery) => Promise<void>) | undefined;

  /** The payloads that were stored. */
  get data(): unknown[] {
    return this.published.map(({ data }) => data);
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  publish(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      this.attempts++;
      const error = this.failure(message);
      if (error !== undefined) return Promise.reject(error);
      this.published.push(message);
    }
    return Promise.resolve();
  }

  subscribe(
    _: unknown,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    this.#onDelivery = onDelivery;
    return Promise.resolve({ close: () => Promise.resolve() });
  }

  /** Delivers a message; gives how it was settled. */
  async deliver(message: Message, deliveries = 1): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    await this.#onDelivery!({
      message: structuredClone(message),
      deliveries,
      ack: () => Promise.resolve(resolve("ack")),
      nack: (options = {}) => Promise.resolve(resolve(options)),
      extend: () => Promise.resolve(),
    });
    return await promise;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** How a shop is opened. */
export interface ShopOptions {
  readonly channel?: TestChannel;
  readonly handlers?: Implementations;
  /** Entry of the messaging service. */
  readonly messaging?: Readonly<Record<string, unknown>>;
  /** File of the database; default: in memory. */
  readonly file?: string;
  /** More of the configuration. */
  readonly env?: Readonly<Record<string, unknown>>;
  readonly name?: string;
}

/** A running shop. */
export interface Shop {
  readonly runtime: Runtime;
  readonly channel: TestChannel;
  readonly messaging: MessagingService;
  /** Rows of a table. */
  rows(entity: string): Promise<Row[]>;
  /** Posts an order. */
  post(order: Row, user?: string): Promise<Response>;
}

/** A runtime that is not started yet. */
export function createShop(
  { channel = new TestChannel(), handlers, messaging, file, env, name }: ShopOptions,
) {
  return createRuntime({
    model: SHOP,
    name: name ?? "shop",
    handlers,
    env: {
      requires: {
        auth: { kind: "mocked" },
        db: { kind: "sqlite", credentials: { url: file ?? ":memory:" } },
        messaging: { kind: "test-messaging", ...messaging },
      },
      log: { levels: { default: "silent" } },
      ...env,
    },
    kinds: {
      databases: { sqlite: () => createSqliteDatabase },
      channels: { "test-messaging": () => () => channel },
    },
  });
}

/** Opens a shop; the runtime is closed by the caller. */
export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const channel = options.channel ?? new TestChannel();
  const runtime = createShop({ ...options, channel });
  await runtime.start();
  const rows = async (entity: string) => await runtime.db!.read(entity) as unknown as Row[];
  const post = (order: Row, user = "alice") =>
    runtime.fetch(
      new Request("http://localhost/odata/v4/shop/Orders", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Basic ${btoa(`${user}:`)}` },
        body: JSON.stringify(order),
      }),
    );
  return { runtime, channel, messaging: await runtime.connect("messaging") as MessagingService, rows, post };
}

/** Runs a test with a shop. */
export async function withShop(options: ShopOptions, run: (shop: Shop) => Promise<void>): Promise<void> {
  const shop = await openShop(options);
  try {
    await run(shop);
  } finally {
    await shop.runtime.close();
  }
}

/** Work for the messaging service: an event with a number. */
export const note = (n: number): QueuedWork => ({
  ...{ service: "messaging", kind: "publish", event: "Shop.note", data: { n } },
});

/** A shop beside an outbox of its own. */
export interface ShopOfOutbox extends Shop {
  /** How often the outbox asked for a service. */
  readonly connects: () => number;
}

/**
 * Runs a test with an outbox that looks for nothing by itself; that of the shop has ended.
 *
 * @param run the test
 * @param options more of the outbox; `inMemory`: its database is no file
 */
export async function withOwnOutbox(
  run: (outbox: Outbox, shop: ShopOfOutbox) => Promise<void>,
  { inMemory = false, ...options }: Partial<OutboxOptions> & { readonly inMemory?: boolean } = {},
): Promise<void> {
  await inFolder((folder) =>
    withShop({ file: inMemory ? undefined : `${folder}/shop.sqlite` }, async (shop) => {
      const { runtime } = shop;
      await runtime.queue!.stop(0);
      let connects = 0;
      const outbox = new Outbox({
        ...{ db: runtime.db!, multitenancy: false, application: "shop", log: runtime.log("messaging") },
        pollMs: 2 ** 30,
        connect: (name) => {
          connects++;
          return runtime.connect(name) as never;
        },
        ...options,
      });
      await run(outbox, { ...shop, connects: () => connects });
      await outbox.stop(0);
    })
  );
}

/** A shop whose orders are announced when they are created. */
export const ANNOUNCING: Implementations = {
  Shop: (srv) => {
    srv.after("CREATE", "Orders", async (_, req) => {
      const { ID, n } = req.data as { ID: number; n: number };
      await srv.emit("ordered", { ID, n });
      if (n < 0) req.reject(400, "No");
    });
  },
};

/** Turns of the event loop: all that is ready has come behind them. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((go) => setTimeout(go, 1));
}
