import type { Column, Expression, OrderTerm, Xo } from "../../../cqn/cqn.ts";
import type { ApplyTrafo, CommonExpr } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { groupOf, resolveAlias, type Scope } from "../scope.ts";
import { type Key, keyValue } from "./grouping.ts";
import {
  asColumn,
  derived,
  isCut,
  keyIn,
  keyNames,
  numeral,
  type Rows,
  scopeOf,
  settled,
  type State,
  type Table,
  tableOf,
  uncut,
} from "./state.ts";
import { conjunction } from "../../../cqn/conjunction.ts";

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
  const items = [{ offset, expr: trafo.value, desc: isTop }];
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

/** Which rows a function looks at, and in which order. */
export interface Window {
  readonly partition?: readonly Expression[];
  readonly order?: readonly OrderTerm[];
}

/**
 * A function over the rows of a window up to the one at hand.
 *
 * @param func its name
 * @param args its arguments
 * @param window the rows
 * @returns the call
 */
export function overRows(func: string, args: readonly Expression[], window: Window): Expression {
  const { partition = [], order = [] } = window;
  const tokens: Xo[] = [];
  if (partition.length > 0) tokens.push("partition", "by", ...listed(partition));
  if (order.length > 0) tokens.push("order", "by", ...order.flatMap(orderTokens));
  return { func, args, xpr: ["over", { xpr: tokens }] } as Expression;
}

function listed(expressions: readonly Expression[]): Xo[] {
  return expressions.flatMap((one, index): Xo[] => index === 0 ? [one] : [",", one]);
}

/** Null is the lowest value on all engines. */
function orderTokens({ sort = "asc", nulls, ...term }: OrderTerm, index: number): Xo[] {
  const isLast = nulls === undefined ? sort === "desc" : nulls === "last";
  const value = term as Expression;
  const [isNull, other] = isLast ? [1, 0] : [0, 1];
  const place: Expression = {
    xpr: ["case", "when", value, "is", "null", "then", numeral(isNull), "else", numeral(other), "end"],
  };
  return [...(index === 0 ? [] : [","]), place, ",", value, sort];
}

/** The order of the rows of a state, so that no two are at the same place. */
export function orderOf(
  state: State,
  first: readonly OrderTerm[] = state.orderBy ?? [],
): readonly OrderTerm[] {
  return [...first, ...keyExpressions(state).map((key): OrderTerm => ({ ...key, sort: "asc" }))];
}

function keyExpressions(state: State): readonly Expression[] {
  if (state.kind === "rows") return keyNames(state).map((name) => ({ ref: [name] }));
  const { keys, properties } = state;
  return properties.filter(({ name }) => keys.includes(name)).map(({ value }) => value.expr);
}

/** What is kept of the rows of each group. */
export interface WindowCut {
  readonly keys: readonly Key[];
  /** Columns computed over the rows, by name. */
  readonly columns: (state: State, partition: readonly Expression[]) => Readonly<Record<string, Expression>>;
  /** The condition on these columns. */
  readonly where: readonly Xo[];
}

/**
 * Keeps rows by what functions over all rows say.
 *
 * @param given the rows
 * @param cut what is computed and kept
 * @returns the rows that are kept
 */
function cutByWindow(given: State, cut: WindowCut): State {
  const whole = settled(uncut(given));
  const state = whole.kind === "rows" && keyNames(whole).length === 0 ? derived(tableOf(whole)) : whole;
  return state.kind === "rows" ? cutInstances(state, cut) : cutTable(state, cut);
}

function windowColumns(state: State, { keys, columns }: WindowCut): Column[] {
  const partition = keys.map((key) => keyValue(key, state).expr);
  return Object.entries(columns(state, partition)).map(([name, expr]) => asColumn(expr, name));
}

function cutInstances(state: Rows, cut: WindowCut): Rows {
  const { from, where, search } = state;
  const names = keyNames(state);
  const keys: Column[] = names.map((name) => ({ ref: [name] }));
  const columns = [...keys, ...windowColumns(state, cut)];
  const rows = { SELECT: { from, columns, ...(where && { where }), ...(search && { search }) } };
  const kept = keyIn(names, { SELECT: { from: rows, columns: keys, where: cut.where } });
  const { search: _search, ...others } = state;
  return { ...others, where: conjunction(where, kept) };
}

function cutTable(state: Table, cut: WindowCut): Table {
  const columns = windowColumns(state, cut);
  const rows = derived({ ...state, hidden: [...columns, ...state.hidden ?? []] });
  return { ...rows, hidden: rows.hidden!.slice(columns.length), where: cut.where };
}
