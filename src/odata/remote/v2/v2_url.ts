/**
 * URLs of OData 4 as OData 2 writes them (OData 2.0, "URI Conventions").
 *
 * @module
 */

import type { Row } from "../../../cqn/cqn.ts";
import type { LinkedOperation } from "../../../model/linked.ts";
import {
  type Argument,
  type CommonExpr,
  type CustomQueryOption,
  type ExpandItem,
  type MemberExpr,
  NO_OFFSET,
  type ODataRelativeUri,
  type OrderbyItem,
  type PathSegment,
  type QueryOptions,
  type SelectItem,
} from "../../url/ast.ts";
import { printUrl } from "../../url/print_url.ts";
import { literal, notPossible, type RemoteLiteral, remoteType } from "../remote_expression.ts";
import { v2Literal } from "./v2_values.ts";

const FUNCTIONS: ReadonlySet<string> = new Set([
  ..."substringof endswith startswith length indexof replace substring tolower toupper trim concat".split(
    " ",
  ),
  ..."day hour minute month second year round floor ceiling".split(" "),
]);

/**
 * Prints a URL for a service of OData 2.
 *
 * @param url the tree, as a service of OData 4 would get it
 * @throws ServiceError 501 for what OData 2 has no word for
 */
export function printV2Url({ path, options, ...url }: ODataRelativeUri): string {
  return printUrl({ ...url, path: path.map(toSegment), options: toOptions(options) });
}

/**
 * The parameters of a function import as options of its URL.
 *
 * @param operation the function import
 * @param data values of its parameters
 */
export function functionOptions(operation: LinkedOperation, data: Row): readonly CustomQueryOption[] {
  return [...operation.params].filter(({ name }) => data[name] !== undefined).map((param) => ({
    name: param.name,
    value: v2Literal(data[param.name], remoteType(param)),
    ...{ valueOffset: NO_OFFSET, offset: NO_OFFSET },
  }));
}

function toSegment(segment: PathSegment): PathSegment {
  if (segment.kind !== "nameSegment") return segment;
  const parens = segment.parens.map((list) => ({ ...list, items: list.items.map(toArgument) }));
  return { ...segment, parens };
}

function toArgument(argument: Argument): Argument {
  return { ...argument, value: toExpression(argument.value as CommonExpr) }; // of keys: literals
}

function toOptions(
  { filter, orderby, select, expand, count, search, ...others }: QueryOptions,
): QueryOptions {
  const nested = (expand ?? []).map((item) => flattened(item, []));
  const paths = nested.flatMap((one) => one.expand);
  // what is expanded must be selected, too
  const selected = select && [...select, ...nested.flatMap((one) => one.select)];
  const custom: CustomQueryOption[] = [];
  const add = (name: string, value: string) =>
    custom.push({ name, value, valueOffset: NO_OFFSET, offset: NO_OFFSET });
  if (count) add("$inlinecount", "allpages");
  if (search) {
    if (search.kind !== "searchPhrase") throw notPossible("A search for several words");
    add("search", search.text);
  }
  return {
    ...others,
    ...(filter ? { filter: toExpression(filter) } : {}),
    ...(orderby ? { orderby: orderby.map(toOrder) } : {}),
    ...(selected ? { select: selected } : {}),
    ...(paths.length > 0 ? { expand: paths } : {}),
    ...(custom.length > 0 ? { custom: [...others.custom ?? [], ...custom] } : {}),
  };
}

function toOrder(item: OrderbyItem): OrderbyItem {
  return { ...item, expr: toExpression(item.expr) };
}

/** `$expand` with options becomes paths of `$expand` and `$select`. */
function flattened(
  { path, options }: ExpandItem,
  before: readonly string[],
): { readonly expand: readonly ExpandItem[]; readonly select: readonly SelectItem[] } {
  const whole = [...before, ...path];
  const { select, expand, offsets: _, ...others } = options ?? { offsets: {} };
  if (Object.keys(others).length > 0) throw notPossible("A condition, order or limit of expanded rows");
  const inner = (expand ?? []).map((item) => flattened(item, whole));
  const own = select?.map((item) => ({ ...item, path: [...whole, ...item.path] })) ??
    [{ path: whole, offset: NO_OFFSET }];
  return {
    expand: [{ path: whole, offset: NO_OFFSET }, ...inner.flatMap((one) => one.expand)],
    select: [...own, ...inner.flatMap((one) => one.select)],
  };
}

function toExpression(expr: CommonExpr): CommonExpr {
  switch (expr.kind) {
    case "primitiveLiteral":
      return toLiteral(expr);
    case "memberExpr":
      return toMember(expr);
    case "notExpr":
    case "negateExpr":
      return { ...expr, expr: toExpression(expr.expr) };
    case "methodCallExpr": {
      const args = expr.args.map(toExpression);
      if (expr.name === "contains") return { ...expr, name: "substringof", args: args.toReversed() };
      if (FUNCTIONS.has(expr.name)) return { ...expr, args };
      throw notPossible(`The function "${expr.name}"`);
    }
    case "binaryExpr": {
      if (expr.operator === "in") return anyOf(expr.left, expr.right);
      return { ...expr, left: toExpression(expr.left), right: toExpression(expr.right) };
    }
    default:
      throw notPossible("This condition");
  }
}

/** OData 2 knows no lists. */
function anyOf(left: CommonExpr, list: CommonExpr): CommonExpr {
  if (list.kind !== "listExpr") throw notPossible("This condition");
  const tests = list.items.map((item): CommonExpr => ({
    ...{ kind: "binaryExpr", operator: "eq", offset: NO_OFFSET },
    left: toExpression(left),
    right: toExpression(item as CommonExpr), // of the values of a query
  }));
  return tests.reduce((before, one) => ({
    ...{ kind: "binaryExpr", operator: "or", offset: NO_OFFSET },
    left: before,
    right: one,
  }));
}

function toLiteral(given: RemoteLiteral): CommonExpr {
  const { origin } = given;
  return origin ? literal(v2Literal(origin.value, origin.type)) : given;
}

function toMember(expr: MemberExpr): MemberExpr {
  if (expr.steps.every(({ kind }) => kind === "memberName")) return expr;
  throw notPossible("A condition about several rows");
}
