import assert from "node:assert/strict";
import { toResponse } from "../../src/odata/answer.ts";
import { HeaderList } from "../../src/odata/header_list.ts";

Deno.test("HeaderList finds headers in any letter case and joins what is appended", () => {
  const headers = new HeaderList();
  headers.set("Vary", "Accept");
  headers.append("vary", "Prefer");
  assert.equal(headers.get("VARY"), "Accept, Prefer");
  headers.set("VARY", "Origin");
  assert.deepEqual([...headers], [["vary", "Origin"]]);
  headers.delete("Vary");
  assert.equal(headers.get("vary"), null);
});

Deno.test("HeaderList refuses line breaks, which would add headers to a part of a batch", () => {
  const headers = new HeaderList();
  assert.throws(() => headers.set("Location", "a\r\nSet-Cookie: b"), TypeError);
  assert.throws(() => headers.append("ETag", "a\0"), TypeError);
});

Deno.test("toResponse() keeps cookies apart and the content type of the answer", async () => {
  const headers = new HeaderList();
  headers.set("Content-Type", "application/json");
  headers.append("Set-Cookie", "a=1");
  headers.append("Set-Cookie", "b=2");
  const response = toResponse({ status: 200, headers, body: "{}" }, "GET");
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(await response.text(), "{}");
});
