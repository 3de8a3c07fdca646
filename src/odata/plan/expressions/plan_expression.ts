/**
 * Expressions of a URL → trees (OData 4.01 Part 2, section 5.1.1). In CQN a comparison with null is unknown, in OData it
 * is false; where that makes a difference (`exact`: below `not` and inside values) null is excluded explicitly.
 *
 * @module
 */

import { BUILTIN_TYPES } from "../../../model/edm_types.ts";
import {
  ALWAYS,
  caseOf,
  compare,
  isIn,
  join,
  list,
  literal,
  negative,
  NEVER,
  not,
  NULL,
  parameter,
} from "../../../algebra/build.ts";
import type { Branch, ComparisonOperator, Expr } from "../../../algebra/tree.ts";
import type { BinaryExpr, BinaryOperator, CommonExpr, MemberExpr, PrimitiveLiteral } from "../../url/ast.ts";
import { isFiner, type ValueType } from "./literal_values.ts";
import { divisorType, isArithmetic, isWhole, planArithmetic } from "./plan_arithmetic.ts";
import { planCast, planIsof } from "./plan_cast.ts";
import { badRequest } from "../plan_error.ts";
import { finerComparison, isStructured, planStructural, planSubset } from "./plan_structural.ts";
import { planFunction, planHas } from "./plan_function.ts";
import { hasMember, itemValue } from "./plan_item.ts";
import { planMember } from "./plan_member.ts";
import {
  BOOLEAN,
  DURATION,
  type ExpressionPlanner,
  groupOf,
  isLiteral as isValue,
  isNull,
  isRounded,
  resolveAlias,
  type Scope,
  told,
  type Typed,
} from "../scope.ts";

const COMPARISONS: Readonly<Partial<Record<BinaryOperator, ComparisonOperator>>> = {
  eq: "=",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};
/**
 * Plans a condition.
 *
 * @param expr the expression
 * @param scope what its names refer to
 * @param exact whether null must be told from false
 * @returns the condition
 * @throws {ServiceError} 400 if it makes no sense for the model, 501 if we do not run it
 */
export function planCondition(expr: CommonExpr, scope: Scope, exact = false): Expr {
  switch (expr.kind) {
    case "binaryExpr":
      if (expr.operator === "and" || expr.operator === "or") return planLogical(expr, scope, exact);
      if (expr.operator in COMPARISONS) return planComparison(expr, scope, exact);
      if (expr.operator === "in") return planIn(expr, scope, exact);
      if (expr.operator === "has") return planFlags(expr, scope, exact);
      break;
    case "notExpr":
      return not(planCondition(expr.expr, scope, true));
    case "primitiveLiteral":
      if (expr.type === "Edm.Boolean") return expr.value ? ALWAYS : NEVER;
      break;
    case "memberExpr": {
      if (expr.root?.[0] === "@") return planCondition(resolveAlias(expr, scope), scope, exact);
      const member = planMember(expr, scope);
      if (member.condition !== undefined) return member.condition;
    }
  }
  const value = planValue(expr, scope);
  if (value.type?.builtin !== "cds.Boolean") {
    throw badRequest("A Boolean expression is expected", expr.offset);
  }
  return isCall(value.expr) ? value.expr : compare(value.expr, "=", literal(true));
}

/** Functions are conditions as they are, also where they tell their type. */
function isCall(expr: Expr): boolean {
  return expr.kind === "call" || (expr.kind === "cast" && expr.arg.kind === "call");
}

function planLogical({ operator, left, right }: BinaryExpr, scope: Scope, exact: boolean): Expr {
  const sides = [planCondition(left, scope, exact), planCondition(right, scope, exact)];
  return join(operator as "and" | "or", sides); // see the caller
}

function planComparison(expr: BinaryExpr, scope: Scope, exact: boolean): Expr {
  const { operator, offset } = expr;
  const structural = planStructural(expr, scope);
  if (structural !== undefined) return structural;
  const [one, other] = planPair(expr, scope);
  assertComparable(one, other, offset);
  const [left, right] = [besideValue(one, other), besideValue(other, one)];
  if ((isNull(left) || isNull(right)) && isConstant(left) && isConstant(right)) {
    // databases cannot tell the type of a parameter beside null
    const isSame = isNull(left) && isNull(right);
    return operator === (isSame ? "eq" : "ne") ? ALWAYS : NEVER;
  }
  if ((left.finer && !isConstant(right)) || (right.finer && !isConstant(left))) {
    const finer = finerComparison(operator, [left, right]);
    return exact ? join("and", [finer, ...notNull(left), ...notNull(right)]) : finer;
  }
  if (operator === "ne") return compare(left.expr, "!=", right.expr);
  if (operator === "eq") {
    const strict = exact || isNull(left) || isNull(right) || (left.nullable && right.nullable);
    return compare(left.expr, strict ? "==" : "=", right.expr);
  }
  if (isNull(left) || isNull(right)) return NEVER;
  const comparison = compare(left.expr, COMPARISONS[operator]!, right.expr);
  return exact ? join("and", [comparison, ...notNull(left), ...notNull(right)]) : comparison;
}

/** Decimals with many digits are given as text, which only columns compare as the number it stands for. */
function besideValue(value: Typed, other: Typed): Typed {
  return other.expr.kind === "reference" ? value : asNumber(value);
}

function asNumber(value: Typed): Typed {
  const { expr, type } = value;
  const isText = expr.kind === "parameter" && type?.builtin === "cds.Decimal";
  return isText ? { ...value, expr: told(expr, type.builtin) } : value;
}

/** A literal of the URL; parameters with a type are others, which may be null. */
function isConstant(value: Typed): boolean {
  return value.expr.kind === "parameter" || isValue(value);
}

function notNull({ expr, nullable }: Typed): Expr[] {
  return nullable ? [compare(expr, "!=", NULL)] : [];
}

function assertComparable(left: Typed, right: Typed, offset: number): void {
  const [one, other] = [groupOf(left.type), groupOf(right.type)];
  if (one === undefined || other === undefined || one === other) return;
  throw badRequest("The types of both sides do not fit each other", offset);
}

function planFlags(expr: BinaryExpr, scope: Scope, exact: boolean): Expr {
  const left = planValue(expr.left, scope);
  const flags = planHas(left, resolveAlias(expr.right, scope));
  return exact ? join("and", [flags, ...notNull(left)]) : flags;
}

function planIn(expr: BinaryExpr, scope: Scope, exact: boolean): Expr {
  const right = resolveAlias(expr.right, scope);
  if (right.kind === "memberExpr") return planInCollection(expr.left, right, scope);
  if (right.kind !== "listExpr" && right.kind !== "array") {
    // a list of one value is that value in parentheses
    return planComparison({ ...expr, operator: "eq", right }, scope, exact);
  }
  if (right.items.some((item) => isStructured(item))) {
    const equal = right.items.map((item) =>
      planComparison({ ...expr, operator: "eq", right: item }, scope, exact)
    );
    return join("or", equal);
  }
  const left = planValue(expr.left, scope);
  const isNullItem = (item: CommonExpr) => item.kind === "primitiveLiteral" && item.value === null;
  const others = right.items.filter((item) => !isNullItem(item));
  const items = others.flatMap((item) => {
    const value = planValue(item, scope, left.type);
    assertComparable(left, value, item.offset);
    return value.finer ? [] : [besideValue(value, left).expr];
  });
  const isItem = items.length === 0
    ? NEVER
    : join("and", [isIn(left.expr, list(items)), ...(exact ? notNull(left) : [])]);
  const mayBeNull = others.length < right.items.length && (left.nullable || isNull(left));
  return mayBeNull ? join("or", [isItem, compare(left.expr, "==", NULL)]) : isItem;
}

/** `x in tags`: a member of the collection is equal to the left side. */
function planInCollection(left: CommonExpr, right: MemberExpr, scope: Scope): Expr {
  const { values } = planMember(right, scope);
  if (values === undefined) throw badRequest("A collection of values is expected", right.offset);
  return hasMember(values, scope, (place) => {
    const member = itemValue(place);
    const value = planValue(left, scope, member.type);
    assertComparable(value, member, left.offset);
    return value.finer ? NEVER : compare(member.expr, value.nullable ? "==" : "=", value.expr);
  });
}

/**
 * Plans two operands; a literal takes the type of the other side.
 *
 * @param expr has the operands
 * @param scope what names refer to
 * @param hintOf the type that a literal takes beside a value
 * @returns both
 */
function planPair({ left, right }: BinaryExpr, scope: Scope, hintOf = hintFor): [Typed, Typed] {
  if (isLiteral(left, scope) && !isLiteral(right, scope)) {
    const other = planValue(right, scope);
    return [planValue(left, scope, hintOf(left, other.type, scope)), other];
  }
  const one = planValue(left, scope);
  const hint = hintOf(right, isLiteral(left, scope) ? undefined : one.type, scope);
  return [one, planValue(right, scope, hint)];
}

/** A literal with a fraction stays what it is beside whole numbers. */
function hintFor(expr: CommonExpr, type: ValueType | undefined, scope: Scope): ValueType | undefined {
  const literal = literalOf(expr, scope)?.type;
  const isFraction = literal === "Edm.Decimal" || literal === "Edm.Double";
  return isFraction && isWhole(type) ? undefined : type;
}

/** The literal that an expression is, maybe behind a sign. */
function literalOf(expr: CommonExpr, scope: Scope): PrimitiveLiteral | undefined {
  const actual = resolveAlias(expr, scope);
  const plain = actual.kind === "negateExpr" ? actual.expr : actual;
  return plain.kind === "primitiveLiteral" ? plain : undefined;
}

function isLiteral(expr: CommonExpr, scope: Scope): boolean {
  return literalOf(expr, scope) !== undefined;
}

/** The type that a literal shows by its form. */
function ownType(expr: CommonExpr, scope: Scope): ValueType | undefined {
  const literal = literalOf(expr, scope);
  const builtin = literal && BUILTIN_TYPES.get(literal.type);
  return builtin === undefined ? undefined : { builtin };
}

/**
 * Plans a value.
 *
 * @param expr the expression
 * @param scope what its names refer to
 * @param hint the type that a literal takes
 * @returns the value with its type
 */
export function planValue(expr: CommonExpr, scope: Scope, hint?: ValueType): Typed {
  switch (expr.kind) {
    case "primitiveLiteral":
      return planLiteral(expr, scope, hint);
    case "memberExpr":
      return planPath(expr, scope, hint);
    case "methodCallExpr":
      if (expr.name === "isdefined") return isDefined(expr.args[0], scope);
      return expr.name === "hassubset" || expr.name === "hassubsequence"
        ? planSubset(expr, scope)
        : planFunction(expr, scope);
    case "negateExpr": {
      const value = planValue(expr.expr, scope, hint);
      if (isNull(value)) return value;
      const group = groupOf(value.type);
      if (group !== "number" && group !== "duration") {
        throw badRequest("A number or a duration is expected", expr.expr.offset);
      }
      return { ...value, expr: negative(value.expr) };
    }
    case "binaryExpr":
      return isArithmetic(expr.operator) ? arithmetic(expr, scope) : conditionValue(expr, scope);
    case "notExpr":
      return conditionValue(expr, scope);
    case "caseExpr":
      return planCase(expr, scope, hint);
    case "castExpr":
      return planCast(expr, scope);
    case "isofExpr":
      return planIsof(expr, scope);
    case "array":
    case "object":
    case "listExpr":
      throw badRequest("A primitive value is expected", expr.offset);
    default:
      return expr satisfies never;
  }
}

function conditionValue(expr: CommonExpr, scope: Scope): Typed {
  return { expr: planCondition(expr, scope, true), type: BOOLEAN, nullable: true };
}

/** Plans the expressions of URLs. */
export const EXPRESSIONS: ExpressionPlanner = { condition: planCondition, value: planValue };

function planLiteral(given: PrimitiveLiteral, scope: Scope, hint: ValueType | undefined): Typed {
  if (given.value === null) return { expr: NULL, nullable: true };
  const own = BUILTIN_TYPES.get(given.type);
  const isDuration = given.type === "Edm.Duration" &&
    (hint === undefined || hint.builtin === "cds.Decimal");
  const type = isDuration ? DURATION : hint ?? (own === undefined ? undefined : { builtin: own });
  const binding = scope.bindings.bind(given, type);
  // The value decides nothing about the plan, but it must be one.
  const value = binding.convert(given);
  if (given.type === "Edm.Boolean") {
    scope.bindings.list.pop();
    return { expr: literal(value), type, nullable: false };
  }
  // What a literal is compared with tells its type; a date, duration or binary on its own has to.
  const alone = isDuration
    ? hint?.element === undefined
    : hint === undefined && TYPES_TO_TELL.has(type?.builtin ?? "");
  const plain = parameter(binding.name);
  const expr = alone ? told(plain, type!.builtin) : plain;
  return { expr, type, nullable: false, ...(isFiner(given, type) && { finer: true }) };
}

const TYPES_TO_TELL = new Set([
  "cds.Binary",
  "cds.Date",
  "cds.Time",
  "cds.DateTime",
  "cds.Timestamp",
  "cds.Decimal",
]);

function planPath(expr: MemberExpr, scope: Scope, hint: ValueType | undefined): Typed {
  if (expr.root?.[0] === "@") return planValue(resolveAlias(expr, scope), scope, hint);
  const member = planMember(expr, scope);
  if (member.value !== undefined) return member.value;
  if (member.condition !== undefined) {
    return { expr: member.condition, type: BOOLEAN, nullable: false };
  }
  throw badRequest("A primitive value is expected", expr.offset);
}

/** Declared properties are defined, unless `$apply` made others. */
function isDefined(expr: CommonExpr, scope: Scope): Typed {
  const path = resolveAlias(expr, scope);
  if (path.kind !== "memberExpr") throw badRequest("A path is expected", expr.offset);
  if (!scope.closed) planMember(path, scope);
  const name = path.steps.map((step) => "name" in step ? step.name : step.kind).join("/");
  return { expr: literal(!scope.closed || scope.computed.has(name)), type: BOOLEAN, nullable: false };
}

/** Literals of durations keep their type; others take that of the other side. */
function arithmetic(expr: BinaryExpr, scope: Scope): Typed {
  const isDuration = [expr.left, expr.right].some((side) => {
    const literal = resolveAlias(side, scope);
    return literal.kind === "primitiveLiteral" && literal.type === "Edm.Duration";
  });
  const multiplies = expr.operator !== "add" && expr.operator !== "sub";
  const base = multiplies ? factorHint : hintFor;
  const hintOf: typeof hintFor = (side, type, scope) => {
    const hint = base(side, type, scope);
    if (side !== expr.right || !isLiteral(side, scope)) return hint;
    const dividend = type ?? ownType(expr.left, scope);
    return divisorType(expr.operator, [dividend, hint ?? ownType(side, scope)]);
  };
  const unhinted = (side: CommonExpr) => planValue(side, scope, hintOf(side, undefined, scope));
  const [left, right] = isDuration
    ? [unhinted(expr.left), unhinted(expr.right)]
    : planPair(expr, scope, hintOf);
  return planArithmetic(expr, [asNumber(left), asNumber(right)]);
}

/** A duration is multiplied and divided by literals that are numbers. */
function factorHint(...[expr, type, scope]: Parameters<typeof hintFor>): ValueType | undefined {
  return groupOf(type) === "duration" ? undefined : hintFor(expr, type, scope);
}

function planCase(expr: Extract<CommonExpr, { kind: "caseExpr" }>, scope: Scope, hint?: ValueType): Typed {
  const branches: Branch[] = [];
  let type = hint;
  let isNothing = true;
  for (const { when, then } of expr.branches) {
    const value = asNumber(planValue(then, scope, hintFor(then, type, scope)));
    assertComparable({ ...value, type }, value, then.offset);
    if (type === undefined || (isRounded(value.type) && groupOf(type) === "number")) type = value.type;
    isNothing &&= isNull(value);
    branches.push({ when: planCondition(when, scope), then: value.expr });
  }
  if (isNothing) return { expr: NULL, nullable: true };
  return { expr: caseOf(branches), type, nullable: true };
}
