/**
 * What the configuration says about a broker that speaks AMQP 1.0.
 *
 * @module
 */

import type { ConnectionOptions } from "rhea";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { isPlainObject } from "../../../util/is_plain_object.ts";
import type { ChannelOptions } from "../../channel_factory.ts";
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
