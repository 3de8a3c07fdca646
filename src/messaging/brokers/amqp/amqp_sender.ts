/**
 * Sending to one address.
 *
 * @module
 */

import type { Connection, Delivery, EventContext, Message, Sender, Session } from "rhea";
import { ServiceError } from "../../../errors/service_error.ts";
import { reasonOf } from "./amqp_message.ts";

/** What a broker will not take, however often it is tried. */
const FINAL = ["amqp:not-allowed", "amqp:unauthorized-access", "amqp:not-implemented", "amqp:invalid-field"];
const TOO_LARGE = "amqp:link:message-size-exceeded";

/** Sends messages and waits until the broker has taken them. */
export class AmqpSender {
  readonly #address: string;
  readonly #session: Session;
  readonly #sender: Sender;
  readonly #pending: Map<Delivery, PromiseWithResolvers<void>> = new Map();
  #sendable: PromiseWithResolvers<void> | undefined;
  #error: Error | undefined;

  /**
   * Opens a sender in a session of its own: because of one address that it does not know, a broker ends a whole session.
   *
   * @param connection the connection
   * @param address where messages go
   */
  constructor(connection: Connection, address: string) {
    this.#address = address;
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
    while (!this.#error && !this.#sender.sendable()) {
      this.#sendable ??= Promise.withResolvers();
      await this.#sendable.promise;
    }
    if (this.#error) throw this.#error;
    const outcome = Promise.withResolvers<void>();
    this.#pending.set(this.#sender.send(message), outcome);
    await outcome.promise;
  }

  /** The broker has answered: messages are kept, and the attempt counts. */
  #refuse(error: unknown): void {
    const message = `The AMQP broker refuses the address '${this.#address}': ${reasonOf(error)}`;
    this.fail(new ServiceError({ status: 503, code: "ADDRESS_REFUSED", message }));
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
