/**
 * The brokers of fault tests and benchmarks: how each is configured, and how its traces are removed.
 *
 * @module
 */

import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { connect as connectRabbit } from "amqplib";
import { Redis } from "ioredis";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { createRabbitChannel } from "../../src/messaging/brokers/rabbitmq/rabbit_channel.ts";
import { RabbitNames } from "../../src/messaging/brokers/rabbitmq/rabbit_names.ts";
import { RedisNames } from "../../src/messaging/brokers/redis/redis_message.ts";
import { SILENT } from "./silent_log.ts";
import type { SERVICES } from "../test_services.ts";

/** A broker that is set up for one run. */
export interface BrokerSetup {
  /** The configuration entry for a broker at an address. */
  entry(address: string): Readonly<Record<string, unknown>> & { readonly kind: string };
  /** Messages that the broker still has for the groups; left out where nobody can tell. */
  pending?(): Promise<number>;
  /** Removes what was made. */
  clean(): Promise<void>;
}

/** A kind of broker. */
export interface BrokerKind {
  readonly kind: string;
  /** The server it needs. */
  readonly service: keyof typeof SERVICES;
  /** Prepares what an operator would. */
  setUp(address: string, name: string, groups: readonly string[]): Promise<BrokerSetup>;
}

/** Time after which messages of a dead consumer go to another one; short, to see it happen. */
const ACK_WAIT_MS = 1_500;

const NATS: BrokerKind = {
  kind: "nats-messaging",
  service: "nats",
  setUp: (address, stream) =>
    Promise.resolve({
      entry: (at) => ({ kind: NATS.kind, credentials: { url: at }, stream, ackWaitMs: ACK_WAIT_MS }),
      clean: async () => {
        const connection = await connectNats({ servers: address });
        const manager = await jetstreamManager(connection);
        await manager.streams.delete(stream).catch(() => {});
        await connection.close();
      },
    }),
};

const RABBITMQ: BrokerKind = {
  kind: "rabbitmq-messaging",
  service: "rabbitmq",
  setUp: async (address, stream, groups) => {
    const entry = (at: string) => ({
      kind: RABBITMQ.kind,
      credentials: { url: `amqp://guest:guest@${at}` },
      stream,
    });
    // Receivers are there before senders: what nobody has subscribed to waits for one group only.
    const options = { name: "messaging", options: entry(address), limits: DEFAULT_LIMITS, log: SILENT };
    const channel = createRabbitChannel({ ...options, channel: () => Promise.reject(new Error("None")) });
    for (const group of groups) {
      await channel.subscribe({ group, topics: "*", concurrency: 1 }, ({ ack }) => ack());
    }
    await channel.close();
    return {
      entry,
      clean: async () => {
        const names = new RabbitNames(stream);
        const queues = groups.flatMap((one) => [names.queue(one), names.keyedQueue(one), names.dead(one)]);
        const exchanges = [stream, names.keyed, names.unrouted];
        await removeFromRabbit(address, { queues: [...queues, names.unrouted], exchanges });
      },
    };
  },
};

const REDIS: BrokerKind = {
  kind: "redis-messaging",
  service: "redis",
  setUp: (address, stream, groups) =>
    Promise.resolve({
      pending: () => countInRedis(address, stream, groups),
      entry: (at) => ({ kind: REDIS.kind, credentials: { url: at }, stream, ackWaitMs: ACK_WAIT_MS }),
      clean: async () => {
        const redis = new Redis(`redis://${address}`);
        for (let cursor = "0";;) {
          const [next, keys] = await redis.scan(cursor, "MATCH", `{${stream}}:*`, "COUNT", 1000);
          if (keys.length > 0) await redis.del(...keys);
          if (next === "0") break;
          cursor = next;
        }
        await redis.quit();
      },
    }),
};

const AMQP: BrokerKind = {
  kind: "enterprise-messaging",
  service: "rabbitmq",
  setUp: async (address, name, groups) => {
    const connection = await connectRabbit(`amqp://guest:guest@${address}`, { noDelay: true });
    const model = await connection.createChannel();
    const quorum = { "x-queue-type": "quorum", "x-single-active-consumer": true };
    await model.assertExchange(name, "topic", { durable: true });
    const queues = groups.map((group) => `${name}.${group}`);
    for (const queue of queues) {
      await model.assertQueue(queue, { durable: true, arguments: quorum });
      await model.bindQueue(queue, name, "#");
    }
    await connection.close();
    return {
      entry: (at) => ({
        kind: AMQP.kind,
        credentials: { url: `amqp://guest:guest@${at}` },
        address: `/exchange/${name}`,
        queue: `/amq/queue/${name}.{group}`,
        singleConsumer: true,
      }),
      clean: () => removeFromRabbit(address, { queues, exchanges: [name] }),
    };
  },
};

/** All kinds. */
export const BROKERS: readonly BrokerKind[] = [NATS, RABBITMQ, REDIS, AMQP];

/** Messages with a key that were not read, or read and not acknowledged. */
async function countInRedis(address: string, stream: string, groups: readonly string[]): Promise<number> {
  const redis = new Redis(`redis://${address}`);
  const { keyed } = new RedisNames(stream);
  let count = 0;
  for (const group of groups) {
    const [pending] = await redis.xpending(keyed, group) as [number];
    const state = (await redis.xinfo("GROUPS", keyed) as string[][]).find((one) => one[1] === group) ?? [];
    const last = state[state.indexOf("last-delivered-id") + 1];
    count += pending + (await redis.xrange(keyed, `(${last}`, "+")).length;
  }
  await redis.quit();
  return count;
}

async function removeFromRabbit(
  address: string,
  { queues, exchanges }: { readonly queues: readonly string[]; readonly exchanges: readonly string[] },
): Promise<void> {
  const connection = await connectRabbit(`amqp://guest:guest@${address}`, { noDelay: true });
  const channel = await connection.createChannel();
  for (const queue of queues) await channel.deleteQueue(queue);
  for (const exchange of exchanges) await channel.deleteExchange(exchange);
  await connection.close();
}
