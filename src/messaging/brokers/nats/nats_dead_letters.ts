/**
 * The dead letters of a group in NATS: messages of the stream under a subject of their own.
 *
 * @module
 */

import type { JetStreamManager, MsgRequest, StoredMsg } from "@nats-io/jetstream";
import type { DeadLetter, DeadLetters, Message } from "../../channel.ts";
import { isReplayable, readDeadLetter, readReference } from "../../dead_letter.ts";
import { fromNats, type NatsReading } from "./nats_message.ts";

/** JetStream error: there is no such message. */
const NO_MESSAGE = 10037;

/** What dead letters are read from. */
export interface NatsDeadLettersOptions {
  /** The manager of the server's streams; connects. */
  readonly manager: () => Promise<JetStreamManager>;
  /** The stream. */
  readonly stream: string;
  /** Subject of the dead letters of the group. */
  readonly subject: string;
  /** How messages of the stream are read. */
  readonly reading: NatsReading;
  /**
   * Publishes a message to the group alone.
   *
   * @param id under which the server recognizes a repetition
   */
  readonly publish: (message: Message, id: string) => Promise<void>;
}

/** Finds dead letters by the number that they have in the stream. */
export class NatsDeadLetters implements DeadLetters {
  readonly #options: NatsDeadLettersOptions;

  /** @param options server and names */
  constructor(options: NatsDeadLettersOptions) {
    this.#options = options;
  }

  /** @param limit how many at most */
  async list(limit: number): Promise<readonly DeadLetter[]> {
    const { manager, stream, subject } = this.#options;
    const { streams } = await manager();
    const letters: DeadLetter[] = [];
    for (let seq = 1; letters.length < limit;) {
      // The server takes both since 2.9; the type of the client knows them for direct requests only.
      const next = { seq, next_by_subj: subject } as MsgRequest;
      const found = await orNone(streams.getMessage(stream, next));
      if (!found) break;
      letters.push(await this.#toLetter(found));
      seq = found.seq + 1;
    }
    return letters;
  }

  /** @param id of a dead letter */
  async replay(id: string): Promise<boolean> {
    const { publish, stream } = this.#options;
    const found = await this.#find(id);
    const letter = found && await this.#toLetter(found);
    if (!letter || !isReplayable(letter)) return false;
    await publish(letter.message, `${stream} dead ${id} ${found.time.getTime()}`);
    await this.#delete(found);
    return true;
  }

  /** @param id of a dead letter */
  async discard(id: string): Promise<boolean> {
    const found = await this.#find(id);
    return found !== undefined && await this.#delete(found);
  }

  async #find(id: string): Promise<StoredMsg | undefined> {
    const { manager, stream, subject } = this.#options;
    if (!/^\d{1,15}$/.test(id) || Number(id) === 0) return undefined;
    const { streams } = await manager();
    const found = await orNone(streams.getMessage(stream, { seq: Number(id) }));
    return found?.subject === subject ? found : undefined;
  }

  async #delete({ seq }: StoredMsg): Promise<boolean> {
    const { manager, stream } = this.#options;
    return await orNone((await manager()).streams.deleteMessage(stream, seq, false)) ?? false;
  }

  /** A letter that is a reference has the message of the stream, for as long as the server keeps that. */
  async #toLetter({ seq, data: bytes }: StoredMsg): Promise<DeadLetter> {
    const { manager, stream, reading } = this.#options;
    const text = new TextDecoder().decode(bytes);
    const original = readReference(text);
    const letter = readDeadLetter(String(seq), text);
    if (original === undefined) return letter;
    const found = await orNone((await manager()).streams.getMessage(stream, { seq: original }));
    if (found) {
      const { subject, header: headers, data } = found;
      return { ...letter, message: fromNats({ subject, headers, data }, reading).message };
    }
    return { ...letter, lastError: `${letter.lastError} (the server no longer has the message)` };
  }
}

async function orNone<T>(asked: Promise<T | null>): Promise<T | undefined> {
  try {
    return await asked ?? undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_MESSAGE) return undefined;
    throw error;
  }
}
