/**
 * CloudEvents over HTTP: binary, structured and batched content (CloudEvents HTTP protocol binding 1.0.2; `messaging` 5).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { assertUtf8 } from "../../service/wire/read_body.ts";
import { decodeBase64, encodeBase64, utf8Text } from "../../util/bytes.ts";
import { holdsInfinity, isDeeperThan } from "../../util/json_text.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { jsonOf } from "../message_json.ts";
import type { Message } from "../channel.ts";
import { cloudEventFault, droppedHeaders } from "../cloud_events.ts";

/** How an event stands in an HTTP message. */
export type ContentMode = "binary" | "structured" | "batch";

/** Headers and body of an HTTP message. */
export interface EventContent {
  /** Headers of the HTTP message, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. */
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const STRUCTURED = "application/cloudevents+json";
const BATCH = "application/cloudevents-batch+json";
const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]+\+)?json$/;
/** Levels that the event itself adds to its data. */
const ENVELOPE_DEPTH = 2;

/**
 * Writes one event with its attributes as headers.
 *
 * @param message a message whose headers are the attributes of a CloudEvent
 */
export function writeBinary({ headers, data }: Message): EventContent {
  const { datacontenttype, ...attributes } = headers;
  const written = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encodeAttribute(value)]);
  const type = contentType(datacontenttype, data);
  return {
    headers: { ...Object.fromEntries(written), "content-type": type },
    body: data instanceof Uint8Array ? new Uint8Array(data) : isJsonType(type) ? toJson(data) : String(data),
  };
}

/**
 * Writes one event as one JSON object.
 *
 * @param message a message whose headers are the attributes of a CloudEvent
 */
export function writeStructured(message: Message): EventContent {
  return {
    headers: { "content-type": `${STRUCTURED}; charset=utf-8` },
    body: toJson(toEnvelope(message)),
  };
}

/**
 * Writes events as one JSON array.
 *
 * @param messages messages whose headers are the attributes of CloudEvents
 */
export function writeBatch(messages: readonly Message[]): EventContent {
  return { headers: { "content-type": `${BATCH}; charset=utf-8` }, body: toJson(messages.map(toEnvelope)) };
}

/**
 * Reads the events of an HTTP message.
 *
 * @param headers its headers
 * @param body its body
 * @param limits levels of JSON that are read
 * @returns messages whose headers are the attributes; the topic is the extension `topic`, else the type
 * @throws ServiceError 400 for what is no CloudEvent, 415 for another encoding of characters
 */
export function readEvents(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  limits: { readonly jsonDepth: number },
): readonly Message[] {
  const type = headers.get("content-type") ?? "";
  const media = type.split(";")[0].trim().toLowerCase();
  assertUtf8(type);
  if (media === STRUCTURED) return [fromEnvelope(parseJson(body, limits.jsonDepth + ENVELOPE_DEPTH))];
  if (media === BATCH) {
    const events = parseJson(body, limits.jsonDepth + ENVELOPE_DEPTH);
    if (!Array.isArray(events)) throw malformed("A batch must be a JSON array");
    return events.map(fromEnvelope);
  }
  const isBinary = [...headers.keys()].some((name) => name.startsWith("ce-"));
  if (media.startsWith("application/cloudevents") || (!isBinary && media !== "" && !isJsonType(media))) {
    throw new ServiceError({
      status: 415,
      message:
        `The content type is "${media}", expected ${STRUCTURED}, ${BATCH}, or any other with the attributes of the ` +
        "event in headers (ce-id, ce-source, ce-specversion, ce-type)",
    });
  }
  return [readBinary(headers, body, limits.jsonDepth)];
}

function readBinary(headers: Headers, body: Uint8Array<ArrayBuffer>, jsonDepth: number): Message {
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of headers) {
    if (!name.startsWith("ce-")) continue;
    const attribute = name.slice("ce-".length);
    if (attribute === "datacontenttype") throw malformed("The header ce-datacontenttype is not allowed");
    const decoded = decodeAttribute(value);
    if (decoded === undefined) throw malformed(`The header ${name} is not percent-encoded UTF-8`);
    attributes[attribute] = decoded;
  }
  const type = headers.get("content-type") ?? undefined;
  if (type !== undefined) attributes.datacontenttype = type;
  return toMessage(attributes, readData(body, type, jsonDepth));
}

function readData(body: Uint8Array<ArrayBuffer>, type: string | undefined, jsonDepth: number): unknown {
  if (body.byteLength === 0) return undefined;
  if (type === undefined || isJsonType(type)) return parseJson(body, jsonDepth);
  return /^text\//i.test(type) ? toText(body) : body;
}

function fromEnvelope(event: unknown): Message {
  if (!isPlainObject(event)) throw malformed("An event must be a JSON object");
  const { data, data_base64: encoded, ...attributes } = event;
  if (encoded === undefined) return toMessage(attributes, data);
  if (data !== undefined) throw malformed("An event has either data or data_base64");
  return toMessage(attributes, fromBase64(encoded));
}

/** The topic travels as an extension where it is not the type: with prefixes on the wire. */
function toMessage(given: Readonly<Record<string, unknown>>, data: unknown): Message {
  const { topic, ...others } = given;
  const attributes = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const fault = cloudEventFault(attributes) ?? badName(attributes);
  if (fault) throw malformed(fault);
  const headers = restoreOthers(attributes);
  const { partitionkey: key } = headers;
  return {
    topic: typeof topic === "string" ? topic : headers.type as string,
    data,
    headers,
    ...(typeof key === "string" ? { key } : {}),
  };
}

function badName(headers: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(headers).find((one) => !/^[a-z0-9]+$/.test(one));
  return name === undefined ? undefined : `'${name}' is no name of an attribute`;
}

function toEnvelope({ headers, data }: Message): Record<string, unknown> {
  if (data instanceof Uint8Array) return { ...headers, data_base64: encodeBase64(data) };
  return data === undefined ? { ...headers } : { ...headers, data };
}

function contentType(given: unknown, data: unknown): string {
  if (data instanceof Uint8Array && (given === undefined || isJsonType(String(given)))) {
    return "application/octet-stream";
  }
  return typeof given === "string" ? given : "application/json";
}

/** Whether a content type says JSON. */
export function isJsonType(type: string): boolean {
  return JSON_TYPE.test(type.split(";")[0].trim().toLowerCase());
}

function toJson(value: unknown): string {
  return jsonOf(value) ?? "null";
}

function parseJson(body: Uint8Array<ArrayBuffer>, depth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(toText(body));
  } catch (cause) {
    throw new ServiceError({ status: 400, message: "The body is not valid JSON", cause });
  }
  if (isDeeperThan(value, depth)) throw malformed(`The data is nested deeper than ${depth} levels`);
  if (holdsInfinity(value)) throw malformed("A number of the data is beyond those of JavaScript");
  return value;
}

function toText(body: Uint8Array<ArrayBuffer>): string {
  const text = utf8Text(body);
  if (text === undefined) throw malformed("The body is not UTF-8");
  return text;
}

function fromBase64(encoded: unknown): Uint8Array {
  try {
    return decodeBase64(String(encoded));
  } catch (cause) {
    throw new ServiceError({ status: 400, message: "data_base64 is not base64", cause });
  }
}

function malformed(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

/** The extension attribute; its value is a JSON object. */
const EXTENSION = "fwheaders";

/**
 * Headers with those that are no attributes gathered in the extension; the correlation id has an attribute of its own.
 *
 * @param headers headers of a message
 */
export function withOthers(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const dropped = droppedHeaders(headers);
  if (dropped.length === 0) return headers;
  const { "x-correlation-id": correlationid, ...others } = Object.fromEntries(
    dropped.map((name) => [name, headers[name]]),
  );
  return {
    ...(correlationid === undefined ? {} : { correlationid }),
    ...headers,
    ...(Object.keys(others).length > 0 ? { [EXTENSION]: JSON.stringify(others) } : {}),
  };
}

/**
 * The headers a message had before `withOthers`; what is no attribute name comes from the extension, nothing else.
 *
 * @param attributes attributes of a CloudEvent
 */
function restoreOthers(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [EXTENSION]: extension, ...headers } = attributes;
  if (typeof extension !== "string") return { ...attributes };
  try {
    const others = JSON.parse(extension);
    if (!isPlainObject(others)) return { ...attributes };
    for (const name of droppedHeaders(others)) {
      Object.defineProperty(headers, name, { value: others[name], enumerable: true, configurable: true });
    }
    return headers;
  } catch {
    return { ...attributes };
  }
}

/** What is written as it is: printable ASCII but blank, quotation mark and per cent sign. */
const PLAIN = /^[\x21\x23\x24\x26-\x7e]$/;

/**
 * Writes an attribute as the value of a header: percent-encoded UTF-8 for everything but plain characters.
 *
 * @param value a string, integer or boolean
 */
export function encodeAttribute(value: unknown): string {
  const text = String(value).toWellFormed();
  return Array.from(text, (char) => PLAIN.test(char) ? char : percentEncoded(char)).join("");
}

/**
 * Reads the value of a header: one round of decoding, after quotation marks around it are taken away.
 *
 * @param value the value
 * @returns undefined for what is no UTF-8
 */
export function decodeAttribute(value: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value);
  const text = quoted ? quoted[1].replace(/\\(.)/g, "$1") : value;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const digits = text[at] === "%" ? text.slice(at + 1, at + 3) : "";
    if (/^[0-9a-fA-F]{2}$/.test(digits)) {
      bytes.push(parseInt(digits, 16));
      at += 2;
    } else if (text.charCodeAt(at) > 0xff) {
      return undefined;
    } else {
      bytes.push(text.charCodeAt(at));
    }
  }
  return utf8Text(Uint8Array.from(bytes));
}

function percentEncoded(char: string): string {
  return Array.from(
    new TextEncoder().encode(char),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
}
