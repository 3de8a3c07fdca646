import assert from "node:assert/strict";
import { boundedRequest } from "../../src/http/request_limits.ts";

const url = new URL("http://localhost/files");

function textWithin(limit: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  return boundedRequest(new Request(url, { method: "POST", body, headers }), limit, url).text();
}

Deno.test("boundedRequest() lets bodies up to the limit be read, announced or not (auth 11)", async () => {
  const announced = { "content-length": "6" };
  assert.equal(await textWithin(6, "123456"), "123456");
  assert.equal(await textWithin(6, "123456", announced), "123456");
  await assert.rejects(async () => await textWithin(5, "123456"), { status: 413 });
  assert.throws(() => textWithin(5, "123456", announced), { status: 413 });
});
