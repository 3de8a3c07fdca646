/**
 * Failures that say nothing about a message: nobody was there to take it (`messaging` 6.5).
 *
 * @module
 */

const CODES: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
  ...["ENOTCONN", "EPIPE", "ETIMEDOUT", "CHANNEL_UNREACHABLE"],
]);
const DEPTH = 5;

/**
 * Whether an error tells that a channel cannot be reached: it or one of its causes has `unreachable: true`, or the code of
 * a failed connection.
 *
 * @param error what `publish` threw
 */
export function isUnreachable(error: unknown): boolean {
  for (let one = error, depth = 0; typeof one === "object" && one !== null && depth < DEPTH; depth++) {
    const { unreachable, code, cause } = one as { unreachable?: unknown; code?: unknown; cause?: unknown };
    if (unreachable === true || CODES.has(code)) return true;
    one = cause;
  }
  return false;
}
