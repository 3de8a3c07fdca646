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

Deno.test("HeaderList begins with the headers of another list, which keeps its own", () => {
  const first = new HeaderList([["odata-version", "4.0"], ["vary", "Accept"]]);
  const changed = new HeaderList(first);
  assert.ok(changed.equals(first));
  changed.append("Vary", "Prefer");
  assert.ok(!changed.equals(first));
  changed.set("ETag", "a");
  changed.delete("OData-Version");
  assert.deepEqual([...changed], [["vary", "Accept, Prefer"], ["etag", "a"]]);
  assert.deepEqual([...first], [["odata-version", "4.0"], ["vary", "Accept"]]);
  assert.ok(changed.equals(new HeaderList([["vary", "Accept, Prefer"], ["etag", "a"]])));
});
