/**
 * Divisions of whole numbers and decimals by zero, which fail (OData 4.01 Part 2, section 5.1.1.2).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/**
 * The error for a division by zero.
 *
 * @param cause what the driver threw, if it did
 * @returns 400
 */
export function divisionByZero(cause?: unknown): ServiceError {
  return new ServiceError({
    status: 400,
    code: "DIVISION_BY_ZERO",
    ...(cause !== undefined && { cause }),
  });
}

/**
 * A divisor.
 *
 * @param value any number
 * @throws {ServiceError} 400 if it is zero
 */
export function nonZero<N extends number | bigint>(value: N): N {
  if (Number(value) === 0) throw divisionByZero();
  return value;
}
