import assert from "node:assert/strict";
import type { Exchange } from "../../../src/odata/exchange.ts";
import type { OperationPlan } from "../../../src/odata/plan/plan.ts";
import { shapedResult } from "../../../src/odata/resources/operation_result.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";

const planner = createPlanner(
  linkModel(parseCdl(`service S {
    entity Books { key ID : Integer; title : String; }
    function all() returns many Books;
    function one() returns Books;
    function numbers() returns many Integer;
  }`)).service("S")!,
);

const shaped = (url: string, result: unknown) =>
  shapedResult({} as Exchange, planner.planUrl(url) as OperationPlan, result);

Deno.test("results of operations have the rows and members that options ask for; nothing stays nothing", () => {
  const rows = [1, 2, 3].map((ID) => ({ ID, title: "a", more: "b" }));
  for (const url of ["all()", "all()?$top=1", "one()?$select=ID", "numbers()?$top=1"]) {
    for (const result of [null, undefined]) assert.equal(shaped(url, result), result, url);
  }
  assert.equal(shaped("one()", rows[0]), rows[0]);
  assert.equal(shaped("all()", rows), rows);
  assert.equal(shaped("numbers()", rows), rows);
  assert.deepEqual(shaped("one()?$select=ID", rows[0]), { ID: 1 });
  assert.deepEqual(shaped("one()?$select=ID", rows), { ID: 1 });
  assert.equal(shaped("one()?$select=ID", []), undefined);
  assert.deepEqual([...shaped("numbers()?$skip=1&$top=1", [5, 6, 7]) as unknown[]], [6]);
  assert.equal((shaped("numbers()?$top=1&$count=true", [5, 6, 7]) as { $count?: number }).$count, 3);
});
