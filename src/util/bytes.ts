/**
 * Bytes as text: base64 (RFC 4648, section 4) and binary strings.
 *
 * @module
 */

/** Bytes written at once where the engine cannot write all: three of them make four characters. */
const PART = 0x6000;

/**
 * Writes bytes as base64. Characters made one by one would take a hundred times as long: seconds for a picture.
 *
 * @param bytes the bytes
 */
export function encodeBase64(bytes: Uint8Array): string {
  // Node has it since version 25
  if (bytes.toBase64) return bytes.toBase64();
  let text = "";
  for (let at = 0; at < bytes.length; at += PART) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PART)));
  }
  return text;
}

/**
 * Reads base64.
 *
 * @param text base64 in the standard alphabet, padding optional
 * @throws DOMException when it is none
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return binaryBytes(atob(text));
}

/**
 * The bytes of a binary string.
 *
 * @param text each character is one byte
 */
export function binaryBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The bytes of all parts in their order; of one part these bytes themselves. */
export function concatBytes<B extends Uint8Array>(parts: readonly B[]): B | Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * The text of bytes in UTF-8, without a byte order mark.
 *
 * @param bytes the bytes
 * @returns undefined where they are no UTF-8
 */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A UTF-16 unit has at most three bytes: most texts need not be counted. */
const MOST_BYTES_OF_UNIT = 3;

/**
 * Whether a text has more bytes in UTF-8 than allowed.
 *
 * @param text the text
 * @param most bytes it may have
 */
export function exceedsBytes(text: string, most: number): boolean {
  if (text.length * MOST_BYTES_OF_UNIT <= most) return false;
  return text.length > most || new TextEncoder().encode(text).byteLength > most;
}

/**
 * The text of a response; reading ends where it gets too large.
 *
 * @param response the response, which is consumed
 * @param bound bytes at most
 * @param signal ends the reading
 * @returns the text, or undefined when there is more
 */
export async function readBoundedText(
  response: Response,
  bound: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > bound) return undefined;
    signal?.throwIfAborted();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Names the bytes that a stream of a stored value gives. */
export const HELD_BYTES: unique symbol = Symbol.for("fw.heldBytes");

/**
 * The bytes of a value.
 *
 * @param value bytes, or what holds them
 * @returns undefined for anything else
 */
export function heldBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return (value as { readonly [HELD_BYTES]?: Uint8Array } | null | undefined)?.[HELD_BYTES];
}

/**
 * A stream that still knows the bytes it gives: as JSON it is their base64.
 *
 * @param stream the stream
 * @param bytes all of them
 */
export function holdingBytes<S extends object>(stream: S, bytes: Uint8Array): S {
  return Object.defineProperties(stream, {
    [HELD_BYTES]: { value: bytes },
    toJSON: { value: () => encodeBase64(bytes) },
  });
}

/**
 * All bytes of a stream.
 *
 * @param stream gives bytes, or text
 * @throws TypeError for what is neither
 */
export async function readAllBytes(stream: AsyncIterable<unknown>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: BlobPart[] = [];
  for await (const part of stream) {
    if (typeof part !== "string" && !(part instanceof Uint8Array)) {
      throw new TypeError(`Expected bytes from a stream, found ${typeof part}`);
    }
    parts.push(part as BlobPart); // no memory is shared
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Whether a value is a stream: of Node.js, of the web, or anything else that gives its parts one after the other. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
