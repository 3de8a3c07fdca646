/**
 * Messages that a consumer group gave up, as channels keep them.
 *
 * @module
 */

import { encodeHexLowerCase } from "@oslojs/encoding";
import { sha256 } from "@oslojs/crypto/sha2";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { DeadLetter, Message } from "./channel.ts";
import { fromDataMember, jsonOf, toDataMember } from "./message_json.ts";
import { jsonOr } from "../util/json_text.ts";

/** Bytes of an id: enough for all letters of a group. */
const ID_BYTES = 8;

/** The id of a dead letter whose channel gives it none: equal texts are equal letters. */
export function letterId(text: string): string {
  return encodeHexLowerCase(sha256(new TextEncoder().encode(text)).subarray(0, ID_BYTES));
}

/** What is kept of a message that was given up, as JSON in one line. */
export function writeDeadLetter(
  { topic, data, headers, key }: Message,
  attempts: number,
  lastError: string,
): string {
  return jsonOf({ topic, ...toDataMember(data), headers, key, attempts, lastError, at: new Date() });
}

/** Characters of the error that stand beside a reference. */
const REFERENCE_ERROR_LENGTH = 1_000;

/** What is kept where a message is too large to be written again: its number in the stream. */
export function writeReference(original: number, attempts: number, lastError: string): string {
  return jsonOf({
    topic: "",
    original,
    attempts,
    lastError: lastError.slice(0, REFERENCE_ERROR_LENGTH).toWellFormed(),
    at: new Date(),
  });
}

/** The number of the message that is kept in place of a dead letter, if it is. */
export function readReference(text: string): number | undefined {
  const record = jsonOr(text, undefined);
  return isPlainObject(record) && Number.isSafeInteger(record.original)
    ? record.original as number
    : undefined;
}

/**
 * Reads what is kept of a message. What is no dead letter at all can still be looked at and discarded.
 *
 * @param id how the channel finds it
 * @param text what the channel keeps
 */
export function readDeadLetter(id: string, text: string): DeadLetter {
  const record = jsonOr(text, undefined);
  if (!isPlainObject(record) || typeof record.topic !== "string") {
    return { id, message: { topic: "", data: text, headers: {} }, attempts: 0, lastError: "No dead letter" };
  }
  const { topic, headers: given, key: said, attempts, lastError, at } = record;
  const headers = isPlainObject(given) ? given : {};
  const key = said ?? headers.partitionkey;
  const { data } = fromDataMember(record);
  return {
    id,
    message: { topic, data, headers, ...typeof key === "string" ? { key } : {} },
    attempts: typeof attempts === "number" ? attempts : 0,
    lastError: typeof lastError === "string" ? lastError : "",
    ...typeof at === "string" ? { at } : {},
  };
}

/** Whether a dead letter holds a message that can be delivered. */
export function isReplayable({ message: { topic } }: DeadLetter): boolean {
  return topic !== "";
}

/**
 * Dead letters of a queue in the order in which they were given up: what is looked at and given back changes its place there.
 *
 * @param letters all of them
 * @param limit how many at most
 */
export function oldestFirst(letters: readonly DeadLetter[], limit: number): readonly DeadLetter[] {
  const order = ({ at: one = "" }: DeadLetter, { at: other = "" }: DeadLetter) =>
    one < other ? -1 : +(one > other);
  return letters.toSorted(order).slice(0, limit);
}
