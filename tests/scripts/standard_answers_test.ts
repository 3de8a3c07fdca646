import assert from "node:assert/strict";
import { compareStandard } from "../../scripts/conformance/standard_answers.ts";

const judge = (id: string, status: number, text: string, headers: Record<string, string> = {}) =>
  compareStandard(id, { status, headers: new Headers(headers), text, body: JSON.parse(text) });

Deno.test("compareStandard() takes the answer that the standard asks for, and says what is missing in others", () => {
  const count = "bookshop-query-expand-dev/005";
  assert.equal(judge(count, 200, '{"books@odata.count":2,"books":[{},{}]}'), undefined);
  assert.equal(judge(count, 200, '{"books@odata.count":"2","books":[{},{}]}'), "/books@odata.count is 2");
  assert.equal(
    judge(count, 200, '{"books@odata.count":2,"books":[{}]}'),
    "/books has 1 entries instead of 2",
  );
  assert.equal(judge(count, 501, "{}"), "status 501 instead of 200");
  const version = "bookshop-errors-dev/011";
  assert.equal(judge(version, 200, '{"ID":201}', { "odata-version": "4.01" }), undefined);
  assert.match(judge(version, 200, '{"ID":201}', { "odata-version": "4.0" })!, /4.0 instead of 4.01/);
  const exact = "conf-create-defaults-types/006";
  assert.equal(judge(exact, 201, '{"int64":9007199254740993}'), undefined);
  assert.match(judge(exact, 201, '{"int64":9007199254740992}')!, /no "int64":9007199254740993/);
  const select = "conf-query-select-dev/006";
  assert.match(judge(select, 200, '{"name":"Ada","email":"ada@example.org"}')!, /email/);
  assert.match(
    judge("conf-rest-writes/019", 409, '{"error":{"message":"UNIQUE constraint"}}')!,
    /tells UNIQUE/,
  );
  assert.equal(judge("conf-rest-writes/999", 200, "{}"), "no expectation");
});
