/**
 * Comparisons: values take the form of the element or result that they are compared with, symbols of enums that of the element
 * (csn-cqn 7), and instants, seconds and days are all compared as instants.
 *
 * @module
 */

import { call, isBound, literal } from "../../algebra/build.ts";
import type { Between, Case, Comparison, Expr, Membership, TreeStep } from "../../algebra/tree.ts";
import type { Scalar } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { ComparedForm } from "../../algebra/tree.ts";
import { comparedValue } from "../bind_values.ts";
import { castTo, isNullLiteral, type Place } from "./conversions.ts";
import { resolveReference } from "./references.ts";
import { withStructureComparison } from "./association_condition.ts";
import { INSTANTS, symbolValue } from "./value_type.ts";
import { stepName } from "../../cqn/steps.ts";

/** A comparison, lowered. */
export function lowerComparison(given: Comparison, place: Place): Expr {
  const structure = withStructureComparison(given, (ref) => isItem(ref) ? undefined : resolved(ref, place));
  if (structure) return lowered(structure, place);
  const { op } = given;
  if (op === "is" || op === "is not") {
    return { ...given, left: lowered(given.left, place), right: lowered(given.right, place) };
  }
  // nothing else equals null; with the null on the left, and for `<>`, it stays what SQL makes of it
  if (op === "=" && isNullLiteral(given.right)) return lowerComparison({ ...given, op: "is" }, place);
  const [left, right] = lowerSides(given.left, given.right, place);
  const membership = valuesOfAttribute({ ...given, left, right });
  return membership ?? withSameInstants({ ...given, left, right });
}

/** Membership, lowered: `in ?` takes an array, `in ($user.attr, …)` all of their values. */
export function lowerMembership(given: Membership, place: Place): Expr {
  const [left, right] = lowerSides(given.left, given.right, place);
  const isArray = isBound(right) || (right.kind === "literal" && Array.isArray(right.val));
  if (isArray) return { ...given, left, right: call("$values", [right]) };
  if (right.kind !== "list") return { ...given, left, right };
  if (right.list.some(isAttribute) && right.list.every(isGiven)) {
    return { ...given, left, right: call("$values", right.list) };
  }
  const [value, ...list] = asSameInstants([left, ...right.list]);
  return { ...given, left: value!, right: { ...right, list } };
}

/** `between`, lowered. */
export function lowerBetween(given: Between, place: Place): Between {
  const left = lowered(given.left, place);
  const beside = { given: given.left, lowered: left };
  const low = lowerBeside(given.low, beside, place);
  const high = lowerBeside(given.high, beside, place);
  const [value, least, most] = asSameInstants([left, low, high]);
  return { ...given, left: value!, low: least!, high: most! };
}

/** A case, lowered; what its value is compared with takes the form of the value. */
export function lowerCase(given: Case, place: Place): Case {
  const { subject, branches, otherwise } = given;
  const beside = subject && { given: subject, lowered: lowered(subject, place) };
  const whens = branches.map(({ when }) => beside ? lowerBeside(when, beside, place) : lowered(when, place));
  const [value, ...compared] = beside ? asSameInstants([beside.lowered, ...whens]) : [undefined, ...whens];
  return {
    ...given,
    ...(value && { subject: value }),
    branches: branches.map(({ then }, at) => ({ when: compared[at]!, then: lowered(then, place) })),
    ...(otherwise && { otherwise: lowered(otherwise, place) }),
  };
}

/** An operand before and after it was lowered. */
interface Side {
  readonly given: Expr;
  readonly lowered: Expr;
}

function lowered(given: Expr, { lowering, scope }: Place): Expr {
  return lowering.expression(given, scope);
}

/** What is compared with each other, lowered. */
function lowerSides(left: Expr, right: Expr, place: Place): readonly [Expr, Expr] {
  const [one, other] = [[left, right], [right, left]].map(([side, beside]): Side => {
    const given = withSymbols(side!, beside!, place);
    return { given, lowered: lowered(given, place) };
  });
  return [withForm(one!, other!, place), withForm(other!, one!, place)];
}

/** What is compared with something, lowered. */
function lowerBeside(side: Expr, beside: Side, place: Place): Expr {
  const given = withSymbols(side, beside.given, place);
  return withForm({ given, lowered: lowered(given, place) }, beside, place);
}

/** A value, or a list of them, in the form of what it is compared with. */
function withForm(side: Side, beside: Side, place: Place): Expr {
  if (side.given.kind !== "list" && !isGiven(side.given)) return side.lowered;
  const form = formOf(beside, place);
  return form === undefined ? side.lowered : formed(side.lowered, form);
}

/** What a value is compared with; undefined where it is not known. */
function formOf({ given, lowered: { type } }: Side, place: Place): ComparedForm | undefined {
  const element = elementOf(given, place);
  if (element) {
    const { items, extended, builtin } = element.$type;
    return items || extended || builtin === undefined ? undefined : { type: builtin, name: element.name };
  }
  // what is joined with a text has none of the forms of elements
  const isJoined = given.kind === "joined" && given.op === "||";
  return isJoined || type === undefined ? undefined : { type };
}

function elementOf(given: Expr, place: Place): LinkedElement | undefined {
  if (given.kind !== "reference" || isItem(given.ref)) return undefined;
  const found = resolved(given.ref, place);
  return found.kind === "column" ? found.element : undefined;
}

function resolved(ref: readonly TreeStep[], { lowering, scope }: Place) {
  return resolveReference(lowering, ref, scope);
}

/** The member of an array that `$any` looks at. */
export function isItem(ref: readonly TreeStep[]): boolean {
  return stepName(ref[0]!).startsWith("$item");
}

function formed(given: Expr, form: ComparedForm): Expr {
  if (given.kind === "list") return { ...given, list: given.list.map((one) => formed(one, form)) };
  if (isBound(given)) return { ...given, form };
  if (given.kind !== "literal") return given;
  const { val } = given;
  // a number of more digits than a number holds
  if (given.literal === "number" && typeof val === "string" && NUMBER_TYPES.has(form.type)) return given;
  const value = Array.isArray(val)
    ? val.map((one) => comparedValue(one, form) as Scalar)
    : comparedValue(val, form) as Scalar;
  return value === val ? given : { ...literal(value), type: form.type };
}

/** A value that stands in the query, or is given with it. */
function isGiven(expression: Expr): boolean {
  return expression.kind === "literal" || isBound(expression);
}

/** Values in the place of symbols, also of those in lists. */
function withSymbols(given: Expr, other: Expr, place: Place): Expr {
  if (given.kind === "symbol") return valueOfSymbol(given.symbol, other, place);
  if (given.kind !== "list" || !given.list.some(({ kind }) => kind === "symbol")) return given;
  const list = given.list.map((one) => one.kind === "symbol" ? valueOfSymbol(one.symbol, other, place) : one);
  return { ...given, list };
}

function valueOfSymbol(symbol: string, other: Expr, place: Place): Expr {
  return literal(symbolValue(symbol, elementOf(other, place)?.$type.enum));
}

/** `= $user.attr`, on either side, means any of the values. */
function valuesOfAttribute({ left, op, right, type }: Comparison): Membership | undefined {
  if (op !== "=" && op !== "==" && op !== "<>" && op !== "!=") return undefined;
  const negated = op === "<>" || op === "!=";
  if (isAttribute(right)) return { kind: "in", left, right: call("$values", [right]), negated, type };
  if (!isAttribute(left) || (right.kind === "literal" && right.val === null)) return undefined;
  return { kind: "in", left: right, right: call("$values", [left]), negated, type };
}

const ONE_VALUE: ReadonlySet<string> = new Set(["id", "locale", "tenant"]);

function isAttribute(expression: Expr): boolean {
  if (expression.kind !== "variable" || expression.path[0] !== "$user") return false;
  const name = expression.path[1];
  return name !== undefined && !ONE_VALUE.has(name);
}

function withSameInstants(given: Comparison): Comparison {
  const [left, right] = asSameInstants([given.left, given.right]);
  return { ...given, left: left!, right: right! };
}

/** Values that are compared with each other: days, seconds and instants as instants, where they differ. */
function asSameInstants(values: readonly Expr[]): readonly Expr[] {
  const types = new Set(values.filter((value) => !isGiven(value)).map(({ type }) => type));
  const isMixed = types.size > 1 && [...types].every((type) => INSTANTS.has(type)) &&
    values.every(({ kind }) => kind !== "select");
  return isMixed ? values.map((value) => castTo(value, "cds.Timestamp")) : values;
}
