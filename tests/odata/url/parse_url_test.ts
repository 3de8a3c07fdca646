import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceError } from "../../../src/errors/service_error.ts";
import type { CommonExpr } from "../../../src/odata/url/ast.ts";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";
import { UrlParser } from "../../../src/odata/url/url_parser.ts";
import { testPlanner } from "../plan/model.ts";
import { propertyRuns } from "../../property_runs.ts";

function expectRejected(url: string, message: string): void {
  assert.throws(() => parseUrl(url), (error) => {
    assert.ok(isServiceError(error), String(error));
    assert.equal(error.status, 400);
    assert.equal(error.code, "400");
    assert.equal(error.message, message);
    return true;
  });
}

function filter(text: string): CommonExpr {
  return parseUrl(`Books?$filter=${text}`).options.filter!;
}

Deno.test("the grammar of URLs is sound and without ambiguities that no gate decides", () => {
  assert.doesNotThrow(() => new UrlParser(false));
});

Deno.test("parseUrl() reads the name of an operator where an operand is due as a name (ABNF odataIdentifier)", () => {
  const member = (offset: number, name: string) => ({
    ...{ kind: "memberExpr", offset, root: undefined },
    steps: [{ kind: "memberName", offset, name, parens: [] }],
  });
  for (const name of ["in", "add", "eq", "mod"]) {
    const { left, right } = filter(`${name} gt ${name}`) as Extract<CommonExpr, { kind: "binaryExpr" }>;
    const [first, second] = [14, 14 + name.length + 4];
    assert.deepEqual({ ...left, root: undefined }, member(first, name));
    assert.deepEqual({ ...right, root: undefined }, member(second, name));
  }
  const isName = { kind: "memberExpr", steps: [{ name: "in" }] };
  for (const text of ["- in gt 1", "[ in ] eq 1", "( in ) eq 1", "-( in ) gt 1"]) {
    const { left } = filter(text) as Extract<CommonExpr, { kind: "binaryExpr" }>;
    const { expr = left, items = [expr] } = left as { expr?: CommonExpr; items?: readonly CommonExpr[] };
    assert.partialDeepStrictEqual(items[0], isName, text);
  }
  for (const text of ["not in", "not  in "]) {
    assert.partialDeepStrictEqual(filter(text), { kind: "notExpr", expr: isName }, text);
  }
  const { right } = filter("price eq add(1)") as Extract<CommonExpr, { kind: "binaryExpr" }>;
  const { steps: [step] } = right as Extract<CommonExpr, { kind: "memberExpr" }>;
  assert.partialDeepStrictEqual(step, { name: "add", parens: [{ items: [{ value: { value: 1 } }] }] });
});

Deno.test("parseUrl() rejects text behind an expression with offset, found and expected", () => {
  expectRejected(
    "Books?$filter=a%20eq%201%20b",
    'Syntax error at offset 27: found "b", expected an operator or the end',
  );
  expectRejected(
    "Books?$filter=a eq",
    "Syntax error at offset 18: found the end, expected an operand",
  );
});

Deno.test("parseUrl() rejects an unknown function in $filter", () => {
  expectRejected(
    "Books?$filter=contain(title,'x')",
    'Syntax error at offset 14: found "contain", expected a known function; did you mean "contains"?',
  );
});

Deno.test("parseUrl() rejects a wrong number of arguments", () => {
  expectRejected(
    "Books?$filter=contains(title)",
    'Syntax error at offset 14: found "contains with 1 argument", expected 2 arguments',
  );
});

Deno.test("parseUrl() rejects unknown and repeated options", () => {
  expectRejected(
    "Books?$fliter=a",
    'Syntax error at offset 6: found "$fliter", expected a known query option; did you mean "$filter"?',
  );
  expectRejected(
    "Books?$top=1&top=2&$top=3",
    'Syntax error at offset 19: found "$top", expected each option once',
  );
  expectRejected(
    "Books?$filter=ID eq @a&@a=1&@b=2&@a=1",
    'Syntax error at offset 33: found "@a", expected each option once',
  );
  expectRejected(
    "Books?$expand=author($filter=ID eq @a;@a=1;@a=2)",
    'Syntax error at offset 43: found "@a=", expected each option once',
  );
  expectRejected(
    "Books?$search='a'&$search='b'",
    'Syntax error at offset 18: found "$search", expected each option once',
  );
  expectRejected(
    "Books?$expand=author($search='a';$search=b)",
    'Syntax error at offset 33: found "$search=", expected each option once',
  );
  expectRejected(
    "Books?$expand=author($search=a;$search='b')",
    'Syntax error at offset 31: found "$search=", expected each option once',
  );
});

Deno.test("parseUrl() takes $levels for all that $expand=* stands for, and no other option (URL 5.1.3)", () => {
  assert.equal(parseUrl("Books?$expand=*($levels=2)").options.expand![0]!.options!.levels, 2);
  expectRejected(
    "Books?$expand=*($top=1)",
    'Syntax error at offset 16: found "$top", expected $levels',
  );
  expectRejected(
    "Books?$expand=*($levels=2;$select=ID)",
    'Syntax error at offset 26: found "$select", expected $levels',
  );
});

Deno.test("parseUrl() rejects malformed percent-encoding anywhere", () => {
  expectRejected("Books('%zz')", 'Syntax error at offset 7: found "%zz\')", expected valid percent-encoding');
  expectRejected("Books?x=%ff", 'Syntax error at offset 8: found "%ff", expected valid percent-encoding');
});

Deno.test("parseUrl() counts offsets in the raw URL", () => {
  expectRejected(
    "Books?$filter=%C3%BC%20eq%20)",
    'Syntax error at offset 28: found ")", expected an operand',
  );
});

Deno.test("parseUrl() counts a character as often as its bytes are encoded, wherever the text breaks off", () => {
  const characters = [
    "a",
    "%7F",
    "%C2%80",
    "%DF%BF",
    "%E0%A0%80",
    "%EF%BF%BD",
    "%F0%90%80%80",
    "%F4%8F%BF%BF",
  ];
  for (const character of [...characters, characters.join(""), characters.toReversed().join("b")]) {
    const begin = `Books?$filter=name%20eq%20'${character}'%20`;
    expectRejected(
      `${begin})`,
      `Syntax error at offset ${begin.length}: found ")", expected an operator or the end`,
    );
    const open = `${begin}and`;
    expectRejected(open, `Syntax error at offset ${open.length}: found the end, expected an operand`);
  }
});

Deno.test("parseUrl() says that a quote is missing where a text does not end", () => {
  const expected = (url: string, at: number, wanted: string) =>
    expectRejected(
      url,
      `Syntax error at offset ${at}: found "${decodeURIComponent(url.slice(at))}", expected ${wanted}`,
    );
  expected("Books?$filter=name eq 'x", 22, "a closing quote");
  expected('Books?$search="x', 14, "a closing quote");
  expected("Books?$filter=name eq ~", 22, "a name, literal or operator");
});

Deno.test("parseUrl() splits before decoding", () => {
  const [segment] = parseUrl("Categories('Smartphone%2FTablet')").path;
  assert.ok(segment.kind === "nameSegment");
  const [{ value }] = segment.parens[0].items;
  assert.ok(value.kind === "primitiveLiteral");
  assert.equal(value.value, "Smartphone/Tablet");
  assert.throws(() => parseUrl("Categories('Smartphone/Tablet')"));
});

Deno.test("parseUrl() takes a plus in the query for a blank, but for the sign of a time zone", () => {
  const text = filter("a+eq+'b+c'");
  assert.ok(text.kind === "binaryExpr" && text.right.kind === "primitiveLiteral");
  assert.equal(text.right.value, "b c");
  const instant = filter("a+eq+2024-01-01T12:30:00+01:00");
  assert.ok(instant.kind === "binaryExpr" && instant.right.kind === "primitiveLiteral");
  assert.equal(instant.right.type, "Edm.DateTimeOffset");
});

Deno.test("parseUrl() reads no word as reserved", () => {
  for (
    const text of [
      "eq eq eq",
      "in in (1,2)",
      "any eq 1",
      "a gt in",
      "add add add lt 2",
      "asc eq 1",
      "as ne 1",
    ]
  ) {
    assert.equal(filter(text).kind, "binaryExpr", text);
  }
  for (const name of ["desc", "asc", "eq", "identity"]) {
    assert.equal(parseUrl(`Books?$compute=1%20as%20${name}`).options.compute?.[0]?.name, name);
  }
});

Deno.test("parseUrl() gives operators their precedence", () => {
  const tree = filter("a or b and c eq d add e mul 2");
  assert.ok(tree.kind === "binaryExpr" && tree.operator === "or");
  assert.ok(tree.right.kind === "binaryExpr" && tree.right.operator === "and");
  const left = filter("a sub b sub c");
  assert.ok(left.kind === "binaryExpr" && left.left.kind === "binaryExpr");
});

Deno.test("parseUrl() accepts options without $ and names in any letter case", () => {
  const { options } = parseUrl("Books?FILTER=a EQ 1 AND CONTAINS(b,'c')&Top=3");
  assert.equal(options.top, 3);
  assert.ok(options.filter?.kind === "binaryExpr" && options.filter.operator === "and");
});

Deno.test("parseUrl() keeps integers and decimals exact", () => {
  const value = (text: string) => {
    const tree = filter(`a eq ${text}`);
    assert.ok(tree.kind === "binaryExpr" && tree.right.kind === "primitiveLiteral");
    return tree.right.value;
  };
  assert.equal(value("9007199254740993"), 9007199254740993n);
  assert.equal(value("0.1234567890123456789"), "0.1234567890123456789");
  assert.equal(value("1.5"), 1.5);
});

Deno.test("parseUrl() takes the suffixes of numbers that clients of 4.0 still send", () => {
  const literal = (text: string) => {
    const tree = filter(`a eq ${text}`);
    assert.ok(tree.kind === "binaryExpr" && tree.right.kind === "primitiveLiteral");
    return [tree.right.type, tree.right.value];
  };
  assert.deepEqual(literal("21L"), ["Edm.Int64", 21]);
  assert.deepEqual(literal("-9007199254740993L"), ["Edm.Int64", -9007199254740993n]);
  assert.deepEqual(literal("30D"), ["Edm.Double", 30]);
  assert.deepEqual(literal("1.5e3f"), ["Edm.Double", 1500]);
  assert.deepEqual(literal("21M"), ["Edm.Decimal", 21]);
  assert.deepEqual(literal("0.1234567890123456789m"), ["Edm.Decimal", "0.1234567890123456789"]);
  for (const wrong of ["1.5L", "21X", "21Lx"]) assert.throws(() => literal(wrong), wrong);
  assert.throws(() => parseUrl("Books?$top=5L"));
  assert.throws(() => parseUrl("Books?$expand=author($top=5L)"));
});

Deno.test("parseUrl() limits depth and size before they grow", () => {
  const deep = `${"(".repeat(200)}a${")".repeat(200)}`;
  assert.throws(() => filter(deep), /nested too deeply at offset \d+, the limit is 100/);
  assert.throws(() => filter(Array(600).fill("a").join(" or ")), /too long at offset \d+, the limit is 500/);
  assert.throws(() => filter(`${"not ".repeat(200)}a`), /nested too deeply/);
  assert.throws(() => parseUrl("x".repeat(20_000)), (error) => isServiceError(error) && error.status === 414);
  assert.equal(filter(`${"(".repeat(90)}a${")".repeat(90)}`).kind, "memberExpr");
  const groups = (count: number) =>
    `Books?$apply=aggregate(a with sum${" from b with sum".repeat(count)} as c)`;
  assert.throws(() => parseUrl(groups(101)), /nested too deeply at offset \d+, the limit is 100/);
  assert.equal(parseUrl(groups(90)).options.apply?.trafos.length, 1);
});

Deno.test("planUrl() limits $expand, lists and lambdas", () => {
  const planner = testPlanner({ inList: 3, expandItems: 2, lambdaDepth: 1, expandDepth: 2 });
  const plan = (url: string) => () => planner.planUrl(url);
  assert.throws(plan("Books?$filter=stock in (1,2,3,4)"), /list is too long.*limit is 3/);
  assert.throws(plan("Books?$expand=author,reviews,texts"), /Too many items of \$expand.*limit is 2/);
  assert.throws(plan("Books?$expand=a($expand=b($expand=c))"), /Too many|too deeply/);
  assert.throws(plan("Books?$filter=reviews/any(r:r/x/any(s:s/y))"), /nested too deeply.*limit is 1/);
  assert.throws(
    plan("Books?$filter=reviews/$count($filter=book/reviews/$filter(true)/$count gt 1) gt 1"),
    /nested too/,
  );
});

Deno.test("planUrl() limits expressions with the values of aliases in place of their names", () => {
  const planner = testPlanner();
  const chain = (count: number, value: (next: string) => string, last: string) =>
    [...Array.from({ length: count }, (_, at) => `@a${at}=${value(`@a${at + 1}`)}`), `@a${count}=${last}`]
      .join("&");
  const plan = (filter: string, aliases: string) => () =>
    planner.planUrl(`Books?$filter=${filter}&${aliases}`);
  const deep = /aliases it is nested too deeply at offset \d+, the limit is 100/;
  assert.throws(plan("@a0 eq 1", chain(40, (next) => `(${next} add ${next})`, "1")), /it is too long.*20000/);
  assert.throws(plan("stock in @a0", chain(40, (next) => `[${next},${next}]`, "1")), /it is too long.*20000/);
  const wide = `@a=(${Array(400).fill("1").join(" add ")})`;
  assert.throws(plan(Array(60).fill("@a eq 1").join(" or "), wide), /it is too long.*20000/);
  assert.throws(plan("@a0 eq 1", chain(400, (next) => `-${next}`, "1")), deep);
  assert.throws(plan("@a0", chain(400, (next) => `not ${next}`, "true")), deep);
  const sum = Array(300).fill("1").join(" add ");
  assert.throws(plan("@a0 eq 1", chain(3, (next) => `${next} add ${sum}`, "1")), /too deeply.*limit is 500/);
  assert.throws(
    plan("reviews/any(x:@a0)", chain(4, (next) => `x/book/reviews/any(x:${next})`, "true")),
    /conditions about related rows are nested too deeply.*limit is 3/,
  );
  assert.throws(plan("@a0 eq 1", chain(21, (next) => `${next}/author`, "author")), /a path is too long.*20/);
  assert.equal(plan("@a0 eq stock", chain(5, (next) => `(${next} add 1)`, "1"))().kind, "entitySet");
});

Deno.test("planUrl() measures the value of an alias once: too deep is where its name stands", () => {
  const filter = `@a eq 1 or ${"-".repeat(95)}@a eq 1`;
  const message = `With the values of parameter aliases it is nested too deeply at offset ${
    "Books?$filter=".length + filter.lastIndexOf("@a")
  }, the limit is 100`;
  assert.throws(() => testPlanner().planUrl(`Books?$filter=${filter}&@a=---@b&@b=----1`), { message });
});

Deno.test("planUrl() refuses parameter aliases that refer to themselves", () => {
  const planner = testPlanner();
  for (
    const aliases of ["@a=@a", "@a=-@a", "@a=(@b add 1)&@b=-@a", '@a={"p":[@b]}&@b=@a', "@b=tolower(@b)"]
  ) {
    assert.throws(
      () => planner.planUrl(`Books?$filter=@a eq 1&${aliases}`),
      /parameter alias @[ab] refers to itself at offset \d+/,
    );
  }
});

const WORDS = [
  ..."()/,;:'\"=?&$@*[]{}%-+. ",
  ...[
    "Books",
    "author",
    "title",
    "stock",
    "$filter=",
    "$select=",
    "$expand=",
    "$orderby=",
    "$apply=",
    "$search=",
  ],
  ...[
    "eq",
    " and ",
    " or ",
    "not ",
    " in ",
    "any(",
    "all(",
    "contains(",
    "groupby((",
    "aggregate(",
    " with sum as x",
  ],
  ...[
    "1",
    "'a'",
    "2024-01-01",
    "null",
    "true",
    "$count",
    "$it/",
    "@p",
    "%27",
    "%20",
    "%",
    "case(",
    "cast(",
    "Edm.String",
  ],
];

Deno.test("planUrl() throws nothing but errors for clients, whatever the URL", () => {
  const planner = testPlanner();
  const url = fc.array(fc.constantFrom(...WORDS), { maxLength: 25 }).map((parts) => parts.join(""));
  const prefixed = fc.tuple(
    fc.constantFrom("", "Books?", "Books(1)/", "Books?$filter=", "Books?$expand="),
    url,
  );
  fc.assert(
    fc.property(prefixed, ([prefix, rest]) => {
      try {
        planner.planUrl(prefix + rest);
      } catch (error) {
        assert.ok(isServiceError(error), `${prefix + rest}: ${String(error)}`);
        const { status } = error;
        assert.ok(status === 501 || (status !== undefined && status >= 400 && status < 500), String(status));
      }
    }),
    propertyRuns(3000, 7),
  );
});

Deno.test("parseUrl() answers 404 for a path that cannot be read", () => {
  for (const url of ["Books(201", "$foo", "Books(1", ".Books(1)"]) {
    assert.throws(() => parseUrl(url), (error) => isServiceError(error) && error.status === 404, url);
  }
});

Deno.test("parseUrl() rejects chained comparisons", () => {
  expectRejected(
    "Books?$filter=a eq 1 eq true",
    'Syntax error at offset 20: found "eq", expected parentheses around one of the comparisons',
  );
});

Deno.test("parseUrl() keeps parentheses around a negation in front of in and has", () => {
  const left = (filter: string) => {
    const tree = parseUrl(`Books?$filter=${encodeURIComponent(filter)}`).options.filter!;
    return tree.kind;
  };
  assert.equal(left("not a in (1,2)"), "notExpr");
  assert.equal(left("(not a) in (true,false)"), "binaryExpr");
});

/** Texts that a production refuses: where, what is found, what was expected. */
const REFUSED: readonly (readonly [url: string, problem: string])[] = [
  ["A?$filter=a eq", "offset 14: found the end, expected an operand"],
  [
    "A?$filter=a/1",
    'offset 12: found "1", expected a name, "@name", "any", "$count", "$filter" or "aggregate"',
  ],
  ["A?$filter=f(a", 'offset 13: found the end, expected ")"'],
  ["A?$filter=b/any(1)", 'offset 16: found "1", expected a lambda variable'],
  ["A?$filter=b/all()", 'offset 16: found ")", expected a lambda variable'],
  ["A?$filter=cast(a,1)", 'offset 17: found "an expression", expected a type name'],
  ["A?$filter=a in {1}", 'offset 16: found "1", expected a JSON string'],
  ["A?$orderby=a,", "offset 13: found the end, expected an operand"],
  ["A?$compute=a", 'offset 12: found the end, expected "as"'],
  ["A?$compute=a as b.c", 'offset 16: found "b.c", expected a name without namespace'],
  ["A?$select=a/1", 'offset 12: found "1", expected a name, "*", "Namespace.*", "@name" or "$value"'],
  ["A?$select=a(1)", 'offset 12: found "1", expected a query option'],
  ["A?$expand=a(x=1)", 'offset 12: found "x=", expected a query option'],
  ["A?$expand=a($levels=0)", 'offset 20: found "0", expected a positive integer or "max"'],
  ["A?$expand=a($count=1)", 'offset 19: found "1", expected "true" or "false"'],
  ["A?$expand=a($top=-1)", 'offset 17: found "-1", expected a non-negative integer'],
  [
    "A?$expand=a/$ref($select=b)",
    'offset 17: found "$select", expected $filter, $search, $orderby, $skip, $top, $count',
  ],
  ["A?$expand=a($top=1;$top=2)", 'offset 19: found "$top=", expected each option once'],
  ["A?$search=(a", 'offset 12: found the end, expected ")"'],
  ["A?$apply=a", 'offset 9: found "a", expected a transformation'],
  ["A?$apply=f(1)", 'offset 9: found "f", expected a transformation or a function with namespace'],
  [
    "A?$apply=aggregate(a with most as b)",
    'offset 26: found "most", expected sum, min, max, average, countdistinct',
  ],
  ["A?$apply=aggregate(a with sum)", 'offset 29: found ")", expected "as" with an alias'],
  ["A?$apply=groupby((1))", 'offset 18: found "1", expected a path'],
  [
    "A?$apply=traverse($root/A,h,ID,inorder)",
    'offset 31: found "inorder", expected "preorder" or "postorder"',
  ],
];

Deno.test("parseUrl() tells for each production where the text breaks off and what was expected", () => {
  for (const [url, problem] of REFUSED) expectRejected(url, `Syntax error at ${problem}`);
});

Deno.test("search( is a transformation where one may stand, and a name everywhere else", () => {
  const kinds = (options: string) => {
    const { apply } = parseUrl(`Books?${options}`).options;
    return apply!.trafos.map(({ kind }) => kind);
  };
  assert.deepEqual(kinds("$apply=search(a b)"), ["searchTrafo"]);
  assert.deepEqual(kinds("$apply=filter(a eq 1)/search(a or)/groupby((search,b),search(c))"), [
    ...["filterTrafo", "searchTrafo", "groupbyTrafo"],
  ]);
  assert.deepEqual(kinds("$apply=concat(search(x),filter(a eq 1)/search(y))"), ["concatTrafo"]);
  const inside = parseUrl("Books?$expand=a($apply=search(x OR y))").options.expand;
  assert.match(JSON.stringify(inside), /"searchTrafo".*"searchOrExpr"/);
  for (
    const url of [
      "$expand=search($filter=a eq 1;$select=b)",
      "$expand=search($search=a (b OR c);$count=true),other",
      "$expand=a($expand=search($top=1);$apply=search(x)),search($levels=2)",
      "$select=search($top=1),a",
      "$orderby=search/$count($search=a),search/$count desc",
      "$filter=search/any(s:s/search/$count($search=a) gt 1)",
    ]
  ) assert.doesNotThrow(() => parseUrl(`Books?${url}`), url);
});

Deno.test("booleans are true or false in any case, and nothing else (ABNF booleanValue)", () => {
  const texts = ["true", "false", "TRUE", "False"];
  assert.deepEqual(texts.map((text) => parseUrl(`A?$count=${text}`).options.count), [
    true,
    false,
    true,
    false,
  ]);
  const inside = texts.map((text) =>
    parseUrl(`A?$expand=a($count=${text})`).options.expand![0]!.options!.count
  );
  assert.deepEqual(inside, [true, false, true, false]);
  for (const text of ["null", "INF", "1", "yes", "'true'", ""]) {
    for (const url of [`A?$count=${text}`, `A?$expand=a($count=${text})`]) {
      assert.throws(() => parseUrl(url), { status: 400 }, url);
    }
  }
});

Deno.test("words of the grammar are names where an operand is due", () => {
  for (
    const text of ["substring(name, asc)", "concat(a, desc) eq 'x'", "concat(a, eq ) eq eq", "a in ( in )"]
  ) {
    assert.doesNotThrow(() => filter(text), text);
  }
  const [item] = parseUrl("Books?$orderby=concat(a, desc) desc,asc asc").options.orderby!;
  assert.equal(item!.desc, true);
});
