/**
 * What a statement was refused for, as errors that clients may see.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/** What databases without functions of ours tell, followed by the limit. */
export const TOO_LONG = "COMPUTED_TOO_LONG";

/**
 * The error for a calculated text or binary value that is longer than the limit.
 *
 * @param most the limit
 */
export function computedTooLong(most: number): ServiceError {
  return new ServiceError({ status: 400, code: TOO_LONG, args: [most] });
}

const VIOLATIONS = {
  key: { status: 409, code: "ENTITY_ALREADY_EXISTS" },
  unique: { status: 409, code: "UNIQUE_CONSTRAINT_VIOLATION" },
  null: { status: 400, code: "ASSERT_NOT_NULL" },
  foreignKey: { status: 400, code: "FK_CONSTRAINT_VIOLATION" },
} as const;

/** What of the constraint is known. */
export interface ViolationDetails {
  /** Name of the entity. */
  readonly entity?: string;
  /** Its columns; the first one is the target. */
  readonly columns?: readonly string[];
  /** What the driver threw. */
  readonly cause?: unknown;
}

/**
 * The error for a violated constraint.
 *
 * @param kind the kind of constraint
 * @param details entity and columns
 */
export function constraintViolation(
  kind: keyof typeof VIOLATIONS,
  { entity, columns, cause }: ViolationDetails,
): ServiceError {
  const { status, code } = VIOLATIONS[kind];
  return new ServiceError({
    status,
    code,
    message: code,
    ...(cause !== undefined && { cause }),
    ...(columns?.length && { target: columns[0] }),
    ...(entity && { args: [entity] }),
  });
}

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

const UNAVAILABLE = {
  busy: "The database is busy with changes of others",
  room: "The database has no room left",
  storage: "The database cannot read or write its files",
  readOnly: "The database takes no changes at present",
} as const;

/**
 * The error for what a database cannot do at present, whatever is asked of it.
 *
 * @param why what it lacks
 * @param cause what the driver threw
 * @returns 503
 */
export function unavailable(why: keyof typeof UNAVAILABLE, cause: unknown): ServiceError {
  return new ServiceError({ status: 503, message: UNAVAILABLE[why], cause });
}
