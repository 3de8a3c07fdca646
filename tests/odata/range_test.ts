import assert from "node:assert/strict";
import { requestedRange } from "../../src/odata/resources/stream.ts";
import type { TestAnswer } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

function rangeOf(range: string, more: Record<string, string> = {}): unknown {
  return requestedRange(new Headers({ range, ...more }), 10);
}

Deno.test("requestedRange() takes one range of bytes", () => {
  assert.deepEqual(rangeOf("bytes=0-3"), { first: 0, last: 3 });
  assert.deepEqual(rangeOf("Bytes = 4-"), { first: 4, last: 9 });
  assert.deepEqual(rangeOf("bytes=8-99"), { first: 8, last: 9 });
  assert.deepEqual(rangeOf("bytes=-4"), { first: 6, last: 9 });
  assert.deepEqual(rangeOf("bytes=-99"), { first: 0, last: 9 });
});

Deno.test("requestedRange() finds nothing behind the end", () => {
  assert.equal(rangeOf("bytes=10-"), "unsatisfiable");
  assert.equal(rangeOf("bytes=-0"), "unsatisfiable");
  assert.equal(requestedRange(new Headers({ range: "bytes=0-" }), 0), "unsatisfiable");
});

Deno.test("requestedRange() ignores what it does not know", () => {
  for (const value of ["bytes=3-1", "bytes=0-1,3-4", "lines=0-1", "bytes=-", "bytes=a-b", "0-1"]) {
    assert.equal(rangeOf(value), undefined, value);
  }
  assert.equal(rangeOf("bytes=0-1", { "if-range": 'W/"1"' }), undefined);
  assert.equal(requestedRange(new Headers(), 10), undefined);
});

async function readRange(range: string): Promise<TestAnswer> {
  let answer: TestAnswer | undefined;
  await withShop(async (shop) => {
    answer = await shop.send("GET", "Media(1)/content", { headers: { range } });
  });
  return answer!; // withShop has run the function
}

Deno.test("GET of a stream answers the range that is asked for", async () => {
  assert.deepEqual(await readRange("bytes=6-8"), {
    status: 206,
    headers: {
      "accept-ranges": "bytes",
      "content-disposition": 'attachment; filename="hello.txt"',
      "content-range": "bytes 6-8/11",
      "content-type": "text/plain",
      "odata-version": "4.0",
    },
    body: "wor",
  });
});

Deno.test("GET of a stream answers 416 for a range behind its end", async () => {
  assert.deepEqual(await readRange("bytes=11-"), {
    status: 416,
    headers: {
      "content-language": "en",
      "content-range": "bytes */11",
      "content-type": "application/json",
      "odata-version": "4.0",
    },
    body: {
      error: { code: "416", message: "Range Not Satisfiable", "@Common.numericSeverity": 4 },
    },
  });
});
