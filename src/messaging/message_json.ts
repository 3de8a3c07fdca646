import { ServiceError } from "../errors/service_error.ts";
import { exceedsBytes } from "../util/bytes.ts";
import { decodeBase64, encodeBase64 } from "@oslojs/encoding";

/**
 * The JSON text of a value; integers beyond those of JavaScript as text.
 *
 * @param value what JSON can hold, and `bigint`
 * @returns undefined where there is no value
 */
export function jsonOf(value: object | null): string;
export function jsonOf(value: unknown): string | undefined;
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Looking at every member costs more than writing them: only where there is one.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, member) => typeof member === "bigint" ? String(member) : member);
  }
}

/**
 * Refuses a message that is too large.
 *
 * @param topic topic of the message
 * @param content the message as text, or as text and the number of bytes beside it
 * @param maxBytes bytes it may have in UTF-8
 * @throws ServiceError `MESSAGE_TOO_LARGE`
 */
export function assertMessageSize(
  topic: string,
  content: string | readonly [text: string, bytes: number],
  maxBytes: number,
): void {
  const [text, bytes] = typeof content === "string" ? [content, 0] : content;
  if (!exceedsBytes(text, maxBytes - bytes)) return;
  throw new ServiceError({
    status: 500,
    code: "MESSAGE_TOO_LARGE",
    message: `A message of event '${topic}' has more than ${maxBytes} bytes`,
    unrecoverable: true,
  });
}

/**
 * Refuses a message whose payload alone is too large.
 *
 * @param topic topic of the message
 * @param data its payload; large integers count as their digits, bytes as they are
 * @param maxBytes bytes it may have as JSON in UTF-8
 * @throws ServiceError `MESSAGE_TOO_LARGE`
 */
export function assertDataSize(topic: string, data: unknown, maxBytes: number): void {
  if (data instanceof Uint8Array && data.byteLength <= maxBytes) return;
  assertMessageSize(topic, jsonOf(data) ?? "", maxBytes);
}

const LIMIT = 1024;

/**
 * A payload as JSON text for a log, cut at 1 kB; of bytes only their number.
 *
 * @param data the payload
 */
export function logPayload(data: unknown): string {
  if (data instanceof Uint8Array) return `(${data.byteLength} bytes)`;
  const text = jsonOf(data) ?? "";
  return text.length > LIMIT ? `${text.slice(0, LIMIT)}…` : text;
}

/** A payload in JSON. */
export interface DataMember {
  /** The payload. */
  readonly data?: unknown;
  /** The payload if it is bytes. */
  readonly data_base64?: string;
}

/** The member for a payload. */
export function toDataMember(data: unknown): DataMember {
  return data instanceof Uint8Array ? { data_base64: encodeBase64(data) } : { data };
}

/**
 * The payload of its member.
 *
 * @param member an object that has one of them
 * @returns `fault` says why there is none
 */
export function fromDataMember(member: { readonly data?: unknown; readonly data_base64?: unknown }): {
  readonly data?: unknown;
  readonly fault?: string;
} {
  if (!("data_base64" in member)) return { data: member.data };
  if ("data" in member) return { fault: "data and data_base64 together" };
  try {
    return { data: decodeBase64(String(member.data_base64)) };
  } catch {
    return { fault: "data_base64 is not base64" };
  }
}
