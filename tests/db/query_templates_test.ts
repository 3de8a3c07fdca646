import assert from "node:assert/strict";
import type { SelectQuery } from "../../src/cqn/cqn.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { QueryTemplates } from "../../src/cqn/query_templates.ts";

const books = (where: SelectQuery["SELECT"]["where"], rest: object = {}): SelectQuery => ({
  SELECT: { from: { ref: ["Books"] }, where, ...rest },
});
const is = (name: string, operator: string, val: unknown) =>
  [{ ref: [name] }, operator, { val }] as SelectQuery["SELECT"]["where"];

Deno.test("queries that differ in compared values and pages only share a template, with their own values", () => {
  const templates = new QueryTemplates();
  const one = templates.get(books(is("ID", "=", 1), { limit: { rows: { val: 5 } } }), {});
  const other = templates.get(books(is("ID", "=", 20), { limit: { rows: { val: 6 } } }), { p: 1 });
  assert.equal(one.query, other.query);
  assert.deepEqual(
    one.query,
    books(is("ID", "=", 0)!.with(2, { ref: ["$0"], param: true }), {
      limit: { rows: { ref: ["$1"], param: true } },
    }),
  );
  assert.deepEqual([one.params, other.params], [{ $0: 1, $1: 5 }, { p: 1, $0: 20, $1: 6 }]);
  assert.deepEqual(templates.counts, { hits: 1, misses: 1 });
});

Deno.test("values that a query depends on otherwise stay in its template", () => {
  const templates = new QueryTemplates();
  const differ: readonly (readonly [SelectQuery, SelectQuery])[] = [
    [books(is("a", "=", null)), books(is("a", "=", 1))],
    [books(is("a", "=", true)), books(is("a", "=", false))],
    [
      books([{ ref: ["a"] }, "+", { val: 1 }, ">", { val: 2 }]),
      books([{ ref: ["a"] }, "+", { val: 2 }, ">", { val: 2 }]),
    ],
    [books([{ val: 1 }, "=", { val: 1 }]), books([{ val: 2 }, "=", { val: 1 }])],
    [books([{ func: "f", args: [{ val: "a" }] }]), books([{ func: "f", args: [{ val: "b" }] }])],
    [books(is("a", "like", "x%")), books(is("a", "like", "y%"))],
    [books(undefined, { limit: { rows: { val: -1 } } }), books(undefined, { limit: { rows: { val: 1.5 } } })],
    [books(is("ab", "=", 1)), books(is("a", "=", 1))],
    [books([{ ref: ["a", "b"] }]), books([{ ref: ["a"] }, { ref: ["b"] }] as never)],
    [books([{ ref: ["a"] }, "=", { val: 1n }]), books([{ ref: ["a"] }, "=", { val: 1, literal: "number" }])],
  ];
  for (const [one, other] of differ) {
    assert.notEqual(
      templates.get(one, {}).query,
      templates.get(other, {}).query,
      JSON.stringify(String(one)),
    );
  }
});

Deno.test("the template of a builder is that of its query, with lists, ranges and subqueries", () => {
  const templates = new QueryTemplates();
  const query = (ids: number[], low: number, name: string) =>
    SELECT.from("Books").where({ ID: { in: ids }, stock: { between: low, and: low + 1 } })
      .and("exists author[name =", name, "]") as unknown as SelectQuery;
  const one = templates.get(query([1, 2], 3, "a"), {});
  const other = templates.get(query([7, 8], 9, "b"), {});
  assert.equal(one.query, other.query);
  assert.deepEqual(Object.values(other.params), [7, 8, 9, 10, "b"]);
  assert.notEqual(templates.get(query([1, 2, 3], 3, "a"), {}).query, one.query);
});

Deno.test("templates are bounded, and a query too large for one runs as it is", () => {
  const templates = new QueryTemplates();
  for (let i = 0; i < 2_000; i++) templates.get(books(is(`e${i}`, "=", 1)), {});
  assert.ok(templates.size <= 500, `${templates.size} templates`);
  const large = books([{ ref: ["ID"] }, "in", {
    list: Array.from({ length: 1_000 }, (_, val) => ({ val })),
  }]);
  assert.equal(templates.get(large, {}).query, large);
  const deep = books(
    [Array.from({ length: 100 }).reduce<object>((xpr) => ({ xpr: [xpr] }), { val: 1 })] as never,
  );
  assert.equal(templates.get(deep, {}).query, deep);
});

Deno.test("the query in place of a view keeps its values: parameters in it are those of the view", () => {
  const step = (val: string) => ({ id: "View", args: { p: { val: 1 } }, query: books(is("a", "=", val)) });
  const from = (val: string) => ({ SELECT: { from: { ref: [step(val)] } } }) as SelectQuery;
  const templates = new QueryTemplates();
  const { query, params } = templates.get(from("x"), {});
  assert.deepEqual(query, from("x"));
  assert.deepEqual(params, {});
  assert.notEqual(templates.get(from("y"), {}).query, query);
});

Deno.test("queries that differ in nothing but values which are no parameters never share a template", () => {
  const templates = new QueryTemplates();
  const call = (val: unknown) => books([{ func: "f", args: [{ val }] }, "=", { val }] as never);
  for (let i = 0; i < 100; i++) {
    const given = call(i % 20);
    const { query, params } = templates.get(given, {});
    assert.deepEqual([query, params], [given, {}]);
  }
  assert.ok(templates.size <= 20, `${templates.size} templates`);
});

Deno.test("values belong to the parameters of their members, in whatever order a query has them", () => {
  const templates = new QueryTemplates();
  const [where, limit] = [is("a", "=", "x"), { rows: { val: 7 } }];
  for (const SELECT of [{ from: { ref: ["B"] }, where, limit }, { from: { ref: ["B"] }, limit, where }]) {
    const { query, params } = templates.get({ SELECT } as SelectQuery, {});
    const [, , { ref: [a] }] = query.SELECT.where as unknown as { ref: string[] }[];
    const [rows] = (query.SELECT.limit!.rows as unknown as { ref: string[] }).ref;
    assert.deepEqual([params[a!], params[rows!]], ["x", 7]);
  }
});

Deno.test("a parameter of the query itself is none of its template", () => {
  const templates = new QueryTemplates();
  templates.get(books(is("a", "=", 1)), {});
  const own = books([{ ref: ["a"] }, "=", { ref: ["$0"], param: true }]);
  assert.deepEqual(templates.get(own, { $0: 5 }).params, { $0: 5 });
  const list = (entries: unknown) => books([{ ref: ["a"] }, "in", entries] as never);
  templates.get(list({ list: [{ val: 1 }] }), {});
  for (const entries of [null, { list: [{ ref: ["$0"], param: true }] }, { list: [] }]) {
    assert.deepEqual(templates.get(list(entries), { $0: 5 }).params, { $0: 5 });
  }
});

Deno.test("queries that hold the same names and values in another nesting have templates of their own", () => {
  const templates = new QueryTemplates();
  const nestings = [
    [[["a"], "b"], [["a", "b"]], ["a", ["b"]], ["a", "b"]],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }, { a: { b: 1, c: {} } }],
    [{ a: undefined }, {}, { a: null }, { val: 0 }, { val: -0 }, { val: "0" }],
    [{ list: [{ val: 1 }, { val: 2 }] }, { list: [{ val: 1 }] }, [{ val: 1 }, { val: 2 }]].map((entries) => [
      { ref: ["a"] },
      "in",
      entries,
    ]),
  ].flat();
  const found = nestings.map((part) =>
    templates.get({ SELECT: { from: { ref: ["B"] }, part } } as never, {}).query
  );
  assert.equal(new Set(found).size, nestings.length);
  assert.equal(templates.size, nestings.length);
});
