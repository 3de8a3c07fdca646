/**
 * Attributes of CloudEvents as values of HTTP headers (CloudEvents HTTP protocol binding 1.0.2, section 3.1.3.2).
 *
 * @module
 */

/** What is written as it is: printable ASCII but blank, quotation mark and per cent sign. */
const PLAIN = /^[\x21\x23\x24\x26-\x7e]$/;

/**
 * Writes an attribute as the value of a header: percent-encoded UTF-8 for everything but plain characters.
 *
 * @param value a string, integer or boolean
 */
export function encodeAttribute(value: unknown): string {
  const text = String(value).toWellFormed();
  return Array.from(text, (char) => PLAIN.test(char) ? char : percentEncoded(char)).join("");
}

/**
 * Reads the value of a header: one round of decoding, after quotation marks around it are taken away.
 *
 * @param value the value
 * @returns undefined for what is no UTF-8
 */
export function decodeAttribute(value: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value);
  const text = quoted ? quoted[1].replace(/\\(.)/g, "$1") : value;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const encoded = text[at] === "%" ? /^%([0-9a-fA-F]{2})/.exec(text.slice(at, at + 3)) : null;
    if (encoded) {
      bytes.push(parseInt(encoded[1], 16));
      at += 2;
    } else if (text.charCodeAt(at) > 0xff) {
      return undefined;
    } else {
      bytes.push(text.charCodeAt(at));
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

function percentEncoded(char: string): string {
  return Array.from(
    new TextEncoder().encode(char),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
}
