import assert from "node:assert/strict";
import { BatchResults } from "../../src/odata/batch/batch_results.ts";
import { HeaderList } from "../../src/odata/header_list.ts";

Deno.test("values in place of references in a body are counted as they come (Protocol 11.7.6)", () => {
  const results = new BatchResults(10);
  const headers = new HeaderList([["content-type", "application/json"]]);
  const name = "x".repeat(90);
  results.add("1", { status: 200, headers, body: JSON.stringify({ name }) }, "Authors(1)");
  const body = (count: number) =>
    results.body(JSON.stringify(Array.from({ length: count }, () => "$1/name")), new Set(["1"]), 1_000);
  assert.equal(body(9), JSON.stringify(Array.from({ length: 9 }, () => name)));
  assert.throws(() => body(12), { status: 413 });
});
