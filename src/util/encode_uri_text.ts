/**
 * Percent-encoding for URLs of any text.
 *
 * @module
 */

/**
 * Percent-encodes a text for a path segment or an option value; half surrogates, which no encoding exists for,
 * become U+FFFD. A colon stays readable.
 *
 * @param text any text
 */
export function encodeUriText(text: string): string {
  if (/^[\w.~:-]*$/.test(text)) return text;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("%3A", ":");
}
