/**
 * Expressions over the model as expressions over columns.
 *
 * @module
 */

import { exists, join, literal } from "../../algebra/build.ts";
import { functionRow } from "../../algebra/functions.ts";
import type { Call, Exists, Expr, TreeOrder, TreeQuery, TreeStep, Window } from "../../algebra/tree.ts";
import { decimalAggregate, lowerCalculation } from "./arithmetic.ts";
import { asText } from "./as_text.ts";
import { isItem, lowerBetween, lowerCase, lowerComparison, lowerMembership } from "./comparisons.ts";
import { castValue } from "./conversions.ts";
import { countSubquery, existsSubquery } from "./exists.ts";
import { jsonRow } from "./json_row.ts";
import { numberAggregate } from "./number_aggregate.ts";
import { withComparedLiteral, withOneType, withOneTypeOfCase } from "./one_type.ts";
import { ownAggregate } from "./own_aggregate.ts";
import { replacedCall } from "./replaced_call.ts";
import { resolveReference, valueOf } from "./references.ts";
import type { Lowering, OutputColumn, Scope } from "./scope.ts";
import { unlocalizedCondition } from "./unlocalized.ts";
import { numberKind, resultType, typeOfCall } from "./value_type.ts";

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
