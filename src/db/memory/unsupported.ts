/**
 * What the memory database cannot do.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/**
 * The error for what the memory database cannot do.
 *
 * @param what what is not there
 * @returns 501
 */
export function unsupported(what: string): ServiceError {
  return new ServiceError({ status: 501, message: `The memory database does not support ${what}` });
}
