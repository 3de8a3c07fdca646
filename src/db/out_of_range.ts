/**
 * Calculated values that are too large or too long.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/**
 * The error for a calculated value that its type does not hold.
 *
 * @param cause what the driver threw, if it did
 * @returns 400
 */
export function outOfRange(cause?: unknown): ServiceError {
  const code = "VALUE_OUT_OF_RANGE";
  return new ServiceError({ status: 400, code, ...(cause !== undefined && { cause }) });
}
