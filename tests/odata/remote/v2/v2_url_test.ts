/** URLs as OData 2 writes them (OData 2 URI Conventions). */

import assert from "node:assert/strict";
import { EventContext, type Row } from "../../../../mod.ts";
import { parseExpression } from "../../../../src/cqn/parse_cql.ts";
import { parseCdl } from "../../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../../src/model/link_model.ts";
import { segment } from "../../../../src/odata/remote/remote_paths.ts";
import { toRemoteExpression } from "../../../../src/odata/remote/remote_expression.ts";
import { functionOptions, printV2Url } from "../../../../src/odata/remote/v2/v2_url.ts";
import { parseUrl } from "../../../../src/odata/url/parse_url.ts";

const model = linkModel(parseCdl(`service S {
  entity Books { key ID : Int64; title : String; price : Decimal; day : Date; }
  function best(no : Int64, day : Date, name : String) returns Books;
}`));
const books = model.entity("S.Books")!;

/** What OData 4 has in its URLs, and OData 2. */
const URLS: readonly (readonly [given: string, printed: string])[] = [
  ["Books", "Books"],
  ["Books(1)/author", "Books(1)/author"],
  ["Books?$top=2&$skip=1", "Books?$skip=1&$top=2"],
  ["Books?$count=true", "Books?$inlinecount=allpages"],
  ["Books?$count=false", "Books"],
  ["Books?$count=true&a=b", "Books?a=b&$inlinecount=allpages"],
  ['Books?$search="raven bird"', "Books?search=raven bird"],
  ["Books?$orderby=title desc,length(title)", "Books?$orderby=title desc,length(title)"],
  ["Books?$select=ID,title", "Books?$select=ID,title"],
  ["Books?$expand=author", "Books?$expand=author"],
  ["Books?$select=ID&$expand=author", "Books?$select=ID,author&$expand=author"],
  ["Books?$select=ID&$expand=author($select=name)", "Books?$select=ID,author/name&$expand=author"],
  [
    "Books?$select=ID&$expand=author($select=name;$expand=books($select=title)),tags",
    "Books?$select=ID,author/name,author/books/title,tags&$expand=author,author/books,tags",
  ],
  ["Books?$expand=author($expand=books)", "Books?$expand=author,author/books"],
  ["Books?$filter=contains(title,'a')", "Books?$filter=substringof('a',title)"],
  ["Books?$filter=startswith(title,'a')", "Books?$filter=startswith(title,'a')"],
  ["Books?$filter=not endswith(tolower(title),'a')", "Books?$filter=not endswith(tolower(title),'a')"],
  ["Books?$filter=-price gt 1", "Books?$filter=-price gt 1"],
  [
    "Books?$filter=author/name eq null or price add 1 lt 2",
    "Books?$filter=author/name eq null or price add 1 lt 2",
  ],
  ["Books?$filter=not contains(title,'a')", "Books?$filter=not substringof('a',title)"],
  ["Books?$orderby=contains(title,'a')", "Books?$orderby=substringof('a',title)"],
  ["Books?$filter=title in ('a')", "Books?$filter=title eq 'a'"],
  [
    "Books?$filter=title in ('a','b','c') and contains(title,'x')",
    "Books?$filter=(title eq 'a' or title eq 'b' or title eq 'c') and substringof('x',title)",
  ],
  [
    "Books?$filter=tolower(title) in ('a','b')",
    "Books?$filter=tolower(title) eq 'a' or tolower(title) eq 'b'",
  ],
];

Deno.test("options and functions of OData 4 are those of OData 2 by other names; nested options are paths", () => {
  for (const [given, printed] of URLS) {
    assert.equal(decodeURIComponent(printV2Url(parseUrl(given))), printed, given);
  }
});

Deno.test("what OData 2 has no word for is refused with what it is: 501", () => {
  const refused: readonly (readonly [given: string, what: RegExp])[] = [
    ["Books?$search=a AND b", /^A search for several words/],
    ["Books?$search=NOT a", /^A search for several words/],
    ["Books?$expand=author($filter=ID eq 1)", /^A condition, order or limit of expanded rows/],
    ["Books?$expand=author($expand=books($top=1))", /^A condition, order or limit/],
    ["Books?$filter=matchesPattern(title,'a')", /^The function "matchesPattern"/],
    ["Books?$filter=tags/any(t:t/ID eq 1)", /^A condition about several rows/],
    ["Books?$filter=tags/$count gt 1", /^A condition about several rows/],
    ["Books?$filter=title in other", /^This condition/],
    ["Books?$filter=cast(title,Edm.String) eq 'a'", /./],
  ];
  for (const [given, what] of refused) {
    assert.throws(() => printV2Url(parseUrl(given)), { status: 501, message: what }, given);
  }
});

Deno.test("literals of conditions and keys are those of OData 2", () => {
  const context = EventContext.for({});
  const filter = toRemoteExpression(
    parseExpression("price + '1.5' in ('1.50', '2') and ID = 7 and day < '2020-01-02'"),
    { entity: books, prefix: [], context },
  );
  const url = (path: Parameters<typeof printV2Url>[0]["path"], options = {}) =>
    decodeURIComponent(printV2Url({ path, options: { ...options, offsets: {} } }));
  assert.equal(
    url([segment("Books")], { filter }),
    "Books?$filter=(price add 1.5M eq 1.50M or price add 1.5M eq 2M) and ID eq 7L and " +
      "day lt datetime'2020-01-02T00:00:00'",
  );
  assert.equal(url([segment("Books", { ID: 7 }, books)]), "Books(7L)");
  assert.equal(
    url([segment("Books", { ID: 7, day: "2020-01-02", title: "a" }, books)]),
    "Books(ID=7L,day=datetime'2020-01-02T00:00:00',title='a')",
  );
});

Deno.test("parameters of function imports are options, those that are given, in the order of the model", () => {
  const best = model.service("S")!.operations.best!;
  const options = (data: Row) => functionOptions(best, data).map(({ name, value }) => `${name}=${value}`);
  assert.deepEqual(options({ name: "it's", no: 1, more: 2 }), ["no=1L", "name='it''s'"]);
  assert.deepEqual(options({ day: "2020-01-02", no: null }), [
    "no=null",
    "day=datetime'2020-01-02T00:00:00'",
  ]);
  assert.deepEqual(options({ no: undefined }), []);
});
