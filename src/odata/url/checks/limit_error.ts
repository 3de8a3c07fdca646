/**
 * The error of a URL beyond a limit.
 *
 * @module
 */

import { ServiceError } from "../../../errors/service_error.ts";

/**
 * Creates the error.
 *
 * @param what what is too much
 * @param limit the most that is allowed
 * @param offset where, in the raw URL
 * @returns a 400
 */
export function limitError(what: string, limit: number, offset: number): ServiceError {
  return new ServiceError({
    status: 400,
    code: "400",
    message: `${what} at offset ${offset}, the limit is ${limit}`,
  });
}
