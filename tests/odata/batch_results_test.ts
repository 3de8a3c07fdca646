import assert from "node:assert/strict";
import { BatchResults } from "../../src/odata/batch/batch_results.ts";
import { HeaderList } from "../../src/odata/header_list.ts";

Deno.test("a body with values in place of references may be as long as any body, and no longer (Protocol 11.7.6)", () => {
  const results = new BatchResults(10);
  const headers = new HeaderList([["content-type", "application/json"]]);
  const name = "x".repeat(90);
  results.add("1", { status: 200, headers, body: JSON.stringify({ name }) }, "Authors(1)");
  const listed = (item: string) => JSON.stringify(Array.from({ length: 9 }, () => item));
  const expected = listed(name);
  const body = (maxBytes: number) => results.body(listed("$1/name"), new Set(["1"]), maxBytes);
  assert.equal(body(expected.length), expected);
  const most = expected.length - 1;
  assert.throws(() => body(most), { status: 413, message: `The body exceeds ${most} bytes` });
});
