/**
 * URLs in messages about them.
 *
 * @module
 */

/**
 * A value that should be a URL and is none, for messages. Where it may hold a login it is not shown: no pattern tells
 * where the password ends in what is no URL.
 *
 * @param value of the configuration
 */
export function shownUrl(value: unknown): string {
  return typeof value === "string" && value.includes("@") ? "a text with a login" : JSON.stringify(value);
}
