/** Which operators bind more strongly than others: what stands in parentheses follows from it. */

import assert from "node:assert/strict";
import type { Expr } from "../../src/algebra/tree.ts";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import { lowerQuery } from "../../src/db/passes/lower_query.ts";
import { precedenceOf, PRIMARY } from "../../src/db/render/equal_texts.ts";
import { renderQuery } from "../../src/db/render/render_query.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const strength = (kind: string, op?: string) => precedenceOf({ kind, op } as unknown as Expr);

Deno.test("operators bind more strongly in the order of SQL, and nothing more than what stands alone", () => {
  const order = [
    ...[
      strength("joined", "or"),
      strength("joined", "and"),
      strength("unary", "not"),
      strength("comparison"),
    ],
    ...[strength("joined", "||"), strength("arithmetic", "+"), strength("arithmetic", "*")],
    ...[strength("unary", "-"), PRIMARY],
  ];
  for (let at = 1; at < order.length; at++) assert.ok(order[at - 1]! < order[at]!, String(at));
  assert.equal(strength("arithmetic", "-"), strength("arithmetic", "+"));
  assert.equal(strength("arithmetic", "/"), strength("arithmetic", "*"));
  for (const kind of ["in", "like", "between"]) assert.equal(strength(kind), strength("comparison"), kind);
  for (const kind of ["literal", "column", "call", "case", "exists"]) {
    assert.equal(strength(kind), PRIMARY, kind);
  }
});

const MODEL = linkModel(
  parseCdl("entity E { a : Integer; b : Integer; c : Integer; s : String; t : String; }"),
);

/** Conditions that are written as they were, but for their case. */
const SAME = [
  ...["a = b + c", "a + b = c", "s = t || s", "s || t = s", "(a = b) = (b = c)", "(a in (b, c)) = (b = c)"],
  ...["a + b + c = a", "a + (b + c) = a", "a - b - c = a", "a - (b - c) = a", "a + (b - c) = a"],
  ...["a * b + c = a", "a + b * c = a", "a * (b + c) = a", "(a + b) * c = a", "a * (b * c) = a"],
  ...["- (a + b) = c", "- a + b = c", "- - a = b", "a + - b = c"],
  ...["not (a = b and b = c)", "not a = b and b = c", "not a in (b, c)", "not not a = b"],
  ...["a = b and (b = c or c = a)", "a = b and b = c or c = a", "(a = b or b = c) and c = a"],
  ...["a + b in (b, c)", "a in (b + c, c)", "a between b + c and c * a", "s || t like s", "s like (t || s)"],
  ...["a is null", "a + b is null", "(s = t) is null", "(a = b and b = c) is not null"],
  ...["case when a = b or b = c then a + b else c end = b", "case a when b + c then b end = c"],
];

/** Conditions with parentheses that say nothing. */
const SIMPLER: Readonly<Record<string, string>> = {
  "(a) = ((b))": "a = b",
  "(a + b) = c": "a + b = c",
  "a = (b + c)": "a = b + c",
  "(a * b) + c = a": "a * b + c = a",
  "(a + b) + c = a": "a + b + c = a",
  "s = (t || s)": "s = t || s",
  "s || (t || s) = s": "s || t || s = s",
  "not (a = b)": "not a = b",
  "(a = b and b = c) or c = a": "a = b and b = c or c = a",
  "a = b and (b = c and c = a)": "a = b and b = c and c = a",
  "(a = b) and (b = c)": "a = b and b = c",
  "(a + b) in ((b), (c))": "a + b in (b, c)",
  "- (a) = b": "- a = b",
};

Deno.test("parentheses stand where the order of operators needs them, and nowhere else", () => {
  const written = (condition: string) => {
    const query = parseCqlQuery(`SELECT from E { a } where ${condition}`);
    const { sql } = renderQuery(SQLITE, lowerQuery(MODEL, query).query);
    return sql.replace(/^.*? WHERE /, "").replaceAll('"E".', "").replaceAll('"', "").toLowerCase();
  };
  for (const condition of SAME) assert.equal(written(condition), condition);
  for (const [condition, simpler] of Object.entries(SIMPLER)) assert.equal(written(condition), simpler);
});
