import type { MsgHdrs } from "@nats-io/transport-node";
import type { Limits } from "../../../config/limits.ts";
import { ServiceError } from "../../../errors/service_error.ts";
import { decodeAttribute } from "../../http/event_format.ts";
import {
  DATA_HEADER,
  EXTRA_HEADER,
  fromWire,
  GROUP_HEADER,
  KEY_HEADER,
  type Received,
} from "../wire_message.ts";
import type { NatsNames } from "./nats_names.ts";

const OWN: ReadonlySet<string> = new Set([EXTRA_HEADER, KEY_HEADER, DATA_HEADER, GROUP_HEADER]);

/** What the server gives of a message. */
export interface NatsInput {
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

/** Names of the stream, and bounds. */
export interface NatsReading {
  readonly names: NatsNames;
  readonly limits: Pick<Limits, "messageBytes" | "jsonDepth">;
}

/** Reads a message. */
export function fromNats({ subject, headers, data }: NatsInput, { names, limits }: NatsReading): Received {
  return fromWire({ topic: names.topic(subject), body: data, ...readHeaders(headers) }, limits);
}

/** The group that a message is for alone, as it stands in its headers. */
export function groupOfNats(headers: MsgHdrs | undefined): unknown {
  const name = headers?.keys().findLast((one) => one.toLowerCase() === GROUP_HEADER);
  return name === undefined ? undefined : headers!.get(name);
}

/** Attributes of a CloudEvent without their prefix, our own headers, those of other programs. */
function readHeaders(headers: MsgHdrs | undefined) {
  const attributes: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const name of headers?.keys() ?? []) {
    const value = headers!.get(name);
    const plain = name.toLowerCase();
    if (OWN.has(plain)) own[plain] = value;
    else if (plain.startsWith("ce-")) attributes[plain.slice(3)] = decodeAttribute(value) ?? value;
    else if (!plain.startsWith("nats-")) attributes[name] = value;
  }
  return { attributes, own, contentType: attributes.datacontenttype };
}

/** JetStream error: larger than messages of the stream may be. */
const MESSAGE_SIZE = 10054;

/** Whether the server refuses what was published for its size. */
export function isTooLarge(error: unknown): boolean {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return name === "InvalidArgumentError" || code === MESSAGE_SIZE;
}

/** What the server will never take is not tried again. */
export function toPublishError(error: unknown, topic: string): unknown {
  const { name, message } = error as Error;
  const isSize = isTooLarge(error);
  if (isSize || name === "PermissionViolationError") {
    const code = isSize ? "MESSAGE_TOO_LARGE" : "NOT_ALLOWED";
    const text = `NATS does not take a message of event '${topic}': ${message}`;
    return new ServiceError({ status: 500, code, message: text, unrecoverable: true });
  }
  return error;
}
