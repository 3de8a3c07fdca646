import assert from "node:assert/strict";
import fc from "fast-check";
import { normalizeError } from "../../src/errors/normalize_error.ts";
import { type ErrorFormat, sanitizeError } from "../../src/errors/sanitize_error.ts";
import { messagesHeader, type RequestMessage } from "../../src/errors/messages_header.ts";
import { statusText } from "../../src/util/http_text.ts";
import { propertyRuns } from "../property_runs.ts";

const thrown = fc.oneof(
  fc.anything(),
  fc.dictionary(
    fc.constantFrom(
      "status",
      "statusCode",
      "code",
      "message",
      "target",
      "args",
      "details",
      "extra",
      "@a",
      "cause",
    ),
    fc.anything(),
  ).map((members) => {
    const { message, ...others } = members;
    const error = new Error(String(typeof message === "symbol" ? "" : JSON.stringify(message)));
    for (const [name, value] of Object.entries(others)) {
      Object.defineProperty(error, name, { value, enumerable: true });
    }
    return error;
  }),
);

Deno.test("normalizeError() completes whatever is thrown", () => {
  fc.assert(
    fc.property(thrown, (error) => {
      const { status, code, message } = normalizeError(error);
      assert.ok(Number.isInteger(status) && status >= 200 && status <= 599);
      assert.equal(typeof code, "string");
      assert.equal(typeof message, "string");
    }),
    propertyRuns(250, 1),
  );
});

Deno.test("sanitizeError() sends nothing of a 5xx but its phrase, whatever is thrown", () => {
  fc.assert(
    fc.property(thrown, fc.constantFrom<ErrorFormat>("odata", "rest", "plain"), (error, format) => {
      const normalized = normalizeError(error);
      if (normalized.status < 500 || normalized.$sanitize === false) return;
      const { status } = normalized;
      assert.deepEqual(sanitizeError(normalized, format), {
        code: String(status),
        message: statusText(status),
      });
    }),
    propertyRuns(250, 2),
  );
});

Deno.test("messagesHeader() always gives a valid header that holds the message", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (message, target) => {
      const given: RequestMessage = { numericSeverity: 1, message, target };
      const value = messagesHeader([given], { maxBytes: 8192 })!;
      new Headers({ "fw-messages": value });
      assert.deepEqual(JSON.parse(value), [{ code: "", message, numericSeverity: 1, target }]);
    }),
    propertyRuns(250, 3),
  );
});
