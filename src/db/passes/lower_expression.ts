/**
 * Expressions over the model as expressions over columns.
 *
 * @module
 */

import { call, cast, compare, exists, isBound, join, literal, NULL } from "../../algebra/build.ts";
import { functionRow } from "../../algebra/functions.ts";
import type { Call, Case, Exists, Expr, TreeOrder, TreeQuery, TreeStep, Window } from "../../algebra/tree.ts";
import {
  asText,
  castTo,
  castValue,
  decimalAggregate,
  isNullLiteral,
  lowerCalculation,
} from "./conversions.ts";
import { isItem, lowerBetween, lowerCase, lowerComparison, lowerMembership } from "./comparisons.ts";
import { countSubquery, existsSubquery, resolveReference, valueOf } from "./references.ts";
import { jsonRow, jsonValue } from "./expand.ts";
import { ownAggregate } from "./own_aggregate.ts";
import type { Lowering, OutputColumn, Scope } from "./scope.ts";
import { unlocalizedCondition } from "./localize.ts";
import { commonType, isLiteral, numberKind, resultType, typeOfCall, typeOfChoice } from "./value_type.ts";
import { PSEUDO_VARIABLES, stepName } from "../../cqn/steps.ts";
import type { Scalar } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import { comparedValue } from "../bind_values.ts";
import { refuseValue } from "../write/number_value.ts";

/**
 * Lowers an expression; the name of a column and the order of a term stay beside it.
 *
 * @param lowering the steps of lowering
 * @param given any expression
 * @param scope the scope it stands in
 */
export function lowerExpression(lowering: Lowering, given: Expr, scope: Scope): Expr {
  const place = { lowering, scope };
  const lower = (expression: Expr) => lowerExpression(lowering, expression, scope);
  switch (given.kind) {
    case "literal":
    case "parameter":
    case "variable":
      return given;
    case "reference":
      return isItem(given.ref) ? given : beside(given, column(lowering, given.ref, scope));
    case "symbol":
      return beside(given, literal(given.symbol));
    case "unary":
      return given.op === "-"
        ? beside(given, lowerCalculation(given, place))
        : { ...given, arg: lower(given.arg) };
    case "arithmetic":
      return beside(given, lowerCalculation(given, place));
    case "comparison":
      return beside(given, lowerComparison(given, place));
    case "in":
      return lowerMembership(given, place);
    case "between":
      return lowerBetween(given, place);
    case "case":
      return withOneTypeOfCase(lowerCase(given, place));
    case "joined":
      return beside(
        given,
        join(given.op, given.args.map(given.op === "||" ? (arg) => asText(lower(arg)) : lower)),
      );
    case "like":
      return {
        ...given,
        left: asText(lower(given.left)),
        pattern: lower(given.pattern),
        ...(given.escape && { escape: lower(given.escape) }),
      };
    case "call":
      return beside(given, replacedCall(given, lower) ?? lowerCall(lowering, given, scope));
    case "cast":
      return castValue({ ...given, arg: lower(given.arg) });
    case "list":
      return { ...given, list: given.list.map(lower) };
    case "exists":
      return existence(lowering, given, scope);
    case "unlocalized":
      return beside(given, unlocalizedCondition(lowering, given.arg, scope));
    case "select":
    case "set":
      return beside(given, subquery(lowering, given, scope));
    default:
      return given satisfies never;
  }
}

/** What stands beside an expression stays beside what it becomes. */
function beside(given: Expr, lowered: Expr): Expr {
  const { sort, nulls } = given as TreeOrder;
  if (sort === undefined && nulls === undefined) return lowered;
  return { ...lowered, ...(sort && { sort }), ...(nulls && { nulls }) } as Expr; // terms of an order are expressions
}

function column(lowering: Lowering, ref: readonly TreeStep[], scope: Scope): Expr {
  const { expression, type } = valueOf(resolveReference(lowering, ref, scope), ref);
  return type === undefined || type === expression.type ? expression : { ...expression, type };
}

/** Only of numbers it is known what they are: other values come as the database has them. */
function subquery(lowering: Lowering, given: TreeQuery, scope: Scope): Expr {
  const { query, columns: [first] } = lowering.select(given, { parent: scope });
  const kind = first && numberKind(first.expression);
  return kind === "whole" || kind === "decimal" ? { ...query, type: first!.expression.type } : query;
}

function existence(lowering: Lowering, { arg }: Exists, scope: Scope): Expr {
  return exists(
    arg.kind === "reference"
      ? existsSubquery(lowering, arg.ref, scope)
      : lowering.select(arg, { parent: scope }).query,
  );
}

/** Names of functions count in any case; from here on they are in lower case. */
function lowerCall(lowering: Lowering, given: Call, scope: Scope): Expr {
  const func = given.func.toLowerCase();
  const { distinct, ...plain } = given;
  const [first] = given.args ?? [];
  if (func === "count" && given.args?.length === 1 && typeof first === "object") {
    if (distinct) return lowerCall(lowering, { ...plain, func: "countdistinct" }, scope);
    const counted = associationArgument(lowering, first, scope);
    if (counted) return countSubquery(lowering, counted, scope);
  }
  const lower = <E extends Expr>(one: E) => lowering.expression(one, scope) as E;
  const lowered = given.args &&
    withArgumentTypes(func, given.args.map((arg) => arg === "*" ? arg : lower(arg)));
  if (lowered && isTimeOfNull(func, lowered)) return beside(given, NULL);
  const args = func === "$filtered" && lowered?.[5] ? withJson(lowered) : lowered;
  const result: Call = {
    ...given,
    func,
    ...(args && { args }),
    ...(given.orderBy && { orderBy: given.orderBy.map(lower) }),
    ...(given.over && { over: lowerWindow(given.over, lower) }),
  };
  const typed = { ...result, type: typeOfCall(result) };
  const aggregate = numberAggregate(ownAggregate(typed, scope), first);
  return aggregate.kind === "call" ? decimalAggregate(aggregate) : aggregate;
}

/** Whether a function of days and times is called with null alone, which does not tell databases which function is meant. */
function isTimeOfNull(func: string, args: readonly (Expr | "*")[]): boolean {
  const takesTimes = functionRow(func)?.odata?.takes?.some((kind) => /^(?:day|clock|instant)$/.test(kind));
  return takesTimes === true && args.some((arg) => arg !== "*" && isNullLiteral(arg));
}

function lowerWindow({ partitionBy, orderBy, frame }: Window, lower: <E extends Expr>(one: E) => E): Window {
  return { partitionBy: partitionBy.map(lower), orderBy: orderBy.map(lower), ...(frame && { frame }) };
}

/** Functions that give one of their arguments take values of one type, those of texts take texts. */
function withArgumentTypes(func: string, args: readonly (Expr | "*")[]): readonly (Expr | "*")[] {
  if (func === "nullif") return withComparedLiteral(args as readonly Expr[]); // the star is an argument of `count` only
  if (func === "coalesce" || func === "ifnull") return withOneType(args as readonly Expr[]);
  const { texts = 0 } = functionRow(func) ?? {};
  return texts === 0 ? args : args.map((arg, at) => at < texts && arg !== "*" ? asText(arg) : arg);
}

/** `$filtered`: what is computed of members, names and values in turn, becomes the JSON object of it. */
function withJson(args: readonly (Expr | "*")[]): readonly (Expr | "*")[] {
  const { list } = args[5] as { readonly list: readonly Expr[] }; // the sixth argument is a list
  const columns = list.flatMap((expression, index): OutputColumn[] => {
    const name = list[index - 1];
    if (index % 2 === 0 || name?.kind !== "literal") return [];
    return [{ name: String(name.val), expression, type: resultType(expression, expression) }];
  });
  return [...args.slice(0, 5), jsonRow({ payload: false }, columns)];
}

/** `count(reviews)` counts rows along a to-many association. */
function associationArgument(lowering: Lowering, arg: Expr, scope: Scope): readonly TreeStep[] | undefined {
  if (arg.kind !== "reference" || isItem(arg.ref)) return undefined;
  const found = resolveReference(lowering, arg.ref, scope);
  return found.kind === "association" && found.association.is2many ? arg.ref : undefined;
}

/** What an argument becomes, by the lowering that replaces the call. */
type Lower = (expression: Expr) => Expr;

/**
 * What stands for a call.
 *
 * @param given the call, not lowered
 * @param lower lowers its arguments
 * @returns undefined for functions of the database
 */
function replacedCall({ func, args = [] }: Call, lower: Lower): Expr | undefined {
  const values = args.filter((arg) => arg !== "*");
  switch (func.toLowerCase()) {
    case "search":
      return values.length === 2 ? searched(values[0]!, lower(values[1]!), lower) : undefined;
    case "session_context":
      return sessionValue(values);
    case "error":
      return errorObject(values, lower);
  }
  return undefined;
}

/** `search((a, b), term)`: one of the texts holds the term in any case. */
function searched(texts: Expr, term: Expr, lower: Lower): Expr {
  const found = entriesOf(texts).map((text) => call("$found", [lower(text), term], { type: "cds.Boolean" }));
  return found.length > 0 ? join("or", found) : compare(literal(1), "=", literal(0));
}

/** `session_context('$user.locale')`: a pseudo variable by its name. */
function sessionValue([name]: readonly Expr[]): Expr | undefined {
  if (name?.kind !== "literal" || typeof name.val !== "string") return undefined;
  const path = name.val.split(".");
  if (!PSEUDO_VARIABLES.has(path[0]!)) return undefined;
  return { kind: "variable", path, ...(path[0] === "$now" && { type: "cds.Timestamp" }) };
}

/** `error(message, (arguments), (targets))`: what an error is about, where targets are the paths of elements. */
function errorObject([message = NULL, args = NULL, targets = NULL]: readonly Expr[], lower: Lower): Expr {
  const text = lower(message);
  return jsonRow({ payload: false }, [
    { name: "message", expression: text, type: text.type },
    jsonList("args", entriesOf(args).map(lower)),
    jsonList("targets", entriesOf(targets).map(targetOf)),
  ]);
}

function targetOf(target: Expr): Expr {
  if (target.kind !== "reference") return target;
  return literal(target.ref.map(stepName).join("/"));
}

function jsonList(name: string, values: readonly Expr[]): OutputColumn {
  if (values.length === 0) return { name, expression: NULL, type: undefined };
  const entries = values.map((expression) => jsonValue({ expression, type: expression.type }));
  return { name, expression: call("$json_list", entries), type: "cds.Map" };
}

function entriesOf(value: Expr): readonly Expr[] {
  if (value.kind === "list") return value.list;
  return value.kind === "literal" && value.val === null ? [] : [value];
}

/**
 * Lowered values of which one is chosen, with one type: literals take that of the others, and values of different types
 * become texts.
 *
 * @returns the same values where they have one, or it is not known
 */
function withOneType(values: readonly Expr[]): readonly Expr[] {
  const type = commonType(values);
  return type === undefined ? values : values.map((value) => ofType(value, type));
}

/**
 * The lowered arguments of `nullif`: a literal has the type of the value that it is compared with.
 *
 * @throws ServiceError 400 for a literal that is no value of the type
 */
function withComparedLiteral(args: readonly Expr[]): readonly Expr[] {
  const [value, other, ...more] = args;
  const isFormed = other !== undefined && isLiteral(other) && other.val !== null &&
    other.literal !== "number";
  return value?.type !== undefined && isFormed ? [value, ofType(other, value.type), ...more] : args;
}

function ofType(value: Expr, type: string): Expr {
  if (isBound(value)) return NUMBER_TYPES.has(type) ? value : { ...value, form: { type } };
  if (isLiteral(value)) {
    const val = comparedValue(value.val, { type }) as Scalar;
    return val === value.val ? value : { ...literal(val), type };
  }
  const own = value.type;
  if (own === undefined || own === type || (NUMBER_TYPES.has(own) && NUMBER_TYPES.has(type))) return value;
  return castTo(value, type);
}

/** A case, lowered, whose values have one type. */
function withOneTypeOfCase(given: Case): Case {
  const { branches, otherwise } = given;
  const values = withOneType([...branches.map(({ then }) => then), ...(otherwise ? [otherwise] : [])]);
  return {
    ...given,
    branches: branches.map((branch, at) => ({ ...branch, then: values[at]! })),
    ...(otherwise && { otherwise: values.at(-1)! }),
    type: typeOfChoice(values),
  };
}

const SUMS: ReadonlySet<string> = new Set(["sum", "avg", "average"]);
const EXTREMES: ReadonlySet<string> = new Set(["min", "max"]);

/**
 * An aggregate of truth values as one of numbers, a sum of nothing but null as one of a number that is null. What is no number
 * has no sum: some engines would take it for zero.
 *
 * @param aggregate the call, lowered
 * @param given its first argument, not lowered
 * @throws ServiceError 400 for sums and averages of what is no number
 */
function numberAggregate(
  aggregate: Call,
  given: Expr | "*" | undefined,
): Expr & { kind: "call" | "cast" } {
  const isSum = SUMS.has(aggregate.func);
  const isExtreme = EXTREMES.has(aggregate.func);
  const [arg, ...others] = aggregate.args ?? [];
  if (!(isSum || isExtreme) || typeof arg !== "object" || others.length > 0) return aggregate;
  if (isSum && arg.kind === "literal" && arg.val === null) {
    return { ...aggregate, args: [cast(NULL, { type: "cds.Decimal" })] };
  }
  if (arg.type !== "cds.Boolean") {
    if (isSum && arg.type !== undefined && !NUMBER_TYPES.has(arg.type)) refuse(given);
    return aggregate;
  }
  const numbers: Call = { ...aggregate, args: [call("$flag_number", [arg])], type: undefined };
  return isExtreme ? cast(numbers, { type: "cds.Boolean" }) : numbers;
}

function refuse(given: Expr | "*" | undefined): never {
  const arg = typeof given === "object" ? given : undefined;
  const name = arg?.kind === "reference" ? arg.ref.map(stepName).join(".") : undefined;
  const value = arg?.kind === "literal" ? arg.val : "The value";
  return refuseValue(name ?? value, { name, type: { builtin: "Number" } });
}
