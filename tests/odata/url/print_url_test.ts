import assert from "node:assert/strict";
import { parseUrl } from "../../../src/odata/url/parse_url.ts";
import { bareTree } from "./bare_tree.ts";
import { printUrl } from "../../../src/odata/url/print_url.ts";

const tree = (url: string) => bareTree(parseUrl(encodeURI(decodeURI(url))));

const URLS = [
  "",
  "$metadata?$format=json",
  "Books(201)/author/books(title='a%2Fb',edition=2)",
  "Books('O''Neil')/title/$value",
  "f(a=1)(2)/$count",
  "Products/$filter(Age%20gt%203)/$each/S.act",
  "$crossjoin(A,B)/$query",
  "Books?$filter=(a%20or%20b)%20and%20not%20(c%20eq%20-1)",
  "Books?$filter=a%20sub%20(b%20sub%20c)%20mul%202%20lt%20-(d%20add%201)",
  "Books?$filter=not%20(a%20in%20(1,2))%20and%20(not%20b)%20eq%20true",
  "Books?$filter=x/any(r:r/a%20eq%20'%26%23%2B')%20or%20x/all(r:r/b)%20or%20x/any()",
  "Books?$filter=x/$count($filter=a%20gt%201;$search=b%20OR%20c)%20gt%201",
  "Books?$filter=contains(tolower(a),'b')%20and%20cast(a,Edm.Int32)%20gt%20case(a:1,true:2)",
  "Books?$filter=style%20has%20S.P'Yellow'%20and%20a%20in%20[%22x%22,1]%20and%20b%20eq%20{%22c%22:[{}]}",
  "Books?$filter=a%20in%20(add(b))%20and%20eq%20(1)%20gt%20-div(2)%20and%20in%20in%20(in)",
  "Books?$orderby=a/b%20desc,c&$select=*,S.*,d,f(x,y)&$count=true&$top=1&$skip=2",
  "Books?$expand=a($levels=max),b/$ref($top=1),c/$count($filter=d),*,e($select=f;$expand=g;@p=1)",
  "Books?$search=(a%20OR%20%22b%20c%22)%20AND%20NOT%20d%20e",
  "Books?$compute=a%20mul%202%20as%20b&$at=2020-01-01&@x=5&custom=y",
  "Books?$apply=filter(a%20gt%200)/groupby((b/c,rollup(d,e)),aggregate($count%20as%20n,f%20with%20sum%20as%20g))",
  "Books?$apply=concat(topcount(2,a),identity)/nest(top(1)%20as%20x)/join(s%20as%20t,skip(1))/search(a%20b)",
  "Books?$apply=ancestors($root/A,q,ID,filter(a),2,keep%20start)/traverse($root/A,q,ID,preorder,b%20desc)",
];

for (const url of URLS) {
  Deno.test(`printUrl() prints what parses to the same tree: ${url || "(root)"}`, () => {
    const tree = parseUrl(url);
    const printed = printUrl(tree);
    assert.deepEqual(bareTree(parseUrl(printed)), bareTree(tree), printed);
  });
}

const BEFORE_PARENTHESES = [
  "Books?$filter=cast (Edm.String) eq 'a' and cast%09(b,Edm.Int32) eq 1 and isof ( S.T )",
  "Books?$filter=contains (a,'b') and f (1) eq 2 and not (c) and d in (1,2)",
  "Books?$filter=x/any (r:r/a) or case (a:b) or x/$count ($filter=c) gt 1 or x/any ()",
  "Books?$expand=a ($filter=now ( ) eq 1)&$orderby=concat (a,b),f  (c)",
  "Books?$apply=filter (a)/groupby ((b,rollup (c,d)),aggregate (e with sum as f))/search (a b)/concat (identity,top (1))",
];

for (const url of BEFORE_PARENTHESES) {
  Deno.test(`blanks between a name and its parentheses mean nothing: ${url}`, () => {
    const joined = url.replaceAll(/(?<=\b(?!not|in\b)\w+|\))(?: |%09)+(?=\()/g, "");
    assert.notEqual(joined, url);
    assert.deepEqual(tree(url), tree(joined));
    assert.deepEqual(tree(printUrl(parseUrl(encodeURI(decodeURI(url))))), tree(url));
  });
}

Deno.test("words of the grammar are names behind a slash", () => {
  for (const word of ["true", "null", "INF", "not", "identity", "eq", "in"]) {
    const url = `A?$filter=f(a=$root/${word},b=c/${word}) and d/${word}%20eq%20e/${word}(1)`;
    assert.equal(decodeURI(printUrl(parseUrl(encodeURI(decodeURI(url))))), decodeURI(url));
  }
});

Deno.test("printUrl() groups search terms where they would mean something else, and there only", () => {
  const printed = (search: string) =>
    decodeURI(printUrl(parseUrl(encodeURI(`A?$search=${search}`)))).slice(10);
  for (
    const search of [
      ...["a", "NOT a", "a AND b AND c", "a OR b OR c", "a AND b OR c", "a OR b AND c", "NOT a AND b"],
      ...[
        "(a OR b) AND c",
        "a AND (b OR c)",
        "a AND (b AND c)",
        "a OR (b OR c)",
        "NOT (a OR b)",
        "NOT (a AND b)",
      ],
    ]
  ) assert.equal(printed(search), search);
  assert.equal(printed("(a AND b) OR (c)"), "a AND b OR c");
});

Deno.test("printUrl() encodes what has a meaning in URLs", () => {
  const tree = parseUrl("Books('a%2Fb')?$filter=c%20eq%20'%26%2B%23'");
  assert.equal(printUrl(tree), "Books('a%2Fb')?$filter=c%20eq%20'%26%2B%23'");
});
