import assert from "node:assert/strict";
import { CORRELATION_HEADERS, correlationId } from "../../src/context/context_from_request.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

Deno.test("correlationId() takes the first present header in order [2.1.id.a]", () => {
  const headers = new Headers();
  for (const name of [...CORRELATION_HEADERS].reverse()) {
    headers.set(name, `from-${name}`);
    assert.equal(correlationId(headers), `from-${name}`);
  }
  assert.deepEqual(CORRELATION_HEADERS, [
    "x-correlation-id",
    "x-correlationid",
    "x-request-id",
    "x-vcap-request-id",
  ]);
});

Deno.test("correlationId() creates a UUID without header, a new one each time [2.1.id.b]", () => {
  const first = correlationId(new Headers());
  assert.match(first, UUID);
  assert.notEqual(first, correlationId(new Headers()));
});

Deno.test("correlationId() accepts harmless values of up to 128 characters only", () => {
  const id = (value: string) => correlationId(new Headers({ "x-correlation-id": value }));
  assert.equal(id("aZ09_.:=+/-"), "aZ09_.:=+/-");
  assert.equal(id("x".repeat(128)), "x".repeat(128));
  for (const refused of ["x".repeat(129), "a b", "a<b>", 'a"b', "a;b", "ä"]) {
    assert.match(id(refused), UUID, refused);
  }
});
