/** What a statement was refused for, as errors that clients may see. */

import assert from "node:assert/strict";
import type { ServiceError } from "../../src/errors/service_error.ts";
import {
  computedTooLong,
  constraintViolation,
  divisionByZero,
  nonZero,
  outOfRange,
  unavailable,
  unknownFunction,
} from "../../src/db/statement_errors.ts";

const cause = new Error("driver");

/** The members of an error that its makers give. */
function membersOf(error: ServiceError): Record<string, unknown> {
  const { status, code, target, args } = error;
  const given = { status, code, target, args, ...Object.hasOwn(error, "cause") && { cause: error.cause } };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

Deno.test("violated constraints have a status, a code, the first of their columns and the entity", () => {
  const kinds = {
    key: [409, "ENTITY_ALREADY_EXISTS"],
    unique: [409, "UNIQUE_CONSTRAINT_VIOLATION"],
    null: [400, "ASSERT_NOT_NULL"],
    foreignKey: [400, "FK_CONSTRAINT_VIOLATION"],
  } as const;
  for (const [kind, [status, code]] of Object.entries(kinds)) {
    const of = (details: Parameters<typeof constraintViolation>[1]) =>
      membersOf(constraintViolation(kind as keyof typeof kinds, details));
    assert.deepEqual(of({}), { status, code });
    assert.deepEqual(of({ columns: [] }), { status, code });
    assert.deepEqual(of({ columns: ["a", "b"], entity: "E", cause }), {
      status,
      code,
      target: "a",
      args: ["E"],
      cause,
    });
  }
});

Deno.test("errors of calculations have the error of the driver as their cause, where there is one", () => {
  const division = { status: 400, code: "DIVISION_BY_ZERO" };
  assert.deepEqual(membersOf(divisionByZero()), division);
  assert.deepEqual(membersOf(divisionByZero(cause)), { ...division, cause });
  const range = { status: 400, code: "VALUE_OUT_OF_RANGE" };
  assert.deepEqual(membersOf(outOfRange()), range);
  assert.deepEqual(membersOf(outOfRange(cause)), { ...range, cause });
  assert.deepEqual(membersOf(computedTooLong(5)), { status: 400, code: "COMPUTED_TOO_LONG", args: [5] });
  const unknown = unknownFunction("x", cause);
  assert.deepEqual([unknown.status, unknown.message, unknown.cause], [
    501,
    'The function "x" is not supported',
    cause,
  ]);
  assert.equal(Object.hasOwn(unknownFunction("x"), "cause"), false);
});

Deno.test("a divisor is any number but zero", () => {
  for (const value of [1, -0.5, 5n, Infinity]) assert.equal(nonZero(value), value);
  for (const zero of [0, -0, 0n]) {
    assert.throws(() => nonZero(zero), { status: 400, code: "DIVISION_BY_ZERO" });
  }
});

Deno.test("what a database cannot do at present is 503 with what it lacks", () => {
  const texts = {
    busy: "The database is busy with changes of others",
    room: "The database has no room left",
    storage: "The database cannot read or write its files",
    readOnly: "The database takes no changes at present",
  } as const;
  for (const [why, message] of Object.entries(texts)) {
    const error = unavailable(why as keyof typeof texts, cause);
    assert.deepEqual([error.status, error.message, error.cause], [503, message, cause]);
  }
});
