/**
 * Payloads in the body of a broker's message (`messaging` 5; CloudEvents 1.0.2, binary content mode): bytes as they are,
 * text where the content type says so, everything else as JSON.
 *
 * @module
 */

import { isJsonType } from "../http/event_format.ts";
import { jsonOf } from "../json_of.ts";

/** How a payload stands in a body. */
export type DataForm = "none" | "json" | "text" | "bytes";

/** The body of a message. */
export interface WireData {
  /** Empty if there is no payload. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** How it is to be read. */
  readonly form: DataForm;
}

const FORMS: ReadonlySet<unknown> = new Set<DataForm>(["none", "json", "text", "bytes"]);

/** The content type of bytes that the emitter tells nothing about. */
export const BYTES_TYPE = "application/octet-stream";

/**
 * The body for a payload.
 *
 * @param data the payload
 * @param contentType what the emitter says about it
 */
export function writeData(data: unknown, contentType: unknown): WireData {
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
 * @throws SyntaxError if it is no JSON
 */
export function readData(body: Uint8Array | string, form: DataForm): unknown {
  if (form === "none") return undefined;
  if (form === "bytes") {
    return typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  }
  return form === "text" ? textOf(body) : JSON.parse(textOf(body));
}

/**
 * How a body is read about which nothing but the content type is known.
 *
 * @param contentType the content type; JSON without one
 * @param size length of the body: there is no payload in an empty one
 */
export function formOf(contentType: unknown, size: number): DataForm {
  if (size === 0) return "none";
  if (typeof contentType !== "string" || isJsonType(contentType)) return "json";
  return /^text\//i.test(contentType) ? "text" : "bytes";
}

/** Whether a value is the name of a form. */
export function isDataForm(value: unknown): value is DataForm {
  return FORMS.has(value);
}

/** A body as text. */
export function textOf(body: Uint8Array | string): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}
