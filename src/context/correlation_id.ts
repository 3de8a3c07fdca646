/**
 * The correlation id of an inbound request (spec 2.1).
 *
 * @module
 */

/** Headers that carry a correlation id, the first present one counts. */
export const CORRELATION_HEADERS: readonly string[] = [
  "x-correlation-id",
  "x-correlationid",
  "x-request-id",
  "x-vcap-request-id",
];

/** What may go into logs and response headers unchanged. */
const ACCEPTED = /^[\w.:=+/-]{1,128}$/;

/**
 * The id given by the first correlation header that is present, if it is harmless; else a new UUID.
 *
 * @param headers headers of the request
 */
export function correlationId(headers: Pick<Headers, "get">): string {
  for (const name of CORRELATION_HEADERS) {
    const value = headers.get(name);
    if (value) return ACCEPTED.test(value) ? value : crypto.randomUUID();
  }
  return crypto.randomUUID();
}
