import assert from "node:assert/strict";
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
