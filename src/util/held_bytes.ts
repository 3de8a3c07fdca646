/**
 * Bytes behind values that stand for them.
 *
 * @module
 */

import { encodeBase64 } from "./base64.ts";

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
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { readonly [HELD_BYTES]?: Uint8Array })[HELD_BYTES];
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
