import assert from "node:assert/strict";
import { errorProperties } from "../../src/errors/error_arguments.ts";
import { normalizeError } from "../../src/errors/normalize_error.ts";
import { type ErrorProperties, ServiceError } from "../../src/errors/service_error.ts";

/** An error without text, and what shows who caught or logged it. */
const CASES: readonly (readonly [ErrorProperties, string])[] = [
  [{ status: 404 }, "404"],
  [{ status: 400, code: "ASSERT_MANDATORY", target: "title" }, "ASSERT_MANDATORY title"],
  [
    {
      status: 400,
      code: "MULTIPLE_ERRORS",
      details: [{ code: "ASSERT_MANDATORY", target: "title" }, { message: "Sold out", target: "stock" }],
    },
    "MULTIPLE_ERRORS: ASSERT_MANDATORY title, Sold out",
  ],
  [{}, ""],
];

Deno.test("an error without text says by its message what it is about, and answers what it did", () => {
  for (const [properties, message] of CASES) {
    const error = new ServiceError(properties);
    assert.equal(error.message, message);
    assert.equal(String(error), message === "" ? "ServiceError" : `ServiceError: ${message}`);
    assert.deepEqual(normalizeError(error), normalizeError(Object.assign(new Error(), properties)));
    assert.deepEqual(errorProperties([error]), { ...properties, message: "" });
  }
});

Deno.test("a text that an error gets later is answered", () => {
  const error = new ServiceError({ status: 409 });
  error.message = "Sold out";
  assert.equal(normalizeError(error).message, "Sold out");
});

Deno.test("an error keeps a hundred details, in its message too: a body may hold mistakes in each of many rows", () => {
  const details = Array.from(
    { length: 5000 },
    (_, at) => ({ status: 400, code: "ASSERT_RANGE", target: `n${at}` }),
  );
  const error = new ServiceError({ status: 400, code: "MULTIPLE_ERRORS", details });
  assert.deepEqual(error.details, details.slice(0, 100));
  assert.equal(error.message.split(", ").length, 100);
  assert.deepEqual(new ServiceError({ status: 400, details: details.slice(0, 100) }).details?.length, 100);
});
