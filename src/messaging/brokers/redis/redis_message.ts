/**
 * Messages as entries of a stream: fields `topic`, `headers`, `data` (bytes in `data_base64`) and, if there is one, `key`;
 * `group` if the message is for that group only.
 *
 * @module
 */

import type { Limits } from "../../../config/limits.ts";
import type { Message } from "../../channel.ts";
import { fromDataMember, toDataMember } from "../../data_member.ts";
import { assertMessageSize, jsonOf } from "../../message_json.ts";
import { DATA_HEADER, EXTRA_HEADER, fromWire, KEY_HEADER, type Received } from "../wire_message.ts";

/** An entry of a stream: its id, and names and values in turn; nothing if it was removed meanwhile. */
export type StreamEntry = readonly [id: string, fields: readonly string[] | null];

/**
 * The fields of a message.
 *
 * @param message the message
 * @param maxBytes bytes it may have
 * @throws ServiceError `MESSAGE_TOO_LARGE`
 */
export function toFields(message: Message, maxBytes: number): readonly string[] {
  const { topic, data, headers, key } = message;
  const head = jsonOf(headers);
  const { data_base64: encoded } = toDataMember(data);
  const body = encoded ?? (data === undefined ? "" : jsonOf(data));
  assertMessageSize(topic, body + head, maxBytes);
  const name = encoded === undefined ? "data" : "data_base64";
  return ["topic", topic, "headers", head, name, body, ...key === undefined ? [] : ["key", key]];
}

/** The fields of an entry by name. */
export function fieldsOf(fields: readonly string[]): Readonly<Record<string, string | undefined>> {
  const values: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < fields.length; i += 2) values[fields[i]] = fields[i + 1];
  return values;
}

/** Reads a message. */
export function fromFields(values: Readonly<Record<string, string | undefined>>, limits: Limits): Received {
  const { topic = "", headers, data = "", data_base64: encoded, key } = values;
  const own = {
    ...headers === undefined ? {} : { [EXTRA_HEADER]: headers },
    ...key === undefined ? {} : { [KEY_HEADER]: JSON.stringify(key) },
  };
  if (encoded === undefined) return fromWire({ topic, attributes: {}, own, body: data }, limits);
  const { data: body, fault } = fromDataMember({ data_base64: encoded });
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const received = fromWire(
    { topic, attributes: {}, own: { ...own, [DATA_HEADER]: "bytes" }, body: bytes },
    limits,
  );
  return fault === undefined ? received : { message: received.message, fault };
}

/**
 * Reads the answer of `XREADGROUP`: entries by stream.
 *
 * @param answer what the client gave
 */
export function streamEntries(
  answer: unknown,
): readonly (readonly [stream: string, entries: readonly StreamEntry[]])[] {
  // The shape that Redis documents: a list of streams, each with its entries; null when the time is over.
  return (answer ?? []) as [string, StreamEntry[]][];
}
