/**
 * RabbitMQ as a broker that speaks AMQP 1.0, with the queues an operator would make.
 *
 * @module
 */

import { type Channel as RabbitModel, connect } from "amqplib";
import { createAmqpChannel } from "../../../src/messaging/brokers/amqp/amqp_channel.ts";
import type { Channel } from "../../../src/messaging/channel.ts";
import { channelOptions } from "../channels.ts";

const QUORUM = { "x-queue-type": "quorum" };

/** What belongs to a test. */
export interface AmqpSetting {
  /** The broker, by its own protocol. */
  readonly model: RabbitModel;
  /** Creates a channel for an address. */
  create(at: string, options?: Readonly<Record<string, unknown>>): Channel;
  /** Removes everything. */
  clean(): Promise<void>;
}

/**
 * Makes an exchange and the queues of groups.
 *
 * @param address `host:port`
 * @param name name of the exchange, and beginning of the names of queues
 * @param groups the groups
 */
export async function amqpSetting(
  address: string,
  name: string,
  groups: readonly string[],
): Promise<AmqpSetting> {
  const connection = await connect(`amqp://guest:guest@${address}`, { noDelay: true });
  const model = await connection.createChannel();
  await model.assertExchange(name, "topic", { durable: true });
  const queues = groups.map((group) => `${name}.${group}`);
  const single = { ...QUORUM, "x-single-active-consumer": true };
  for (const queue of queues) {
    await model.assertQueue(queue, { durable: true, arguments: single });
    await model.assertQueue(`${queue}.dead`, { durable: true, arguments: QUORUM });
    await model.bindQueue(queue, name, "#");
  }
  return {
    model,
    create: (at, options) =>
      createAmqpChannel(channelOptions({
        kind: "enterprise-messaging",
        credentials: { url: `amqp://${at}`, user: "guest", password: "guest" },
        address: `/exchange/${name}`,
        queue: `/amq/queue/${name}.{group}`,
        deadLetterQueue: `/amq/queue/${name}.{group}.dead`,
        singleConsumer: true,
        ...options,
      })),
    clean: async () => {
      for (const queue of queues) for (const one of [queue, `${queue}.dead`]) await model.deleteQueue(one);
      await model.deleteExchange(name);
      await connection.close();
    },
  };
}
