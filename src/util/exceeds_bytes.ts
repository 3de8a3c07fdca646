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
