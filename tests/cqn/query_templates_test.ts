import assert from "node:assert/strict";
import type { QueryParams, SelectQuery, Xo } from "../../src/cqn/cqn.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { QueryTemplates } from "../../src/cqn/query_templates.ts";

/** The condition of a template, and what its parameters stand for. */
function templateOf(condition: string): { readonly where: readonly Xo[]; readonly params: QueryParams } {
  const query = parseCqlQuery(`SELECT from Books where ${condition}`) as SelectQuery;
  const { query: template, params } = new QueryTemplates().get(query, {});
  return { where: template.SELECT.where ?? [], params };
}

/** The values that become parameters, by the condition they stand in. */
const PARAMETERS: Readonly<Record<string, readonly unknown[]>> = {
  "a = 1": [1],
  "1 < a": [1],
  "a = 1 and b = 'x' or 2 >= c": [1, "x", 2],
  "a between 1 and 2": [1, 2],
  "a between 1 and 2 and b = 3": [1, 2, 3],
  "a between 1 and 2 or b = 3": [1, 2, 3],
  "a in (1, 2)": [1, 2],
  "a not in (1, 2) and b = 3": [1, 2, 3],
  "not (a = 1)": [1],
  "exists c[a = 1]": [1],
};

/** Values that stay as they are: what is calculated with them, or compared with no element, depends on them. */
const KEPT: readonly string[] = [
  "a = 1 + b",
  "1 + b = a",
  "a = b - 1",
  "a between 1 + b and c",
  "a between b and 2 * c",
  "length(a) = 1",
  "1 = length(a)",
  "length(a) between 1 and 2",
  "length(a) in (1, 2)",
  "a in (1, b)",
  "1 = 2",
  "a like 'x'",
  "a = true",
  "a = null",
  "$now = '2024-01-01T00:00:00Z'",
  "'2024-01-01T00:00:00Z' < $now",
  "$user in ('a', 'b')",
];

Deno.test("values that elements are compared with become parameters of a template (csn-cqn 5)", () => {
  for (const [condition, values] of Object.entries(PARAMETERS)) {
    assert.deepEqual(Object.values(templateOf(condition).params), values, condition);
  }
});

Deno.test("values that what is calculated depends on stay in the template", () => {
  for (const condition of KEPT) {
    const { where, params } = templateOf(condition);
    const { SELECT } = parseCqlQuery(`SELECT from Books where ${condition}`) as SelectQuery;
    assert.deepEqual([where, params], [SELECT.where, {}], condition);
  }
});

Deno.test("queries that differ in values of parameters alone share a template, others do not", () => {
  const templates = new QueryTemplates();
  const of = (text: string) => templates.get(parseCqlQuery(text) as SelectQuery, {}).query;
  const first = of("SELECT from Books { a } where a = 1 order by a limit 5");
  assert.equal(of("SELECT from Books { a } where a = 2 order by a limit 7"), first);
  assert.deepEqual(templates.counts, { hits: 1, misses: 1 });
  for (
    const other of [
      "SELECT from Books { a } where a > 1 order by a limit 5",
      "SELECT from Books { a } where b = 1 order by a limit 5",
      "SELECT from Books { a } where a = 1 order by a desc limit 5",
      "SELECT from Books { a } where a = 1 order by a limit 5 offset 1",
      "SELECT from Books { a, 1 as b } where a = 1 order by a limit 5",
      "SELECT distinct from Books { a } where a = 1 order by a limit 5",
    ]
  ) assert.notEqual(of(other), first, other);
  assert.equal(templates.size, 7);
});

Deno.test("what groups and distinct rows are made by keeps its values, conditions on rows do not", () => {
  const templates = new QueryTemplates();
  const params = (text: string) => templates.get(parseCqlQuery(text) as SelectQuery, {}).params;
  const grouped = "SELECT from Books { case when a = 1 then 2 end as x } where b = 3 group by a having a = 4";
  assert.deepEqual(Object.values(params(grouped)), [3]);
  assert.deepEqual(Object.values(params("SELECT distinct from Books { a } where b = 3 order by a")), [3]);
});
