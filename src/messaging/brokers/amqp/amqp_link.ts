/**
 * A connection to a broker that is opened again when it was lost.
 *
 * @module
 */

import type { Connection, Delivery, EventContext, Message, Sender, Session } from "rhea";
import { ConfigurationError } from "../../../errors/configuration_error.ts";
import { ChannelConnection, retryUntil } from "../channel_connection.ts";
import { addressesOf, type AmqpAddresses, type AmqpOptions, connectionOptions } from "./amqp_addresses.ts";
import { reasonOf, rhea } from "./amqp_message.ts";
import { ServiceError } from "../../../errors/service_error.ts";

const UNAUTHORIZED = "amqp:unauthorized-access";
/** How long closing waits for the broker. */
const CLOSE_MS = 2_000;
/** Why an attempt ends at a broker that is connected, but says nothing. */
export const SILENT = "The broker does not answer";

/**
 * Ends a session: what was received in it and not settled goes back, in its order.
 *
 * @param session the session
 * @returns resolves when the broker has agreed, its connection is gone, or it is silent for too long
 */
export async function endSession(session: Session): Promise<void> {
  if (session.is_closed()) return;
  const { connection } = session;
  // One that the broker has not opened yet is ended, too, once it has.
  const isAgreed = session.is_open();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSE_MS);
  session.once("session_close", () => resolve());
  connection.once("disconnected", resolve);
  session.close();
  if (isAgreed) await promise;
  clearTimeout(timer);
  connection.removeListener("disconnected", resolve);
}

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
    if (!sender || sender.isOver) {
      senders.set(
        address,
        sender = new AmqpSender({ connection, address, timeoutMs: this.#options.timeoutMs }),
      );
    }
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
      reject(new Error(SILENT));
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

/** What a broker will not take, however often it is tried. */
const FINAL = ["amqp:not-allowed", "amqp:unauthorized-access", "amqp:not-implemented", "amqp:invalid-field"];
const TOO_LARGE = "amqp:link:message-size-exceeded";

/** Where a sender sends, and how long a message may wait for the broker. */
interface SenderOptions {
  readonly connection: Connection;
  readonly address: string;
  readonly timeoutMs: number;
}

/** Sends messages and waits until the broker has taken them. */
class AmqpSender {
  readonly #address: string;
  readonly #timeoutMs: number;
  readonly #session: Session;
  readonly #sender: Sender;
  readonly #pending: Map<Delivery, PromiseWithResolvers<void>> = new Map();
  #sendable: PromiseWithResolvers<void> | undefined;
  #error: Error | undefined;

  /**
   * Opens a sender in a session of its own: because of one address that it does not know, a broker ends a whole session.
   *
   * @param options connection and address
   */
  constructor({ connection, address, timeoutMs }: SenderOptions) {
    this.#address = address;
    this.#timeoutMs = timeoutMs;
    this.#session = connection.create_session();
    this.#session.open();
    // The client takes an address for a source unless it stands in a target.
    this.#sender = this.#session.open_sender({ target: { address } });
    this.#session.on("session_error", ({ session }: EventContext) => this.#refuse(session?.error));
    this.#session.on("session_close", () => this.fail(new Error("The broker has closed the session")));
    this.#sender.on("sendable", () => this.#wake());
    this.#sender.on("accepted", ({ delivery }: EventContext) => this.#take(delivery)?.resolve());
    this.#sender.on("rejected", ({ delivery }: EventContext) => {
      this.#take(delivery)?.reject(toError(conditionOf(delivery)));
    });
    this.#sender.on("released", ({ delivery }: EventContext) => {
      this.#take(delivery)?.reject(notStored("The broker has no place for a message, is there a queue?"));
    });
    this.#sender.on("sender_error", ({ sender }: EventContext) => this.#refuse(sender?.error));
    this.#sender.on("sender_close", () => this.fail(new Error("The broker has closed the link")));
  }

  /** Whether the sender is of no use any more. */
  get isOver(): boolean {
    return this.#error !== undefined;
  }

  /**
   * Sends a message.
   *
   * @param message the message
   * @returns resolves when the broker has taken it
   */
  async send(message: Message): Promise<void> {
    const timer = setTimeout(() => this.#end(new Error(SILENT)), this.#timeoutMs);
    try {
      while (!this.#error && !this.#sender.sendable()) {
        this.#sendable ??= Promise.withResolvers();
        await this.#sendable.promise;
      }
      if (this.#error) throw this.#error;
      const outcome = Promise.withResolvers<void>();
      this.#pending.set(this.#sender.send(message), outcome);
      await outcome.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The broker has answered: messages are kept, and the attempt counts. */
  #refuse(error: unknown): void {
    const message = `The AMQP broker refuses the address '${this.#address}': ${reasonOf(error)}`;
    this.#end(new ServiceError({ status: 503, code: "ADDRESS_REFUSED", message }));
  }

  #end(error: Error): void {
    this.fail(error);
    if (this.#session.is_open()) this.#session.close();
  }

  /** Ends everything that waits; the sender is of no use any more. */
  fail(error: Error): void {
    this.#error ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#wake();
  }

  #wake(): void {
    this.#sendable?.resolve();
    this.#sendable = undefined;
  }

  #take(delivery: Delivery | undefined): PromiseWithResolvers<void> | undefined {
    const outcome = delivery && this.#pending.get(delivery);
    if (delivery) this.#pending.delete(delivery);
    return outcome;
  }
}

interface Condition {
  readonly condition?: string;
  readonly description?: string;
}

function conditionOf(delivery: Delivery | undefined): Condition | undefined {
  return (delivery?.remote_state as { readonly error?: Condition } | undefined)?.error;
}

function toError(given: unknown): Error {
  const { condition = "amqp:internal-error" } = (given ?? {}) as Condition;
  const message = `The AMQP broker does not take a message: ${reasonOf(given)}`;
  if (condition === TOO_LARGE) {
    return new ServiceError({ status: 500, code: "MESSAGE_TOO_LARGE", message, unrecoverable: true });
  }
  if (!FINAL.includes(condition)) return notStored(message);
  return new ServiceError({ status: 500, code: "NOT_ALLOWED", message, unrecoverable: true });
}

function notStored(message: string): ServiceError {
  return new ServiceError({ status: 503, code: "NOT_STORED", message });
}
