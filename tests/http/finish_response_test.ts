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
  assert.deepEqual([await head.text(), head.headers.get("content-type")], ["", "application/json"]);
  for (const status of [204, 304]) {
    const response = finishResponse(json(typed, status), GET);
    assert.deepEqual([await response.text(), response.headers.get("content-type")], ["", null]);
  }
});

Deno.test("finishResponse() ends streams that nobody reads", () => {
  const ended: string[] = [];
  const stream = (name: string) => new ReadableStream({ cancel: () => void ended.push(name) });
  const answer = { headers: [], body: null };
  const HEAD = { ...GET, method: "HEAD" };
  finishResponse({ ...answer, status: 200, stream: stream("HEAD") }, HEAD);
  finishResponse({ ...answer, status: 304, stream: stream("304") }, GET);
  finishResponse(new Response(stream("response to HEAD")), HEAD);
  finishResponse({ ...answer, status: 200, stream: stream("GET") }, GET);
  finishResponse(new Response(stream("response to GET")), GET);
  assert.deepEqual(ended, ["HEAD", "304", "response to HEAD"]);
});

Deno.test("an answer to HEAD never tells a length that GET does not have (RFC 9110 8.6)", async () => {
  const HEAD = { ...GET, method: "HEAD" };
  const chunks = () => ReadableStream.from([new Uint8Array(5)]);
  const answer = { status: 200, headers: [] };
  const made = [
    { ...answer, body: '"Öl"' },
    { ...answer, body: new Uint8Array(7) },
    { ...answer, body: null },
    { ...answer, body: null, stream: chunks() },
    new Response("hello"),
    new Response(chunks(), { headers: { "content-length": "5" } }),
  ];
  await using server = Deno.serve({ port: 0, onListen: () => {} }, (request) => {
    return finishResponse(made[Number(new URL(request.url).pathname.slice(1))]!, HEAD);
  });
  const lengths = await Promise.all(made.map(async (_, at) => {
    const response = await fetch(`http://localhost:${server.addr.port}/${at}`, { method: "HEAD" });
    return response.headers.get("content-length");
  }));
  assert.deepEqual(lengths, ["5", "7", "0", null, null, "5"]);
});

Deno.test("what middleware has set stands at answers, but for what the pipeline sets and what says something about a body", () => {
  const headersFor = (headersSent: boolean) => {
    const headers = new Headers({
      "x-a": "draft",
      "x-b": "draft",
      "server": "draft",
      "x-frame-options": "draft",
      "content-type": "draft",
      "content-language": "draft",
      "content-disposition": "draft",
    });
    headers.append("set-cookie", "b=2");
    const http = { req: {}, res: { headers, headersSent } } as never;
    const given = new Response("x", {
      headers: { "x-a": "own", "content-type": "text/plain", "set-cookie": "a=1" },
    });
    const { headers: found } = finishResponse(given, { ...GET, http });
    const names = [
      "x-a",
      "x-b",
      "server",
      "x-frame-options",
      "content-type",
      "content-language",
      "content-disposition",
    ];
    return [...names.map((name) => found.get(name)), found.getSetCookie()];
  };
  assert.deepEqual(headersFor(false), ["own", "draft", null, "DENY", "text/plain", null, "draft", [
    "a=1",
    "b=2",
  ]]);
  assert.deepEqual(headersFor(true), ["own", null, null, "DENY", "text/plain", null, null, ["a=1"]]);
});
