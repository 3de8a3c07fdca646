/**
 * Builders of expressions: `fw.ql.ref("author.name")`, `val`, `list`, `func`, `xpr`, `expr`.
 *
 * @module
 */

import { fromTemplate, parseTokens, toLiteral } from "./builders/parse_text.ts";
import type {
  Expression,
  FunctionExpression,
  ListExpression,
  RefExpression,
  RefStep,
  Scalar,
  ValueExpression,
  Xo,
  XprExpression,
} from "./cqn.ts";

/**
 * A path.
 *
 * @param steps its steps, or one text with dots
 */
export function ref(...steps: readonly RefStep[]): RefExpression {
  const [first] = steps;
  return { ref: steps.length === 1 && typeof first === "string" ? first.split(".") : steps };
}

/** A literal. */
export function val(value: Scalar): ValueExpression {
  return { val: value };
}

/** A tuple; values that are no expressions become literals. */
export function list(...values: readonly (Expression | Scalar)[]): ListExpression {
  return { list: values.map(operand) };
}

/**
 * A function call.
 *
 * @param name name of the function
 * @param args arguments; values that are no expressions become literals
 */
export function func(name: string, ...args: readonly (Expression | Scalar)[]): FunctionExpression {
  return { func: name, args: args.map(operand) };
}

/** Operands and operators in parentheses; texts are operators. */
export function xpr(...tokens: readonly Xo[]): XprExpression {
  return { xpr: tokens };
}

/**
 * An expression in text, as tag: values become literals.
 *
 * @param strings what the tag is given first
 * @param values what stands between
 * @returns the one operand, or an `xpr`
 * @throws ConfigurationError for a text that is no expression
 */
export function expr(strings: TemplateStringsArray, ...values: readonly unknown[]): Expression {
  const tokens = parseTokens(fromTemplate(strings, values));
  const [only] = tokens;
  return tokens.length === 1 && typeof only !== "string" ? only : { xpr: tokens };
}

function operand(value: Expression | Scalar): Expression {
  const isExpression = typeof value === "object" && value !== null && !(value instanceof Date) &&
    !(value instanceof Uint8Array);
  return isExpression ? value : toLiteral(value);
}
