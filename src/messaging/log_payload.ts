/**
 * Payloads in logs.
 *
 * @module
 */

import { jsonOf } from "./json_of.ts";

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
