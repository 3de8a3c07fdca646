import type { Limits } from "../../config/limits.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { exceedsBytes, utf8Text } from "../../util/bytes.ts";
import { holdsInfinity, isDeeperThan } from "../../util/json_text.ts";
import type { Message } from "../channel.ts";
import { assertMessageSize, jsonOf } from "../message_json.ts";
import { MESSAGE_ID } from "../message_headers.ts";
import { isJsonType } from "../http/event_format.ts";

/** Name of the header that holds what is no text attribute of a CloudEvent. */
export const EXTRA_HEADER = "fw-headers";

/** Name of the header that holds the key of a message whose headers do not tell it. */
export const KEY_HEADER = "fw-key";

/** Name of the header that names the one group a message is for: it gave the message up before. */
export const GROUP_HEADER = "fw-group";

/** Name of the header that says how the payload is written where the content type does not. */
export const DATA_HEADER = "fw-data";

const JSON_TYPE = "application/json";
const ATTRIBUTE = /^[a-z0-9]+$/;

/** A message in parts for a broker. */
export interface WireMessage {
  /** Attributes of a CloudEvent; empty for other messages. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Headers of our own: plain ASCII. */
  readonly own: Readonly<Record<string, string>>;
  /** What the payload is. */
  readonly contentType: string;
  /** The payload; empty if there is none. */
  readonly body: string | Uint8Array<ArrayBuffer>;
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
  const isEvent = headers.specversion === "1.0";
  const given = isEvent && typeof headers.datacontenttype === "string" ? headers.datacontenttype : undefined;
  const { body, form } = writeData(data, given);
  const contentType = given ?? (form === "bytes" ? BYTES_TYPE : JSON_TYPE);
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
    // NATS knows no content type but that of a CloudEvent.
    ...formOf(given, body.length) !== form ? { [DATA_HEADER]: form } : {},
  };
  const [text, bytes] = typeof body === "string" ? [body, 0] : ["", body.byteLength];
  assertMessageSize(topic, [text + jsonOf(headers), bytes], maxBytes);
  return { attributes: Object.fromEntries(attributes), own, contentType, body };
}

/** What a broker gave. */
export interface WireInput {
  readonly topic: string;
  /** Attributes of a CloudEvent, and headers of other programs. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Values of our own headers by name. */
  readonly own: Readonly<Record<string, unknown>>;
  /** What the payload is, as far as the broker knows. */
  readonly contentType?: unknown;
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
  { topic, attributes, own, contentType, body }: WireInput,
  { messageBytes, jsonDepth }: Pick<Limits, "messageBytes" | "jsonDepth">,
): Received {
  const isTooLarge = typeof body === "string"
    ? exceedsBytes(body, messageBytes)
    : body.byteLength > messageBytes;
  const isTooDeep = isDeeperThan(attributes, jsonDepth + 1);
  const refused = (fault: string): Received => {
    const data = isTooLarge ? undefined : readText(body) ?? body;
    return { message: { topic, data, headers: isTooDeep ? {} : { ...attributes } }, fault };
  };
  if (isTooLarge) return refused(`More than ${messageBytes} bytes`);
  if (isTooDeep) return refused(`Nested deeper than ${jsonDepth} levels`);
  try {
    const extra = own[EXTRA_HEADER] === undefined ? {} : JSON.parse(String(own[EXTRA_HEADER]));
    const data = readData(body, toForm(own[DATA_HEADER], contentType, body.length));
    if (!isPlainObject(extra)) return refused(`${EXTRA_HEADER} is no JSON object`);
    const read = { data: data instanceof Uint8Array ? undefined : data, extra };
    if (isDeeperThan(read, jsonDepth + 1)) return refused(`Nested deeper than ${jsonDepth} levels`);
    if (holdsInfinity(read)) return refused("A number is beyond those of JavaScript");
    const headers = { ...attributes, ...extra };
    const key = own[KEY_HEADER] === undefined ? headers.partitionkey : JSON.parse(String(own[KEY_HEADER]));
    return { message: { topic, data, headers, key: typeof key === "string" ? key : undefined } };
  } catch (error) {
    return refused(error instanceof TypeError ? "No UTF-8" : "No valid JSON");
  }
}

/**
 * What identifies a message: brokers that remember ids drop repetitions. Source and id of a CloudEvent, else topic and
 * `x-message-id`.
 *
 * @returns undefined if there is none: other headers may hold anything
 */
export function messageId({ topic, headers }: Message): string | undefined {
  const isEvent = headers.specversion === "1.0";
  const id = isEvent ? headers.id : headers[MESSAGE_ID];
  if (typeof id !== "string" || id === "") return undefined;
  return toAscii(`${isEvent ? headers.source ?? "" : topic} ${id}`);
}

function toForm(said: unknown, contentType: unknown, size: number): DataForm {
  return isDataForm(said) ? said : formOf(contentType, size);
}

function toAscii(json: string): string {
  // deno-lint-ignore no-control-regex
  return json.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** How a payload stands in a body. */
type DataForm = "none" | "json" | "text" | "bytes";

/** The body of a message. */
interface WireData {
  /** Empty if there is no payload. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** How it is to be read. */
  readonly form: DataForm;
}

const FORMS: ReadonlySet<unknown> = new Set<DataForm>(["none", "json", "text", "bytes"]);

/** The content type of bytes that the emitter tells nothing about. */
const BYTES_TYPE = "application/octet-stream";

/**
 * The body for a payload.
 *
 * @param data the payload
 * @param contentType what the emitter says about it
 */
function writeData(data: unknown, contentType: unknown): WireData {
  if (data === undefined) return { body: "", form: "none" };
  if (data instanceof Uint8Array) return { body: new Uint8Array(data), form: "bytes" };
  const isText = typeof data === "string" && typeof contentType === "string" && !isJsonType(contentType);
  return isText ? { body: data, form: "text" } : { body: jsonOf(data), form: "json" };
}

/**
 * The payload of a body.
 *
 * @param body what the broker gave
 * @param form how to read it
 * @throws TypeError if it is no UTF-8, SyntaxError if it is no JSON
 */
function readData(body: Uint8Array | string, form: DataForm): unknown {
  if (form === "none") return undefined;
  if (form === "bytes") {
    return typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  }
  const text = readText(body);
  if (text === undefined) throw new TypeError("No UTF-8");
  return form === "text" ? text : JSON.parse(text);
}

function readText(body: Uint8Array | string): string | undefined {
  return typeof body === "string" ? body : utf8Text(body);
}

/**
 * How a body is read about which nothing but the content type is known.
 *
 * @param contentType the content type; JSON without one
 * @param size length of the body: there is no payload in an empty one
 */
function formOf(contentType: unknown, size: number): DataForm {
  if (size === 0) return "none";
  if (typeof contentType !== "string" || isJsonType(contentType)) return "json";
  return /^text\//i.test(contentType) ? "text" : "bytes";
}

/** Whether a value is the name of a form. */
function isDataForm(value: unknown): value is DataForm {
  return FORMS.has(value);
}

/** A body as text, whatever it holds. */
export function textOf(body: Uint8Array | string): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

const OWN: ReadonlySet<string> = new Set([EXTRA_HEADER, KEY_HEADER, DATA_HEADER]);
const PREFIX = "cloudEvents_";
/** Written by other programs: both prefixes are allowed. */
const PREFIXES = [PREFIX, "cloudEvents:"];

/**
 * The properties of a message. `datacontenttype` is the content type of AMQP.
 *
 * @param wire the message
 */
export function toProperties(
  { attributes, own, contentType }: WireMessage,
): { properties: Record<string, string>; contentType: string } {
  const { datacontenttype: _, ...others } = attributes;
  const named = Object.entries(others).map(([name, value]) => [PREFIX + name, value]);
  return { properties: { ...Object.fromEntries(named), ...own }, contentType };
}

/**
 * Reads properties: attributes without their prefix, our own headers, those of other programs.
 *
 * @param properties the application properties
 * @param contentType the content type
 */
export function fromProperties(
  properties: Readonly<Record<string, unknown>>,
  contentType: unknown,
): { attributes: Record<string, unknown>; own: Record<string, unknown> } {
  const attributes: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    const prefix = PREFIXES.find((one) => name.startsWith(one));
    if (OWN.has(name)) own[name] = value;
    else if (prefix) attributes[name.slice(prefix.length)] = value;
    // What the broker itself adds.
    else if (!name.startsWith("x-")) attributes[name] = value;
  }
  if (attributes.specversion !== undefined && typeof contentType === "string") {
    attributes.datacontenttype ??= contentType;
  }
  return { attributes, own };
}
