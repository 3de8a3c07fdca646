/** Which targets of associations are missing, and what is asked for that. */

import assert from "node:assert/strict";
import type { Query } from "../../../src/cqn/cqn.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { ServiceError } from "../../../src/errors/service_error.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { missingTargets, type TargetCheck } from "../../../src/service/validation/missing_targets.ts";
import { condition } from "../authorization/conditions.ts";

const kinds = linkModel(parseCdl("entity Kinds { key code : String; }")).entity("Kinds")!;
const CHECK: TargetCheck = { entity: kinds, keys: { code: "a" }, path: "kind_code", value: "a" };
const MISSING = { status: 400, code: "ASSERT_TARGET", target: "kind_code", args: ["a"] };
const ADDRESSED = { ref: ["Books"] };

/** A database that finds a row for the queries whose text has one of some parts, and what it was asked. */
function finding(...parts: readonly string[]) {
  const asked: string[] = [];
  const run = (query: Query) => {
    const text = printQuery(query).replace(/^SELECT one from /, "").replace(" { 1 as found }", "");
    asked.push(text);
    return Promise.resolve(parts.some((part) => text.includes(part)) ? { found: 1 } : null);
  };
  return { run, asked };
}

Deno.test("a target is there where the database has a row that the user may read", async () => {
  const there = finding("Kinds");
  assert.deepEqual(await missingTargets([CHECK], there, undefined), []);
  assert.deepEqual(there.asked, ["Kinds where code = 'a'"]);
  const none = finding();
  const message = { $message: "Gone" };
  assert.deepEqual(await missingTargets([CHECK, { ...CHECK, message }], none, undefined), [MISSING, {
    ...MISSING,
    ...message,
  }]);
  assert.deepEqual(await missingTargets([CHECK], undefined, undefined), []);
  const permitted = finding("Kinds[x = 1]");
  const limited = { ...CHECK, permitted: { where: condition("x = 1") } };
  assert.deepEqual(await missingTargets([limited], permitted, undefined), []);
});

Deno.test("a part is there where one of the ways leads to it", async () => {
  const ways = [["A", "kinds"], ["B", "kinds"]] as unknown as TargetCheck["ways"];
  const db = finding("B.kinds");
  assert.deepEqual(await missingTargets([{ ...CHECK, ways }], db, undefined), []);
  assert.deepEqual(db.asked, ["A.kinds where code = 'a'", "B.kinds where code = 'a'"]);
  assert.deepEqual(await missingTargets([{ ...CHECK, ways: [] }], finding("Kinds"), undefined), [MISSING]);
});

Deno.test("what a row refers to already may stay, and new references are refused who may read none", async () => {
  const refusal = new ServiceError({ status: 403 });
  const owner = { row: { ref: ["Books"] }, references: { kind_code: "a" } };
  const stays = finding("Books where kind_code = 'a'");
  assert.deepEqual(await missingTargets([{ ...CHECK, owner, refusal }], stays, undefined), []);
  assert.equal(stays.asked.length, 1);
  await assert.rejects(missingTargets([{ ...CHECK, owner, refusal }], finding(), undefined), refusal);
  await assert.rejects(missingTargets([{ ...CHECK, refusal }], finding("Kinds"), undefined), refusal);
});

Deno.test("nothing is told of the references of a row that is not there", async () => {
  const changed = finding("Books");
  assert.deepEqual(await missingTargets([CHECK], changed, ADDRESSED), [MISSING]);
  assert.deepEqual(changed.asked.at(-1), "Books");
  await assert.rejects(missingTargets([CHECK], finding(), ADDRESSED), { status: 404 });
  const there = finding("Kinds");
  assert.deepEqual(await missingTargets([CHECK], there, ADDRESSED), []);
  assert.equal(there.asked.length, 1);
});
