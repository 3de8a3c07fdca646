import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { ShapeCache } from "../../../src/odata/plan/shapes/shape_cache.ts";
import type { PlanTemplate } from "../../../src/odata/plan/shapes/template.ts";
import { planOf, testPlanner } from "./model.ts";
import { propertyRuns } from "../../property_runs.ts";

Deno.test("planUrl() shares the template of URLs that differ in literals only", () => {
  const planner = testPlanner();
  const one = planOf(planner, "Books(7)?$select=title");
  const other = planOf(planner, "Books(8)?$select=title");
  assert.equal(one.query, other.query);
  assert.ok(Object.isFrozen(one.query));
  assert.deepEqual([one.addressed.params, other.addressed.params], [[{ ID: 7 }], [{ ID: 8 }]]);
  assert.deepEqual([one.addressed.url, other.addressed.url], ["Books(7)", "Books(8)"]);
});

Deno.test("planUrl() shares the template of URLs with encoded quotes, as a web Request has them", () => {
  const planner = testPlanner();
  const one = planOf(planner, "Books?$filter=contains(title,%27a%27)");
  const other = planOf(planner, "Books?$filter=contains(title,%27b%27%27c%27)");
  assert.equal(one.query, other.query);
  assert.deepEqual([one.queryParams!.p1, other.queryParams!.p1], ["a", "b'c"]);
});

Deno.test("planUrl() shares the template of URLs for literals of each form", () => {
  const planner = testPlanner();
  const pairs = [
    ["Books(1)?$expand=reviews($top=1;$skip=2)", "Books(23)?$expand=reviews($top=45;$skip=6)"],
    ["Books?$filter=stock gt -1", "Books?$filter=stock gt -20"],
    ["Books?$filter=price lt 1.5", "Books?$filter=price lt -20.75"],
    [
      "Books?$filter=publishedAt gt 2024-02-29T12:30:00Z",
      "Books?$filter=publishedAt gt 2025-01-01T01:00:00.000Z",
    ],
    [
      "Books?$filter=publishedAt gt 2024-02-29T12:30:00.125Z",
      "Books?$filter=publishedAt gt 2025-01-01T01:00:00.5Z",
    ],
    ["Books?$filter=publishedAt gt 2024-02-29", "Books?$filter=publishedAt gt 2025-01-01"],
    ["Books?$filter=title+eq+'a+b'", "Books?$filter=title+eq+'c%20d'"],
    ["Books?$filter=title eq @t&@t='a'", "Books?$filter=title eq @t&@t=%27b%27"],
    ["Books?$top=1&$skip=2", "Books?$top=30&$skip=45"],
  ] as const;
  for (const [one, other] of pairs) {
    assert.equal(planOf(planner, one).query, planOf(planner, other).query, other);
  }
  assert.equal(planOf(planner, "Books?$filter=title+eq+'e+f'").queryParams.p1, "e f");
});

Deno.test("planUrl() keeps as many templates as planCache says, those used lately", () => {
  const planner = testPlanner({ planCache: 2 });
  const query = (url: string) => planOf(planner, url).query;
  const [one, two] = [query("Books?$top=1"), query("Books?$skip=1")];
  assert.equal(query("Books?$top=2"), one);
  query("Authors");
  assert.equal(query("Books?$top=3"), one);
  assert.notEqual(query("Books?$skip=2"), two);
});

Deno.test("the template that was used least lately goes alone, whatever begins as it does", () => {
  const cache = new ShapeCache(3);
  const template = { bindings: [], apart: [] } as unknown as PlanTemplate;
  const [one, two, three, other] = ["Books?$select=a", "Books?$select=b", "Books?$select=c", "Authors"];
  const found = () => [one, two, three, other].filter((url) => cache.find(url!, true) !== undefined);
  for (const url of [one, two, three]) cache.keep(url!, true, template);
  cache.keep(other!, true, template);
  assert.deepEqual(found(), [two, three, other]);
  cache.keep("Sales", true, template);
  cache.keep("Offers", true, template);
  assert.deepEqual(found(), [other]);
  cache.keep(one!, true, template);
  cache.keep(two!, true, template);
  assert.deepEqual(found(), [one, two, other]);
});

Deno.test("of the shapes that begin alike the last 64 are kept, where the name of the first option is part of it", () => {
  const cache = new ShapeCache(1000);
  const template = { bindings: [], apart: [] } as unknown as PlanTemplate;
  const options = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at))
    .flatMap((one) => ["a", "b", "c"].map((other) => `$${one}${other}`));
  const kept = (urls: readonly string[]) => {
    for (const url of urls) cache.keep(url, true, template);
    const found = () => urls.filter((url) => cache.find(url, true) !== undefined).length;
    assert.equal(found(), found()); // which brings each of them forward
    return found();
  };
  assert.equal(kept(options.map((option) => `Books?${option}=x`)), 78);
  assert.equal(kept(options.map((option) => `Books?$select=x&${option}=x`)), 64);
});

Deno.test("planUrl() does not share templates of other types of literals", () => {
  const planner = testPlanner();
  const text = planOf(planner, "Books?$filter=stock eq '5'");
  const number = planOf(planner, "Books?$filter=stock eq 5");
  assert.notEqual(text.query, number.query);
});

Deno.test("planUrl() checks every literal of a known shape", () => {
  const planner = testPlanner();
  planOf(planner, "Books('1')");
  assert.throws(() => planOf(planner, "Books('x')"), /'x' is not a value of type Integer \(offset 6\)/);
  planOf(planner, "Books?$filter=title eq 'a'");
  assert.throws(() => planOf(planner, "Books?$filter=title eq 'a#b'"), /found "#"/);
  planOf(planner, "Books(1)/texts('a')");
  assert.throws(() => planOf(planner, "Books(1)/texts('a/b')"), /closing quote/);
});

Deno.test("planUrl() keeps literals apart that decide about the plan", () => {
  const planner = testPlanner();
  const one = planOf(planner, "Books?$filter=stock in (1,2)&$expand=author($levels=1)");
  const other = planOf(planner, "Books?$filter=stock in (1,2,3)&$expand=author($levels=2)");
  assert.notEqual(one.query, other.query);
});

Deno.test("planUrl() gives the same plan with and without cache", () => {
  const literal = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom("1.5", "-2", "1e3", "2024-02-29", "12:30:00", "true", "null", "INF"),
    fc.string({ maxLength: 8 }).map((text) => `'${encodeURIComponent(text).replaceAll("'", "''")}'`),
    fc.string({ unit: fc.constantFrom("a", "'", "%27", "%2B", "+"), maxLength: 6 }).map((text) =>
      `%27${text}%27`
    ),
  );
  const template = fc.constantFrom(
    (a: string, b: string) => `Books?$filter=title eq ${a} or contains(title,${b})`,
    (a: string, b: string) => `Books?$filter=stock gt ${a}&$top=3&$orderby=price&x=${b}`,
    (a: string, b: string) => `Books(${a})/texts(${b})`,
    (a: string, b: string) => `getStock(book=${a},warehouse=${b})`,
    (a: string, b: string) => `Books?$filter=stock in (${a},${b})&$skip=2`,
    (a: string, b: string) => `Books?$filter=title eq @a and stock lt @b&@a=${a}&@b=${b}`,
  );
  const cached = testPlanner();
  fc.assert(
    fc.property(template, literal, literal, (build, a, b) => {
      const url = build(a, b);
      assert.deepEqual(outcome(() => cached.planUrl(url)), outcome(() => testPlanner().planUrl(url)));
    }),
    propertyRuns(300, 42),
  );
});

function outcome(run: () => ReturnType<ReturnType<typeof testPlanner>["planUrl"]>): unknown {
  try {
    const plan = run();
    if (!plan.target) return plan;
    const { query, queryParams, addressed: { params, subject, url }, paging } = plan;
    return { query, queryParams, params, url, paging, subject };
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return `${error.status} ${error.message}`;
  }
}
