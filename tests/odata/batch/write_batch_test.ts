/** Answers of parts: which have a body, and its content type (RFC 9110 15.3.5, 15.4.5). */

import assert from "node:assert/strict";
import { writeHttpMessage, writeJsonBatch, writeMultipart } from "../../../src/odata/batch/write_batch.ts";
import { HeaderList } from "../../../src/odata/header_list.ts";

/** Whether an answer has a body, by its status and what it is made with. */
const CASES: readonly [status: number, body: string | null, hasBody: boolean][] = [
  [200, "[1]", true],
  [200, null, false],
  [200, "[1]", true],
  [204, "[1]", false],
  [204, null, false],
  [304, "[1]", false],
  [304, null, false],
  [404, "[1]", true],
  [404, null, false],
];

const answers = CASES.map(([status, body], index) => {
  const headers = new HeaderList([["content-type", "application/json"], ["etag", "1"]]);
  return { id: String(index), named: false, answer: { status, headers, body } };
});

Deno.test("parts of a JSON batch have a body and its type where their status allows one (JSON Format 19.2)", () => {
  const { responses } = JSON.parse(writeJsonBatch(answers, "fw-messages"));
  for (const [index, [status, body, hasBody]] of CASES.entries()) {
    assert.deepEqual(
      responses[index],
      hasBody
        ? { id: String(index), status, headers: { "content-type": "application/json", etag: "1" }, body: [1] }
        : { id: String(index), status, headers: { etag: "1" } },
      `${status} ${body}`,
    );
  }
});

Deno.test("parts of a multipart batch, and messages, have a body where their status allows one (RFC 9112 6.3)", () => {
  const parts = new TextDecoder().decode(writeMultipart(answers, "fw-messages", "x")).split("--x").slice(
    1,
    -1,
  );
  for (const [index, [status, body, hasBody]] of CASES.entries()) {
    const of = `${status} ${body}`;
    assert.equal(parts[index].endsWith(hasBody ? "etag: 1\r\n\r\n[1]\r\n" : "etag: 1\r\n\r\n\r\n"), true, of);
    assert.equal(parts[index].includes("content-type: application/json\r\n"), hasBody, of);
    const message = new TextDecoder().decode(writeHttpMessage(answers[index].answer));
    assert.equal(message.endsWith(hasBody ? "etag: 1\r\n\r\n[1]" : "etag: 1\r\n\r\n"), true, of);
  }
});
