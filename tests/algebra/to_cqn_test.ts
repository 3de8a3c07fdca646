import assert from "node:assert/strict";
import { fromExpression, fromQuery, fromXo } from "../../src/algebra/from_cqn.ts";
import { toCqnExpression, toQuery, toXo } from "../../src/algebra/to_cqn.ts";
import type { SelectQuery, SetQuery, Xo } from "../../src/cqn/cqn.ts";
import { parseCqlQuery, parseExpression } from "../../src/cqn/parse_cql.ts";

const n = { ref: ["n"] };
const one = { val: 1 };
const choice = { xpr: ["case", "when", n, "=", one, "then", { val: true }, "else", { val: false }, "end"] };

/** What is written again as it was read. */
const SAME: readonly (readonly unknown[])[] = [
  [n, "is", "null"],
  [n, "is", "not", "null"],
  [n, "=", { val: null }],
  [n, "=", { val: "2024-01-01" }],
  [n, "=", { val: "2024-01-01", literal: "date" }],
  [choice, "and", n, "=", one],
  [{ xpr: [n, "=", one, "or", n, "is", "null"] }, "and", choice],
  [{ ref: [{ id: "items", where: [n, "=", one] }, "n"] }, "=", one],
  [{ ref: ["$now"] }, ">", n],
  [{ ref: ["least"], param: true }, "<=", n],
  parseExpression("rank() over (partition by a, b order by n desc, m nulls first)"),
  parseExpression("sum(n) over (order by n rows between 1 preceding and current row)"),
];

Deno.test("toXo() writes what fromXo() reads", () => {
  for (const tokens of SAME) {
    const tree = fromXo(tokens as readonly Xo[]);
    assert.ok(tree, JSON.stringify(tokens));
    assert.deepEqual(toXo(tree), tokens);
  }
});

Deno.test("toXo() writes tests for null without an operand, and parameters by their name", () => {
  const written = (tokens: readonly unknown[]) => toXo(fromXo(tokens as readonly Xo[])!);
  assert.deepEqual(written([n, "is", { val: null }]), [n, "is", "null"]);
  assert.deepEqual(written([n, "is not", { val: null }]), [n, "is", "not", "null"]);
  assert.deepEqual(written([{ ref: [{ id: "a" }], param: true }, "=", n]), [
    ...[{ ref: ["a"], param: true }, "=", n],
  ]);
});

/** Queries with each clause, each kind of column and each part of a path. */
const QUERIES: readonly (SelectQuery | SetQuery)[] = [
  ...[
    "SELECT from Books as b { ID, title as t, author { name } } where ID > 1 order by title desc nulls last, ID limit 5 offset 2",
    "SELECT from Books as b left join Authors as a on b.author_ID = a.ID { b.ID, count(*) as n } group by b.ID having count(*) > 1",
    "SELECT distinct key ID, cast(a as Integer) as x, cast(cast(a as Integer) as String) as y, f(distinct a, b) from E",
    "SELECT array_agg(a order by b desc, c) as l, f(a, b order by a) as o, f(a => 1, b => 2) as n, now as c from E",
    "SELECT from Books[ID = 1 order by title limit 3 offset 1]:author[name = 'x'] as q { * , a.{ b, c } , d.{ * } excluding { e } }",
    "SELECT from E(p: 1, q: 'x') { ID } where a = #red and b = ? and c = :d and $now > e",
    "SELECT from A union all SELECT from B order by ID limit 1",
    "SELECT exists items[x = 1] as e, case n when 1 then 2 else 3 end as c, case when n = 1 then 2 end as d from E",
    "SELECT n not in (1, 2) as i, n not between 1 and 2 as w, n not like 'a' escape '!' as k, n like m as l from E",
    "SELECT -n as u, not (a = 1) as z, a || b || c as j, (SELECT ID from B) as s, (1 + n) * 2 as t from E",
    "SELECT sum(n) over (partition by a, b order by c desc nulls last rows between unbounded preceding and 2 following) as s from E",
    "SELECT f() over (order by a) as a, f() over () as b, sum(n) over (order by c rows 1 preceding) as c from E",
  ].map((text) => parseCqlQuery(text)),
  {
    SELECT: {
      from: {
        join: "inner",
        args: [{ ref: ["A"], as: "a" }, { SELECT: { from: { ref: ["B"] } }, as: "b" }],
        on: [{ ref: ["a", "n"] }, "=", { ref: ["b", "n"] }],
        as: "c",
      },
      columns: [{
        ref: ["items"],
        expand: ["*"],
        where: [n, "=", one],
        orderBy: [{ ...n, sort: "desc", nulls: "first" }],
        limit: { rows: one, offset: one },
        as: "some",
      }],
    },
  },
  {
    SELECT: {
      from: {
        ref: [{ id: "E", groupBy: [n], having: [n, ">", one], orderBy: [n], limit: { rows: one } }, "items"],
      },
      localized: true,
      one: true,
    },
  },
];

Deno.test("toQuery() writes what fromQuery() reads", () => {
  const plain = (query: unknown) => JSON.parse(JSON.stringify(query));
  for (const query of QUERIES) assert.deepEqual(plain(toQuery(fromQuery(query))), plain(query));
});

Deno.test("toCqnExpression() keeps the order of terms in lists: members of collections are sorted by them", () => {
  const term = { xpr: [n, "+", one], sort: "desc" as const, nulls: "last" as const };
  assert.deepEqual(toCqnExpression(fromExpression({ list: [term] })), { list: [term] });
});
