/** How long the answers of a batch may be together (fw.limits.batchAnswerBytes). */

import assert from "node:assert/strict";
import { AnswerBudget } from "../../../src/odata/batch/answer_budget.ts";
import { HeaderList } from "../../../src/odata/header_list.ts";

const answer = (body: string | Uint8Array<ArrayBuffer> | null, status = 200) => ({
  status,
  headers: new HeaderList([
    ["content-type", "application/json"],
    ["location", "S/E(1)"],
    ["preference-applied", "return=representation"],
    ["etag", "1"],
  ]),
  body,
});

const bytes = (length: number) => new Uint8Array(length);
const TOO_LARGE = { status: 413, code: "BATCH_ANSWER_TOO_LARGE", args: [12] };

Deno.test("bodies are counted in bytes, however many their characters have, up to the limit itself", () => {
  const cases: readonly (readonly [
    fits: readonly (string | Uint8Array<ArrayBuffer> | null)[],
    not: string | Uint8Array<ArrayBuffer>,
  ])[] = [
    [[], "x".repeat(13)],
    [[], "ä".repeat(7)],
    [[], bytes(13)],
    [["x".repeat(12)], "x"],
    [["ä".repeat(6)], "x"],
    [["€".repeat(4)], "x"],
    [["€€€€", "", bytes(0), null], bytes(1)],
    [[bytes(12), null], "x"],
    [["€", "€", "€", "€"], "x"],
    [["€", "ä", "x", "xxx", "xxx"], "x"],
    [["€", bytes(3), "xxxxxx"], bytes(1)],
    [["x", "x", "x", "x", "xxxxxxxx"], "x"],
    [[bytes(3), "xxx", bytes(6)], "x"],
    [["xxx", bytes(3), "€€"], bytes(1)],
    [["xxxx", "xxxx", "x"], "ää"],
    [["xxxx", "xxxx", "x"], bytes(4)],
  ];
  for (const [fits, not] of cases) {
    const budget = new AnswerBudget(12);
    for (const body of fits) {
      const given = answer(body);
      assert.equal(budget.take(given, "GET"), given);
      budget.assertRoom();
    }
    assert.throws(() => budget.take(answer(not), "GET"), TOO_LARGE, JSON.stringify([fits, not]));
    assert.throws(() => budget.assertRoom(), TOO_LARGE);
  }
});

Deno.test("what has changed something is answered without body where there is no room for it (Protocol 8.2.8.7)", () => {
  for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
    const budget = new AnswerBudget(12);
    const { status, headers, body } = budget.take(answer("x".repeat(13)), method);
    assert.deepEqual([status, body], [204, null]);
    assert.deepEqual(
      ["Content-Type", "Preference-Applied", "Location", "OData-EntityId", "ETag"].map((name) =>
        headers.get(name)
      ),
      [null, null, "S/E(1)", "S/E(1)", "1"],
    );
    assert.throws(() => budget.assertRoom(), TOO_LARGE);
  }
  const deleted = { status: 200, headers: new HeaderList([]), body: "x".repeat(13) };
  assert.deepEqual([...new AnswerBudget(12).take(deleted, "POST").headers], []);
});

Deno.test("errors have changed nothing: in place of those without room it is told that there is none", () => {
  assert.throws(() => new AnswerBudget(12).take(answer("x".repeat(13), 400), "POST"), TOO_LARGE);
  assert.equal(new AnswerBudget(12).take(answer("x".repeat(13), 399), "POST").status, 204);
});

Deno.test("an answer that was too large by itself leaves no room for others", () => {
  const budget = new AnswerBudget(12);
  budget.assertRoom();
  budget.fill();
  assert.throws(() => budget.assertRoom(), TOO_LARGE);
});
