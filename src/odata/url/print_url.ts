/**
 * Syntax trees → URLs. Remote services send them, next links are made of them.
 *
 * @module
 */

import type { ExpandItem, ODataRelativeUri, PathSegment, QueryOptions, SelectItem } from "./ast.ts";
import { printApply } from "./print_apply.ts";
import { printArguments, printExpression, printOrderbyItem, printSearch } from "./print_expression.ts";

/**
 * Prints a URL.
 *
 * @param url the tree
 * @returns path and query, percent-encoded, options with `$`
 */
export function printUrl(url: ODataRelativeUri): string {
  const path = url.path.map(printSegment).join("/");
  const options = optionTexts(url.options);
  const query = options.map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(value)}`).join("&");
  return query === "" ? path : `${path}?${query}`;
}

function printSegment(segment: PathSegment): string {
  switch (segment.kind) {
    case "nameSegment":
      return encodePath(
        segment.name + segment.parens.map((list) => printArguments(list, printOptionsInParens)).join(""),
      );
    case "systemSegment":
      return segment.name;
    case "filterInPath":
      return `$filter(${encodePath(printExpression(segment.filter, printOptionsInParens))})`;
    case "crossjoin":
      return `$crossjoin(${segment.entitySets.join(",")})`;
    default:
      return segment satisfies never;
  }
}

function printOptionsInParens(options: QueryOptions): string {
  return optionTexts(options).map(([name, value]) => `${name}=${value}`).join(";");
}

/** Name and value of each option. */
function optionTexts(options: QueryOptions): (readonly [string, string])[] {
  const print = printOptionsInParens;
  const texts: (readonly [string, string | undefined])[] = [
    ["$apply", options.apply && printApply(options.apply, print)],
    [
      "$compute",
      options.compute?.map(({ expr, name }) => `${printExpression(expr, print)} as ${name}`).join(","),
    ],
    ["$filter", options.filter && printExpression(options.filter, print)],
    ["$search", options.search && printSearch(options.search)],
    ["$orderby", options.orderby?.map((item) => printOrderbyItem(item, print)).join(",")],
    ["$select", options.select?.map(printSelectItem).join(",")],
    ["$expand", options.expand?.map(printExpandItem).join(",")],
    ["$levels", options.levels?.toString()],
    ["$count", options.count?.toString()],
    ["$skip", options.skip?.toString()],
    ["$top", options.top?.toString()],
    ["$index", options.index?.toString()],
    ["$format", options.format],
    ["$id", options.id],
    ["$schemaversion", options.schemaversion],
    ["$skiptoken", options.skiptoken],
    ["$deltatoken", options.deltatoken],
    ...Object.entries(options.temporal ?? {}).map(([name, value]) =>
      [`$${name}`, typeof value === "string" ? value : printExpression(value, print)] as const
    ),
    ...(options.aliases ?? []).map(({ name, value }) => [`@${name}`, printExpression(value, print)] as const),
    ...(options.custom ?? []).filter(({ system, error }) => system === undefined || error !== undefined)
      .map(({ name, value }) => [name, value] as const),
  ];
  return texts.filter((entry): entry is readonly [string, string] => entry[1] !== undefined);
}

function printSelectItem({ path, parameterNames, options }: SelectItem): string {
  const names = parameterNames === undefined ? "" : `(${parameterNames.join(",")})`;
  return `${path.join("/")}${names}${options === undefined ? "" : `(${printOptionsInParens(options)})`}`;
}

function printExpandItem({ path, suffix, options }: ExpandItem): string {
  const name = suffix === undefined ? path.join("/") : `${path.join("/")}/${suffix}`;
  return options === undefined ? name : `${name}(${printOptionsInParens(options)})`;
}

// What may stand unencoded in a path segment and in a query (RFC 3986), without `&`, `#`, `+` and `%`.
const PATH_TEXT = /[^\w.~!$'()*,;:@=-]/gu;
const QUERY_TEXT = /[^\w.~!$'()*,;:@/?=-]/gu;

function encodePath(text: string): string {
  return text.toWellFormed().replace(PATH_TEXT, encodeURIComponent);
}

function encodeQuery(text: string): string {
  return text.toWellFormed().replace(QUERY_TEXT, encodeURIComponent);
}
