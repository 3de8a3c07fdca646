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
import { writeDeadLetter } from "../../dead_letter.ts";
import type { Incoming } from "../delivery_window.ts";
import { GroupDeliveries } from "../consumer_set.ts";
import { Reopening } from "../reopening.ts";
import type { AmqpAddresses } from "./amqp_addresses.ts";
import { type AmqpLink, endSession, SILENT } from "./amqp_link.ts";
import { dataSection, deliveriesOf, fromAmqp, isOpen, reasonOf, topicOfAmqp } from "./amqp_message.ts";

/** Messages that are fetched beyond those that are handled at once; those that wait for their next delivery count. */
const AHEAD = 256;
/** How long an attempt to open a receiver waits for the broker. */
const OPEN_MS = 10_000;
const REASON_LENGTH = 1_000;

/** What a consumer is made from. */
export interface AmqpConsumerOptions {
  readonly link: AmqpLink;
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
    const { link, subscription: { group, concurrency } } = this.#options;
    const { connection, addresses } = await link.get();
    const session = connection.create_session();
    session.open();
    const address = addresses.queue(group);
    const receiver = session.open_receiver({
      source: { address },
      credit_window: 0,
      autoaccept: false,
    });
    // Sent with the opening: RabbitMQ 3 never answers again in a session whose queue is deleted before the first credit.
    receiver.add_credit(concurrency + AHEAD);
    receiver.on(
      "message",
      ({ message, delivery }: EventContext) =>
        this.#accept({ receiver, addresses, delivery: delivery! }, message!),
    );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let refusal: ServiceError | undefined;
    const refuse = (error: unknown) => {
      const message = `Cannot receive from ${address}: ${reasonOf(error)}; ${addresses.advice}`;
      reject(refusal = new ServiceError({ status: 500, code: "NO_QUEUE", message, cause: error }));
      this.#onRefused(session, error);
    };
    receiver.once("receiver_open", () => resolve());
    receiver.once("receiver_error", () => refuse(receiver.error));
    receiver.once("receiver_close", () => refuse(receiver.error));
    for (const event of ["session_error", "session_close"] as const) {
      session.once(event, ({ session }: EventContext) => refuse(session?.error));
    }
    // A connection that is closed in good order is never told to be disconnected.
    const lose = () => reject(new Error("The connection was lost"));
    const losses = ["disconnected", "connection_close"] as const;
    for (const event of losses) connection.once(event, lose);
    if (!connection.is_open()) lose();
    const timer = setTimeout(() => reject(new Error(SILENT)), OPEN_MS);
    try {
      await promise;
      // a receiver may be ended in the same breath that opens it
      if (refusal) throw refusal;
    } catch (error) {
      if (session.is_open()) session.close();
      throw error;
    } finally {
      clearTimeout(timer);
      for (const event of losses) connection.removeListener(event, lose);
    }
    this.#session = session;
    this.#reopening.watch();
  }

  /** Waits for running handlers; ending the session gives back the rest, in its order. */
  async close(): Promise<void> {
    await this.#reopening.stop();
    await this.#deliveries.window.close();
    const session = this.#session;
    this.#session = undefined;
    if (session) await endSession(session);
  }

  /** The broker has ended a receiver that was open, as when its queue is deleted: it is told, and opened again. */
  #onRefused(session: Session, error: unknown): void {
    if (this.#session !== session) return;
    const { log, subscription: { group } } = this.#options;
    log.error(`The AMQP broker has ended the receiver of group '${group}': ${reasonOf(error)}`);
    // After what the client still answers.
    setTimeout(() => session.is_open() && session.close());
    this.#reopening.start();
  }

  #forget(): void {
    this.#session = undefined;
    this.#deliveries.window.forget();
  }

  #accept(place: Place, raw: RheaMessage): void {
    const { limits, subscription: { strays } } = this.#options;
    const { receiver, delivery, addresses } = place;
    const topic = topicOfAmqp(raw, addresses);
    if (!strays && !this.#deliveries.wants(topic)) {
      delivery.accept();
      receiver.add_credit(1);
      return;
    }
    const { message, fault } = fromAmqp(raw, topic, limits);
    const deliveries = deliveriesOf(raw);
    this.#deliveries.accept(this.#toIncoming(place, message, deliveries), fault);
  }

  #toIncoming({ receiver, delivery, addresses }: Place, message: Message, deliveries: number): Incoming {
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
        const letter = writeDeadLetter(message, attempts, reason);
        const isStored = await this.#storeLetter(addresses, letter);
        const description = reason.slice(0, REASON_LENGTH);
        await settle(() =>
          isStored ? delivery.accept() : delivery.reject({ condition: "fw:given-up", description })
        );
      },
      // The broker takes it back at the end of the session.
      release: () => Promise.resolve(),
    };
  }

  async #storeLetter(addresses: AmqpAddresses, letter: string): Promise<boolean> {
    const { link, subscription: { group } } = this.#options;
    const deadLetterQueue = addresses.deadLetterQueue(group);
    if (deadLetterQueue === undefined) return false;
    const sender = await link.sender(deadLetterQueue);
    await sender.send({ durable: true, content_type: "application/json", body: dataSection(letter) });
    return true;
  }
}

/** Where a message came from. */
interface Place {
  readonly receiver: Receiver;
  readonly delivery: RheaDelivery;
  readonly addresses: AmqpAddresses;
}
