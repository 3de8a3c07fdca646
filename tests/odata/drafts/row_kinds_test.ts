/**
 * Which rows a condition is about: active instances, drafts, or both, as far as it says so itself (drafts 4).
 */

import assert from "node:assert/strict";
import type { QueryParams, Xo } from "../../../src/cqn/cqn.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { choosesRows, keyKind, possibleKinds, saidKind } from "../../../src/odata/drafts/row_kinds.ts";

const kinds = (condition: string, params: QueryParams = {}) =>
  [...possibleKinds(parseExpression(condition), params)].join(" ");

/** Conditions and the kinds of rows that they may hold for. */
const CONDITIONS: readonly [condition: string, kinds: string][] = [
  ["title = 'a'", "active"],
  ["HasDraftEntity = false", "active"],
  ["IsActiveEntity", "active"],
  ["not IsActiveEntity", "draft"],
  ["IsActiveEntity = true", "active"],
  ["IsActiveEntity = false", "draft"],
  ["IsActiveEntity == false", "draft"],
  ["false = IsActiveEntity", "draft"],
  ["IsActiveEntity <> true", "draft"],
  ["IsActiveEntity != true", "draft"],
  ["IsActiveEntity != false", "active"],
  ["not (IsActiveEntity = false)", "active"],
  ["IsActiveEntity >= false", "active draft"],
  ["IsActiveEntity is not null", "active draft"],
  ["IsActiveEntity = HasDraftEntity", "active draft"],
  ["IsActiveEntity = true or IsActiveEntity = false", "active draft"],
  ["IsActiveEntity = true and IsActiveEntity = false", ""],
  ["IsActiveEntity = false or SiblingEntity.IsActiveEntity is null", "active draft"],
  ["IsActiveEntity = false and title = 'a'", "draft"],
  ["title = 'a' and IsActiveEntity = false", "draft"],
  ["IsActiveEntity = false or title = 'a'", "active draft"],
  ["not (IsActiveEntity = false or title = 'a')", "active"],
  ["not (IsActiveEntity = false and title = 'a')", "active draft"],
  ["IsActiveEntity = true or HasActiveEntity = true", "active draft"],
  ["IsActiveEntity = false or HasActiveEntity = true", "draft"],
  ["IsActiveEntity = true or HasDraftEntity = true", "active"],
  ["IsActiveEntity = true or HasDraftEntity = false", "active draft"],
  ["IsActiveEntity in (true)", "active"],
  ["IsActiveEntity in (false)", "draft"],
  ["IsActiveEntity in (true, false)", "active draft"],
  ["IsActiveEntity in (false, null)", "draft"],
  ["IsActiveEntity not in (false)", "active"],
  ["IsActiveEntity not in (true, false)", ""],
  ["IsActiveEntity in (HasActiveEntity)", "draft"],
  ["IsActiveEntity in (HasDraftEntity)", "active draft"],
  ["IsActiveEntity in (false, HasDraftEntity)", "active draft"],
  ["IsActiveEntity not in (HasDraftEntity)", "active"],
  ["HasDraftEntity in (IsActiveEntity)", "active draft"],
  ["title in (IsActiveEntity)", "active draft"],
];

Deno.test("a condition is about the rows that it may hold for, active instances where it says nothing", () => {
  for (const [condition, expected] of CONDITIONS) assert.equal(kinds(condition), expected, condition);
  assert.deepEqual([...possibleKinds(undefined, {})], ["active"]);
  const given: Xo[] = [{ ref: ["IsActiveEntity"] }, "=", { ref: ["kind"], param: true }];
  assert.deepEqual([...possibleKinds(given, { kind: false })], ["draft"]);
  assert.deepEqual([...possibleKinds(given, { kind: true })], ["active"]);
});

Deno.test("rows that are chosen by a subquery are of the kinds of that", () => {
  const chosen = (where: string) => `ID in (select ID from Orders where ${where})`;
  assert.equal(kinds(chosen("IsActiveEntity = false")), "draft");
  assert.equal(kinds(chosen("title = 'a'")), "active");
  assert.equal(
    kinds(`${chosen("IsActiveEntity = false")} and ${chosen("IsActiveEntity = true")}`),
    "draft active",
  );
  assert.equal(kinds(`title = 'a' and ${chosen("IsActiveEntity = false")}`), "draft");
  const cases: readonly [where: string | undefined, expected: boolean][] = [
    [undefined, false],
    ["ID in (1, 2)", false],
    [chosen("ID = 1"), true],
    [`title = 'a' or not (${chosen("ID = 1")})`, true],
    [`exists items[ID = 1]`, false],
  ];
  for (const [where, expected] of cases) {
    assert.equal(choosesRows(where === undefined ? undefined : parseExpression(where)), expected, where);
  }
});

Deno.test("the condition of a subquery says one kind or none: 501 for both", () => {
  const said = (condition: string) => saidKind(parseExpression(condition), {});
  assert.equal(saidKind(undefined, {}), undefined);
  assert.equal(said("title = 'a'"), undefined);
  assert.equal(said("IsActiveEntity = false"), "draft");
  assert.equal(said("IsActiveEntity = true and title = 'a'"), "active");
  assert.equal(said("SiblingEntity.IsActiveEntity = false"), undefined);
  assert.throws(() => said("IsActiveEntity = true or title = 'a'"), { status: 501 });
});

Deno.test("the key of a step says the kind of its row, by value or parameter", () => {
  const key = (
    value: Xo,
  ): Xo[] => [{ ref: ["ID"] }, "=", { val: 1 }, "and", { ref: ["IsActiveEntity"] }, "=", value];
  const parameter: Xo = { ref: ["kind"], param: true };
  assert.equal(keyKind(undefined, {}), undefined);
  assert.equal(keyKind(parseExpression("ID = 1"), {}), undefined);
  assert.equal(
    keyKind(parseExpression("a.IsActiveEntity = false and IsActiveEntity.b = false"), {}),
    undefined,
  );
  assert.equal(keyKind(key({ val: true }), {}), "active");
  assert.equal(keyKind(key({ val: false }), {}), "draft");
  assert.equal(keyKind(key(parameter), { kind: true }), "active");
  assert.equal(keyKind(key(parameter), { kind: false }), "draft");
});
