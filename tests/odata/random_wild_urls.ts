/**
 * Random URLs of the library whose expressions follow the grammar, but hardly ever the types.
 *
 * @module
 */

import fc from "fast-check";

const OPERANDS = [
  "ID",
  "title",
  "stock",
  "price",
  "published",
  "tags",
  "marks",
  "places",
  "author",
  "author/name",
  "loans",
  "loans/$count",
  "author/books(1)",
  "$it",
  "$it/title",
  "$this",
  "$root/Settings",
  "$root/Books(1)/title",
  "$root/Books",
  "@missing",
  "@p",
  "@o/city",
  "null",
  "true",
  "1",
  "-1",
  "1.5",
  "1e400",
  "INF",
  "NaN",
  "99999999999999999999",
  "'x'",
  "''",
  "2024-02-29",
  "12:30:00",
  "2024-02-29T12:30:00Z",
  "duration'P1D'",
  "duration'-PT1S'",
  "binary'AAAA'",
  "11111111-aaaa-4bbb-8ccc-222222222222",
  "ShopService.Colour'Red'",
  "geography'SRID=0;Point(1 2)'",
  "[1,2]",
  "['a']",
  '{"city":"Oslo"}',
  "[]",
  "@Core.Description",
  "title/@Core.Nope",
];

const OPERATORS = "eq ne lt le gt ge and or add sub mul div divby mod in has".split(" ");

const CALLS = [
  "contains",
  "concat",
  "startswith",
  "indexof",
  "matchesPattern",
  "hassubset",
  "hassubsequence",
  "length",
  "tolower",
  "trim",
  "year",
  "hour",
  "date",
  "time",
  "fractionalseconds",
  "totalseconds",
  "totaloffsetminutes",
  "round",
  "floor",
  "ceiling",
  "isdefined",
];
const TWO = new Set([
  "contains",
  "concat",
  "startswith",
  "indexof",
  "matchesPattern",
  "hassubset",
  "hassubsequence",
]);

const TYPES = [
  "Edm.String",
  "Edm.Int32",
  "Edm.Decimal",
  "Edm.Boolean",
  "Edm.Date",
  "Edm.TimeOfDay",
  "Edm.DateTimeOffset",
  "Edm.Guid",
  "Edm.Binary",
  "Edm.Double",
  "ShopService.Books",
  "ShopService.Nope",
];

const expression = fc.letrec<{ expr: string }>((tie) => ({
  expr: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: fc.constantFrom(...OPERANDS) },
    {
      weight: 4,
      arbitrary: fc.tuple(tie("expr"), fc.constantFrom(...OPERATORS), tie("expr"))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    },
    fc.tuple(fc.constantFrom(...CALLS), tie("expr"), tie("expr"))
      .map(([name, first, second]) => `${name}(${TWO.has(name) ? `${first},${second}` : first})`),
    fc.tuple(fc.constantFrom("substring", "substring"), tie("expr"), tie("expr"))
      .map(([name, first, second]) => `${name}(${first},${second})`),
    fc.tuple(fc.constantFrom("cast", "isof"), tie("expr"), fc.constantFrom(...TYPES))
      .map(([name, first, type]) => `${name}(${first},${type})`),
    fc.tuple(tie("expr"), tie("expr"), tie("expr")).map(([when, one, other]) =>
      `case(${when}:${one},true:${other})`
    ),
    tie("expr").map((inner) => `not (${inner})`),
    tie("expr").map((inner) => `-(${inner})`),
    fc.tuple(
      fc.constantFrom("loans", "tags", "places", "author/books", "title"),
      fc.constantFrom("any", "all"),
      tie("expr"),
    )
      .map(([path, quantifier, inner]) => `${path}/${quantifier}(x:${inner})`),
    fc.tuple(fc.constantFrom("loans", "tags", "places", "author"), tie("expr"))
      .map(([path, inner]) => `${path}/$count($filter=${inner})`),
    fc.tuple(tie("expr"), fc.array(tie("expr"), { maxLength: 3 })).map(([left, list]) =>
      `${left} in (${list.join(",")})`
    ),
  ),
})).expr;

const comparison = fc.tuple(expression, fc.constantFrom("eq", "ne", "gt", "le"), expression)
  .map((parts) => parts.join(" "));

const option = fc.oneof(
  { weight: 12, arbitrary: comparison.map((text) => `$filter=${text}`) },
  { weight: 5, arbitrary: expression.map((text) => `$filter=${text}`) },
  fc.tuple(expression, fc.constantFrom("", " desc")).map(([text, order]) => `$orderby=${text}${order}`),
  expression.map((text) => `$compute=${text} as extra`),
  expression.map((text) => `$select=tags($filter=${text})`),
  expression.map((text) => `$expand=loans($filter=${text})`),
  expression.map((text) => `$expand=author($compute=${text} as extra)`),
);

/** URLs that follow the grammar; most of them ask for nonsense. */
export const wildUrls: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.uniqueArray(option, {
      minLength: 1,
      maxLength: 2,
      selector: (text) => text.split("=", 1)[0],
    })
      .map((options) => `Books?${options.join("&")}&@p='x'&@o={"city":"Oslo"}`),
  },
  expression.map((text) => `Books/$filter(${text})/$count?@p=1&@o={}`),
  expression.map((text) => `Books(1)/marks?$filter=${text}&@p=1&@o={}`),
  expression.map((text) => `$crossjoin(Books,Loans)?$filter=${text}&@p=1&@o={}`),
  expression.map((text) => `$all?$filter=${text}&@p=1&@o={}`),
);
