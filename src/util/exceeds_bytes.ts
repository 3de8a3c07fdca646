/**
 * The size of texts in UTF-8.
 *
 * @module
 */

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
