/**
 * Addresses of AMQP 1.0: their form is up to the broker.
 *
 * @module
 */

import type { Connection, ConnectionOptions } from "rhea";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import type { ChannelOptions } from "../../channel.ts";
import { brokerAddress, type BrokerOptions, brokerOptions } from "../broker_options.ts";

/** Kind of the channel. */
export const AMQP_KIND = "enterprise-messaging";

const PORTS = { "amqp:": 5672, "amqps:": 5671 } as const;
const IDLE_MS = 20_000;

/** Options of a channel. */
export interface AmqpOptions extends BrokerOptions {
  /**
   * Where messages go; `{topic}` stands for the topic, which is also the subject of the message. Without it, the broker's
   * own form counts.
   */
  readonly address: string | undefined;
  /** Where a group receives; `{group}` stands for its name. */
  readonly queue: string | undefined;
  /** Where dead letters of a group go; without it they are rejected, and the broker decides. */
  readonly deadLetterQueue: string | undefined;
  /** Whether the broker gives the messages of a queue to one consumer at a time. */
  readonly singleConsumer: boolean;
}

/**
 * Reads the options.
 *
 * @param options the configuration entry
 * @throws ConfigurationError if credentials are missing, or addresses name nothing
 */
export function amqpOptions(options: ChannelOptions): AmqpOptions {
  const { address, queue, deadLetterQueue, singleConsumer } = options.options;
  const entry = `fw.requires.${options.name}`;
  if (typeof queue === "string" && !queue.includes("{group}")) {
    throw new ConfigurationError(`${entry}.queue is '${queue}', expected {group} in it`);
  }
  return {
    ...brokerOptions(options, AMQP_KIND),
    address: typeof address === "string" ? address : undefined,
    queue: typeof queue === "string" ? queue : undefined,
    deadLetterQueue: typeof deadLetterQueue === "string" ? deadLetterQueue : undefined,
    singleConsumer: singleConsumer === true,
  };
}

/** What the client connects with. */
export function connectionOptions(options: AmqpOptions): ConnectionOptions {
  const { credentials, entry } = options;
  const { url, user: username, password } = brokerAddress(options, "amqp");
  if (url.protocol !== "amqp:" && url.protocol !== "amqps:") {
    throw new ConfigurationError(
      `${entry}.credentials.url has scheme '${url.protocol}', expected amqp: or amqps:`,
    );
  }
  const { tls } = credentials;
  const common = {
    host: url.hostname,
    port: Number(url.port) || PORTS[url.protocol],
    ...username ? { username, password: password ?? "" } : {},
    // Opened again by the link: a new connection has no remains of the one before.
    reconnect: false as const,
    idle_time_out: IDLE_MS,
  };
  if (url.protocol === "amqp:" && tls === undefined) return common;
  const servername = url.hostname;
  return { ...common, transport: "tls", servername, ...isPlainObject(tls) ? tls : {} } as ConnectionOptions;
}

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
