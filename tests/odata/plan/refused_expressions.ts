/**
 * Expressions that the planner refuses: status, what is said, and where.
 *
 * @module
 */

/** By URL of the service of `refused_model.ts`. */
export const REFUSED_EXPRESSIONS: Readonly<Record<string, string>> = {
  "Books?$filter=title": "400 A Boolean expression is expected (offset 14)",
  "Books?$filter=stock": "400 A Boolean expression is expected (offset 14)",
  "Books?$filter=stock eq 'x'": "400 'x' is not a value of type Integer (offset 23)",
  "Books?$filter=title eq 1": "400 1 is not a value of type String (offset 23)",
  "Books?$filter=title add 1 eq 2": "400 1 is not a value of type String (offset 24)",
  "Books?$filter=at add 1 eq at": "400 1 is not a value of type Timestamp (offset 21)",
  "Books?$filter=not title": "400 A Boolean expression is expected (offset 18)",
  "Books?$filter=-title eq 1": "400 A number or a duration is expected (offset 15)",
  "Books?$filter=title and true": "400 A Boolean expression is expected (offset 14)",
  "Books?$filter=nope eq 1": '400 "S.Books" has no property "nope" (offset 14)',
  "Books?$filter=titel eq 'x'": '400 "S.Books" has no property "titel" (offset 14); did you mean "title"?',
  "Books?$filter=author": "400 A primitive value is expected (offset 14)",
  "Books?$filter=author eq 1": "400 A primitive value is expected (offset 14)",
  "Books?$filter=author/nope eq 1":
    '400 "S.Authors" has no property "nope" (offset 21); did you mean "name"?',
  "Books?$filter=author/name/x eq 1": '400 Nothing can follow the property "name" (offset 26)',
  "Books?$filter=reviews eq 1": "400 A primitive value is expected (offset 14)",
  "Books?$filter=reviews/rating eq 1":
    '400 A collection has no property "rating": any(x:x/rating …) asks for one (offset 22)',
  "Books?$filter=reviews/any(r:r/nope eq 1)": '400 "S.Reviews" has no property "nope" (offset 30)',
  "Books?$filter=reviews/any(r:rating eq 1)": '400 "S.Books" has no property "rating" (offset 28)',
  "Books?$filter=reviews/any(r:r)": "400 A primitive value is expected (offset 28)",
  "Books?$filter=reviews/any(r:r/rating)": "400 A Boolean expression is expected (offset 28)",
  "Books?$filter=reviews/$count": "400 A Boolean expression is expected (offset 14)",
  "Books?$filter=reviews/$count/x eq 1": "400 Nothing can follow this (offset 29)",
  "Books?$filter=reviews/any()/x": "400 Nothing can follow this (offset 28)",
  "Books?$filter=tags eq 'x'": "400 A primitive value is expected (offset 14)",
  "Books?$filter=tags/any(t:t eq 1)": "400 1 is not a value of type String (offset 30)",
  "Books?$filter=tags/any(t:t/x eq 1)": "400 Nothing can follow a value (offset 27)",
  "Books?$filter=tags/x eq 1": '400 A collection has no property "x": any(x:x/x …) asks for one (offset 19)',
  "Books?$filter=tags/$count/x eq 1": "400 Nothing can follow /$count (offset 26)",
  "Books?$filter=tags/any(t:t eq 'x')/y": "400 Nothing can follow any or all (offset 35)",
  "Books?$filter=tags(1) eq 'x'": '400 "S" has no function "tags" (offset 14)',
  "Books?$filter=places/city eq 'x'":
    '400 A collection has no property "city": any(x:x/city …) asks for one (offset 21)',
  "Books?$filter=places/any(p:p/nope eq 'x')": '400 "items" has no property "nope" (offset 29)',
  "Books?$filter=places/any(p:p eq 1)": "400 A primitive value is expected (offset 27)",
  "Books?$filter=places/any(p:p/rooms eq 1)": "400 A primitive value is expected (offset 27)",
  "Books?$filter=places/any(p:p/rooms/any(r:r eq 'x'))": "400 'x' is not a value of type Integer (offset 46)",
  "Books?$filter=title in ('x',1)": "400 1 is not a value of type String (offset 28)",
  "Books?$filter=stock in tags": "400 The types of both sides do not fit each other (offset 14)",
  "Books?$filter=title in (title)": "400 A collection of values is expected (offset 24)",
  "Books?$filter=title in title": "400 A collection of values is expected (offset 23)",
  "Books?$filter=contains(title)":
    '400 Syntax error at offset 14: found "contains with 1 argument", expected 2 arguments',
  "Books?$filter=contains(title,1)": "400 1 is not a value of type String (offset 29)",
  "Books?$filter=contains(stock,'x')":
    '400 The function "contains" does not take an argument of this type (offset 23)',
  "Books?$filter=substring(title,'x') eq 'x'": "400 'x' is not a value of type Integer (offset 30)",
  "Books?$filter=substring(title,1.5) eq 'x'": "400 A whole number is expected (offset 30)",
  "Books?$filter=year(title) eq 1":
    '400 The function "year" does not take an argument of this type (offset 19)',
  "Books?$filter=year(clock) eq 1":
    '400 The function "year" does not take an argument of this type (offset 19)',
  "Books?$filter=hour(day) eq 1":
    '400 The function "hour" does not take an argument of this type (offset 19)',
  "Books?$filter=round(title) eq 1":
    '400 The function "round" does not take an argument of this type (offset 20)',
  "Books?$filter=nope(title) eq 1": '400 "S" has no function "nope" (offset 14); did you mean "now"?',
  "Books?$filter=length(1) eq 1": "400 1 is not a value of type String (offset 21)",
  "Books?$filter=concat(title,1) eq 'x'": "400 1 is not a value of type String (offset 27)",
  "Books?$filter=cast(title,Edm.Nope) eq 1":
    '400 Unknown type "Edm.Nope"; did you mean "Edm.Date"? (offset 14)',
  "Books?$filter=cast(title,Edm.Strin) eq 1":
    '400 Unknown type "Edm.Strin"; did you mean "Edm.String"? (offset 14)',
  "Books?$filter=isof(title,Edm.Nope)": '400 Unknown type "Edm.Nope"; did you mean "Edm.Date"? (offset 14)',
  "Books?$filter=cast(author,S.Books) eq 1": "400 A primitive value is expected (offset 19)",
  "Books?$filter=hint eq 'x'": '400 The property "hint" is not stored and cannot be used here (offset 14)',
  "Books?$filter=picture eq 'x'": "400 'x' is not a value of type LargeBinary (offset 25)",
  "Books?$filter=address eq 'x'": '400 "S.Books" has no property "address" (offset 14)',
  "Books?$filter=address/city eq 'x'": '400 "S.Books" has no property "address" (offset 14)',
  "Books?$filter=address/nope eq 'x'": '400 "S.Books" has no property "address" (offset 14)',
  "Books?$filter=bytes eq 'x'": "400 'x' is not a value of type Binary (offset 23)",
  "Books?$filter=title has 'x'": '400 The operator "has" needs an enumeration (offset 24)',
  "Books?$filter=$these/$count eq 1": '400 "$these" belongs into $apply (offset 14)',
  "Books?$filter=$root/Books eq 1": "400 A collection is no value (offset 14)",
  "Books?$filter=$root/Nope/$count eq 1":
    '400 "S" has no entity set "Nope" (offset 20); did you mean "Nodes"?',
  "Books?$filter=$root/Books(1)(2)/title eq 'x'": '400 "Books" has more than one key predicate (offset 28)',
  "Books?$filter=$root/Settings(1)/minimum eq 1": '400 "Settings" is not a collection (offset 20)',
  "Books?$filter=$root/Books/title eq 1":
    '400 A collection has no property "title": any(x:x/title …) asks for one (offset 26)',
  "Books?$filter=$root/Books(1) eq 1": "400 A primitive value is expected (offset 14)",
  "Books?$filter=$root eq 1": "400 The name of an entity set is expected (offset 14)",
  "Books?$filter=@x eq 1&@x='y'": "400 The types of both sides do not fit each other (offset 17)",
  'Books?$filter=@x/y eq 1&@x={"z":1}': "400 The value of the parameter alias has no such member (offset 14)",
  "Books?$filter=$it/S.submit() eq 1": '400 "S.submit" is an action; expressions call functions (offset 18)',
  "Books?$filter=title/S.nope() eq 1": '400 Nothing can follow the property "title" (offset 20)',
  "Books?$filter=geo.distance(title,title) lt 1": "400 A geography value is expected (offset 27)",
  "Books?$filter=geo.length(title) lt 1": "400 A geography value is expected (offset 25)",
  "Books?$filter=case(true:1,false:'x') eq 1": "400 'x' is not a value of type Int64 (offset 32)",
  "Books?$filter=case(title:1) eq 1": "400 A Boolean expression is expected (offset 19)",
  "Books?$filter=title/@Core.Description/x eq 'x'": "400 Nothing can follow an annotation (offset 38)",
  "Books?$filter=(1 add 'x') eq 2": "400 A number is expected (offset 17)",
  "Books?$filter=tags eq [1]": "400 1 is not a value of type String (offset 23)",
  'Books?$filter=places eq [{"nope":"x"}]': '400 "items" has no property "nope" (offset 25)',
  'Books?$filter=places eq ["x"]': "400 A structure is expected (offset 25)",
  'Books?$filter=address eq {"city":"x"}': '400 "S.Books" has no property "address" (offset 14)',
  'Books?$filter=address eq {"nope":"x"}': '400 "S.Books" has no property "address" (offset 14)',
  "Books?$filter=address eq []": '400 "S.Books" has no property "address" (offset 14)',
  'Books?$filter=hassubset(tags,"a")':
    '400 Syntax error at offset 29: found ""a"", expected an operand; did you mean "\'a\'"?',
  'Books?$filter=hassubset(title,["a"])': "400 A collection of values is expected (offset 24)",
  "Books?$filter=hassubset(tags,marks)": "400 A collection in brackets is expected (offset 29)",
  "Books?$filter=$search eq 1": '400 Syntax error at offset 14: found "$search", expected an operand',
  "Books?$filter=title/$count eq 1": '400 Nothing can follow the property "title" (offset 20)',
  "Books?$filter=null": "400 A Boolean expression is expected (offset 14)",
  "Books?$compute=stock add 1 as x&$filter=x eq 'y'": "400 'y' is not a value of type Int64 (offset 45)",
  "Books?$filter=true&$filter=true":
    '400 Syntax error at offset 19: found "$filter", expected each option once',
  "Books?$filter=S.getStock(book=title) eq 1": '400 The value does not fit the type of "book" (offset 30)',
  "Books?$filter=S.getStock(book=tags) eq 1": "400 A primitive value is expected (offset 30)",
  "Books?$filter=S.all()/any(b:b/ID eq 1)":
    "501 A function that returns entities in an expression is not implemented (offset 14)",
  "Books?$filter=S.all() eq 1":
    "501 A function that returns entities in an expression is not implemented (offset 14)",
  "Books?$filter=S.place()/nope eq 1": '400 "returns" has no property "nope" (offset 24)',
  "Books?$filter=S.names()/any(n:n eq 1)": "400 1 is not a value of type String (offset 35)",
  "Books?$filter=S.restock(amount=1) eq 1":
    '400 "S.restock" is an action; expressions call functions (offset 14)',
  "Books?$filter=S.one()/title eq 'x'":
    "501 A function that returns entities in an expression is not implemented (offset 14)",
  "Books?$filter=author/books/S.nope() eq 1":
    '400 A collection has no property "S.nope": any(x:x/S.nope …) asks for one (offset 27)',
  "Books?$filter=cast(title,Edm.Int32) eq 'x'": "400 'x' is not a value of type Int32 (offset 39)",
  "Books?$filter=author/S.Authors/name eq 1": "400 1 is not a value of type String (offset 39)",
  "Books?$filter=author/S.Books/title eq 1":
    '400 "S.Authors" is no type in a line with "S.Books" (offset 21)',
  "Books?$filter=now() eq 1": "400 1 is not a value of type Timestamp (offset 23)",
  "Books?$filter=mindatetime() eq title": "400 The types of both sides do not fit each other (offset 28)",
  "Books?$filter=stock mod 'x' eq 1": "400 'x' is not a value of type Integer (offset 24)",
  "Books?$filter=stock divby title eq 1": "400 A number is expected (offset 20)",
  "Books?$filter=at sub at eq 1": "400 1 is not a value of type Decimal (offset 27)",
  "Books?$filter=at add duration'PT1S' eq 1": "400 1 is not a value of type Timestamp (offset 39)",
  "Books?$filter=day add duration'PT1S' eq 'x'": "400 'x' is not a value of type Date (offset 40)",
  "Books?$filter=totalseconds(title) eq 1":
    '400 The function "totalseconds" does not take an argument of this type (offset 27)',
  "Books?$filter=matchesPattern(title,1)": "400 1 is not a value of type String (offset 35)",
  "Books?$filter=matchesPattern(title,'(')":
    '400 The pattern of matchesPattern is no regular expression: "(" (offset 35)',
  "Books?$filter=indexof(title,1) eq 1": "400 1 is not a value of type String (offset 28)",
  "Books?$filter=day eq 2024-02-30": "400 2024-02-30 is not a value of type Date (offset 21)",
  "Books?$filter=price eq 'x'": "400 'x' is not a value of type Decimal (offset 23)",
  "Books?$filter=ID eq ID&$orderby=ID&$skip=99999999999999999999":
    '400 Syntax error at offset 41: found "99999999999999999999", expected a non-negative integer',
  "Books?$filter=S.rate(stars='x') eq 1 and nope eq 1": "400 ASSERT_DATA_TYPE stars",
};
