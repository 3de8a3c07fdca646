/** Query options on collections of values (Protocol 11.2.6). */

import assert from "node:assert/strict";
import type { FunctionExpression, ListExpression } from "../../../../src/cqn/cqn.ts";
import { parseCdl } from "../../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../../src/model/link_model.ts";
import { createPlanner } from "../../../../src/odata/plan/planner.ts";
import { planOf } from "../model.ts";

const planner = createPlanner(
  linkModel(
    parseCdl(
      "service S { entity Cars { key ID: Integer; tags : many String; sizes : many { cm : Integer; }; } }",
    ),
  )
    .service("S")!,
);

/** The parts of the one column that a URL asks for. */
function members(url: string): readonly unknown[] {
  const { query } = planOf(planner, url);
  const [column] = query.SELECT.columns as readonly FunctionExpression[];
  return column!.func === "$filtered" ? column!.args as readonly unknown[] : [];
}

Deno.test("members are in the order that is asked for, null before all others, or behind them where it descends (Protocol 11.2.6.2)", () => {
  const cases: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    "tags?$orderby=$it": [["asc", "first"]],
    "tags?$orderby=$it desc": [["desc", "last"]],
    "sizes?$orderby=cm desc,cm add 1": [["desc", "last"], ["asc", "first"]],
    "sizes?$orderby=null,cm": [["asc", "first"]],
    "tags?$filter=$it eq 'x'": [],
  };
  for (const [path, expected] of Object.entries(cases)) {
    const { list } = members(`Cars(1)/${path}`)[3] as { list: readonly { sort: string; nulls: string }[] };
    assert.deepEqual(list.map(({ sort, nulls }) => [sort, nulls]), expected, path);
  }
});

Deno.test("bounds of members are values, which URLs of the same shape differ in (Protocol 11.2.6.3)", () => {
  const bounds = (options: string) => {
    const { queryParams } = planOf(planner, `Cars(1)/tags?${options}`);
    const { list } = members(`Cars(1)/tags?${options}`)[4] as ListExpression;
    return list.map((one) => "ref" in one ? queryParams[String(one.ref![0])] : one);
  };
  assert.deepEqual(bounds("$top=3&$skip=4"), [3, 4]);
  assert.deepEqual(bounds("$skip=5"), [{ val: null }, 5]);
  assert.deepEqual(bounds("$top=0"), [0, { val: null }]);
  assert.deepEqual(bounds("$top=7&$skip=9"), [7, 9]);
  const query = (top: number) => planOf(planner, `Cars(1)/tags?$top=${top}`).query;
  assert.equal(query(1), query(2));
  assert.deepEqual(members("Cars(1)/tags"), []);
});
