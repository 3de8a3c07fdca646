/**
 * Builders of expressions and clauses: `fw.ql.ref("author.name")`, `val`, `list`, `func`, `xpr`, `expr`, `expand`. All take
 * their parts one by one, as a list, or as text behind a tag, whose values become literals.
 *
 * @module
 */

import {
  fromTemplate,
  isTemplate,
  parseColumnText,
  parseTokens,
  splitTop,
  toLiteral,
} from "./builders/parse_text.ts";
import { conditionOf } from "./builders/query_builder.ts";
import { columnsOf, orderTerms } from "./builders/select_arguments.ts";
import type {
  Column,
  Expression,
  FunctionExpression,
  ListExpression,
  NestedColumn,
  OrderTerm,
  RefExpression,
  RefStep,
  Scalar,
  ValueExpression,
  Xo,
  XprExpression,
} from "./cqn.ts";

/** The text of a tag and its values, as a function is given them. */
export type Tagged = readonly [text: TemplateStringsArray, ...values: unknown[]];

/**
 * A path.
 *
 * @param given its steps, or one text with dots
 */
export function ref(...given: readonly RefStep[] | readonly [readonly RefStep[]] | Tagged): RefExpression {
  const steps =
    (isTemplate(given)
      ? [fromTemplate(given[0], given.slice(1)).text.trim()]
      : given.flat()) as readonly RefStep[]; // what is left of the forms
  const [first] = steps;
  return { ref: steps.length === 1 && typeof first === "string" ? first.split(".") : steps };
}

/**
 * A literal.
 *
 * @param given the value, or how it reads in a text: numbers, `true`, `false` and `null` are these, all else is text
 */
export function val(...given: readonly [value: Scalar] | Tagged): ValueExpression {
  if (!isTemplate(given)) return { val: given[0] as Scalar };
  const text = given[0].join("").trim();
  const isLiteral = /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text);
  return { val: isLiteral ? JSON.parse(text) : text.replace(/^'(.*)'$/s, "$1") };
}

/** A tuple; values that are no expressions become literals. */
export function list(
  ...values: readonly (Expression | Scalar | readonly (Expression | Scalar)[])[]
): ListExpression {
  return { list: (values.flat() as (Expression | Scalar)[]).map(operand) };
}

/**
 * A function call.
 *
 * @param name name of the function
 * @param args arguments; values that are no expressions become literals
 */
export function func(
  name: string,
  ...args: readonly (Expression | Scalar | readonly (Expression | Scalar)[])[]
): FunctionExpression {
  return { func: name, args: list(...args).list };
}

/** Operands and operators in parentheses; texts are operators. */
export function xpr(...given: readonly Xo[] | readonly [readonly Xo[]] | Tagged): XprExpression {
  return { xpr: tokensOf(given) };
}

/**
 * The same as `xpr`, but one operand alone stands as it is.
 *
 * @throws ConfigurationError for a text that is no expression
 */
export function expr(...given: readonly Xo[] | readonly [readonly Xo[]] | Tagged): Expression {
  const tokens = tokensOf(given);
  const [only] = tokens;
  return tokens.length === 1 && typeof only !== "string" ? only : { xpr: tokens };
}

/** A condition, as `SELECT.where` takes it. */
export function predicate(...given: readonly unknown[]): XprExpression {
  return { xpr: conditionOf(() => "predicate(…)", given) };
}

/** Columns, as `SELECT.columns` takes texts and expressions. */
export function columns(...given: readonly unknown[]): readonly Column[] {
  if (isTemplate(given)) return parseColumnText(fromTemplate(given[0], given.slice(1)));
  return given.flat().flatMap((one) => typeof one === "string" ? columnsOf(one) : [one as Column]);
}

/** Terms of an order, as `SELECT.orderBy` takes them. */
export function orders(...given: readonly unknown[]): readonly OrderTerm[] {
  return orderTerms(given);
}

/** The condition of a nested result. */
export function where(...given: readonly unknown[]): Pick<NestedColumn, "where"> {
  return { where: conditionOf(() => "where(…)", given) };
}

/** The order of a nested result. */
export function orderBy(...given: readonly unknown[]): Pick<NestedColumn, "orderBy"> {
  return { orderBy: orderTerms(given) };
}

/** A clause of a nested result: its columns, its condition, its order. */
export type NestedClause = readonly Column[] | Partial<NestedColumn>;

/**
 * A nested result; without columns it has all.
 *
 * @param path the association or structure
 * @param clauses its columns, its condition, its order
 */
export function expand(path: string | RefExpression, ...clauses: readonly NestedClause[]): NestedColumn {
  return Object.assign(
    {},
    typeof path === "string" ? ref(path) : path,
    ...clauses.filter((clause) => !Array.isArray(clause)),
    { expand: columnsIn(clauses) },
  );
}

/**
 * Columns behind a path that stand in the rows themselves; without any, all.
 *
 * @param path the association or structure
 * @param clauses the columns
 */
export function inline(
  path: string | RefExpression,
  ...clauses: readonly (readonly Column[])[]
): NestedColumn {
  return { ...(typeof path === "string" ? ref(path) : path), inline: columnsIn(clauses) };
}

function columnsIn(clauses: readonly NestedClause[]): readonly Column[] {
  const found = clauses.flatMap((clause) => Array.isArray(clause) ? clause as readonly Column[] : []);
  return found.length > 0 ? found : ["*"];
}

function tokensOf(given: readonly unknown[]): readonly Xo[] {
  if (!isTemplate(given)) return given.flat() as readonly Xo[]; // one by one, or as a list
  const { text, values } = fromTemplate(given[0], given.slice(1));
  return parseTokens({ text: splitTop(text).length > 1 ? `(${text})` : text, values });
}

function operand(value: Expression | Scalar): Expression {
  const isExpression = typeof value === "object" && value !== null && !(value instanceof Date) &&
    !(value instanceof Uint8Array);
  return isExpression ? value : toLiteral(value);
}
