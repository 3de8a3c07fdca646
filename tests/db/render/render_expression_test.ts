/** Expressions as SQL of both databases: operators, parentheses where they are needed, and windows. */

import assert from "node:assert/strict";
import { parseCqlQuery } from "../../../src/cqn/parse_cql.ts";
import type { SelectQuery } from "../../../src/cqn/cqn.ts";
import { lowerQuery } from "../../../src/db/passes/lower_query.ts";
import type { Dialect, ValueType } from "../../../src/db/render/dialect.ts";
import { POSTGRES } from "../../../src/db/render/postgres_dialect.ts";
import { renderQuery, type WriterOptions } from "../../../src/db/render/render_query.ts";
import { SQLITE } from "../../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";

const MODEL = linkModel(
  parseCdl("entity E { key a : Integer; b : Integer; s : String; t : String; d : Double; }"),
);

/** The text of a query, without quotes and the alias of its table. */
function textOf(dialect: Dialect, cql: string, options: WriterOptions = {}): string {
  const { query } = lowerQuery(MODEL, parseCqlQuery(`select from E ${cql}`) as SelectQuery);
  return renderQuery(dialect, query, options).sql.replaceAll('"E".', "").replaceAll('"', "");
}

/** What follows `where` in the view of SQLite and in the statement of PostgreSQL. */
const CONDITIONS: Readonly<Record<string, readonly [view: string, statement: string]>> = {
  "a = 1 and b = 2 or s = t": ["a = 1 AND b = 2 OR s = t", "a = $1::int AND b = $2::int OR s = t"],
  "a = 1 and (b = 2 or s = t)": ["a = 1 AND (b = 2 OR s = t)", "a = $1::int AND (b = $2::int OR s = t)"],
  "not (a = 1 and b = 2)": ["NOT (a = 1 AND b = 2)", "NOT (a = $1::int AND b = $2::int)"],
  "not a = 1": ["NOT a = 1", "NOT a = $1::int"],
  "d - (d - 1.5) = d": ["d - (d - 1.5) = d", "d - (d - $1::numeric) = d"],
  "d - d - d = d": ["d - d - d = d", "d - d - d = d"],
  "d * (d + d) = d": ["d * (d + d) = d", "d * (d + d) = d"],
  "d * d + d = d": ["d * d + d = d", "d * d + d = d"],
  "-(d + d) = d": ["- (d + d) = d", "- (d + d) = d"],
  "a - b = 0": ["a - b = 0", "(a)::bigint - (b)::bigint = $1::int"],
  "-a = 0": ["- a = 0", "- (a)::bigint = $1::int"],
  "s || t = 'x'": ["s || t = 'x'", "s || t = $1"],
  "a between 1 and 2": ["a BETWEEN 1 AND 2", "a BETWEEN $1::int AND $2::int"],
  "d not between d and d + d": ["d NOT BETWEEN d AND d + d", "d NOT BETWEEN d AND d + d"],
  "a in (1, 2)": ["a IN (1, 2)", "a IN ($1::int, $2::int)"],
  "a not in (1, 2)": ["a NOT IN (1, 2)", "a NOT IN ($1::int, $2::int)"],
  "a in (select b from E)": ["a IN (SELECT E$2.b FROM E AS E$2)", "a IN (SELECT E$2.b FROM E AS E$2)"],
  "s like t": ["s LIKE t", "s ILIKE t COLLATE C ESCAPE ''"],
  "s not like 'x' escape '!'": ["s NOT LIKE 'x' ESCAPE '!'", "s NOT ILIKE $1 COLLATE C ESCAPE $2"],
  "case a when 1 then true else false end": [
    "CASE a WHEN 1 THEN 1 ELSE 0 END",
    "CASE a WHEN $1::int THEN $2::boolean ELSE $3::boolean END",
  ],
  "case when a = 1 then 's' end = s": [
    "CASE WHEN a = 1 THEN 's' END = s",
    "CASE WHEN a = $1::int THEN $2 END = s",
  ],
  "not exists (select a from E)": [
    "NOT EXISTS (SELECT E$2.a FROM E AS E$2)",
    "NOT EXISTS (SELECT E$2.a FROM E AS E$2)",
  ],
  "a is null": ["a IS NULL", "a IS NULL"],
  "a is not null": ["a IS NOT NULL", "a IS NOT NULL"],
  "a != b": ["a IS NOT b", "a IS DISTINCT FROM b"],
  "a <> b": ["a <> b", "a <> b"],
  "cast(a as String) = s": ["cast(a as text) = s", "cast((a)::text as TEXT) = s"],
  "(a = 1) = (b = 2)": ["(a = 1) = (b = 2)", "(a = $1::int) = (b = $2::int)"],
  "s = 'it''s'": ["s = 'it''s'", "s = $1"],
};

Deno.test("operators are written in the order in which they bind, with parentheses where that is another one", () => {
  for (const [condition, expected] of Object.entries(CONDITIONS)) {
    const found = [
      textOf(SQLITE, `{ a } where ${condition}`, { inline: true }),
      textOf(POSTGRES, `{ a } where ${condition}`),
    ].map((text) => text.replace(/^.*? WHERE /, ""));
    assert.deepEqual(found, expected, condition);
  }
});

Deno.test("windows are written with their parts, order and frame (csn-cqn 6)", () => {
  const windows: Readonly<Record<string, string>> = {
    "": "",
    "partition by a": "PARTITION BY a",
    "partition by a, s": "PARTITION BY a, s",
    "order by s desc": "ORDER BY s DESC",
    "partition by a order by s, a desc nulls last": "PARTITION BY a ORDER BY s, a DESC NULLS LAST",
    "order by a rows unbounded preceding": "ORDER BY a ROWS UNBOUNDED PRECEDING",
    "order by a rows between 1 preceding and current row":
      "ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
    "order by a range between current row and unbounded following":
      "ORDER BY a RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "order by a rows between 1 following and 2 following":
      "ORDER BY a ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
  };
  for (const [window, expected] of Object.entries(windows)) {
    assert.equal(
      textOf(SQLITE, `{ count(*) over (${window}) as c }`, { inline: true }),
      `SELECT count(*) OVER (${expected}) AS c FROM E AS E`,
    );
  }
});

Deno.test("a view has no values of a request, a statement has them bound", () => {
  assert.throws(() => textOf(SQLITE, "{ a } where a in ?", { inline: true }), {
    name: "TypeError",
    message: "A view cannot depend on values of a request",
  });
  assert.match(textOf(SQLITE, "{ a } where a in ?"), / WHERE a IN \(select value from json_each\(\?\)\)$/);
  assert.match(textOf(POSTGRES, "{ a } where a in ?"), / WHERE a = ANY\(\$1\)$/);
  assert.match(textOf(POSTGRES, "{ a } where a not in ?"), / WHERE a <> ALL\(\$1\)$/);
});

Deno.test("attributes of users with one value each are compared with it, others with lists", () => {
  const of = (condition: string, isOfOne: boolean) =>
    textOf(SQLITE, `{ a } where ${condition}`, { isOfOne }).replace(/^.*? WHERE /, "");
  const list = "(select value from json_each(?))";
  assert.equal(of("s in ($user.x)", true), "s = ?");
  assert.equal(of("s in ($user.x)", false), `s IN ${list}`);
  assert.equal(of("s not in ($user.x)", true), "s <> ?");
  assert.equal(of("s not in ($user.x)", false), `s NOT IN ${list}`);
  assert.equal(of("s in ($user.x, $user.y)", true), `s IN ${list}`);
});

Deno.test("PostgreSQL calculates with 64 bits of parameters that are whole numbers, and leaves others as they are", () => {
  const conditionWith = (type?: ValueType) => {
    const sql = textOf(POSTGRES, "{ a } where a - :p = 0", type && { types: { p: type } });
    return sql.slice(sql.indexOf("WHERE "));
  };
  assert.equal(conditionWith("integer"), "WHERE (a)::bigint - ($1::int)::bigint = $2::int");
  assert.equal(conditionWith("number"), "WHERE (a)::bigint - $1::numeric = $2::int");
  assert.equal(conditionWith(), "WHERE (a)::bigint - $1 = $2::int");
});
