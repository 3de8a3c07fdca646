/**
 * Expressions over the model as expressions over columns.
 *
 * @module
 */

import { toExpression } from "../../cqn/to_expression.ts";
import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import {
  decimalAggregate,
  isOperator,
  lowerCalculation,
  type TokenPlace,
  wholeCalculation,
} from "./arithmetic.ts";
import { asText, isTextArgument, isTextOperand, withJoinedCalculations } from "./as_text.ts";
import { castValue } from "./conversions.ts";
import { countSubquery, existsSubquery } from "./exists.ts";
import { withSymbols } from "./enum_symbols.ts";
import { jsonRow } from "./json_row.ts";
import { withComparedLiteral, withOneType, withOneTypeOfCase, withSameInstants } from "./one_type.ts";
import { numberAggregate } from "./number_aggregate.ts";
import { ownAggregate } from "./own_aggregate.ts";
import { isBound, resolveReference, valueOf } from "./references.ts";
import { unlocalizedCondition } from "./unlocalized.ts";
import { type Lowering, type OutputColumn, type Scope, stepName } from "./scope.ts";
import { withStoredForm } from "./stored_form.ts";
import { withStructureComparisons } from "./structure_comparison.ts";
import { typeOf } from "./type_of.ts";
import { wide } from "./wide.ts";

/**
 * Lowers an expression; alias, sort order and cast beside it stay.
 *
 * @param lowering the steps of lowering
 * @param expression any expression
 * @param scope the scope it stands in
 */
export function lowerExpression(lowering: Lowering, expression: Expression, scope: Scope): Expression {
  const lowered = lowerPlain(lowering, expression, scope);
  return "cast" in expression ? castValue(expression, lowered, { lowering, scope }) : lowered;
}

function lowerPlain(lowering: Lowering, expression: Expression, scope: Scope): Expression {
  if ("SELECT" in expression || "SET" in expression) {
    return lowering.select(expression, { parent: scope }).query;
  }
  if ("ref" in expression) return reference(lowering, expression, scope);
  if ("func" in expression) return call(lowering, expression, scope);
  if ("xpr" in expression) {
    const { localized, ...others } = expression;
    const xpr = localized === false
      ? unlocalizedCondition(lowering, expression.xpr, scope)
      : lowerXo(lowering, expression.xpr, scope);
    return { ...others, xpr };
  }
  if ("list" in expression) {
    return { ...expression, list: expression.list.map((item) => lowerExpression(lowering, item, scope)) };
  }
  if ("val" in expression || !("#" in expression)) return expression;
  return { val: expression["#"] };
}

function reference(
  lowering: Lowering,
  expression: Extract<Expression, { ref: unknown }>,
  scope: Scope,
): Expression {
  if (isBound(expression) || isItem(expression.ref)) return expression;
  const { ref, param: _param, ...others } = expression;
  return { ...others, ...valueOf(resolveReference(lowering, ref, scope), ref).expression };
}

/** The member of an array that `$any` looks at. */
function isItem(ref: readonly RefStep[]): boolean {
  return stepName(ref[0]).startsWith("$item");
}

/** Names of functions count in any case; from here on they are in lower case. */
function call(
  lowering: Lowering,
  given: Extract<Expression, { func: string }>,
  scope: Scope,
): Expression {
  const expression = { ...given, func: given.func.toLowerCase() };
  const distinct = distinctArgument(expression);
  if (distinct) return call(lowering, { ...expression, func: "countdistinct", args: [distinct] }, scope);
  const { args } = expression;
  if (expression.func === "count" && Array.isArray(args) && args.length === 1) {
    const counted = associationArgument(lowering, args[0], scope);
    if (counted) {
      const { func: _func, args: _args, ...beside } = expression;
      return { ...beside, ...countSubquery(lowering, counted, scope) };
    }
  }
  const list = args === undefined || Array.isArray(args) ? args : Object.values(args);
  const lowered = argumentsWithOneType(expression.func, list, { lowering, scope })?.map((arg, at) => {
    if (arg === "*") return arg;
    const value = lowerExpression(lowering, arg, scope);
    return isTextArgument(expression.func, at) ? asText(arg, value, { lowering, scope }) : value;
  });
  const xpr = expression.xpr && lowerXo(lowering, expression.xpr, scope);
  if (expression.func === "$filtered" && lowered?.[5]) return { ...expression, args: withJson(lowered) };
  const result = { ...expression, ...(lowered && { args: lowered }), ...(xpr && { xpr }) };
  return decimalAggregate(
    numberAggregate(ownAggregate(result, scope), list, { lowering, scope }),
    expression,
    {
      lowering,
      scope,
    },
  );
}

/** Functions that give one of their arguments. */
const CHOICES: ReadonlySet<string> = new Set(["coalesce", "ifnull"]);

function argumentsWithOneType(
  func: string,
  list: readonly unknown[] | undefined,
  place: TokenPlace,
): readonly (Expression | "*")[] | undefined {
  const args = list as readonly (Expression | "*")[] | undefined;
  if (func === "nullif") return withComparedLiteral(args as readonly Expression[], place);
  return args && CHOICES.has(func) ? withOneType(args as readonly Expression[], place) : args;
}

/** `$filtered`: what is computed of members, names and values in turn, becomes the JSON object of it. */
function withJson(args: readonly (Expression | "*")[]): readonly (Expression | "*")[] {
  const { list } = args[5] as { readonly list: readonly Expression[] }; // the sixth argument is a list
  const columns = list.flatMap((expression, index): OutputColumn[] => {
    const name = list[index - 1];
    if (index % 2 === 0 || !name || !("val" in name)) return [];
    return [{ name: String(name.val), expression, type: typeOf(expression) }];
  });
  return [...args.slice(0, 5), jsonRow({ payload: false }, columns)];
}

/** `count(distinct x)` is a function of its own. */
function distinctArgument({ func, args }: Extract<Expression, { func: string }>): Expression | undefined {
  const [arg, ...others] = Array.isArray(args) ? args as readonly (Expression | "*")[] : [];
  if (func !== "count" || others.length > 0 || typeof arg !== "object") return undefined;
  if (!("xpr" in arg) || "func" in arg || arg.xpr[0] !== "distinct") return undefined;
  return toExpression(arg.xpr.slice(1));
}

/** `count(reviews)` counts rows along a to-many association. */
function associationArgument(
  lowering: Lowering,
  arg: Expression | "*",
  scope: Scope,
): readonly RefStep[] | undefined {
  if (arg === "*" || !("ref" in arg) || isBound(arg)) return undefined;
  const found = resolveReference(lowering, arg.ref, scope);
  return found.kind === "association" && found.association.is2many ? arg.ref : undefined;
}

/**
 * Lowers a flat expression array: `exists` paths, comparison with lists in parameters, and all operands.
 *
 * @param lowering the steps of lowering
 * @param given operands and operators
 * @param scope the scope they stand in
 */
export function lowerXo(lowering: Lowering, given: readonly Xo[], scope: Scope): readonly Xo[] {
  const result: Xo[] = [];
  const compared = withStructureComparisons(
    given,
    (ref) => isBound({ ref }) || isItem(ref) ? undefined : resolveReference(lowering, ref, scope),
  );
  const joined = withJoinedCalculations(withSymbols(lowering, compared, scope));
  const place = { lowering, scope };
  const tokens = withStoredForm(lowering, withSameInstants(withOneTypeOfCase(joined, place), place), scope);
  let wideUntil = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === "exists") {
      const next = tokens[index + 1];
      if (typeof next === "object" && "ref" in next && !next.param) {
        result.push("exists", existsSubquery(lowering, next.ref, scope));
        index++;
        continue;
      }
    }
    const calculated = lowerCalculation(tokens, index, { lowering, scope });
    if (calculated) {
      result.push(calculated.expression);
      index += calculated.length - 1;
      continue;
    }
    if (index >= wideUntil) wideUntil = index + wholeCalculation(tokens, index, { lowering, scope });
    const mirrored = mirroredMembership(tokens, index);
    if (mirrored) {
      result.push(lowering.expression(mirrored.left, scope), ...mirrored.operator);
      result.push(lowering.expression(mirrored.right, scope));
      index += mirrored.length - 1;
      continue;
    }
    const list = typeof token === "string" ? membership(tokens, index) : undefined;
    if (list) {
      result.push(...list.operator, lowering.expression(list.right, scope));
      index += list.length - 1;
      continue;
    }
    if (typeof token === "string") result.push(token);
    else {
      const lowered = lowerExpression(lowering, token, scope);
      if (isTextOperand(tokens, index)) result.push(asText(token, lowered, { lowering, scope }));
      else result.push(index < wideUntil ? wide(lowered) : lowered);
    }
  }
  return result;
}

interface Membership {
  readonly operator: readonly string[];
  readonly right: Expression;
  /** Tokens it stands for. */
  readonly length: number;
}

/**
 * `= $user.attr` means any of the values; `in ?` takes an array, `in ($user.attr, …)` all of their values. All are `in (values
 * of the bound array)`, but not where something is calculated of the values: operators bind more strongly than `in`.
 */
function membership(tokens: readonly Xo[], index: number): Membership | undefined {
  const operator = tokens[index] as string;
  const right = tokens[index + 1];
  if (typeof right !== "object" || joinsValues(tokens[index + 2])) return undefined;
  const array = { func: "$values", args: [right] };
  if (operator === "in" && (isBound(right) || isArray(right))) {
    return { operator: ["in"], right: array, length: 2 };
  }
  if (operator === "in" && "list" in right && right.list.some(isAttribute) && right.list.every(isGiven)) {
    return { operator: ["in"], right: { func: "$values", args: right.list }, length: 2 };
  }
  if (!isAttribute(right)) return undefined;
  if (operator === "=" || operator === "==") return { operator: ["in"], right: array, length: 2 };
  if (operator === "<>" || operator === "!=") return { operator: ["not", "in"], right: array, length: 2 };
  return undefined;
}

/** `$user.attr = value` like `value = $user.attr`. */
function mirroredMembership(
  tokens: readonly Xo[],
  index: number,
): Membership & { readonly left: Expression } | undefined {
  const [attribute, operator, left, end] = tokens.slice(index, index + 4);
  if (typeof attribute !== "object" || !isAttribute(attribute) || typeof operator !== "string") {
    return undefined;
  }
  if (typeof left !== "object" || isAttribute(left) || ("val" in left && left.val === null)) return undefined;
  if (end !== undefined && end !== "and" && end !== "or") return undefined;
  if (joinsValues(tokens[index - 1])) return undefined;
  const found = membership([operator, attribute], 0);
  return found && operator !== "in" ? { ...found, left, length: 3 } : undefined;
}

/** Whether a token makes one value of those on its sides. */
function joinsValues(token: Xo | undefined): boolean {
  return isOperator(token) || token === "||";
}

/** Whether a value is known before the statement runs. */
function isGiven(expression: Expression): boolean {
  return "val" in expression || isBound(expression);
}

function isArray(expression: Expression): boolean {
  return "val" in expression && Array.isArray(expression.val);
}

function isAttribute(expression: Expression): boolean {
  if (!("ref" in expression) || expression.param || stepName(expression.ref[0]) !== "$user") return false;
  const name = expression.ref[1];
  return name !== undefined && !["id", "locale", "tenant"].includes(stepName(name));
}
