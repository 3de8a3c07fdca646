/**
 * A connection to a broker that is opened again when it was lost.
 *
 * @module
 */

import type { Connection, EventContext } from "rhea";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { ChannelConnection } from "../channel_connection.ts";
import { retryUntil } from "../retry_until.ts";
import { addressesOf, type AmqpAddresses } from "./amqp_addresses.ts";
import { type AmqpOptions, connectionOptions } from "./amqp_options.ts";
import { AmqpSender } from "./amqp_sender.ts";
import { rhea } from "./rhea.ts";

const UNAUTHORIZED = "amqp:unauthorized-access";
/** How long closing waits for the broker. */
const CLOSE_MS = 2_000;

/** An open connection. */
export interface OpenLink {
  readonly connection: Connection;
  /** What the broker calls topics and queues. */
  readonly addresses: AmqpAddresses;
  /** Senders by address. */
  readonly senders: Map<string, AmqpSender>;
}

/** Connects on first use, and again after the connection was lost. */
export class AmqpLink {
  readonly #options: AmqpOptions;
  /** Called after a connection was lost. */
  readonly lost: Set<() => void> = new Set();
  readonly #connection: ChannelConnection<OpenLink>;

  /**
   * Creates a link.
   *
   * @param options address, login, time
   */
  constructor(options: AmqpOptions) {
    this.#options = options;
    const { timeoutMs } = options;
    this.#connection = new ChannelConnection((signal) =>
      retryUntil(() => this.#connect(), { broker: "The AMQP broker", timeoutMs, signal })
    );
    // Wrong addresses are found at once.
    connectionOptions(options);
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

  /** The sender for an address. */
  async sender(address: string): Promise<AmqpSender> {
    const { connection, senders } = await this.get();
    let sender = senders.get(address);
    // One that was refused is tried again: the operator may have made what was missing.
    if (!sender || sender.isOver) senders.set(address, sender = new AmqpSender(connection, address));
    return sender;
  }

  /** Closes the connection after everything that was sent has arrived. */
  async close(): Promise<void> {
    const open = await this.#connection.close();
    if (!open || open.connection.is_closed()) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      open.connection.once("connection_close", () => resolve());
      open.connection.once("disconnected", () => resolve());
      timer = setTimeout(resolve, CLOSE_MS);
      open.connection.close();
    });
    clearTimeout(timer);
  }

  #connect(): Promise<OpenLink> {
    const { promise, resolve, reject } = Promise.withResolvers<OpenLink>();
    const connection = rhea.create_container().connect(connectionOptions(this.#options));
    const senders: OpenLink["senders"] = new Map();
    let open: OpenLink | undefined;
    let isOver = false;
    const end = (context: EventContext) => {
      reject(this.#toError(context));
      if (isOver) return;
      isOver = true;
      for (const sender of senders.values()) sender.fail(new Error("The connection was lost"));
      if (open) this.#onEnd(open);
    };
    const timer = setTimeout(() => {
      reject(new Error("The broker does not answer"));
      connection.close();
    }, this.#options.attemptMs);
    promise.catch(() => {}).finally(() => clearTimeout(timer));
    connection.once("connection_open", () => {
      resolve(open = { connection, senders, addresses: addressesOf(this.#options, connection) });
    });
    for (const event of ["connection_error", "connection_close", "disconnected", "error"]) {
      connection.on(event as "disconnected", end);
    }
    promise.catch(() => connection.is_closed() || connection.close());
    return promise;
  }

  #onEnd(ended: OpenLink): void {
    this.#connection.opening?.then((open) => {
      if (open !== ended) return;
      this.#connection.forget();
      if (!this.#connection.isClosed) { for (const listener of [...this.lost]) listener(); }
    }, () => {});
  }

  #toError({ error, connection }: EventContext): Error {
    const found = (error ?? connection?.error) as { condition?: unknown; message?: unknown } | undefined;
    if (found?.condition === UNAUTHORIZED) {
      // Without the cause: nothing that could tell a secret leaves this place.
      return new ConfigurationError(
        `The AMQP broker refuses the login of ${this.#options.entry}.credentials`,
      );
    }
    return new Error(String(found?.message ?? "The connection ended"));
  }
}
