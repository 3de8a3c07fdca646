/**
 * The dead letters of a group in RabbitMQ: a queue that nobody consumes.
 *
 * @module
 */

import type { ChannelModel, ConfirmChannel, GetMessage } from "amqplib";
import type { Turns } from "../../../util/turns.ts";
import type { DeadLetter, DeadLetters } from "../../channel.ts";
import { isReplayable, letterId, oldestFirst, readDeadLetter } from "../../dead_letter.ts";
import { toRabbit } from "./rabbit_message.ts";
import type { RabbitNames } from "./rabbit_names.ts";
import { giveBack, withQueue } from "./rabbit_link.ts";

/** Letters of a queue that are listed at most. */
const MAX_LOOKED_THROUGH = 10_000;

/** What a look at a letter tells: the last one is given back like all before it, a settled one is gone. */
type Verdict = "next" | "last" | "settled";

/** What dead letters are read from. */
export interface RabbitDeadLettersOptions {
  /** The connection. */
  readonly connection: () => Promise<ChannelModel>;
  /** Steps that must not overlap on the connection. */
  readonly turns: Turns;
  /** Queues. */
  readonly names: RabbitNames;
  /** The group. */
  readonly group: string;
  /** Bytes of a message at most. */
  readonly maxMessageBytes: number;
}

/** Takes the messages of the queue one by one, oldest first, and gives back all but the one that is settled. */
export class RabbitDeadLetters implements DeadLetters {
  readonly #options: RabbitDeadLettersOptions;

  /** @param options broker and names */
  constructor(options: RabbitDeadLettersOptions) {
    this.#options = options;
  }

  /** @param limit how many at most */
  async list(limit: number): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    await this.#each((_, letter) => {
      letters.push(letter);
      return Promise.resolve(letters.length === MAX_LOOKED_THROUGH ? "last" : "next");
    });
    return oldestFirst(letters, limit);
  }

  /** The message goes into the queue of the group, past the exchange that all groups share. */
  replay(id: string): Promise<boolean> {
    const { names, group, maxMessageBytes } = this.#options;
    return this.#each(async (channel, letter, raw) => {
      if (letter.id !== id) return "next";
      if (!isReplayable(letter)) return "last";
      const { message } = letter;
      const queue = message.key === undefined ? names.queue(group) : names.keyedQueue(group);
      const { content, options } = toRabbit(message, maxMessageBytes);
      await channel.checkQueue(queue);
      channel.sendToQueue(queue, content, options);
      await channel.waitForConfirms();
      channel.ack(raw);
      return "settled";
    });
  }

  /** @param id of a dead letter */
  discard(id: string): Promise<boolean> {
    return this.#each((channel, letter, raw) => {
      if (letter.id !== id) return Promise.resolve("next");
      channel.ack(raw);
      return Promise.resolve("settled");
    });
  }

  /** Looks at the letters that there were at the beginning, until a step says that it was the last one, or settled it. */
  async #each(
    step: (channel: ConfirmChannel, letter: DeadLetter, raw: GetMessage) => Promise<Verdict>,
  ): Promise<boolean> {
    const { connection, turns, names, group } = this.#options;
    const queue = names.dead(group);
    const look = async (channel: ConfirmChannel) => {
      const { messageCount } = await channel.checkQueue(queue);
      let verdict: Verdict = "next";
      for (let rest = messageCount; rest > 0 && verdict === "next"; rest--) {
        const raw = await channel.get(queue);
        if (!raw) break;
        const text = new TextDecoder().decode(raw.content);
        verdict = await step(channel, readDeadLetter(letterId(text), text), raw);
      }
      const isSettled = verdict === "settled";
      await giveBack(channel, queue, isSettled ? messageCount - 1 : messageCount);
      return isSettled;
    };
    return await turns.take(async () => await withQueue(await connection(), queue, look)) ?? false;
  }
}
