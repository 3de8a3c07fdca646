import assert from "node:assert/strict";
import { normalizeError } from "../../src/errors/normalize_error.ts";
import { type ErrorFormat, sanitizeError } from "../../src/errors/sanitize_error.ts";
import { type ErrorProperties, ServiceError } from "../../src/errors/service_error.ts";

function wire(given: ErrorProperties, format: ErrorFormat = "odata"): unknown {
  return sanitizeError(normalizeError(new ServiceError(given)), format);
}

Deno.test("sanitizeError() sends code, message and target [7.2.0a]", () => {
  assert.deepEqual(wire({ status: 400, code: "MINE", message: "Wrong", target: "stock" }), {
    code: "MINE",
    message: "Wrong",
    target: "stock",
    "@Common.numericSeverity": 4,
  });
});

Deno.test("sanitizeError() removes custom members for OData unless they begin with @ [7.2.4]", () => {
  const given = {
    status: 400,
    message: "x",
    extra: "removed",
    args: [1],
    "@my.prop": "kept",
    "@my.obj": { a: 1 },
  };
  assert.deepEqual(wire(given), {
    code: "400",
    message: "x",
    "@Common.numericSeverity": 4,
    "@my.prop": "kept",
    "@my.obj": { a: 1 },
  });
  assert.deepEqual(wire(given, "rest"), {
    code: "400",
    message: "x",
    extra: "removed",
    args: [1],
    "@my.prop": "kept",
    "@my.obj": { a: 1 },
  });
  assert.deepEqual(wire(given, "plain"), { code: "400", message: "x" });
});

Deno.test("sanitizeError() removes custom members of details, too", () => {
  assert.deepEqual(wire({ status: 400, message: "x", details: [{ message: "y", extra: 1, "@a": 2 }] }), {
    code: "400",
    message: "x",
    "@Common.numericSeverity": 4,
    details: [{ code: "400", message: "y", "@Common.numericSeverity": 4, "@a": 2 }],
  });
});

Deno.test("sanitizeError() names members that OData knows by annotation", () => {
  assert.deepEqual(
    wire({ status: 400, message: "x", numericSeverity: 3, longtextUrl: "/l", innererror: { trace: 1 } }),
    {
      code: "400",
      message: "x",
      innererror: { trace: 1 },
      "@Common.numericSeverity": 3,
      "@Common.longtextUrl": "/l",
    },
  );
});

Deno.test("sanitizeError() sends the phrase only for a 5xx [7.2.5]", () => {
  const given = {
    code: "SECRET",
    message: "Password is x",
    target: "t",
    extra: 1,
    "@a": 1,
    details: [{ message: "y" }],
  };
  for (const format of ["odata", "rest", "plain"] as const) {
    assert.deepEqual(wire({ status: 500, ...given }, format), {
      code: "500",
      message: "Internal Server Error",
    });
    assert.deepEqual(wire({ status: 503, ...given }, format), {
      code: "503",
      message: "Service Unavailable",
    });
  }
});

Deno.test("sanitizeError() keeps the message of a 5xx with $sanitize: false [2.4.sanitize] [7.2.5]", () => {
  assert.deepEqual(wire({ status: 500, message: "Wanted", $sanitize: false, extra: 1 }), {
    code: "500",
    message: "Wanted",
  });
});

Deno.test("sanitizeError() sends neither stack nor cause", () => {
  const error = new ServiceError({
    status: 400,
    message: "x",
    cause: new Error("inner"),
    stack: "at secret",
  });
  assert.deepEqual(sanitizeError(normalizeError(error), "rest"), { code: "400", message: "x" });
});
