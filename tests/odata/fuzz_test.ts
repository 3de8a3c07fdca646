import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceError } from "../../src/errors/service_error.ts";
import { checkParts } from "../../src/odata/batch/batch_part.ts";
import { parseJsonBatch } from "../../src/odata/batch/parse_json_batch.ts";
import { parseMultipart } from "../../src/odata/batch/parse_multipart.ts";
import { parseJson } from "../../src/odata/payload/parse_json.ts";
import { withShop } from "./with_shop.ts";
import { propertyRuns } from "../property_runs.ts";
import { assertBounded } from "../assert_bounded.ts";

/** Runs a parser: it gives a result, or refuses with a 4xx (501 for what is not built). */
function refuse<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    assert.ok(isServiceError(error), String((error as Error).stack));
    const status = Number(error.status);
    assert.ok(status >= 400 && (status < 500 || status === 501), `status ${status}`);
    return undefined;
  }
}

/** Text of pieces that the format knows, and of anything. */
function textOf(pieces: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { arbitrary: fc.constantFrom(...pieces), weight: 6 },
    { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
  );
  return fc.array(piece, { maxLength: 24 }).map((all) => all.join(""));
}

const MULTIPART = [
  "--b",
  "--b--",
  "\r\n",
  "\n",
  "\r\n\r\n",
  "Content-Type: application/http\r\n",
  "Content-Type: multipart/mixed;boundary=c\r\n",
  "--c\r\n",
  "--c--\r\n",
  "Content-ID: 1\r\n",
  "GET Books(201) HTTP/1.1\r\n",
  "POST Books HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{}",
  "Content-Length: 3\r\n",
  "GET ",
  " HTTP/1.1",
  ":",
];

const BATCH = [
  '{"requests":[',
  "]}",
  '{"id":"1",',
  '"method":"GET",',
  '"url":"Books"',
  '"url":"$1/author"',
  '"headers":{"content-type":"application/json"},',
  '"body":{"ID":1},',
  '"atomicityGroup":"g",',
  '"dependsOn":["1"],',
  "}",
  ",",
  "null",
  "[]",
  "1e999",
  "\u{1F600}\uFFFF\u0000",
];

const BODY = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"ID"',
  '"title"',
  '"price"',
  '"tags"',
  '"author"',
  '"author@odata.bind"',
  '"items@delta"',
  '"books@odata.bind"',
  '"Books(201)"',
  '"x"',
  "1",
  "-0.00000000000000000001",
  "99999999999999999999",
  "1e400",
  "true",
  "null",
  '"__proto__"',
  '"\\u0000"',
];

const RUNS = propertyRuns(400, 20);

Deno.test("parseMultipart() gives parts or refuses with a 4xx, whatever is sent", () => {
  fc.assert(
    fc.property(textOf(MULTIPART), (text) => {
      const bytes = new TextEncoder().encode(`--b\r\n${text}\r\n--b--`);
      const parts = refuse(() => parseMultipart(bytes, "multipart/mixed;boundary=b"));
      if (parts) refuse(() => checkParts(parts, 100));
    }),
    RUNS,
  );
});

Deno.test("parseJsonBatch() gives parts or refuses with a 4xx, whatever is sent", () => {
  fc.assert(
    fc.property(fc.oneof(textOf(BATCH), fc.json().map((json) => `{"requests":[${json}]}`)), (text) => {
      const parts = refuse(() => parseJsonBatch(text));
      if (parts) refuse(() => checkParts(parts, 100));
    }),
    RUNS,
  );
});

Deno.test("parseJson() agrees with JSON.parse", () => {
  fc.assert(
    fc.property(fc.oneof(textOf(BODY), fc.json()), (text) => {
      const value = refuse(() => parseJson(text, 20));
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        return assert.equal(value, undefined);
      }
      if (value !== undefined) assert.equal(JSON.stringify(value) === undefined, expected === undefined);
    }),
    RUNS,
  );
});

Deno.test("bodies of any form are written or refused with a 4xx, and a refused one changes nothing", () =>
  withShop(async (shop) => {
    const property = fc.asyncProperty(
      fc.constantFrom(["POST", "Books"], ["PATCH", "Books(201)"], ["PATCH", "Authors(101)"], [
        "POST",
        "$batch",
      ]),
      fc.oneof(textOf(BODY), textOf(BODY).map((text) => `{${text}}`), textOf(BATCH)),
      async ([method, url], body) => {
        const before = await shop.send("GET", "Books?$expand=author");
        const answer = await shop.send(method, url, {
          body,
          headers: { "content-type": "application/json" },
        });
        assert.ok(answer.status < 500 || answer.status === 501, `${answer.status} for ${body}`);
        if (answer.status < 400) return;
        assert.deepEqual(await shop.send("GET", "Books?$expand=author"), before);
      },
    );
    await fc.assert(property, propertyRuns(300, 21));
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("parsers of bodies stay linear for long lines, numbers and URLs", async () => {
  const blanks = " ".repeat(300_000);
  const multipart = (line: string) => {
    const text = `--b\r\nContent-Type: application/http\r\n\r\n${line}\r\n\r\n\r\n--b--`;
    return parseMultipart(new TextEncoder().encode(text), "multipart/mixed;boundary=b");
  };
  await assertBounded(() => refuse(() => multipart(`GET a${blanks}b`)));
  await assertBounded(() => refuse(() => multipart(`GET ${blanks}HTTP/1.1`)));
  await assertBounded(() => refuse(() => parseJson(`1${"0".repeat(300_000)}1`, 10)));
  const url = "/$batch?".repeat(60_000) + "\n";
  const request = { id: "1", method: "GET", url };
  await assertBounded(() =>
    refuse(() => checkParts(parseJsonBatch(JSON.stringify({ requests: [request] })), 10))
  );
});
