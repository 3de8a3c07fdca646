/**
 * Operands and operators in source order → tree by precedence (OData 4.01 Part 2, section 5.1.1.16).
 *
 * @module
 */

import type { IToken, TokenType } from "chevrotain";
import type { BinaryExpr, BinaryOperator, CommonExpr, UnaryExpr } from "./ast.ts";
import { syntaxError } from "./syntax_error.ts";
import * as T from "./tokens.ts";

const PRECEDENCE: Readonly<Record<BinaryOperator, number>> = {
  or: 1,
  and: 2,
  eq: 3,
  ne: 3,
  lt: 4,
  le: 4,
  gt: 4,
  ge: 4,
  add: 5,
  sub: 5,
  mul: 6,
  div: 6,
  divby: 6,
  mod: 6,
  // Tighter than `not`, which binds its operand when that is read.
  has: 7,
  in: 7,
};

interface OperatorForm {
  readonly name: BinaryOperator;
  readonly level: number;
  readonly compares: boolean;
}

const COMPARISONS: ReadonlySet<string> = new Set(["eq", "ne", "lt", "le", "gt", "ge"]);

const FORMS: ReadonlyMap<TokenType, OperatorForm> = new Map(
  T.OPERATORS.map((type) => {
    const name = type.name as BinaryOperator; // types of operators have their names
    return [type, { name, level: PRECEDENCE[name], compares: COMPARISONS.has(name) }];
  }),
);

function isComparison(expr: CommonExpr): boolean {
  return expr.kind === "binaryExpr" && COMPARISONS.has(expr.operator);
}

/**
 * Precedence of an operator; the greater binds more tightly.
 *
 * @param operator the operator
 * @returns 1 to 7
 */
export function precedence(operator: BinaryOperator): number {
  return PRECEDENCE[operator];
}

/** Where the parts of an expression were read. */
export interface BinarySource {
  /** Offset in the raw URL of a place in the text. */
  readonly offsetAt: (place: number) => number;
  /** Whether an operand stood in parentheses. */
  readonly isGrouped: (operand: CommonExpr) => boolean;
}

interface Climb {
  readonly operands: readonly CommonExpr[];
  readonly tokens: readonly IToken[];
  readonly source: BinarySource;
  /** Operators used so far. */
  position: number;
}

/**
 * Builds the tree of an expression.
 *
 * @param operands the operands in source order, at least one
 * @param tokens the operators between them
 * @param source where tokens and parentheses were
 * @returns the tree
 */
export function binaryExpr(
  operands: readonly CommonExpr[],
  tokens: readonly IToken[],
  source: BinarySource,
): CommonExpr {
  return climb({ operands, tokens, source, position: 0 }, operands[0], PRECEDENCE.or);
}

/** Takes operators behind an operand as long as they bind as tightly as asked for. */
function climb(state: Climb, first: CommonExpr, least: number): CommonExpr {
  const { operands, tokens, source: { offsetAt, isGrouped } } = state;
  let left = first;
  while (state.position < tokens.length) {
    const token = tokens[state.position];
    const { name: operator, level, compares } = FORMS.get(token.tokenType)!; // they are operators
    if (level < least) break;
    if (compares && left !== operands[state.position] && isComparison(left)) {
      throw syntaxError({
        offset: offsetAt(token.startOffset),
        found: token.image.trim(),
        expected: "parentheses around one of the comparisons",
      });
    }
    const offset = offsetAt(token.startOffset + token.image.length - operator.length);
    let right = operands[++state.position];
    if (right.kind === "listExpr" && operator !== "in") throw listError(right.offset);
    if (operator === "in") right = inList(right);
    right = climb(state, right, level + 1);
    left = takesIn(operator, left) && !isGrouped(left)
      ? { ...left, expr: combine({ left: left.expr, operator, right }, offset) }
      : combine({ left, operator, right }, offset);
  }
  return left;
}

/** The right side of `in`: `(1)` is a list of one entry; only literals may stand in a list. */
function inList(right: CommonExpr): CommonExpr {
  if (right.kind === "primitiveLiteral") return { kind: "listExpr", offset: right.offset, items: [right] };
  if (right.kind === "listExpr") {
    const odd = right.items.find((item) =>
      item.kind !== "primitiveLiteral" && !isAlias(item) && item.kind !== "negateExpr"
    );
    if (odd !== undefined) throw syntaxError({ offset: odd.offset, found: odd.kind, expected: "a literal" });
  }
  return right;
}

function isAlias(expr: CommonExpr): boolean {
  return expr.kind === "memberExpr" && expr.root?.[0] === "@" && expr.steps.length === 0;
}

function listError(offset: number): Error {
  return syntaxError({ offset, found: "a list", expected: 'a list only behind "in"' });
}

/** `not a in b` is the negation of `a in b`. */
function takesIn(operator: BinaryOperator, left: CommonExpr): left is UnaryExpr {
  return (operator === "in" || operator === "has") && left.kind === "notExpr";
}

function combine(
  { left, operator, right }: Pick<BinaryExpr, "left" | "operator" | "right">,
  offset: number,
): CommonExpr {
  if (left.kind === "listExpr") throw listError(left.offset);
  return { kind: "binaryExpr", offset, operator, left, right };
}
