/**
 * Violated constraints as errors clients may see.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

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
