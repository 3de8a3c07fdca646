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

Deno.test("a request alone stands for the value that it answered, else for its object (Protocol 11.7.6)", () => {
  const headers = new HeaderList([["content-type", "application/json"]]);
  const referred = (answer: object, reference: string) => {
    const results = new BatchResults(10);
    results.add("1", { status: 200, headers, body: JSON.stringify(answer) }, "Authors(1)");
    return JSON.parse(results.body(JSON.stringify({ given: reference }), new Set(["1"]), 1_000)!).given;
  };
  assert.equal(referred({ "@odata.context": "x", "value": 5 }, "$1"), 5);
  for (const answer of [{ ID: 5 }, { value: 5, ID: 6 }]) assert.deepEqual(referred(answer, "$1"), answer);
  assert.deepEqual(referred({ of: { value: 5 } }, "$1/of"), { value: 5 });
});
