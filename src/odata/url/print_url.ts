/**
 * Syntax trees → URLs. Remote services send them; a tree is printed to what parses to the same tree.
 *
 * @module
 */

import type {
  AggregateExpr,
  ApplyExpr,
  ApplyTrafo,
  ArgumentList,
  CommonExpr,
  ExpandItem,
  GroupbyElement,
  MemberExpr,
  MemberStep,
  ODataRelativeUri,
  OrderbyItem,
  PathSegment,
  QueryOptions,
  RecHierReference,
  SearchExpr,
  SelectItem,
} from "./ast.ts";
import { precedence } from "./binary_expr.ts";

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
      return encodePath(segment.name + segment.parens.map(printArguments).join(""));
    case "systemSegment":
      return segment.name;
    case "filterInPath":
      return `$filter(${encodePath(printExpression(segment.filter))})`;
    case "crossjoin":
      return `$crossjoin(${segment.entitySets.join(",")})`;
    default:
      return segment satisfies never;
  }
}

function printOptions(options: QueryOptions): string {
  return optionTexts(options).map(([name, value]) => `${name}=${value}`).join(";");
}

/** Name and value of each option. */
function optionTexts(options: QueryOptions): (readonly [string, string])[] {
  const texts: (readonly [string, string | undefined])[] = [
    ["$apply", options.apply && printApply(options.apply)],
    [
      "$compute",
      options.compute?.map(({ expr, name }) => `${printExpression(expr)} as ${name}`).join(","),
    ],
    ["$filter", options.filter && printExpression(options.filter)],
    ["$search", options.search && printSearch(options.search)],
    ["$orderby", options.orderby?.map(printOrderbyItem).join(",")],
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
      [`$${name}`, typeof value === "string" ? value : printExpression(value)] as const
    ),
    ...(options.aliases ?? []).map(({ name, value }) => [`@${name}`, printExpression(value)] as const),
    ...(options.custom ?? []).filter(({ system, error }) => system === undefined || error !== undefined)
      .map(({ name, value }) => [name, value] as const),
  ];
  return texts.filter((entry): entry is readonly [string, string] => entry[1] !== undefined);
}

function printSelectItem({ path, parameterNames, options }: SelectItem): string {
  const names = parameterNames === undefined ? "" : `(${parameterNames.join(",")})`;
  return `${path.join("/")}${names}${options === undefined ? "" : `(${printOptions(options)})`}`;
}

function printExpandItem({ path, suffix, options }: ExpandItem): string {
  const name = suffix === undefined ? path.join("/") : `${path.join("/")}/${suffix}`;
  return options === undefined ? name : `${name}(${printOptions(options)})`;
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

/** Prints an expression. */
function printExpression(expr: CommonExpr): string {
  switch (expr.kind) {
    case "primitiveLiteral":
      return expr.text;
    case "array":
      return `[${expr.items.map(printExpression).join(",")}]`;
    case "object":
      return `{${
        expr.members.map(({ name, value }) => `${JSON.stringify(name)}:${printExpression(value)}`).join(",")
      }}`;
    case "listExpr":
      return `(${expr.items.map(printExpression).join(",")})`;
    case "memberExpr":
      return printMember(expr);
    case "methodCallExpr":
      return `${expr.name}(${expr.args.map(printExpression).join(",")})`;
    case "caseExpr":
      return `case(${
        expr.branches.map(({ when, then }) => `${printExpression(when)}:${printExpression(then)}`).join(",")
      })`;
    case "castExpr":
    case "isofExpr": {
      const name = expr.kind === "castExpr" ? "cast" : "isof";
      return `${name}(${expr.expr === undefined ? "" : `${printExpression(expr.expr)},`}${expr.typeName})`;
    }
    case "notExpr":
    case "negateExpr":
      return `${expr.kind === "notExpr" ? "not " : "-"}${operand(expr.expr, 8)}`;
    case "binaryExpr": {
      const level = precedence(expr.operator);
      // Comparisons do not chain.
      const least = level === 3 || level === 4 ? 5 : level;
      return `${operand(expr.left, least)} ${expr.operator} ${
        operand(expr.right, Math.max(least, level + 1))
      }`;
    }
    default:
      return expr satisfies never;
  }
}

/** In parentheses if it binds less tightly than its place demands. */
function operand(expr: CommonExpr, least: number): string {
  const loose = expr.kind === "binaryExpr" && precedence(expr.operator) < least;
  // A number behind a minus would become its sign; `not` would take in `in` and `has`.
  const clash = least === 8
    ? expr.kind === "primitiveLiteral" || expr.kind === "negateExpr"
    : expr.kind === "notExpr";
  return loose || clash ? `(${printExpression(expr)})` : printExpression(expr);
}

/** Prints a path. */
function printMember({ root, steps }: MemberExpr): string {
  const parts = steps.map(printStep);
  return (root === undefined ? parts : [root, ...parts]).join("/");
}

function printStep(step: MemberStep): string {
  switch (step.kind) {
    case "memberName":
      return step.name + step.parens.map(printArguments).join("");
    case "annotationExpr":
      return step.name;
    case "countStep":
      return step.options === undefined ? "$count" : `$count(${printOptions(step.options)})`;
    case "filterStep": {
      const key = step.key === undefined ? "" : printArguments(step.key);
      return `$filter(${printExpression(step.filter)})${key}`;
    }
    case "anyExpr":
    case "allExpr": {
      const name = step.kind === "anyExpr" ? "any" : "all";
      return step.predicate === undefined
        ? `${name}()`
        : `${name}(${step.variable}:${printExpression(step.predicate)})`;
    }
    case "aggregateStep":
      return `aggregate(${printAggregate(step.expr)})`;
    default:
      return step satisfies never;
  }
}

/** Prints keys or parameters with their parentheses. */
function printArguments(list: ArgumentList): string {
  const items = list.items.map(({ name, value }) => {
    const text = printExpression(value);
    return name === undefined ? text : `${name}=${text}`;
  });
  return `(${items.join(",")})`;
}

/** Prints an argument of `aggregate`. */
function printAggregate(item: AggregateExpr): string {
  const parts = [printExpression(item.expr)];
  if (item.method !== undefined) parts.push(`with ${item.method}`);
  for (const { properties, method } of item.from ?? []) {
    parts.push(`from ${properties.map(printMember).join(",")}`);
    if (method !== undefined) parts.push(`with ${method}`);
  }
  if (item.alias !== undefined) parts.push(`as ${item.alias}`);
  return parts.join(" ");
}

/** Prints an item of `$orderby`. */
function printOrderbyItem(item: OrderbyItem): string {
  return `${printExpression(item.expr)}${item.desc ? " desc" : ""}`;
}

/** Prints search text. */
function printSearch(search: SearchExpr): string {
  switch (search.kind) {
    case "searchWord":
      // a semicolon that is not encoded ends a word
      return search.text.includes(";") ? `"${search.text}"` : search.text;
    case "searchPhrase":
      return search.text.includes('"') || search.text === ""
        ? `'${search.text.replaceAll("'", "''")}'`
        : `"${search.text}"`;
    case "searchNegateExpr":
      return `NOT ${searchOperand(search.expr)}`;
    case "searchAndExpr":
      return `${searchOperand(search.left, "searchAndExpr")} AND ${searchOperand(search.right)}`;
    case "searchOrExpr":
      return `${printSearch(search.left)} OR ${searchOperand(search.right, "searchAndExpr")}`;
    default:
      return search satisfies never;
  }
}

function searchOperand(search: SearchExpr, bare?: SearchExpr["kind"]): string {
  const grouped = (search.kind === "searchAndExpr" || search.kind === "searchOrExpr") && search.kind !== bare;
  return grouped ? `(${printSearch(search)})` : printSearch(search);
}

/** Prints `$apply`. */
function printApply(apply: ApplyExpr): string {
  return apply.trafos.map(printTrafo).join("/");
}

function printTrafo(trafo: ApplyTrafo): string {
  switch (trafo.kind) {
    case "aggregateTrafo":
      return `aggregate(${trafo.items.map(printAggregate).join(",")})`;
    case "computeTrafo":
      return `compute(${
        trafo.items.map(({ expr, name }) => `${printExpression(expr)} as ${name}`).join(",")
      })`;
    case "concatTrafo":
      return `concat(${trafo.branches.map(printApply).join(",")})`;
    case "groupbyTrafo": {
      const elements = trafo.elements.map(printGrouping).join(",");
      return `groupby((${elements})${trafo.apply === undefined ? "" : `,${printApply(trafo.apply)}`})`;
    }
    case "filterTrafo":
      return `filter(${printExpression(trafo.filter)})`;
    case "searchTrafo":
      return `search(${printSearch(trafo.search)})`;
    case "orderbyTrafo":
      return `orderby(${trafo.items.map(printOrderbyItem).join(",")})`;
    case "topTrafo":
    case "skipTrafo":
      return `${trafo.kind === "topTrafo" ? "top" : "skip"}(${trafo.count})`;
    case "identityTrafo":
      return "identity";
    case "topBottomTrafo":
      return `${trafo.name}(${printExpression(trafo.amount)},${printExpression(trafo.value)})`;
    case "joinTrafo": {
      const apply = trafo.apply === undefined ? "" : `,${printApply(trafo.apply)}`;
      const name = trafo.outer ? "outerjoin" : "join";
      return `${name}(${printMember(trafo.property)} as ${trafo.alias}${apply})`;
    }
    case "nestTrafo": {
      const items = trafo.items.map(({ apply, alias }) => `${printApply(apply)} as ${alias}`).join(",");
      return trafo.path === undefined ? `nest(${items})` : `addnested(${printMember(trafo.path)},${items})`;
    }
    case "hierarchyTrafo":
      return printHierarchy(trafo);
    case "customFunction":
      return trafo.call.name + trafo.call.parens.map(printArguments).join("");
    default:
      return trafo satisfies never;
  }
}

function printReference({ nodes, qualifier, property }: RecHierReference): string {
  return `${printExpression(nodes)},${qualifier},${printMember(property)}`;
}

function printHierarchy(trafo: Extract<ApplyTrafo, { kind: "hierarchyTrafo" }>): string {
  const parts = [printReference(trafo.hierarchy)];
  if (trafo.order !== undefined) parts.push(trafo.order);
  if (trafo.trafos !== undefined) parts.push(printApply(trafo.trafos));
  if (trafo.distance !== undefined) parts.push(`${trafo.distance}`);
  if (trafo.keepStart) parts.push("keep start");
  for (const item of trafo.orderby ?? []) parts.push(printOrderbyItem(item));
  return `${trafo.name}(${parts.join(",")})`;
}

function printGrouping(element: GroupbyElement): string {
  switch (element.kind) {
    case "memberExpr":
      return printMember(element);
    case "rollupLevels":
      return `rollup(${element.properties.map(printMember).join(",")})`;
    case "rollupRecursive": {
      const trafos = element.trafos === undefined ? "" : `,${printApply(element.trafos)}`;
      return `rolluprecursive(${printReference(element.hierarchy)}${trafos})`;
    }
    default:
      return element satisfies never;
  }
}
