/**
 * The consumer of one group in one process.
 *
 * @module
 */

import type { Delivery as RheaDelivery, EventContext, Message as RheaMessage, Receiver, Session } from "rhea";
import { ServiceError } from "../../../errors/service_error.ts";
import type { Limits } from "../../../config/limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Delivery, Message, Subscription } from "../../channel.ts";
import type { Incoming } from "../delivery_window.ts";
import { GroupDeliveries } from "../group_deliveries.ts";
import { Reopening } from "../reopening.ts";
import { deadLetter } from "../wire_message.ts";
import { type AmqpLink, sessionError } from "./amqp_link.ts";
import { dataSection, deliveriesOf, fromAmqp, isOpen, topicOfAmqp } from "./amqp_message.ts";
import type { AmqpOptions } from "./amqp_options.ts";

/** Messages that are fetched beyond those that are handled at once; those that wait for their next delivery count. */
const AHEAD = 256;
/** How long closing waits for the broker. */
const CLOSE_MS = 2_000;
const REASON_LENGTH = 1_000;

/** What a consumer is made from. */
export interface AmqpConsumerOptions {
  readonly link: AmqpLink;
  readonly options: AmqpOptions;
  readonly subscription: Subscription;
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  readonly limits: Limits;
  readonly log: Logger;
}

/** Takes the messages of the queue of a group; begins again by itself after the connection was lost. */
export class AmqpConsumer {
  readonly #options: AmqpConsumerOptions;
  readonly #deliveries: GroupDeliveries;
  readonly #reopening: Reopening;
  #session: Session | undefined;

  /** @param options connection, group and handler */
  constructor(options: AmqpConsumerOptions) {
    this.#options = options;
    this.#deliveries = new GroupDeliveries(options);
    const { link: { lost }, log } = options;
    this.#reopening = new Reopening({ open: () => this.open(), forget: () => this.#forget(), lost, log });
  }

  /**
   * Opens a receiver in a session of its own.
   *
   * @throws ServiceError `NO_QUEUE` if the broker has no such queue
   */
  async open(): Promise<void> {
    const { link, options: { queue }, subscription: { group, concurrency } } = this.#options;
    const { connection } = await link.get();
    const session = connection.create_session();
    session.open();
    const address = queue.replaceAll("{group}", () => group);
    const receiver = session.open_receiver({
      source: { address },
      credit_window: 0,
      autoaccept: false,
    });
    receiver.on(
      "message",
      ({ message, delivery }: EventContext) => this.#accept(receiver, message!, delivery!),
    );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (error: Error) => {
      const message = `Cannot receive from ${address}: ${error.message}`;
      reject(new ServiceError({ status: 500, code: "NO_QUEUE", message, cause: error }));
    };
    receiver.once("receiver_open", () => resolve());
    receiver.once("receiver_error", () => refuse(new Error(String(receiver.error))));
    session.once("session_error", (context: EventContext) => refuse(sessionError(context)));
    // A connection that is closed in good order is never told to be disconnected.
    const lose = () => reject(new Error("The connection was lost"));
    for (const event of ["disconnected", "connection_close"] as const) connection.once(event, lose);
    if (!connection.is_open()) lose();
    await promise;
    receiver.add_credit(concurrency + AHEAD);
    this.#session = session;
    this.#reopening.watch();
  }

  /** Waits for running handlers; ending the session gives back the rest, in its order. */
  async close(): Promise<void> {
    await this.#reopening.stop();
    await this.#deliveries.window.close();
    const session = this.#session;
    if (!session?.is_open()) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      session.once("session_close", () => resolve());
      session.connection.once("disconnected", () => resolve());
      timer = setTimeout(resolve, CLOSE_MS);
      session.close();
    });
    clearTimeout(timer);
  }

  #forget(): void {
    this.#session = undefined;
    this.#deliveries.window.forget();
  }

  #accept(receiver: Receiver, raw: RheaMessage, delivery: RheaDelivery): void {
    const { options, limits, subscription: { strays } } = this.#options;
    const topic = topicOfAmqp(raw, options.address);
    if (!strays && !this.#deliveries.wants(topic)) {
      delivery.accept();
      receiver.add_credit(1);
      return;
    }
    const { message, fault } = fromAmqp(raw, topic, limits);
    const deliveries = deliveriesOf(raw);
    this.#deliveries.accept(this.#toIncoming(receiver, delivery, { message, deliveries }), fault);
  }

  #toIncoming(
    receiver: Receiver,
    delivery: RheaDelivery,
    { message, deliveries }: { readonly message: Message; readonly deliveries: number },
  ): Incoming {
    const { log } = this.#options;
    const settle = (how: () => void) => {
      // What belongs to a lost connection comes again.
      if (!isOpen(delivery)) return Promise.reject(new Error("The connection was lost"));
      how();
      receiver.add_credit(1);
      return Promise.resolve();
    };
    return {
      message,
      deliveries,
      ack: () => settle(() => delivery.accept()),
      dead: async (reason, attempts) => {
        log.error(`Gave up message ${message.topic} after ${attempts} deliveries: ${reason}`);
        const isStored = await this.#storeLetter(deadLetter(message, attempts, reason));
        const description = reason.slice(0, REASON_LENGTH);
        await settle(() =>
          isStored ? delivery.accept() : delivery.reject({ condition: "fw:given-up", description })
        );
      },
      // The broker takes it back at the end of the session.
      release: () => Promise.resolve(),
    };
  }

  async #storeLetter(letter: string): Promise<boolean> {
    const { link, options: { deadLetterQueue }, subscription: { group } } = this.#options;
    if (deadLetterQueue === undefined) return false;
    const sender = await link.sender(deadLetterQueue.replaceAll("{group}", () => group));
    await sender.send({ durable: true, content_type: "application/json", body: dataSection(letter) });
    return true;
  }
}
