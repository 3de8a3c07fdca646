/**
 * `orderby`, `top`, `skip`, and the first rows by a value: `topcount`, `topsum`, `toppercent` and their counterparts
 * (Data Aggregation 4.0, 3.3).
 *
 * @module
 */

import type { Expression, OrderTerm, Xo } from "../../../cqn/cqn.ts";
import type { ApplyTrafo, CommonExpr } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { resolveAlias } from "../expressions/resolve_alias.ts";
import { groupOf, type Scope } from "../scope.ts";
import type { Key } from "./grouping.ts";
import { isCut, numeral, scopeOf, settled, type State, uncut } from "./state.ts";
import { cutByWindow, orderOf, overRows } from "./windows.ts";

const COLUMN = "$place";
const TOTAL = "$total";

/** Orders rows. */
export function ordered(given: State, items: Extract<ApplyTrafo, { kind: "orderbyTrafo" }>["items"]): State {
  const state = isCut(given) ? uncut(given) : given;
  return { ...state, orderBy: planOrderby(items, scopeOf(state), false) };
}

/** `top` and `skip`, of each group inside of `groupby`. */
export function bounded(
  given: State,
  trafo: Extract<ApplyTrafo, { kind: "topTrafo" | "skipTrafo" }>,
  keys: readonly Key[],
): State {
  const { count, kind } = trafo;
  if (keys.length > 0) {
    return cutByWindow(given, {
      keys,
      columns: (state, partition) => ({
        [COLUMN]: overRows("row_number", [], { partition, order: orderOf(state) }),
      }),
      where: [{ ref: [COLUMN] }, kind === "topTrafo" ? "<=" : ">", numeral(count)],
    });
  }
  if (kind === "skipTrafo") return { ...isCut(given) ? uncut(given) : settled(given), skip: count };
  return { ...given.top === undefined ? settled(given) : uncut(given), top: count };
}

/** The first rows by a value: as many as a number, a sum or a part of the sum asks for. */
export function ranked(
  given: State,
  trafo: Extract<ApplyTrafo, { kind: "topBottomTrafo" }>,
  keys: readonly Key[],
): State {
  const { name, offset } = trafo;
  const isTop = name.startsWith("top");
  const state = settled(isCut(given) ? uncut(given) : given);
  const scope = scopeOf(state);
  const amount = amountOf(trafo.amount, scope, name);
  const bound = typeof amount === "number" ? numeral(amount) : amount;
  const items = [{ kind: "orderbyItem" as const, offset, expr: trafo.value, desc: isTop }];
  const kind = name.slice(isTop ? 3 : 6);
  if (kind === "count" && keys.length === 0 && typeof amount === "number") {
    return { ...state, orderBy: planOrderby(items, scope, false), top: amount };
  }
  const orderBy = (of: State): OrderTerm[] => planOrderby(items, scopeOf(of), false);
  const inOrder = (cut: State): State =>
    keys.length > 0 || cut.kind === "table" ? cut : { ...cut, orderBy: orderBy(cut) };
  if (kind === "count") {
    return inOrder(cutByWindow(state, {
      keys,
      columns: (of, partition) => ({
        [COLUMN]: overRows("row_number", [], { partition, order: orderOf(of, orderBy(of)) }),
      }),
      where: [{ ref: [COLUMN] }, "<=", bound],
    }));
  }
  assertNumber(trafo.value, scope);
  const isPercent = kind === "percent";
  const limit: Xo[] = isPercent
    ? [{ xpr: [{ ref: [TOTAL] }, "*", { xpr: [bound, "*", { val: 0.01, literal: "number" }] }] }]
    : [bound];
  return inOrder(cutByWindow(state, {
    keys,
    columns: (of, partition) => {
      const value: Expression = {
        func: "coalesce",
        args: [planValue(trafo.value, scopeOf(of)).expr, numeral(0)],
      };
      const order = orderOf(of, orderBy(of));
      const before: Expression = { xpr: [overRows("sum", [value], { partition, order }), "-", value] };
      return {
        [COLUMN]: before,
        ...(isPercent ? { [TOTAL]: overRows("sum", [value], { partition }) } : {}),
      };
    },
    where: [{ ref: [COLUMN] }, "<", ...limit],
  }));
}

function assertNumber(value: CommonExpr, scope: Scope): void {
  const group = groupOf(planValue(value, scope).type);
  if (group !== undefined && group !== "number") throw badRequest("A number is expected", value.offset);
}

/**
 * The first argument: a positive number of rows, a sum, or a percentage above 0 (3.3.1); or an expression that gives it, evaluated on the
 * whole collection, not on one of its rows.
 */
function amountOf(given: CommonExpr, scope: Scope, name: string): number | Expression {
  const amount = given.kind === "memberExpr" && given.root?.[0] === "@" ? resolveAlias(given, scope) : given;
  if (amount.kind !== "primitiveLiteral") {
    const whole: Scope = { ...scope, computed: new Map(), closed: true };
    assertNumber(amount, whole);
    return planValue(amount, whole).expr;
  }
  const value = Number(amount.text);
  if (name.endsWith("count")) {
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw badRequest("A positive whole number is expected", given.offset);
  }
  if (!Number.isFinite(value) || (name.endsWith("percent") && (value <= 0 || value > 100))) {
    const expected = name.endsWith("percent") ? "A percentage above 0" : "A number";
    throw badRequest(`${expected} is expected`, given.offset);
  }
  return value;
}
