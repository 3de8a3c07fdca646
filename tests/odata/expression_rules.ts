/**
 * What expressions mean, as filters of the books of the library.
 *
 * @module
 */

/** Filters of books and the IDs of those that fulfil them, by rule. */
export const RULES: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  "names without lambda variable start at the instance outside (URL 5.1.1.13)": {
    "loans/any(l:l/days gt stock)": [1, 3],
    "loans/all(l:l/days gt stock)": [1, 3, 4],
    "loans/any(l:l/days gt author/rank)": [1, 3],
    "author/books/any(b:b/stock gt stock)": [2],
    "author/books/any(b:b/ID ne ID)": [2, 3],
  },
  "lambda expressions refer to all variables around them (URL 5.1.1.13)": {
    "author/books/any(b:b/loans/any(l:l/days gt b/stock and l/days gt stock))": [2, 3, 1].toSorted(),
    "author/books/any(b:b/loans/any(l:l/days eq 30 and b/ID ne ID))": [2],
    "author/books/any(b:not b/loans/all(l:l/days lt b/stock))": [1, 2, 3],
  },
  "$it is the instance that the path addresses, inside of lambda expressions too (URL 5.1.1.14.1)": {
    "$it/stock gt 10": [1, 3],
    "loans/any(l:l/days gt $it/stock)": [1, 3],
    "loans/any(l:l/book/author/books/any(b:b/ID ne $it/ID))": [2, 3],
    "author/favourite eq $it": [1],
    "not (author/favourite eq $it)": [2, 3, 4],
  },
  "$root leads to entity sets and singletons (URL 5.1.1.14.2)": {
    "stock gt $root/Settings/minimum": [1, 3],
    "title eq $root/Authors(1)/name": [4],
    "price gt $root/Books(1)/price": [2, 3],
    "$root/Authors/any(a:a/name eq title)": [4],
    "$root/Books/$count eq ID": [4],
    "$root/Authors/$count($filter=rank gt 10) eq ID": [2],
    "stock lt $root/Books(3)/author/rank": [1, 2, 4],
    "'sale' in $root/Books(1)/tags": [1, 2, 3, 4],
  },
  "$this is the member of a collection of values (URL 5.1.1.14.4)": {
    "tags/$count($filter=$this eq 'sale') eq 1": [1],
    "marks/$count($filter=$this gt 4) ge 1": [1, 2],
  },
  "lambda expressions range over values, enumerations and structures (URL 5.1.1.13)": {
    "marks/any(m:m gt 4)": [1, 2],
    "marks/any(m:m gt stock)": [2],
    "marks/all(m:m gt 4)": [2, 3, 4],
    "colours/any(c:c eq 'R')": [1, 2],
    "colours/any(c:c eq ShopService.Colour'Green')": [2],
    "places/any(p:p/city eq 'Oslo')": [1, 3],
    "places/any(p:p/city eq 'Oslo' and p/floor gt 3)": [3],
    "places/any(p:p/floor eq null)": [1],
    "places/any(p:p/rooms/any(r:r gt 6))": [3],
    "places/any(p:p/rooms/any(r:r eq p/floor))": [1],
    "places/any(p:p/rooms/$count eq 0)": [1],
    "places/$count($filter=city eq 'Oslo') eq 1": [1, 3],
  },
  "in takes collections of the model and of parameters (URL 5.1.1.1.12)": {
    "'new' in tags": [1, 2],
    "ID in marks": [],
    "stock in marks or 12 in marks": [2],
    "ID in @p&@p=[1,3]": [1, 3],
    "title in ('Emily','Eleonora')": [3, 4],
    "ID in (2)": [2],
  },
  "structures, collections and instances are compared as a whole (URL 5.1.1.1.1)": {
    'places/any(p:p eq {"city":"Oslo","floor":5,"rooms":[7]})': [3],
    "tags eq ['new']": [2],
    "tags eq @p&@p=['new','sale']": [1],
    "tags ne ['new']": [1, 3, 4],
    "tags eq []": [3, 4],
    "author eq null": [4],
    "author ne null": [1, 2, 3],
    "author/favourite eq null": [4],
    "author/favourite/author eq author": [1, 4],
  },
  "collections are counted with filter and search (URL 5.1.1.14.5)": {
    "loans/$count gt 1": [2],
    "loans/$count($filter=days gt 4) eq 1": [1, 2, 3],
    "loans/$count($filter=days gt $it/stock) eq 1": [1, 3],
    "author/books/$count($search=raven) eq 1": [2, 3],
    "author/books/$count($search=NOT raven) eq 1": [1, 2, 3],
  },
  "paths go on behind keys, filters and casts (URL 5.1.1.15)": {
    "author/books(3)/stock gt 0": [2, 3],
    "author/books/$filter(stock gt 6)/$count eq 1": [1, 2, 3],
    "author/books/$filter(stock gt 6)/any(b:b/ID eq 3)": [2, 3],
    "author/ShopService.Authors/name eq 'Edgar'": [2, 3],
    "isof(ShopService.Books)": [1, 2, 3, 4],
    "isof(author,ShopService.Authors)": [1, 2, 3],
    "isof(title,Edm.String) and not isof(stock,Edm.String)": [1, 2, 3, 4],
  },
  "aliases stand for paths, literals and parts of both (URL 5.3)": {
    "@p/name eq 'Edgar'&@p=author": [2, 3],
    'stock gt @p/least&@p={"least":10}': [1, 3],
    "@p and stock gt @q&@p=loans/any()&@q=6": [1, 3],
    "title eq @missing": [],
  },
  "arithmetic, case and null follow the standard (URL 5.1.1.2, 5.1.1.6)": {
    "stock add 1 mul 2 gt 20": [3],
    "(stock add 1) mul 2 gt 20": [1, 3],
    "stock div 2 eq 2 or stock mod 7 eq 6": [2, 3],
    "stock divby 8 eq 2.5": [3],
    "-stock lt -10": [1, 3],
    "case(stock gt 10:'many',stock gt 0:'few',true:'none') eq 'few'": [2],
    "case(stock gt 100:1) eq null": [1, 2, 3, 4],
    "author/rank add 1 eq null": [4],
  },
  "annotations of the model have values (URL 5.1.1.12)": {
    "title/@Core.Description eq 'What it is called'": [1, 2, 3, 4],
    "@Core.Description eq null": [1, 2, 3, 4],
  },
};
