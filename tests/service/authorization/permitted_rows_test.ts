/** Which of some rows a user may do something with, asked for many rows at once (auth 7). */

import assert from "node:assert/strict";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { printExpression, printQuery } from "../../../src/cqn/print_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { accessBy, withAccess } from "../../../src/service/authorization/access.ts";
import {
  idOf,
  keyConditions,
  keysOf,
  permittedIds,
} from "../../../src/service/authorization/permitted_rows.ts";
import { ownRestrictions } from "../../../src/service/authorization/restrictions.ts";
import { User } from "../../../src/context/user.ts";
import { condition, conditionText } from "./conditions.ts";
import { fromQuery } from "../../../src/algebra/from_cqn.ts";

const model = linkModel(parseCdl(`
  entity Rows { key ID : Integer; name : String; }
  entity Pairs { key a : Integer; key b : String; virtual key mark : String; }`));
const rows = model.entity("Rows")!;
const pairs = model.entity("Pairs")!;
const numbered = (count: number): Row[] => Array.from({ length: count }, (_, ID) => ({ ID }));

Deno.test("keys of rows are told apart by entity and values, as texts", () => {
  assert.deepEqual(keysOf(pairs, { a: 1, b: "x", name: "n" }), { a: 1, b: "x" });
  assert.equal(idOf(pairs, { a: 1, b: "x", name: "n" }), '["Pairs","1","x"]');
  assert.equal(idOf(rows, { ID: "1" }), idOf(rows, { ID: 1 }));
});

Deno.test("a statement names up to 100 rows", () => {
  const counts = [0, 1, 100, 101, 200, 201].map((count) => keyConditions(rows, numbered(count)).length);
  assert.deepEqual(counts, [0, 1, 1, 2, 2, 3]);
  const [both] = keyConditions(pairs, [{ a: 1, b: "x" }, { a: 2, b: "y" }]);
  assert.equal(printExpression({ xpr: both! }), "(a = 1 and b = 'x') or (a = 2 and b = 'y')");
});

Deno.test("permitted rows are all, none, or those that the database finds", async () => {
  const asked: string[] = [];
  const answer = (query: Query) => {
    asked.push(printQuery(query));
    return Promise.resolve([{ ID: 1 }]);
  };
  const db = { run: answer, perform: () => undefined };
  const known = { entity: rows, keys: [{ ID: 1 }, { ID: 2 }] };
  assert.deepEqual([...await permittedIds(db, known, "none")], []);
  assert.deepEqual([...await permittedIds(db, known, "all")], ['["Rows","1"]', '["Rows","2"]']);
  assert.deepEqual(asked, []);
  const ids = await permittedIds(db, known, { where: condition("name = 'x'") });
  assert.deepEqual([...ids], ['["Rows","1"]']);
  assert.equal(asked.length, 1);
  assert.match(asked[0]!, /from Rows\[name = 'x'\] \{ ID \} where/);
});

Deno.test("a step with a condition leads to permitted rows that meet it", () => {
  const where = condition("a = 1");
  const query = fromQuery({ SELECT: { from: { ref: ["X"] } } });
  assert.equal(withAccess("x", "all"), "x");
  assert.deepEqual(withAccess("x", { where }), { id: "x", where });
  assert.deepEqual(withAccess({ id: "x", as: "y" }, { where }), { id: "x", as: "y", where });
  const own = condition("b = 2");
  assert.deepEqual(withAccess({ id: "x", where: own }, { where }), {
    id: "x",
    where: condition("b = 2 and a = 1"),
  });
  assert.deepEqual(withAccess({ id: "x", where: own }, { query }), { id: "x", where: own, query });
});

/** What a user with roles may do by an annotation. */
function access(restrict: object, event: string | readonly string[] | undefined, ...roles: string[]): string {
  const caller = { user: new User({ id: "ann", roles }), isAdmitted: !roles.includes("nobody") };
  const found = accessBy(ownRestrictions(restrict), event, caller);
  return typeof found === "string" ? found : conditionText(found.where);
}

Deno.test("one privilege of each restriction is needed, for each of the events", () => {
  const restrict = {
    "@requires": ["a", "b"],
    "@restrict": [
      { grant: "READ", to: "a", where: "x = 1" },
      { grant: "READ", to: "b", where: "y = 1" },
      { grant: ["CREATE"], to: "b" },
      { grant: "UPDATE", to: "b", where: "z = 1" },
      { grant: "*", to: "c" },
    ],
  };
  const cases: readonly (readonly [
    event: string | readonly string[] | undefined,
    roles: readonly string[],
    access: string,
  ])[] = [
    ["READ", [], "none"],
    ["READ", ["c"], "none"],
    ["READ", ["a"], "x = 1"],
    ["READ", ["a", "b"], "x = 1 or y = 1"],
    ["READ", ["a", "c"], "all"],
    ["CREATE", ["a"], "none"],
    ["CREATE", ["b"], "all"],
    ["UPSERT", ["b"], "z = 1"],
    ["UPSERT", ["a"], "none"],
    [["READ", "UPDATE"], ["b"], "y = 1 and z = 1"],
    [["READ", "DELETE"], ["b"], "none"],
    [undefined, ["a"], "x = 1"],
    ["DELETE", ["b", "c"], "all"],
  ];
  for (const [event, roles, expected] of cases) {
    assert.equal(access(restrict, event, ...roles), expected, `${event} ${roles}`);
  }
  // without roles a login is asked for, where one is
  assert.equal(access({ "@restrict": [{ grant: "READ" }] }, "READ"), "all");
  assert.equal(access({ "@restrict": [{ grant: "READ" }] }, "READ", "nobody"), "none");
  assert.equal(access({}, "READ", "nobody"), "all");
});
