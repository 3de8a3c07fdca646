/**
 * Removing what a channel over RabbitMQ has declared.
 *
 * @module
 */

import { connect } from "amqplib";
import { RabbitNames } from "../../../src/messaging/brokers/rabbitmq/rabbit_names.ts";

/**
 * Removes exchanges and queues.
 *
 * @param address `host:port`
 * @param exchange name of the exchange
 * @param groups groups that may have queues
 */
export async function removeRabbit(
  address: string,
  exchange: string,
  groups: readonly string[],
): Promise<void> {
  const names = new RabbitNames(exchange);
  const connection = await connect(`amqp://guest:guest@${address}`, { noDelay: true });
  const channel = await connection.createChannel();
  const queues = groups.flatMap((group) => [names.queue(group), names.keyedQueue(group), names.dead(group)]);
  for (const queue of [...queues, names.unrouted]) await channel.deleteQueue(queue);
  for (const one of [exchange, names.keyed, names.unrouted]) await channel.deleteExchange(one);
  await connection.close();
}
