/**
 * Syntax trees of expressions → text, not percent-encoded.
 *
 * @module
 */

import type {
  AggregateExpr,
  ArgumentList,
  CommonExpr,
  MemberExpr,
  MemberStep,
  OrderbyItem,
  QueryOptions,
  SearchExpr,
} from "./ast.ts";
import { precedence } from "./binary_expr.ts";

/** Prints options between parentheses; handed in, because options contain expressions. */
export type PrintOptions = (options: QueryOptions) => string;

/**
 * Prints an expression.
 *
 * @param expr the tree
 * @param printOptions prints the options of `/$count(…)`
 * @returns text that parses to the same tree
 */
export function printExpression(expr: CommonExpr, printOptions: PrintOptions): string {
  const print = (inner: CommonExpr) => printExpression(inner, printOptions);
  switch (expr.kind) {
    case "primitiveLiteral":
      return expr.text;
    case "array":
      return `[${expr.items.map(print).join(",")}]`;
    case "object":
      return `{${
        expr.members.map(({ name, value }) => `${JSON.stringify(name)}:${print(value)}`).join(",")
      }}`;
    case "listExpr":
      return `(${expr.items.map(print).join(",")})`;
    case "memberExpr":
      return printMember(expr, printOptions);
    case "methodCallExpr":
      return `${expr.name}(${expr.args.map(print).join(",")})`;
    case "caseExpr":
      return `case(${expr.branches.map(({ when, then }) => `${print(when)}:${print(then)}`).join(",")})`;
    case "castExpr":
    case "isofExpr": {
      const name = expr.kind === "castExpr" ? "cast" : "isof";
      return `${name}(${expr.expr === undefined ? "" : `${print(expr.expr)},`}${expr.typeName})`;
    }
    case "notExpr":
    case "negateExpr":
      return `${expr.kind === "notExpr" ? "not " : "-"}${operand(expr.expr, 8, print)}`;
    case "binaryExpr": {
      const level = precedence(expr.operator);
      // Comparisons do not chain.
      const least = level === 3 || level === 4 ? 5 : level;
      return `${operand(expr.left, least, print)} ${expr.operator} ${
        operand(expr.right, Math.max(least, level + 1), print)
      }`;
    }
    default:
      return expr satisfies never;
  }
}

/** In parentheses if it binds less tightly than its place demands. */
function operand(expr: CommonExpr, least: number, print: (expr: CommonExpr) => string): string {
  const loose = expr.kind === "binaryExpr" && precedence(expr.operator) < least;
  // A number behind a minus would become its sign; `not` would take in `in` and `has`.
  const clash = least === 8
    ? expr.kind === "primitiveLiteral" || expr.kind === "negateExpr"
    : expr.kind === "notExpr";
  return loose || clash ? `(${print(expr)})` : print(expr);
}

/**
 * Prints a path.
 *
 * @param expr the tree
 * @param printOptions prints the options of `/$count(…)`
 * @returns text that parses to the same tree
 */
export function printMember({ root, steps }: MemberExpr, printOptions: PrintOptions): string {
  const parts = steps.map((step) => printStep(step, printOptions));
  return (root === undefined ? parts : [root, ...parts]).join("/");
}

function printStep(step: MemberStep, printOptions: PrintOptions): string {
  const print = (inner: CommonExpr) => printExpression(inner, printOptions);
  switch (step.kind) {
    case "memberName":
      return step.name + step.parens.map((list) => printArguments(list, printOptions)).join("");
    case "annotationExpr":
      return step.name;
    case "countStep":
      return step.options === undefined ? "$count" : `$count(${printOptions(step.options)})`;
    case "filterStep": {
      const key = step.key === undefined ? "" : printArguments(step.key, printOptions);
      return `$filter(${print(step.filter)})${key}`;
    }
    case "anyExpr":
    case "allExpr": {
      const name = step.kind === "anyExpr" ? "any" : "all";
      return step.predicate === undefined
        ? `${name}()`
        : `${name}(${step.variable}:${print(step.predicate)})`;
    }
    case "aggregateStep":
      return `aggregate(${printAggregate(step.expr, printOptions)})`;
    default:
      return step satisfies never;
  }
}

/**
 * Prints keys or parameters with their parentheses.
 *
 * @param list the tree
 * @param printOptions prints options inside
 * @returns the text
 */
export function printArguments(list: ArgumentList, printOptions: PrintOptions): string {
  const items = list.items.map(({ name, value }) => {
    const text = printExpression(value, printOptions);
    return name === undefined ? text : `${name}=${text}`;
  });
  return `(${items.join(",")})`;
}

/**
 * Prints an argument of `aggregate`.
 *
 * @param item the tree
 * @param printOptions prints options inside
 * @returns the text
 */
export function printAggregate(item: AggregateExpr, printOptions: PrintOptions): string {
  const parts = [printExpression(item.expr, printOptions)];
  if (item.method !== undefined) parts.push(`with ${item.method}`);
  for (const { properties, method } of item.from ?? []) {
    parts.push(`from ${properties.map((property) => printMember(property, printOptions)).join(",")}`);
    if (method !== undefined) parts.push(`with ${method}`);
  }
  if (item.alias !== undefined) parts.push(`as ${item.alias}`);
  return parts.join(" ");
}

/**
 * Prints an item of `$orderby`.
 *
 * @param item the tree
 * @param printOptions prints options inside
 * @returns the text
 */
export function printOrderbyItem(item: OrderbyItem, printOptions: PrintOptions): string {
  return `${printExpression(item.expr, printOptions)}${item.desc ? " desc" : ""}`;
}

/**
 * Prints search text.
 *
 * @param search the tree
 * @returns the text
 */
export function printSearch(search: SearchExpr): string {
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
