import assert from "node:assert/strict";
import { User } from "../../src/context/user.ts";
import { finishResponse } from "../../src/http/finish_response.ts";

const GET = { method: "GET", id: "abc", user: User.anonymous, secure: false };
const json = (headers: [string, string][], status = 200) => ({ status, headers, body: "{}" });

Deno.test("finishResponse() keeps cookies apart and the content type of the answer", async () => {
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
  ];
  const response = finishResponse(json(headers), GET);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(await response.text(), "{}");
});

Deno.test("finishResponse() adds the same headers to answers and responses", () => {
  const answer = json([["content-type", "application/json"], ["etag", 'W/"1"']]);
  const made = new Response(answer.body, { headers: answer.headers });
  for (const user of [User.anonymous, new User("x")]) {
    for (const secure of [true, false]) {
      const [left, right] = [answer, made.clone()].map((one) =>
        finishResponse(one, { ...GET, user, secure })
      );
      assert.deepEqual([...left.headers], [...right.headers]);
    }
  }
});

Deno.test("finishResponse() does not let answers set the headers of the pipeline", () => {
  const response = finishResponse(json([["x-frame-options", "ALLOW"], ["server", "x"]]), GET);
  assert.equal(response.headers.get("x-frame-options"), "DENY");
  assert.equal(response.headers.get("server"), null);
  assert.equal(response.headers.get("x-correlation-id"), "abc");
});

Deno.test("finishResponse() keeps the policy of an answer, and what it says about caches", () => {
  const user = new User("x");
  const policy = finishResponse(json([["content-security-policy", "default-src 'self'"]]), { ...GET, user });
  assert.equal(policy.headers.get("content-security-policy"), "default-src 'self'");
  assert.equal(policy.headers.get("cache-control"), "no-store");
  const cached = finishResponse(json([["cache-control", "max-age=5"]]), { ...GET, user });
  assert.equal(cached.headers.get("cache-control"), "max-age=5");
});

Deno.test("finishResponse() sends no body for HEAD, 204 and 304, and no type without body", async () => {
  const typed: [string, string][] = [["content-type", "application/json"]];
  const head = finishResponse(json(typed), { ...GET, method: "HEAD" });
  assert.deepEqual([head.body, head.headers.get("content-type")], [null, "application/json"]);
  for (const status of [204, 304]) {
    const response = finishResponse(json(typed, status), GET);
    assert.deepEqual([await response.text(), response.headers.get("content-type")], ["", null]);
  }
});
