/**
 * Bytes one behind the other.
 *
 * @module
 */

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
