import assert from "node:assert/strict";
import fc from "fast-check";
import { CqlParser } from "../../src/cqn/grammar/cql_parser.ts";
import {
  parseColumns,
  parseCqlQuery,
  parseExpression,
  parseOrderTerms,
  parseSource,
} from "../../src/cqn/parse_cql.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { propertyRuns } from "../property_runs.ts";

const a = { ref: ["a"] };
const b = { ref: ["b"] };

function expectExpression(text: string, ...expected: unknown[]): void {
  assert.deepEqual(parseExpression(text), expected, text);
}

function expectColumns(text: string, ...expected: unknown[]): void {
  assert.deepEqual(parseColumns(text), expected, text);
}

function expectRejected(parse: (text: string) => unknown, text: string, message: string): void {
  assert.throws(() => parse(text), { name: "ConfigurationError", message }, text);
}

Deno.test("CqlParser has an unambiguous grammar", () => {
  assert.doesNotThrow(() => new CqlParser(false));
});

Deno.test("parseExpression() keeps operands and operators flat, in source order", () => {
  expectExpression(
    "a = 1 and not b <> 'x' or a",
    a,
    "=",
    { val: 1 },
    "and",
    "not",
    b,
    "<>",
    { val: "x" },
    "or",
    a,
  );
  expectExpression("a + b * 2 || 'x'", a, "+", b, "*", { val: 2 }, "||", { val: "x" });
  expectExpression("(a or b) AND a", { xpr: [a, "or", b] }, "and", a);
  expectExpression("a == b and a != b", a, "==", b, "and", a, "!=", b);
});

Deno.test("parseExpression() reads predicates with several words", () => {
  expectExpression("a is null or b IS NOT NULL", a, "is", "null", "or", b, "is", "not", "null");
  expectExpression("a between 1 and 2 and b", a, "between", { val: 1 }, "and", { val: 2 }, "and", b);
  expectExpression("a not like 'A%' escape '!'", a, "not", "like", { val: "A%" }, "escape", { val: "!" });
  expectExpression("a in (1)", a, "in", { list: [{ val: 1 }] });
  expectExpression("a not in (1, 2)", a, "not", "in", { list: [{ val: 1 }, { val: 2 }] });
  expectExpression("exists a[b = 1]", "exists", {
    ref: [{ id: "a", where: [b, "=", { val: 1 }] }],
  });
});

Deno.test("parseExpression() reads literals, and keeps numbers that would lose digits as strings", () => {
  expectExpression("-1.5e3", { val: -1500 });
  expectExpression("a - 1", a, "-", { val: 1 });
  expectExpression("'it''s'", { val: "it's" });
  expectExpression("`tab\\t\\u0021`", { val: "tab\t!" });
  expectExpression("TRUE", { val: true });
  expectExpression("null", { val: null });
  expectExpression("date'2020-02-29'", { val: "2020-02-29", literal: "date" });
  expectExpression("#red", { "#": "red" });
  expectExpression("12345678901234567890", { val: "12345678901234567890", literal: "number" });
  expectExpression("9007199254740991", { val: "9007199254740991", literal: "number" });
});

Deno.test("parseExpression() reads paths, functions, casts and case", () => {
  expectExpression("$user.id", { ref: ["$user", "id"] });
  expectExpression("![a b]]c].from.select", { ref: ["a b]c", "from", "select"] });
  expectExpression("order = left", { ref: ["order"] }, "=", { ref: ["left"] });
  expectExpression("a[1: b = 2].b", {
    ref: [{ id: "a", cardinality: { max: 1 }, where: [b, "=", { val: 2 }] }, "b"],
  });
  expectExpression("a(p: 1).b", { ref: [{ id: "a", args: { p: { val: 1 } } }, "b"] });
  expectExpression("count(*)", { func: "count", args: ["*"] });
  expectExpression("count(distinct a)", { func: "count", args: [{ xpr: ["distinct", a] }] });
  expectExpression("f(x => a)", { func: "f", args: { x: a } });
  expectExpression("a.f(b).b", a, ".", { func: "f", args: [b] }, ".", b);
  expectExpression("cast(a as Decimal(9,2))", {
    ref: ["a"],
    cast: { type: "cds.Decimal", precision: 9, scale: 2 },
  });
  expectExpression("case when a then 1 else 2 end", {
    xpr: ["case", "when", a, "then", { val: 1 }, "else", { val: 2 }, "end"],
  });
  expectExpression("a ? 1 : 2", "case", "when", a, "then", { val: 1 }, "else", { val: 2 }, "end");
  const one = { val: 1 };
  const query = { SELECT: { from: { ref: ["X"] }, columns: [a] } };
  expectExpression("((select a from X) + 1)", { xpr: [query, "+", one] });
  expectExpression("(((select a from X) + 1) * b)", { xpr: [{ xpr: [query, "+", one] }, "*", b] });
  expectExpression("((select a from X), 1)", { list: [query, one] });
  expectExpression("(((select a from X)))", query);
  expectExpression("((select a from X) limit 1)", { SELECT: { ...query.SELECT, limit: { rows: one } } });
  expectExpression("((select a from X) union (select a from X))", {
    SET: { op: "union", args: [query, query] },
  });
  expectExpression("b in ((select a from X) + 1)", b, "in", { list: [{ xpr: [query, "+", one] }] });
  expectExpression("rank() over (partition by a order by b desc)", {
    func: "rank",
    args: [],
    xpr: ["over", { xpr: ["partition", "by", a, "order", "by", b, "desc"] }],
  });
});

Deno.test("parseExpression() reads extract(year from d) as the function of that name, and calls of others as they are", () => {
  expectExpression("extract(year from d)", { func: "year", args: [{ ref: ["d"] }] });
  expectExpression("EXTRACT(Month FROM a.d)", { func: "month", args: [{ ref: ["a", "d"] }] });
  expectExpression("extract(d)", { func: "extract", args: [{ ref: ["d"] }] });
  for (const text of ["extract(from d)", "extract(year from)", "strip(year from d)"]) {
    assert.throws(() => parseExpression(text), ConfigurationError, text);
  }
});

Deno.test("parseExpression() puts values in place of ? and numbered parameters", () => {
  assert.deepEqual(parseExpression("a = ? and b in ?", [1, [2, 3]]), [
    ...[a, "=", { val: 1 }, "and", b, "in", { list: [{ val: 2 }, { val: 3 }] }],
  ]);
  assert.deepEqual(parseExpression(":2 = :1", ["x", b]), [b, "=", { val: "x" }]);
  assert.deepEqual(parseExpression("? = :p"), [
    { ref: ["?"], param: true },
    "=",
    { ref: ["p"], param: true },
  ]);
  assert.throws(() => parseExpression("a = ?", []), { message: "1:5: No value for placeholder 1" });
});

Deno.test("parseCqlQuery() reads both orders of columns and source", () => {
  const query = { SELECT: { from: { ref: ["x.Books"] }, columns: [a, { ref: ["b"], as: "c" }] } };
  assert.deepEqual(parseCqlQuery("SELECT from x.Books { a, b as c }"), query);
  assert.deepEqual(parseCqlQuery("select a, b as c from x.Books"), query);
});

Deno.test("parseCqlQuery() reads all clauses", () => {
  const text = "select distinct from A as x { a } excluding { b } where a = 1 group by a, b having b > 2 " +
    "order by a desc nulls last, b limit 10 offset 20";
  assert.deepEqual(parseCqlQuery(text), {
    SELECT: {
      distinct: true,
      from: { ref: ["A"], as: "x" },
      columns: [a],
      excluding: ["b"],
      where: [a, "=", { val: 1 }],
      groupBy: [a, b],
      having: [b, ">", { val: 2 }],
      orderBy: [{ ref: ["a"], sort: "desc", nulls: "last" }, b],
      limit: { rows: { val: 10 }, offset: { val: 20 } },
    },
  });
});

Deno.test("parseCqlQuery() reads joins, unions and subqueries", () => {
  assert.deepEqual(parseCqlQuery("select from A as x left join B on x.a = B.a"), {
    SELECT: {
      from: {
        join: "left",
        args: [{ ref: ["A"], as: "x" }, { ref: ["B"] }],
        on: [{ ref: ["x", "a"] }, "=", { ref: ["B", "a"] }],
      },
    },
  });
  assert.throws(() => parseCqlQuery("select from A left join B where a = 1"), /Found "where", expected "on"/);
  assert.deepEqual(parseCqlQuery("select from A cross join B"), {
    SELECT: { from: { join: "cross", args: [{ ref: ["A"] }, { ref: ["B"] }] } },
  });
  const [first, second] = [{ SELECT: { from: { ref: ["A"] } } }, { SELECT: { from: { ref: ["B"] } } }];
  assert.deepEqual(parseCqlQuery("select from A union all select from B order by a limit 1"), {
    SET: { op: "union", all: true, args: [first, second], orderBy: [a], limit: { rows: { val: 1 } } },
  });
  assert.deepEqual(parseCqlQuery("select from (select from A) as q where a in (select from B)"), {
    SELECT: { from: { ...first, as: "q" }, where: [a, "in", second] },
  });
});

Deno.test("parseColumns() reads nested columns", () => {
  expectColumns("*, a { *, b } as c", "*", { ref: ["a"], expand: ["*", b], as: "c" });
  expectColumns("{ a.{ b }, a.* }", { ref: ["a"], inline: [b] }, { ref: ["a"], inline: ["*"] });
  expectColumns("*, { a, b } as c", "*", { expand: [a, b], as: "c" });
});

Deno.test("parseColumns() reads keys, virtual columns and casts", () => {
  expectColumns("virtual 'x' as c", { val: "x", virtual: true, as: "c" });
  expectColumns("key a, virtual b, virtual", { ref: ["a"], key: true }, { ref: ["b"], virtual: true }, {
    ref: ["virtual"],
  });
  expectColumns("a + b as c : String(5)", {
    xpr: [a, "+", b],
    as: "c",
    cast: { type: "cds.String", length: 5 },
  });
});

Deno.test("parseSource() and parseOrderTerms() read their parts alone", () => {
  assert.deepEqual(parseSource("x.A[a = 1]:b.c as d"), {
    ref: [{ id: "x.A", where: [a, "=", { val: 1 }] }, "b", "c"],
    as: "d",
  });
  assert.deepEqual(parseOrderTerms("a asc, b"), [{ ref: ["a"], sort: "asc" }, b]);
});

Deno.test("parseSource() reads all clauses of a step in brackets", () => {
  const one = { val: 1 };
  assert.deepEqual(
    parseSource("A[where a = 1 group by a, b having b > 1 order by a desc limit 1 offset 1]"),
    {
      ref: [{
        id: "A",
        where: [a, "=", one],
        groupBy: [a, b],
        having: [b, ">", one],
        orderBy: [{ ...a, sort: "desc" }],
        limit: { rows: one, offset: one },
      }],
    },
  );
});

Deno.test("parseSource() takes elements with names of clauses in brackets, which begin a clause before by only", () => {
  const one = { val: 1 };
  for (const name of ["order", "group"]) {
    assert.deepEqual(parseSource(`A[${name} = 1]`), {
      ref: [{ id: "A", where: [{ ref: [name] }, "=", one] }],
    });
  }
});

Deno.test("parseSource() takes names, definitions and queries as values, and nothing else", () => {
  assert.deepEqual(parseSource("? as x", ["A"]), { ref: ["A"], as: "x" });
  assert.deepEqual(parseSource(":1", [{ name: "A", elements: {} }]), { ref: ["A"] });
  assert.deepEqual(parseSource("?", [{ SELECT: { from: a } }]), { SELECT: { from: a } });
  const message = "1:1: Found a value that is no entity, path or query in place of a source";
  assert.throws(() => parseSource("?", [1]), { name: "ConfigurationError", message });
  assert.throws(() => parseSource("?"), { name: "ConfigurationError", message });
});

Deno.test("parseCqlQuery() rejects with position, what was found and what was expected", () => {
  expectRejected(parseCqlQuery, "SELECT form Books", '1:13: Found "Books", expected "from"');
  expectRejected(parseCqlQuery, "select from A {", '1:16: Found end of text, expected a column or "}"');
  expectRejected(parseCqlQuery, "select from A\nwhere", "2:6: Found end of text, expected an expression");
  expectRejected(parseCqlQuery, "select from A { a b }", '1:19: Found "b", expected ","');
  expectRejected(parseExpression, "a = )", '1:5: Found ")", expected an expression');
  expectRejected(parseExpression, "a b", '1:3: Found "b", expected end of text');
  expectRejected(
    parseCqlQuery,
    "select from A order by a nulls x",
    '1:32: Found "x", expected one of "first", "last"',
  );
  expectRejected(parseCqlQuery, "select from A { a as }", '1:22: Found "}", expected a name');
  expectRejected(
    parseExpression,
    "f() over (order by a rows x)",
    '1:27: Found "x", expected one of "between", "current", "unbounded", a number',
  );
  expectRejected(
    parseExpression,
    "a = 'oops",
    "1:5: Unterminated string: expected a closing ' on the same line; a ' inside of a text is written ''",
  );
  expectRejected(parseExpression, "a /* b", "1:3: Unterminated comment: expected a closing */");
  const [long, longer] = ["b".repeat(40), "b".repeat(41)];
  expectRejected(parseExpression, `a ${long}`, `1:3: Found "${long}", expected end of text`);
  expectRejected(parseExpression, `a ${longer}`, `1:3: Found "${"b".repeat(37)}...", expected end of text`);
  expectRejected(parseExpression, "a ~ b", '1:3: Found "~", which begins nothing known');
  expectRejected(parseExpression, "(".repeat(101), "1:101: Nested deeper than 100 levels");
  for (const prefix of ["not ", "- ", "+ ", "exists "]) {
    const place = `1:${100 * prefix.length + 1}`;
    expectRejected(parseExpression, `${prefix.repeat(101)}a`, `${place}: Nested deeper than 100 levels`);
  }
});

Deno.test("parseCqlQuery() fails with nothing but ConfigurationError on garbage", () => {
  const words =
    "select from A a b ( ) [ ] { } , . : ? 'x' 1 = <> and or not in is null as key case when then end " +
    "exists union join on order by limit * - |";
  const text = fc.array(fc.oneof(fc.constantFrom(...words.split(" ")), fc.string({ maxLength: 3 })), {
    maxLength: 20,
  }).map((parts) => `select from A ${parts.join(" ")}`);
  fc.assert(
    fc.property(text, (cql) => {
      try {
        parseCqlQuery(cql);
      } catch (error) {
        assert.ok(error instanceof ConfigurationError, `${cql}: ${error}`);
      }
    }),
    propertyRuns(300, 42),
  );
});

Deno.test("parseCqlQuery() reads unions in a row as one as long as they are alike", () => {
  const [first, second, third] = ["A", "B", "C"].map((name) => ({ SELECT: { from: { ref: [name] } } }));
  const set = (text: string) => parseCqlQuery(text.replaceAll(/[ABC]/g, "select from $&"));
  const alike = { op: "union", args: [first, second, third] };
  assert.deepEqual(set("A union B union C"), { SET: alike });
  assert.deepEqual(set("A union all B union all C"), { SET: { ...alike, all: true } });
  const inner = { SET: { op: "union", args: [first, second] } };
  assert.deepEqual(set("A union B union all C"), { SET: { op: "union", all: true, args: [inner, third] } });
  const innerAll = { SET: { op: "union", all: true, args: [first, second] } };
  assert.deepEqual(set("A union all B union C"), { SET: { op: "union", args: [innerAll, third] } });
});

Deno.test("parseCqlQuery() takes one semicolon behind a query, and nothing behind it", () => {
  const query = parseCqlQuery("SELECT from Books { title }");
  assert.deepEqual(parseCqlQuery("SELECT from Books { title };"), query);
  assert.throws(() => parseCqlQuery("SELECT from Books { title };;"), ConfigurationError);
});
