/** URLs that the grammar of the standard accepts and rejects (OData ABNF Construction Rules 4.01). */

import assert from "node:assert/strict";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";

function isAccepted(url: string): boolean {
  try {
    parseUrl(url);
    return true;
  } catch (error) {
    assert.ok([400, 404].includes((error as { status: number }).status), `${url}: ${error}`);
    return false;
  }
}

function expectVerdicts(accepted: readonly string[], rejected: readonly string[]): void {
  for (const url of accepted) assert.ok(isAccepted(url), `${url} is rejected`);
  for (const url of rejected) assert.ok(!isAccepted(url), `${url} is accepted`);
}

function searched(option: string): unknown {
  const { search, expand } = parseUrl(`Books?${option}`).options;
  const [node] = [search ?? expand![0]!.options!.search] as { kind: string; text?: string }[];
  return [node!.kind, node!.text];
}

Deno.test("parseUrl() takes percent-encoded semicolons for parts of search words (ABNF searchWord)", () => {
  assert.deepEqual(searched("$search=a%3Bb"), ["searchWord", "a;b"]);
  assert.deepEqual(searched("$search=%3b"), ["searchWord", ";"]);
  assert.deepEqual(searched("$expand=author($search=a%3Bb)"), ["searchWord", "a;b"]);
  assert.deepEqual(searched("$expand=author($search=%3Ba;$top=1)"), ["searchWord", ";a"]);
  assert.deepEqual(searched('$search="a;b"'), ["searchPhrase", "a;b"]);
  expectVerdicts(
    ["Books?$apply=search(a%3Bb)", "Books?$expand=a($search=%C3%A4%3Bb;$count=true)"],
    ["Books?$search=a;b", "Books?$search=;", "Books?$expand=a($search=a;b)"],
  );
});

Deno.test("parseUrl() takes percent-encoded double quotes for double quotes in search text (ABNF searchPhrase)", () => {
  assert.deepEqual(searched("$search=%22blue%20green%22"), ["searchPhrase", "blue green"]);
  expectVerdicts(
    ["Books?$search=%22blue%22%20green", 'Books?$search="blue" OR %22green%22', "Books?$search='%22blue'"],
    [
      "Books?$search=%22blue",
      "Books?$search=blue%22",
      'Books?$search="blue%22green',
      'Books?$search="blue%22green"',
      'Books?$search="a""b"',
    ],
  );
});

Deno.test("parseUrl() takes literals and aliases for members of lists, and nothing else (ABNF listExpr)", () => {
  const filter = (list: string) => `Books?$filter=stock in ${list}`;
  expectVerdicts(
    ["(1)", "(1,-2)", "(1,@a)", "(@a,@b,3)", "('a','b')", "(null)", "@a"].map(filter),
    ["(1,@a/x)", "(1,stock)", "(1,$it)", "(1,year(at))"].map(filter),
  );
});

Deno.test("parseUrl() takes a type, or a collection of one, for the type of cast and isof (ABNF qualifiedTypeName)", () => {
  const types = ["Edm.String", "S.T", "'S.T'", "Collection(Edm.String)", "Collection(S.T)"];
  const others = [
    "Collection(S.T,S.U)",
    "Collection(Collection(S.T))",
    "Collection()",
    "Collection(a=S.T)",
    "a/b",
    "5",
  ];
  for (const call of ["isof", "cast"]) {
    const urls = (of: readonly string[]) =>
      of.flatMap((type) => [`Books?$filter=${call}(a,${type}) eq b`, `Books?$filter=${call}(${type}) eq b`]);
    expectVerdicts(urls(types), urls(others));
  }
});

Deno.test("parseUrl() asks for white space between search terms and operators (ABNF searchAndExpr)", () => {
  expectVerdicts(
    [
      "Books?$search=a (b)",
      "Books?$search=(a) (b)",
      "Books?$search=( a AND b )",
      "Books?$search=a AND (b OR c)",
      "Books?$search=NOT (b)",
      "Books?$search=a+b",
      "Books?$search=a%09b",
    ],
    [
      "Books?$search=a(b)",
      "Books?$search=(a)b",
      "Books?$search=(a)(b)",
      "Books?$search=(a)OR b",
      "Books?$search=a OR(b)",
      "Books?$search=a AND(b)",
      'Books?$search=a AND"b"',
      "Books?$search=NOT(b)",
      'Books?$search=a"b"',
    ],
  );
});

Deno.test("parseUrl() keeps the forms of aggregate apart (Data Aggregation ABNF aggregateExpr)", () => {
  const apply = (argument: string) => `Sales?$apply=aggregate(${argument})`;
  expectVerdicts(
    [
      "$count as N",
      "$count from Time with average as A",
      "Items/$count as N",
      "Items/$count from Time with average as A",
      "Amount with sum as Total",
      "Amount mul 2 with sum as Total",
      "Amount with sum from Time with average from Customer with max as A",
      "Forecast",
      "Forecast as F",
      "Forecast from Time as F",
      "Forecast from Time with average from Product/Name as F",
    ].map(apply),
    [
      "$count",
      "$count with sum as X",
      "$count with max from Time with average as X",
      "$count from Time as X",
      "$count from Time with average",
      "Items/$count",
      "Amount with sum",
      "Amount mul 2 as Double",
      "Amount mul 2 from Time with sum as X",
      "Amount with sum from Time as X",
      "Amount with sum from Time with average from Customer as X",
      "Forecast from Time",
      "5 as Five",
    ].map(apply),
  );
  expectVerdicts(
    ["Sales?$filter=$these/aggregate($count) gt 1", "Sales?$filter=$these/aggregate(Amount with sum) gt 1"],
    ["Sales?$filter=$these/aggregate($count with sum) gt 1", "Sales?$filter=$these/aggregate(1) gt 1"],
  );
});

Deno.test("parseUrl() takes the options of $entity only (ABNF entityOptions, entityCastOptions)", () => {
  expectVerdicts(
    [
      "$entity?$id=Books(1)",
      "$entity?id=urn:some:id",
      "$entity?$format=json&$id=Books(1)",
      "$entity?$id=Books(1)&own=1",
      "$entity/S.Books?$id=Books(1)&$select=title&$expand=author&$format=json",
    ],
    [
      "$entity",
      "$entity?$format=json",
      "$entity/S.Books?$select=title",
      "$entity?$id=Books(1)&$select=title",
      "$entity?$id=Books(1)&$expand=author",
      "$entity?$id=Books(1)&$filter=true",
      "$entity/S.Books?$id=Books(1)&$top=1",
      "$entity/S.Books/title?$id=Books(1)",
    ],
  );
});
