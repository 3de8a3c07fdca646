/**
 * Addresses of AMQP 1.0: their form is up to the broker.
 *
 * @module
 */

import type { Connection } from "rhea";
import type { AmqpOptions } from "./amqp_options.ts";

/** Where messages go and come from. */
export interface AmqpAddresses {
  /** Where messages of a topic go. */
  topic(topic: string): string;
  /** Where a group receives. */
  queue(group: string): string;
  /** Where dead letters of a group go; without it they are rejected, and the broker decides. */
  deadLetterQueue(group: string): string | undefined;
  /** The topic of an address that messages go to; the address itself if it is none of ours. */
  topicOf(address: string): string;
  /** What the operator has to do before a group can receive. */
  readonly advice: string;
}

interface Templates {
  readonly address: string;
  readonly queue: string;
  readonly advice: string;
}

/** Brokers of events, as Event Mesh. */
const EVENT_BROKER: Templates = {
  address: "topic:{topic}",
  queue: "queue:{group}",
  advice: "create the queue, and subscribe it to the topics",
};
/** RabbitMQ up to 3.13 (plugin `rabbitmq_amqp1_0`). */
const RABBIT_3: Templates = {
  address: "/topic/{topic}",
  queue: "/amq/queue/{group}",
  advice: "declare the queue, and bind it to the exchange amq.topic with the topics as routing keys",
};
/** RabbitMQ from 4.0. */
const RABBIT_4: Templates = {
  ...RABBIT_3,
  address: "/exchanges/amq.topic/{topic}",
  queue: "/queues/{group}",
};

/** What brokers tell of themselves when a connection is opened. */
type Described = Pick<Connection, "properties">;

/**
 * The addresses of a channel: those of the configuration, else those that the broker understands.
 *
 * @param options the configuration
 * @param connection tells which broker it is
 */
export function addressesOf(options: AmqpOptions, connection: Described): AmqpAddresses {
  const { product, version } = (connection.properties ?? {}) as { product?: unknown; version?: unknown };
  const isRabbit = product === "RabbitMQ";
  const defaults = !isRabbit ? EVENT_BROKER : parseInt(String(version), 10) < 4 ? RABBIT_3 : RABBIT_4;
  const { address = defaults.address, queue = defaults.queue, deadLetterQueue } = options;
  // A slash of a topic or group would be one of the address.
  const fill = (template: string, name: "topic" | "group", value: string) =>
    template.replaceAll(
      `{${name}}`,
      () => isRabbit && template.startsWith("/") ? encodeURIComponent(value) : value,
    );
  const [before, after] = address.split("{topic}");
  return {
    topic: (topic) => fill(address, "topic", topic),
    queue: (group) => fill(queue, "group", group),
    deadLetterQueue: (group) => deadLetterQueue && fill(deadLetterQueue, "group", group),
    topicOf: (given) => {
      const isOurs = after !== undefined && given.startsWith(before) && given.endsWith(after);
      return isOurs ? given.slice(before.length, given.length - after.length) : given;
    },
    advice: defaults.advice,
  };
}
