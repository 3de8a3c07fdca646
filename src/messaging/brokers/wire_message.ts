/**
 * Messages as they travel through brokers (`messaging` 5): the attributes of a CloudEvent one by one as its bindings
 * say, everything else as JSON in one header of our own.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { isDeeperThan } from "../../util/json_depth.ts";
import type { Message } from "../channel.ts";
import { jsonOf } from "../json_of.ts";
import { assertMessageSize } from "../message_size.ts";

/** Name of the header that holds what is no text attribute of a CloudEvent. */
export const EXTRA_HEADER = "fw-headers";

/** Name of the header that holds the key of a message whose headers do not tell it. */
export const KEY_HEADER = "fw-key";

const ATTRIBUTE = /^[a-z0-9]+$/;

/** A message in parts for a broker. */
export interface WireMessage {
  /** Attributes of a CloudEvent; empty for other messages. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Headers of our own: plain ASCII. */
  readonly own: Readonly<Record<string, string>>;
  /** The payload as JSON; empty if there is none. */
  readonly body: string;
}

/** What was read from a broker, or why it is no message. */
export type Received = { readonly message: Message; readonly fault?: undefined } | {
  readonly message: Message;
  readonly fault: string;
};

/**
 * Takes a message apart.
 *
 * @param message the message
 * @param maxBytes bytes of headers and payload at most
 * @throws ServiceError `MESSAGE_TOO_LARGE`, unrecoverable
 */
export function toWire({ topic, data, headers, key }: Message, maxBytes: number): WireMessage {
  const body = data === undefined ? "" : jsonOf(data);
  const isEvent = headers.specversion === "1.0";
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  const isAttribute = ([name, value]: [string, unknown]) =>
    isEvent && ATTRIBUTE.test(name) && (typeof value === "string" || typeof value === "boolean" ||
      Number.isInteger(value));
  const attributes = entries.filter(isAttribute).map(([name, value]) => [name, String(value)]);
  const isExtra = (entry: [string, unknown]) => !isAttribute(entry) || typeof entry[1] !== "string";
  const extra = Object.fromEntries(entries.filter(isExtra));
  const own = {
    ...Object.keys(extra).length > 0 ? { [EXTRA_HEADER]: toAscii(jsonOf(extra)) } : {},
    ...key !== undefined && headers.partitionkey !== key
      ? { [KEY_HEADER]: toAscii(JSON.stringify(key)) }
      : {},
  };
  const wire = { attributes: Object.fromEntries(attributes), own, body };
  assertMessageSize(topic, body + jsonOf(headers), maxBytes);
  return wire;
}

/** What a broker gave. */
export interface WireInput {
  readonly topic: string;
  /** Attributes of a CloudEvent, and headers of other programs. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Values of our own headers by name. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The payload. */
  readonly body: Uint8Array | string;
}

/**
 * Puts a message together again.
 *
 * @param input what the broker gave
 * @param limits bytes and depth; what exceeds them is a dead letter
 */
export function fromWire(
  { topic, attributes, own, body }: WireInput,
  { messageBytes, jsonDepth }: Pick<Limits, "messageBytes" | "jsonDepth">,
): Received {
  const size = body.length;
  const refused = (fault: string): Received => {
    const data = size > messageBytes ? undefined : textOf(body);
    return { message: { topic, data, headers: { ...attributes } }, fault };
  };
  if (size > messageBytes) return refused(`More than ${messageBytes} bytes`);
  try {
    const extra = own[EXTRA_HEADER] === undefined ? {} : JSON.parse(String(own[EXTRA_HEADER]));
    const text = textOf(body);
    const data = text === "" ? undefined : JSON.parse(text);
    if (!isPlainObject(extra)) return refused(`${EXTRA_HEADER} is no JSON object`);
    if (isDeeperThan({ data, extra }, jsonDepth + 1)) {
      return refused(`Nested deeper than ${jsonDepth} levels`);
    }
    const headers = { ...attributes, ...extra };
    const key = own[KEY_HEADER] === undefined ? headers.partitionkey : JSON.parse(String(own[KEY_HEADER]));
    return { message: { topic, data, headers, key: typeof key === "string" ? key : undefined } };
  } catch {
    return refused("No valid JSON");
  }
}

/** What is kept of a message that was given up, as JSON. */
export function deadLetter(message: Message, attempts: number, lastError: string): string {
  const { topic, data, headers } = message;
  return jsonOf({ topic, data, headers, attempts, lastError, at: new Date() });
}

/**
 * What identifies a CloudEvent: brokers that remember ids drop repetitions.
 *
 * @returns undefined for other messages: their headers may hold anything
 */
export function messageId({ headers }: Message): string | undefined {
  if (headers.specversion !== "1.0" || typeof headers.id !== "string") return undefined;
  return toAscii(`${headers.source ?? ""} ${headers.id}`);
}

function textOf(body: Uint8Array | string): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

function toAscii(json: string): string {
  // deno-lint-ignore no-control-regex
  return json.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
