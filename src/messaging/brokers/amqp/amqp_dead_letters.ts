/**
 * The dead letters of a group at a broker that speaks AMQP 1.0: a queue that nobody consumes.
 *
 * @module
 */

import type { Delivery as RheaDelivery, EventContext, Message as RheaMessage, Receiver, Session } from "rhea";
import { ServiceError } from "../../../errors/service_error.ts";
import type { DeadLetter, DeadLetters } from "../../channel.ts";
import { isReplayable, letterId, oldestFirst, readDeadLetter } from "../../dead_letter.ts";
import { retryUntil } from "../channel_connection.ts";
import { textOf } from "../wire_message.ts";
import type { AmqpAddresses } from "./amqp_addresses.ts";
import { type AmqpLink, endSession, SILENT } from "./amqp_link.ts";
import { bodyOf, reasonOf, toAmqp } from "./amqp_message.ts";

/** Letters that are looked through for one of them at most. */
const MAX_LOOKED_THROUGH = 10_000;
/** No more letters are there when none has come for so long. */
const QUIET_MS = 500;

/** What dead letters are read from. */
export interface AmqpDeadLettersOptions {
  /** The connection. */
  readonly link: AmqpLink;
  /** The group. */
  readonly group: string;
  /** Bytes of a message at most. */
  readonly maxMessageBytes: number;
  /** How long the broker may take. */
  readonly timeoutMs: number;
  /** How long an attempt waits for the broker to begin. */
  readonly attemptMs: number;
}

interface Taken {
  readonly letter: DeadLetter;
  readonly delivery: RheaDelivery;
}

/** Takes what there is, and gives back all but the one that is settled. */
export class AmqpDeadLetters implements DeadLetters {
  readonly #options: AmqpDeadLettersOptions;

  /** @param options broker and group */
  constructor(options: AmqpDeadLettersOptions) {
    this.#options = options;
  }

  /** @param limit how many at most */
  list(limit: number): Promise<readonly DeadLetter[]> {
    return this.#take(undefined, (taken) => oldestFirst(taken.map(({ letter }) => letter), limit));
  }

  /** The message goes into the queue of the group, past the topics that all groups share. */
  replay(id: string): Promise<boolean> {
    const { link, group, maxMessageBytes } = this.#options;
    return this.#take(id, async (taken, addresses) => {
      const found = taken.find(({ letter }) => letter.id === id);
      if (!found || !isReplayable(found.letter)) return false;
      const sender = await link.sender(addresses.queue(group));
      await sender.send(toAmqp(found.letter.message, maxMessageBytes));
      found.delivery.accept();
      return true;
    });
  }

  /** @param id of a dead letter */
  discard(id: string): Promise<boolean> {
    return this.#take(id, (taken) => {
      const found = taken.find(({ letter }) => letter.id === id);
      found?.delivery.accept();
      return found !== undefined;
    });
  }

  /** Takes all letters, or those up to one of them. */
  async #take<T>(
    id: string | undefined,
    use: (taken: readonly Taken[], addresses: AmqpAddresses) => T | Promise<T>,
  ): Promise<T> {
    const { link, group, timeoutMs, attemptMs } = this.#options;
    return await retryUntil(async () => {
      const { connection, addresses } = await link.get();
      const session = connection.create_session();
      session.open();
      const receiver = session.open_receiver({
        source: { address: addresses.deadLetterQueue(group)! },
        credit_window: 0,
        autoaccept: false,
      });
      // Sent with the opening: see the consumer.
      receiver.add_credit(MAX_LOOKED_THROUGH);
      try {
        return await use(await untilQuiet({ session, receiver, attemptMs }, id), addresses);
      } finally {
        // What was not settled goes back.
        await endSession(session);
      }
    }, { broker: "The AMQP broker", timeoutMs });
  }
}

/** Where letters are taken from, and how long the broker may take to open it. */
interface Place {
  readonly session: Session;
  readonly receiver: Receiver;
  readonly attemptMs: number;
}

/** Takes messages until one of them has an id, or no more come: not every broker tells when there are no more. */
async function untilQuiet(
  { session, receiver, attemptMs }: Place,
  id: string | undefined,
): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refuse = (error: unknown) => {
    const message = `The AMQP broker refuses to show dead letters: ${reasonOf(error)}`;
    reject(new ServiceError({ status: 503, code: "NO_QUEUE", message }));
  };
  const lose = () => reject(new Error("The connection was lost"));
  let quiet = setTimeout(() => reject(new Error(SILENT)), attemptMs);
  const wait = () => {
    clearTimeout(quiet);
    quiet = setTimeout(resolve, QUIET_MS);
  };
  session.on("session_error", ({ session }: EventContext) => refuse(session?.error));
  receiver.on("receiver_error", () => refuse(receiver.error));
  session.connection.once("disconnected", lose);
  receiver.on("message", ({ message, delivery }: EventContext) => {
    const text = textOf(bodyOf((message as RheaMessage).body));
    const letter = readDeadLetter(letterId(text), text);
    taken.push({ letter, delivery: delivery! });
    if (letter.id === id || taken.length === MAX_LOOKED_THROUGH) resolve();
    else wait();
  });
  receiver.once("receiver_open", wait);
  try {
    await promise;
    return taken;
  } finally {
    clearTimeout(quiet);
    session.connection.removeListener("disconnected", lose);
  }
}
