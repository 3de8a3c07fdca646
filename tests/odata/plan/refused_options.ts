/**
 * Options that the planner refuses: status, what is said, and where.
 *
 * @module
 */

/** By URL of the service of `refused_model.ts`. */
export const REFUSED_OPTIONS: Readonly<Record<string, string>> = {
  "$entity?$id=Books(1)": '404 Nothing is at "$entity"',
  "Books?$orderby=nope": '400 "S.Books" has no property "nope" (offset 15)',
  "Books?$orderby=author": "400 A primitive value is expected (offset 15)",
  "Books?$orderby=reviews": "400 A primitive value is expected (offset 15)",
  "Books?$orderby=tags": "400 A primitive value is expected (offset 15)",
  "Books?$orderby=address": '400 "S.Books" has no property "address" (offset 15)',
  "Books?$orderby=title desc,nope": '400 "S.Books" has no property "nope" (offset 26)',
  "Books?$select=nope": '400 "S.Books" has no property "nope" (offset 14)',
  "Books?$select=titel": '400 "S.Books" has no property "titel" (offset 14); did you mean "title"?',
  "Books?$select=author/name":
    '400 "author" is a navigation property: $expand=author($select=…) selects behind it (offset 14)',
  "Books?$select=title/x": '400 "title" has no properties (offset 14)',
  "Books?$select=address/city": '400 "S.Books" has no property "address" (offset 14)',
  "Books?$select=address/nope": '400 "S.Books" has no property "address" (offset 14)',
  "Books?$select=tags/x": '400 "tags" has no properties (offset 14)',
  "Books?$select=*,nope": '400 "S.Books" has no property "nope" (offset 16)',
  "Books?$select=S.nope": '400 "S.Books" has no property "S.nope" (offset 14)',
  "Books?$select=reviews($filter=x)":
    '400 "reviews" is a navigation property: $expand=reviews($select=…) selects behind it (offset 14)',
  "Books?$select=tags($filter=$this eq 1)": "400 1 is not a value of type String (offset 36)",
  "Books?$select=title($filter=true)": "400 $filter needs a collection (offset 20)",
  "Books?$expand=nope": '400 "S.Books" has no navigation property "nope" (offset 14)',
  "Books?$expand=autor":
    '400 "S.Books" has no navigation property "autor" (offset 14); did you mean "author"?',
  "Books?$expand=title": '400 "S.Books" has no navigation property "title" (offset 14)',
  "Books?$expand=author/name": '400 "S" has no type "name" (offset 14)',
  "Books?$expand=author/books": '400 "S" has no type "books" (offset 14); did you mean "S.Books"?',
  "Books?$expand=author($filter=nope eq 1)":
    '400 "S.Authors" has no property "nope" (offset 29); did you mean "name"?',
  "Books?$expand=author($top=1)":
    "400 The option $top is not allowed for a single expanded entity (offset 21)",
  "Books?$expand=author($select=nope)":
    '400 "S.Authors" has no property "nope" (offset 29); did you mean "name"?',
  "Books?$expand=author($expand=nope)": '400 "S.Authors" has no navigation property "nope" (offset 29)',
  "Books?$expand=author($count=true)":
    "400 The option $count is not allowed for a single expanded entity (offset 21)",
  "Books?$expand=author($orderby=name)":
    "400 The option $orderby is not allowed for a single expanded entity (offset 21)",
  "Nodes?$expand=children($levels=1000)": "400 $levels is limited to 8 here (offset 14)",
  "Books?$expand=author/$count": '400 "author" is not a collection (offset 14)',
  "Books?$expand=*($select=x)": '400 Syntax error at offset 16: found "$select", expected $levels',
  "Books?$expand=reviews($compute=nope add 1 as r)": '400 "S.Reviews" has no property "nope" (offset 31)',
  "Books?$compute=nope add 1 as x": '400 "S.Books" has no property "nope" (offset 15)',
  "Books?$compute=stock add 1 as title": '400 The name "title" is taken (offset 21)',
  "Books?$compute=stock add 1 as x,stock as x": '400 The name "x" is taken (offset 32)',
  "Books?$compute=reviews as x": "400 A primitive value is expected (offset 15)",
  "Books?$compute=address as x": '400 "S.Books" has no property "address" (offset 15)',
  "Books?$top=x": '400 Syntax error at offset 11: found "x", expected a non-negative integer',
  "Books?$top=-1": '400 Syntax error at offset 11: found "-1", expected a non-negative integer',
  "Books?$skip=-1": '400 Syntax error at offset 12: found "-1", expected a non-negative integer',
  "Books?$count=x": '400 Syntax error at offset 13: found "x", expected "true" or "false"',
  "Books?$skiptoken=x": '400 "x" is no valid $skiptoken (offset 17)',
  "Books?$skiptoken=": "400 Syntax error at offset 17: found the end, expected a value of $skiptoken",
  "Books(1)?$top=1": "400 The option $top is not allowed for a single entity (offset 9)",
  "Books(1)?$filter=true": "400 The option $filter is not allowed for a single entity (offset 9)",
  "Books(1)?$orderby=title": "400 The option $orderby is not allowed for a single entity (offset 9)",
  "Books(1)?$count=true": "400 The option $count is not allowed for a single entity (offset 9)",
  "Books(1)?$skip=1": "400 The option $skip is not allowed for a single entity (offset 9)",
  "Books(1)?$search=x": "400 The option $search is not allowed for a single entity (offset 9)",
  "Books(1)/title?$filter=true": "400 The option $filter is not allowed for a single value (offset 15)",
  "Books(1)/title?$expand=x": "400 The option $expand is not allowed for a single value (offset 15)",
  "Books(1)/tags?$filter=$it eq 1": "400 1 is not a value of type String (offset 29)",
  "Books(1)/places?$select=nope": '400 "items" has no property "nope" (offset 24)',
  "Books(1)/places?$orderby=nope": '400 "items" has no property "nope" (offset 25)',
  "Books(1)/places?$expand=city": "501 $expand of a property is not implemented (offset 16)",
  "Books?$nope=1":
    '400 Syntax error at offset 6: found "$nope", expected a known query option; did you mean "$top"?',
  "Books?$fliter=1":
    '400 Syntax error at offset 6: found "$fliter", expected a known query option; did you mean "$filter"?',
  "Books?$format=nope":
    '400 Syntax error at offset 14: found "nope", expected json, xml or a media type like "application/json"',
  "Books?$index=1": "400 $index needs a request that adds to an ordered collection (offset 6)",
  "Books?$deltatoken=x": "501 $deltatoken is not implemented (offset 6)",
  "Books/$count?$top=1": "400 The option $top is not allowed for /$count (offset 13)",
  "Books/$count?$select=title": "400 The option $select is not allowed for /$count (offset 13)",
  "Books/$count?$expand=author": "400 The option $expand is not allowed for /$count (offset 13)",
  "Books/$count?$orderby=nope": "400 The option $orderby is not allowed for /$count (offset 13)",
  "Settings?$filter=true": "400 The option $filter is not allowed for a single entity (offset 9)",
  "Settings?$top=1": "400 The option $top is not allowed for a single entity (offset 9)",
  "getStock(book=1)?$filter=true": "400 The option $filter is not allowed for a single value (offset 17)",
  "getStock(book=1)?$select=x": '400 "returns" has no properties (offset 25)',
  "getStock(book=1)?$top=1": "400 The option $top is not allowed for a single value (offset 17)",
  "all()?$filter=nope eq 1": '400 "S.Books" has no property "nope" (offset 14)',
  "all()?$filter=title eq 1": "400 1 is not a value of type String (offset 23)",
  "all()?$expand=nope": '400 "S.Books" has no navigation property "nope" (offset 14)',
  "all()?$orderby=nope": '400 "S.Books" has no property "nope" (offset 15)',
  "names()?$filter=$it eq 1": "400 1 is not a value of type String (offset 23)",
  "names()?$select=x": '400 "items" has no properties (offset 16)',
  "place()?$select=nope": '400 "returns" has no property "nope" (offset 16)',
  "place()?$filter=true": "400 The option $filter is not allowed for a single value (offset 8)",
  "places()?$filter=nope eq 1": '400 "items" has no property "nope" (offset 17)',
  "places()?$orderby=nope": '400 "items" has no property "nope" (offset 18)',
  "POST restock?$filter=true":
    "400 The option $filter is not allowed for an operation that returns nothing (offset 8)",
  "POST restock?$select=x":
    "400 The option $select is not allowed for an operation that returns nothing (offset 8)",
  "POST Books?$filter=true":
    "400 The option $filter is not allowed for a request that changes data (offset 6)",
  "POST Books?$top=1": "400 The option $top is not allowed for a request that changes data (offset 6)",
  "POST Books?$select=nope": '400 "S.Books" has no property "nope" (offset 14)',
  "PATCH Books(1)?$filter=true":
    "400 The option $filter is not allowed for a request that changes data (offset 9)",
  "PATCH Books(1)?$expand=nope": '400 "S.Books" has no navigation property "nope" (offset 17)',
  "DELETE Books(1)?$filter=true":
    "400 The option $filter is not allowed for a request that changes data (offset 9)",
  "Bare?$expand=x": '400 "S.Bare" has no navigation property "x" (offset 13)',
  "Books?$select=reviews/rating":
    '400 "reviews" is a navigation property: $expand=reviews($select=…) selects behind it (offset 14)',
};
