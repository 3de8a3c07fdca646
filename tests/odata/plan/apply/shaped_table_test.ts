/** Options behind `$apply`, and the shape of the rows (Data Aggregation 3). */

import assert from "node:assert/strict";
import { planOf, testPlanner } from "../model.ts";

const planner = testPlanner();
const GROUPS = "Books?$apply=groupby((title,author/name),aggregate(stock with sum as total))";

const shapeOf = (url: string) => planOf(planner, url).shape!;
const shown = (url: string) => shapeOf(url).aggregated!.map(({ path }) => path.join("/"));

Deno.test("rows that $apply made have the shape of their properties, and belong to the entity that was transformed", () => {
  const { aggregated, ...others } = shapeOf(GROUPS);
  assert.deepEqual(Object.keys(others), ["entity", "expand", "computed"]);
  assert.equal(others.entity!.name, "S.Books");
  assert.deepEqual([others.expand, others.computed], [[], []]);
  assert.deepEqual(
    aggregated!.map(({ path, type, element }) => [path.join("/"), type?.builtin ?? element?.$type.builtin]),
    [["title", "cds.String"], ["author/name", "cds.String"], ["total", "cds.Integer"]],
  );
});

Deno.test("$select behind $apply shows the properties it names, structures and related instances as a whole", () => {
  const all = ["title", "author/name", "total"];
  const cases: readonly (readonly [select: string, shown: readonly string[]])[] = [
    ["*", all],
    ["title", ["title"]],
    ["total,title", ["title", "total"]],
    ["author/name", ["author/name"]],
    ["author", ["author/name"]],
    ["title,*", all],
  ];
  assert.deepEqual(shown(GROUPS), all);
  for (const [select, names] of cases) assert.deepEqual(shown(`${GROUPS}&$select=${select}`), names, select);
  for (const name of ["stock", "author/ID", "author/n", "titles", "tit", "t"]) {
    assert.throws(() => shown(`${GROUPS}&$select=${name}`), { status: 400 }, name);
  }
});

Deno.test("$compute, $filter and $orderby behind $apply are about its rows; bounds of $apply come first", () => {
  const selectOf = (options: string) => planOf(planner, `${GROUPS}${options}`).query.SELECT;
  assert.ok("ref" in selectOf("").from);
  const filtered = selectOf("&$filter=total gt 1");
  assert.deepEqual([filtered.where, filtered.having !== undefined], [undefined, true]);
  assert.ok("ref" in filtered.from);
  const cut = selectOf("/topcount(2,total)");
  assert.ok("ref" in cut.from);
  for (const option of ["$filter=total gt 1", "$orderby=title", "$top=1", "$skip=1", "$count=true"]) {
    assert.ok("SELECT" in selectOf(`/topcount(2,total)&${option}`).from, option);
  }
  assert.deepEqual(shown(`${GROUPS}&$compute=total add 1 as more`), [
    ...["title", "author/name", "total", "more"],
  ]);
});
