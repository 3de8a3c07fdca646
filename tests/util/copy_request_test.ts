import assert from "node:assert/strict";
import { copyRequest } from "../../src/util/http_text.ts";

Deno.test("copyRequest() keeps method and body, and changes URL and headers", async () => {
  const request = new Request("http://localhost/a", {
    method: "PUT",
    body: "text",
    headers: { a: "1", b: "2" },
  });
  const headers = new Headers(request.headers);
  headers.delete("a");
  const copy = copyRequest(request, { url: new URL("http://localhost/b"), headers });
  assert.deepEqual([copy.method, copy.url, copy.headers.get("a"), copy.headers.get("b")], [
    "PUT",
    "http://localhost/b",
    null,
    "2",
  ]);
  assert.equal(await copy.text(), "text");
  const same = copyRequest(new Request("http://localhost/a", { headers: { a: "1" } }), {});
  assert.deepEqual([same.method, same.url, same.headers.get("a"), same.body], [
    "GET",
    "http://localhost/a",
    "1",
    null,
  ]);
});

Deno.test("copyRequest() of a request to Deno.serve writes nothing to the console", async () => {
  const { warn } = console;
  const lines: unknown[] = [];
  console.warn = (line: unknown) => void lines.push(line);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => new Response(await copyRequest(request, { headers: new Headers() }).text()),
  );
  try {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, { method: "POST", body: "text" });
    assert.equal(await response.text(), "text");
  } finally {
    await server.shutdown();
    console.warn = warn;
  }
  assert.deepEqual(lines, []);
});
