/** What clients see of errors of PostgreSQL, by their SQLSTATE. */

import assert from "node:assert/strict";
import { ConnectionError } from "../../src/db/postgres/open_connection.ts";
import { postgresError } from "../../src/db/postgres/postgres_error.ts";
import type { ServiceError } from "../../src/errors/service_error.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel({ definitions: {} });

/** An error as the driver throws it. */
const failed = (code: string, message = "failed") => Object.assign(new Error(message), { code });

const STATUS: readonly (readonly [code: string, message: string, status: number])[] = [
  ["42883", "function nothing(integer) does not exist", 501],
  ["42883", "operator does not exist: integer = text", 400],
  ["42P08", "inconsistent types deduced for parameter $1", 400],
  ["22P02", "invalid input syntax for type integer", 400],
  ["54001", "stack depth limit exceeded", 400],
  ["0A000", "cannot convert NaN to integer", 400],
  ["0A000", "cannot convert infinity to bigint", 400],
  ["0A000", "cannot convert -infinity to numeric", 400],
  ["22012", "division by zero", 400],
  ["22001", "value too long for type character varying(5)", 400],
  ["22003", "integer out of range", 400],
  ["23503", "violates foreign key constraint", 400],
  ["23505", "duplicate key value", 409],
  ["40001", "could not serialize access", 409],
  ["40P01", "deadlock detected", 409],
  ["55P03", "could not obtain lock", 409],
  ["57014", "canceling statement", 504],
  ["25006", "cannot execute INSERT in a read-only transaction", 503],
  ["53100", "could not extend file", 503],
  ["58030", "could not read block", 503],
  ["08006", "connection failure", 503],
];

Deno.test("errors of PostgreSQL have the status of what caused them: the request, others at the same time, or the server", () => {
  for (const [code, message, status] of STATUS) {
    const found = postgresError(failed(code, message), MODEL) as { readonly status?: unknown };
    assert.equal(found.status, status, `${code} ${message}`);
  }
});

Deno.test("texts that are joined to more characters than may be are told with how many may, where a number is made of that text", () => {
  const message = 'invalid input syntax for type integer: "COMPUTED_TOO_LONG 5000"';
  const { status, code, args } = postgresError(failed("22P02", message), MODEL) as ServiceError;
  assert.deepEqual([status, code, args], [400, "COMPUTED_TOO_LONG", [5000]]);
  const other = failed("42601", message);
  assert.equal(postgresError(other, MODEL), other);
});

Deno.test("errors of PostgreSQL that no request causes stay as they are", () => {
  for (
    const error of [
      failed("42883", 'procedure "nothing" does not exist'),
      failed("42P01", "operator does not exist"),
      failed("42P01", "function nothing(integer) does not exist"),
      failed("0A000", "feature is not supported"),
      failed("42601", "syntax error"),
      new Error("without code"),
      "no error at all",
    ]
  ) assert.equal(postgresError(error, MODEL), error, String(error));
});

Deno.test("a server that refuses connections does not answer, whatever it lacks", () => {
  for (const code of ["53300", "08001", "28P01"]) {
    const error = postgresError(new ConnectionError(failed(code)), MODEL);
    const { status, message } = error as { readonly status: number; readonly message: string };
    assert.deepEqual([status, message], [503, "The database does not answer"], code);
  }
});
