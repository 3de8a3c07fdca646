/**
 * The size of messages.
 *
 * @module
 */

import { jsonOf } from "./json_of.ts";
import { ServiceError } from "../errors/service_error.ts";
import { exceedsBytes } from "../util/exceeds_bytes.ts";

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
