/**
 * Random paths and query options.
 *
 * @module
 */

import fc from "fast-check";
import { anyLiteral, damaged, HOSTILE, literalsOf, mostly } from "./random_values.ts";
import type { OperationNames, SetNames, Vocabulary } from "./vocabulary.ts";

const FUNCTIONS = [
  "contains",
  "startswith",
  "endswith",
  "indexof",
  "length",
  "substring",
  "tolower",
  "trim",
  "concat",
  "year",
  "hour",
  "round",
  "floor",
  "ceiling",
  "matchespattern",
  "cast",
  "isof",
  "now",
  "date",
  "nofunction",
];

const OPERATORS = [
  "eq",
  "ne",
  "gt",
  "ge",
  "lt",
  "le",
  "and",
  "or",
  "add",
  "sub",
  "mul",
  "div",
  "mod",
  "divby",
  "in",
  "has",
  "xx",
  "",
];

/** An element or two, a navigation or two, a comparison: what most expressions are made of. */
function comparisons({ elements }: SetNames): fc.Arbitrary<string> {
  if (elements.length === 0) return fc.constant("true");
  return fc.constantFrom(...elements).chain((element) =>
    fc.tuple(fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"), literalsOf(element))
      .map(([operator, literal]) => `${element.name} ${operator} ${literal}`)
  );
}

/** An expression over the elements of an entity, in most cases broken. */
function expressions(set: SetNames): fc.Arbitrary<string> {
  const navigation = fc.constantFrom(...set.navigations, "nope");
  const member = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...set.elements.map(({ name }) => name), "ID") },
    fc.constantFrom("nope", "$it", "$count", "@p"),
    fc.tuple(navigation, fc.constantFrom("ID", "name", "$count", "title")).map((steps) => steps.join("/")),
  );
  return fc.letrec<{ expr: string; operand: string }>((tie) => ({
    operand: fc.oneof(
      { maxDepth: 4 },
      member,
      anyLiteral,
      fc.tuple(fc.constantFrom(...FUNCTIONS), fc.array(tie("expr"), { maxLength: 3 }))
        .map(([name, args]) => `${name}(${args.join(",")})`),
    ),
    expr: fc.oneof(
      { maxDepth: 4 },
      { weight: 3, arbitrary: comparisons(set) },
      tie("operand"),
      fc.tuple(tie("operand"), fc.constantFrom(...OPERATORS), tie("operand")).map((parts) => parts.join(" ")),
      fc.tuple(tie("expr"), fc.constantFrom("and", "or"), tie("expr")).map((parts) => parts.join(" ")),
      tie("expr").map((inner) => `(${inner})`),
      tie("expr").map((inner) => `not (${inner})`),
      fc.tuple(navigation, fc.constantFrom("any", "all"), tie("expr"))
        .map(([nav, lambda, inner]) => `${nav}/${lambda}(x:x/${inner})`),
    ),
  })).expr;
}

const NESTED = [
  "",
  "",
  "($select=ID)",
  "($expand=*)",
  "($filter=ID eq 1)",
  "($top=-1)",
  "($levels=max)",
  "($count=true;$top=1)",
  "(",
  "($orderby=nope)",
];

const APPLY = [
  "aggregate(ID with sum as s)",
  "aggregate($count as n)",
  "groupby((ID))",
  "groupby((nope),aggregate($count as n))",
  "filter(ID gt 1)/aggregate($count as n)",
  "topcount(2,ID)",
  "concat(identity,identity)",
  "compute(ID add 1 as x)",
  "aggregate(",
];

function options(set: SetNames): fc.Arbitrary<string> {
  const known = [...set.elements.map(({ name }) => name), "ID"];
  const name = mostly(fc.constantFrom(...known), fc.constantFrom(...set.navigations, "nope", "*"));
  const navigation = mostly(
    fc.constantFrom(...set.navigations, "*"),
    fc.constantFrom("nope", "author", "books"),
  );
  const list = (item: fc.Arbitrary<string>) =>
    fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(","));
  const number = mostly(fc.integer({ min: 0, max: 5 }).map(String), fc.oneof(fc.constant("-1"), anyLiteral));
  const option = (key: string, value: fc.Arbitrary<string>) => value.map((text) => `${key}=${text}`);
  return fc.oneof(
    { weight: 4, arbitrary: option("$filter", mostly(comparisons(set), expressions(set))) },
    { weight: 3, arbitrary: option("$filter", expressions(set)) },
    option("$select", list(name)),
    { weight: 2, arbitrary: option("$expand", list(joined(navigation, fc.constantFrom(...NESTED)))) },
    option("$orderby", joined(mostly(name, expressions(set)), fc.constantFrom("", " asc", " desc", " up"))),
    option("$top", number),
    option("$skip", number),
    option("$count", mostly(fc.constantFrom("true", "false"), anyLiteral)),
    option("$search", fc.oneof(fc.constantFrom("a", "a AND b", "NOT a", '"a b"', "a OR", "(a"), anyLiteral)),
    option("$apply", fc.constantFrom(...APPLY)),
    option("$compute", expressions(set).map((text) => `${text} as c`)),
    option("$format", fc.constantFrom("json", "xml", "application/json;odata.metadata=full", "nope", "")),
    option("$skiptoken", fc.oneof(fc.constantFrom("1", "x", "-1", "eyJhIjoxfQ"), anyLiteral)),
    option("sap-locale", anyLiteral),
    option("@p", anyLiteral),
    fc.tuple(anyLiteral, anyLiteral).map((parts) => parts.join("=")),
  );
}

function joined(...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((texts) => texts.join(""));
}

/** A key predicate with values of the types of the keys. */
function keyPredicates({ keys }: SetNames): fc.Arbitrary<string> {
  const values = fc.tuple(...keys.map((key) => literalsOf(key)));
  return values.map((list) =>
    list.length === 1 ? `(${list[0]})` : `(${list.map((value, at) => `${keys[at].name}=${value}`).join(",")})`
  );
}

function anyKey({ keys }: SetNames): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom("(1)", "/201", "('a')", "()", "(ID=201)", "(nope=1)", "(ID=1,ID=2)", "(", "(null)"),
    fc.tuple(fc.constantFrom(...keys.map(({ name }) => name), "ID"), anyLiteral)
      .map(([name, value]) => `(${name}=${value})`),
    anyLiteral.map((value) => `(${value})`),
  );
}

/** A call with or without the parameters of the operation. */
function calls(operations: readonly OperationNames[], prefix = ""): fc.Arbitrary<string> {
  const nothing: OperationNames = { name: "nope", isFunction: true, params: [] };
  return fc.constantFrom(...operations, nothing).chain(({ name, isFunction, params }) => {
    const named = fc.tuple(...params.map((param) => literalsOf(param)))
      .map((list) => list.map((value, at) => `${params[at].name}=${value}`).join(","));
    const right = isFunction ? named.map((list) => `(${list})`) : fc.constant("");
    return mostly(right, fc.constantFrom("", "()", "(book=1)", "(a=1,b=2)", "(x=@p)"))
      .map((args) => `${prefix}${name}${args}`);
  });
}

function paths({ root, name: service, sets, operations }: Vocabulary, set: SetNames): fc.Arbitrary<string> {
  const step = fc.oneof(
    fc.constantFrom(...set.elements.map(({ name }) => name), "$count", "$value", "$ref", "nope", ""),
    fc.constantFrom(...set.navigations, "nope"),
    fc.constantFrom(...HOSTILE),
    calls(set.operations, `${service}.`),
    anyKey(set),
  );
  const others = fc.constantFrom(
    "$metadata",
    "$batch",
    "$entity",
    "$all",
    "$crossjoin(Books,Authors)",
    "",
    "nope",
  );
  const first = fc.oneof(
    { weight: 12, arbitrary: fc.constant(set.name) },
    fc.constantFrom(...sets.map(({ name }) => name)),
    { weight: 2, arbitrary: calls(operations) },
    others,
    fc.constantFrom(...HOSTILE),
  );
  const key = fc.oneof(
    { weight: 2, arbitrary: fc.constant("") },
    { weight: 3, arbitrary: keyPredicates(set) },
    anyKey(set),
  );
  const steps = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(step, { maxLength: 3 }));
  return fc.tuple(first, key, steps)
    .map(([start, keys, more]) => [`${root}/${start}${keys}`, ...more].join("/").replaceAll("/(", "("));
}

/** Paths of an entity set and of one entity, and options that say what is true of most of them. */
export function soundUrls(
  { root }: Vocabulary,
  set: SetNames,
): Record<"set" | "entity" | "options", fc.Arbitrary<string>> {
  const key = fc.tuple(...set.keys.map(literalsOf));
  const names = fc.array(fc.constantFrom(...set.elements.map(({ name }) => name)), {
    minLength: 1,
    maxLength: 3,
  });
  const option = fc.oneof(
    comparisons(set).map((text) => `$filter=${text}`),
    fc.tuple(comparisons(set), fc.constantFrom("and", "or"), comparisons(set)).map((parts) =>
      `$filter=${parts.join(" ")}`
    ),
    fc.uniqueArray(fc.constantFrom(...set.elements.map(({ name }) => name)), { minLength: 1 }).map((list) =>
      `$select=${list}`
    ),
    names.map(([name]) => `$orderby=${name} desc`),
    fc.constantFrom(
      "$expand=*",
      "$count=true",
      "$top=2",
      "$skip=1",
      "$search=a",
      "$apply=aggregate($count as n)",
    ),
    options(set),
  );
  return {
    set: fc.constant(`${root}/${set.name}`),
    entity: key.map((values) =>
      `${root}/${set.name}(${values.map((value, at) => `${set.keys[at].name}=${value}`)})`
    ),
    options: fc.oneof(fc.constant(""), option.map((text) => `?${text}`)),
  };
}

/** Path and query of a request to a service, about an entity set in most cases. */
export function randomUrls(vocabulary: Vocabulary, set: SetNames): fc.Arbitrary<string> {
  const several = fc.array(options(set), { maxLength: 3 });
  const query = several.map((list) => list.length > 0 ? `?${list.join("&")}` : "");
  const url = joined(paths(vocabulary, set), query);
  return mostly(url, damaged(url));
}
