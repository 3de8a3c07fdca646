import { type ChannelModel, type ConfirmChannel, connect, type Options } from "amqplib";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import type { Logger } from "../../../log/logger.ts";
import { Turns } from "../../../util/turns.ts";
import { brokerAddress, type BrokerOptions } from "../broker_options.ts";
import { ChannelConnection, retryUntil } from "../channel_connection.ts";
import { declareExchanges, type RabbitNames } from "./rabbit_names.ts";
import { pause } from "../../../util/time.ts";

const HEARTBEAT_SECONDS = 10;
const PORTS = { amqp: 5672, amqps: 5671 } as const;

/** An open connection. */
export interface OpenLink {
  readonly connection: ChannelModel;
  /** For publishing. */
  readonly publisher: ConfirmChannel;
}

/** Connects on first use, and again after the connection was lost. */
export class RabbitLink {
  readonly #broker: BrokerOptions;
  readonly #names: RabbitNames;
  readonly #log: Logger;
  /** Called after a connection was lost. */
  readonly lost: Set<() => void> = new Set();
  readonly #connection: ChannelConnection<OpenLink>;
  /** Steps that must not overlap on this connection. */
  readonly turns: Turns = new Turns();

  /**
   * Creates a link.
   *
   * @param broker address, login, time
   * @param names the exchanges
   * @param log the logger
   */
  constructor(broker: BrokerOptions, names: RabbitNames, log: Logger) {
    this.#broker = broker;
    this.#names = names;
    this.#log = log;
    const { timeoutMs } = broker;
    this.#connection = new ChannelConnection((signal) =>
      retryUntil(() => this.#connectOnce(), { broker: "RabbitMQ", timeoutMs, signal })
    );
  }

  /**
   * The open connection.
   *
   * @param signal ends the attempt
   * @throws ConfigurationError if the broker refuses the login
   * @throws ServiceError `CHANNEL_UNREACHABLE` if it does not answer in time
   */
  get(signal?: AbortSignal): Promise<OpenLink> {
    return this.#connection.get(signal);
  }

  /** Closes the connection after everything that was sent has arrived. */
  async close(): Promise<void> {
    const open = await this.#connection.close();
    if (!open) return;
    try {
      await closeRabbit(open.publisher);
      await closeRabbit(open.connection);
    } catch {
      // It was lost meanwhile.
    }
  }

  async #connectOnce(): Promise<OpenLink> {
    const { entry, attemptMs, retentionMs } = this.#broker;
    let connection: ChannelModel;
    try {
      // Without noDelay, publishing and consuming on one connection wait for each other.
      connection = await connect(rabbitAddress(this.#broker), { noDelay: true, timeout: attemptMs });
    } catch (error) {
      if (!/ACCESS[-_]REFUSED/.test(String((error as Error).message))) throw error;
      throw new ConfigurationError(`RabbitMQ refuses the login of ${entry}.credentials`);
    }
    connection.on(
      "error",
      (error: Error) => this.#log.warn("The connection to RabbitMQ failed:", error.message),
    );
    try {
      const publisher = await connection.createConfirmChannel();
      publisher.on("error", (error: Error) => this.#log.error("RabbitMQ refused:", error.message));
      await declareExchanges(publisher, this.#names, retentionMs);
      this.#watch({ connection, publisher });
      return { connection, publisher };
    } catch (error) {
      await closeRabbit(connection).catch(() => {});
      throw error;
    }
  }

  #watch({ connection, publisher }: OpenLink): void {
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.#connection.forget();
      if (!this.#connection.isClosed) { for (const listener of this.lost) listener(); }
    };
    connection.on("close", end);
    // A channel that the broker has closed because of one message takes the connection with it, to begin anew.
    publisher.on("close", () => {
      if (!this.#connection.isClosed && !isOver) connection.close().catch(() => {}).finally(end);
    });
  }
}

/** What the client connects with. */
export function rabbitAddress(broker: Pick<BrokerOptions, "credentials" | "entry">): Options.Connect {
  const { url, user: username = "guest", password = "guest" } = brokerAddress(broker, "amqp");
  const protocol = url.protocol === "amqps:" ? "amqps" : "amqp";
  return {
    protocol,
    hostname: url.hostname,
    port: Number(url.port) || PORTS[protocol],
    username,
    password,
    // the client decodes it, and takes `/` where there is none
    vhost: url.pathname.slice(1),
    heartbeat: HEARTBEAT_SECONDS,
  };
}

/** A channel or a connection of the driver. */
interface RabbitClosable {
  /** Asks the broker; the promise never settles if the connection is lost before the answer. */
  close(): Promise<void>;
  /** Tells the end, whatever its reason. */
  once(event: "close", listener: () => void): unknown;
}

/**
 * Closes a channel or a connection; that ends when the broker has answered or the connection was lost.
 *
 * @param one what is closed
 */
export async function closeRabbit(one: RabbitClosable): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  one.once("close", resolve);
  await Promise.race([one.close(), ended]);
}

/** AMQP 0-9-1: somebody else has the queue for himself. */
const LOCKED = 405;
/** AMQP 0-9-1: there is no such queue. */
const NOT_FOUND = 404;
const ATTEMPTS = 100;
const PAUSE_MS = 50;

/**
 * How many messages of a queue are ready: those that were handed out do not count.
 *
 * @param connection the connection
 * @param queue the queue
 * @returns undefined where there is no such queue
 */
export async function countOf(connection: ChannelModel, queue: string): Promise<number | undefined> {
  const channel = await connection.createConfirmChannel();
  let code: unknown;
  channel.on("error", (error: { code?: unknown }) => code = error.code);
  try {
    const { messageCount } = await channel.checkQueue(queue);
    await closeRabbit(channel);
    return messageCount;
  } catch (error) {
    if (code === NOT_FOUND) return undefined;
    throw error;
  }
}

/**
 * Gives back what was taken of a queue and not settled, and waits until it is ready again: quorum queues do so later than they
 * answer, and who looks next must find it.
 *
 * @param channel what took it
 * @param queue the queue
 * @param ready how many messages the queue has afterwards, at least
 */
export async function giveBack(channel: ConfirmChannel, queue: string, ready: number): Promise<void> {
  channel.nackAll(true);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if ((await channel.checkQueue(queue)).messageCount >= ready) return;
    await pause(PAUSE_MS);
  }
}

/**
 * Works with the messages of a queue, unless it is empty or missing. One process at a time does so: it holds an exclusive
 * queue meanwhile, which ends with its connection. What was taken and not acknowledged is given back, in its order.
 *
 * @param connection the connection; used for one such work at a time
 * @param queue the queue
 * @param work what is done
 * @returns what the work gave
 */
export async function withQueue<T>(
  connection: ChannelModel,
  queue: string,
  work: (channel: ConfirmChannel) => Promise<T>,
): Promise<T | undefined> {
  const lock = `${queue}.lock`;
  for (let attempt = 1;; attempt++) {
    const channel = await connection.createConfirmChannel();
    let code: unknown;
    channel.on("error", (error: { code?: unknown }) => code = error.code);
    try {
      const { messageCount } = await channel.checkQueue(queue);
      let result: T | undefined;
      if (messageCount > 0) {
        await channel.assertQueue(lock, { exclusive: true });
        result = await work(channel);
        await channel.deleteQueue(lock);
      }
      await closeRabbit(channel);
      return result;
    } catch (error) {
      if (code === NOT_FOUND) return undefined;
      if (code !== LOCKED || attempt === ATTEMPTS) throw error;
    }
    await pause(PAUSE_MS);
  }
}
