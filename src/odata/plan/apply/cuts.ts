import {
  allOf,
  arithmetic,
  call,
  caseOf,
  compare,
  isNull,
  numeral,
  reference,
  select,
} from "../../../algebra/build.ts";
import type { Call, ColumnName, Expr, TreeOrder, Window } from "../../../algebra/tree.ts";
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
  type Rows,
  scopeOf,
  settled,
  type State,
  type Table,
  tableOf,
  uncut,
} from "./state.ts";

const COLUMN = "$place";
const PLACE = reference([COLUMN]);
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
        [COLUMN]: overRows("row_number", [], { partitionBy: partition, orderBy: orderOf(state) }),
      }),
      where: compare(PLACE, kind === "topTrafo" ? "<=" : ">", numeral(count)),
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
  const orderBy = (of: State): TreeOrder[] => planOrderby(items, scopeOf(of), false);
  const inOrder = (cut: State): State =>
    keys.length > 0 || cut.kind === "table" ? cut : { ...cut, orderBy: orderBy(cut) };
  if (kind === "count") {
    return inOrder(cutByWindow(state, {
      keys,
      columns: (of, partition) => ({
        [COLUMN]: overRows("row_number", [], { partitionBy: partition, orderBy: orderOf(of, orderBy(of)) }),
      }),
      where: compare(PLACE, "<=", bound),
    }));
  }
  assertNumber(trafo.value, scope);
  const isPercent = kind === "percent";
  const limit = isPercent
    ? arithmetic(reference([TOTAL]), "*", arithmetic(bound, "*", numeral(0.01)))
    : bound;
  return inOrder(cutByWindow(state, {
    keys,
    columns: (of, partition) => {
      const value = call("coalesce", [planValue(trafo.value, scopeOf(of)).expr, numeral(0)]);
      const order = orderOf(of, orderBy(of));
      const upTo = overRows("sum", [value], { partitionBy: partition, orderBy: order });
      const before = arithmetic(upTo, "-", value);
      return {
        [COLUMN]: before,
        ...(isPercent ? { [TOTAL]: overRows("sum", [value], { partitionBy: partition }) } : {}),
      };
    },
    where: compare(PLACE, "<", limit),
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
function amountOf(given: CommonExpr, scope: Scope, name: string): number | Expr {
  const amount = resolveAlias(given, scope);
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

/**
 * A function over the rows of a window up to the one at hand.
 *
 * @param func its name
 * @param args its arguments
 * @param window the rows
 * @returns the call
 */
export function overRows(func: string, args: readonly Expr[], window: Partial<Window>): Call {
  const { partitionBy = [], orderBy = [] } = window;
  return call(func, args, { over: { partitionBy, orderBy: orderBy.flatMap(nullsLowest) } });
}

/** Null is the lowest value on all engines. */
function nullsLowest({ sort = "asc", nulls, ...term }: TreeOrder): readonly TreeOrder[] {
  const isLast = nulls === undefined ? sort === "desc" : nulls === "last";
  const value = term as Expr; // a term without its direction
  const [ofNull, ofOthers] = isLast ? [1, 0] : [0, 1];
  const place = caseOf([{ when: isNull(value), then: numeral(ofNull) }], numeral(ofOthers));
  return [place, { ...value, sort }];
}

/** The order of the rows of a state, so that no two are at the same place. */
export function orderOf(
  state: State,
  first: readonly TreeOrder[] = state.orderBy ?? [],
): readonly TreeOrder[] {
  return [...first, ...keyExpressions(state).map((key): TreeOrder => ({ ...key, sort: "asc" }))];
}

function keyExpressions(state: State): readonly Expr[] {
  if (state.kind === "rows") return keyNames(state).map((name) => reference([name]));
  const { keys, properties } = state;
  return properties.filter(({ name }) => keys.includes(name)).map(({ value }) => value.expr);
}

/** What is kept of the rows of each group. */
export interface WindowCut {
  readonly keys: readonly Key[];
  /** Columns computed over the rows, by name. */
  readonly columns: (state: State, partition: readonly Expr[]) => Readonly<Record<string, Expr>>;
  /** The condition on these columns. */
  readonly where: Expr;
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

function windowColumns(state: State, { keys, columns }: WindowCut): (Expr & ColumnName)[] {
  const partition = keys.map((key) => keyValue(key, state).expr);
  return Object.entries(columns(state, partition)).map(([name, expr]) => asColumn(expr, name));
}

function cutInstances(state: Rows, cut: WindowCut): Rows {
  const { from, where, search } = state;
  const names = keyNames(state);
  const keys = names.map((name) => reference([name]));
  const columns = [...keys, ...windowColumns(state, cut)];
  const rows = select({ from, columns, where, search });
  const kept = keyIn(names, select({ from: rows, columns: keys, where: cut.where }));
  const { search: _search, ...others } = state;
  return { ...others, where: allOf([where, kept]) };
}

function cutTable(state: Table, cut: WindowCut): Table {
  const columns = windowColumns(state, cut);
  const rows = derived({ ...state, hidden: [...columns, ...state.hidden ?? []] });
  return { ...rows, hidden: rows.hidden!.slice(columns.length), where: cut.where };
}
