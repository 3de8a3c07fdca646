/**
 * Bodies of answers up to a bound.
 *
 * @module
 */

/**
 * The text of a response; reading ends where it gets too large.
 *
 * @param response the response, which is consumed
 * @param bound bytes at most
 * @returns the text, or undefined when there is more
 */
export async function readBoundedText(response: Response, bound: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > bound) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
