/**
 * Texts that a query joins and that are longer than `fw.limits.computedLength`.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/** What databases without functions of ours tell, followed by the limit. */
export const TOO_LONG = "COMPUTED_TOO_LONG";

/**
 * The error for them.
 *
 * @param most the limit
 */
export function computedTooLong(most: number): ServiceError {
  return new ServiceError({ status: 400, code: TOO_LONG, args: [most] });
}
