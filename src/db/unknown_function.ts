/**
 * Functions that a database does not have.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/**
 * The error for a function that a database does not have, or not for such arguments.
 *
 * @param name name of the function
 * @param cause what the driver threw, if it did
 * @returns 501
 */
export function unknownFunction(name: string, cause?: unknown): ServiceError {
  const message = `The function "${name}" is not supported`;
  return new ServiceError({ status: 501, message, ...(cause !== undefined && { cause }) });
}
