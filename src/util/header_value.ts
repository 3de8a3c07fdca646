/**
 * Values that may stand in headers.
 *
 * @module
 */

/** Control characters but the tab (RFC 9110, 5.5): a line break begins another header. `Headers` takes some of them. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\uffff]/;

/**
 * Makes sure that a value can stand in a header.
 *
 * @param name the header
 * @param value its value
 * @throws TypeError when it has a control character
 */
export function assertHeaderValue(name: string, value: string): void {
  if (FORBIDDEN.test(value)) throw new TypeError(`The value of header ${name} has a control character`);
}
