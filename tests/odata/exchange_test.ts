import assert from "node:assert/strict";
import { type AnswerParts, type Exchange, finishAnswer } from "../../src/odata/exchange.ts";

/** An exchange whose answers have three bytes at most. */
function finished(parts: AnswerParts, given: Partial<Exchange> = {}) {
  const exchange = {
    method: "GET",
    rawUrl: "Books",
    version: "4.01",
    preferences: {},
    requests: [],
    ...given,
  };
  const scope = { host: { limits: { answerBytes: 3 } }, settings: {} };
  return finishAnswer({ ...exchange, scope } as unknown as Exchange, parts);
}

Deno.test("what is read and too large is refused; what has changed something, streams and what models say are told (fw.limits.answerBytes)", () => {
  const refused = { status: 413 };
  const ok = { status: 200, contentType: "text/plain" };
  for (const method of ["GET", "HEAD"]) {
    assert.throws(() => finished({ ...ok, body: "abcd" }, { method }), refused);
    assert.throws(() => finished({ ...ok, body: "aö€" }, { method }), refused);
    assert.equal(finished({ ...ok, body: "abc" }, { method }).body, "abc");
  }
  for (const method of ["POST", "PATCH", "DELETE"]) {
    assert.equal(finished({ ...ok, body: "abcd" }, { method }).body, "abcd");
  }
  for (const rawUrl of ["$metadata", "%24metadata?$format=json", "openapi.json"]) {
    assert.equal(finished({ ...ok, body: "abcd" }, { rawUrl }).body, "abcd");
  }
  assert.equal(finished({ status: 204 }).body, null);
});

Deno.test("an answer has its version, its type, and the headers of its parts", () => {
  const { status, headers } = finished({
    status: 201,
    contentType: "application/json",
    headers: { location: "Books(1)", etag: undefined },
    body: "{}",
  });
  assert.equal(status, 201);
  assert.deepEqual(Object.fromEntries(headers), {
    "odata-version": "4.01",
    "content-type": "application/json",
    "location": "Books(1)",
  });
});
