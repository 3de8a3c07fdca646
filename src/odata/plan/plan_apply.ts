/**
 * `$apply` → grouping and aggregation (OData Data Aggregation 4.0). Run are filter, search, compute and identity
 * before one groupby or aggregate, and filter, compute, orderby, top and skip behind it; anything else answers 501.
 *
 * @module
 */

import type { Column, Expression, OrderTerm, Xo } from "../../cqn/cqn.ts";
import type {
  AggregateExpr,
  ApplyExpr,
  ApplyTrafo,
  GroupbyElement,
  MemberExpr,
  QueryOptions,
} from "../url/ast.ts";
import type { AggregatedProperty } from "./plan.ts";
import { conjunction, planOrderby } from "./plan_columns.ts";
import { badRequest, notImplemented } from "./plan_error.ts";
import { planCondition, planValue } from "./plan_expression.ts";
import { planMember } from "./plan_member.ts";
import { planSearch } from "./plan_search.ts";
import { DECIMAL, groupOf, INTEGER, type Scope, type Typed } from "./scope.ts";

/** The outcome of `$apply`. */
export interface PlannedApply {
  readonly where?: readonly Xo[];
  readonly search?: readonly Xo[];
  /** Names made by `compute`, and after grouping all names there are. */
  readonly scope: Scope;
  /** `orderby`, `skip` and `top` of rows that are not grouped; nothing else may follow them. */
  readonly cut?: Cut;
  /** Given after `groupby` or `aggregate`. */
  readonly grouped?: {
    readonly columns: readonly Column[];
    readonly groupBy: readonly Expression[];
    readonly having?: readonly Xo[];
    readonly orderBy: readonly OrderTerm[];
    readonly aggregated: readonly AggregatedProperty[];
    /** Constant bounds of `top` and `skip`. */
    readonly top?: number;
    readonly skip?: number;
  };
}

/** Order and bounds that `$apply` gives to rows. */
export type Cut = Pick<QueryOptions, "orderby" | "skip" | "top">;

interface State {
  scope: Scope;
  where?: readonly Xo[];
  search?: readonly Xo[];
  cut?: Cut;
  grouped?: Grouping;
}

interface Grouping {
  columns: Column[];
  groupBy: Expression[];
  having?: readonly Xo[];
  orderBy: OrderTerm[];
  aggregated: AggregatedProperty[];
  top?: number;
  skip?: number;
}

/**
 * Plans `$apply`.
 *
 * @param apply the transformations
 * @param scope what names refer to
 * @returns conditions, and columns if rows are grouped
 */
export function planApply(apply: ApplyExpr, scope: Scope): PlannedApply {
  const state: State = { scope };
  for (const trafo of apply.trafos) planTrafo(state, trafo);
  return state;
}

function planTrafo(state: State, trafo: ApplyTrafo): void {
  const { grouped } = state;
  if (state.cut !== undefined && !mayFollowCut(trafo)) throw unsupported(trafo);
  switch (trafo.kind) {
    case "identityTrafo":
      return;
    case "filterTrafo": {
      assertNotCut(grouped, trafo);
      const condition = planCondition(trafo.filter, state.scope);
      if (grouped) grouped.having = conjunction(grouped.having, condition);
      else state.where = conjunction(state.where, condition);
      return;
    }
    case "searchTrafo":
      if (grouped || state.search) throw unsupported(trafo);
      state.search = planSearch(trafo.search);
      return;
    case "computeTrafo":
      assertNotCut(grouped, trafo);
      return planCompute(state, trafo);
    case "groupbyTrafo":
      if (grouped) throw unsupported(trafo);
      return planGroupby(state, trafo);
    case "aggregateTrafo":
      if (grouped) throw unsupported(trafo);
      state.grouped = { columns: [], groupBy: [], orderBy: [], aggregated: [] };
      return closeScope(state, aggregate(state, trafo.items));
    case "orderbyTrafo":
      if (!grouped) {
        state.cut = { orderby: trafo.items };
        return;
      }
      if (grouped.top !== undefined || grouped.skip !== undefined) throw unsupported(trafo);
      grouped.orderBy = planOrderby(trafo.items, state.scope, false);
      return;
    case "topTrafo":
      if (!grouped) return cutRows(state, trafo);
      if (grouped.top !== undefined) throw unsupported(trafo);
      grouped.top = trafo.count;
      return;
    case "skipTrafo":
      if (!grouped) return cutRows(state, trafo);
      if (grouped.top !== undefined || grouped.skip !== undefined) throw unsupported(trafo);
      grouped.skip = trafo.count;
      return;
    case "topBottomTrafo":
      return planTopBottom(state, trafo);
    default:
      throw unsupported(trafo);
  }
}

function mayFollowCut({ kind }: ApplyTrafo): boolean {
  return kind === "topTrafo" || kind === "skipTrafo" || kind === "identityTrafo";
}

/** `topcount(n,value)` and `bottomcount(n,value)`: rows in order of the value, and the first of them. */
function planTopBottom(state: State, trafo: Extract<ApplyTrafo, { kind: "topBottomTrafo" }>): void {
  const { name, amount, value, offset } = trafo;
  const count = amount.kind === "primitiveLiteral" ? Number(amount.text) : NaN;
  if (name !== "topcount" && name !== "bottomcount") throw unsupported(trafo);
  if (amount.kind !== "primitiveLiteral") throw notImplemented("A computed count in $apply", amount.offset);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw badRequest("A whole number is expected", amount.offset);
  }
  const items = [{ kind: "orderbyItem" as const, offset, expr: value, desc: name === "topcount" }];
  const { grouped } = state;
  if (!grouped) {
    state.cut = { orderby: items, top: count };
    return;
  }
  assertNotCut(grouped, trafo);
  grouped.orderBy = planOrderby(items, state.scope, false);
  grouped.top = count;
}

function cutRows(state: State, trafo: Extract<ApplyTrafo, { kind: "topTrafo" | "skipTrafo" }>): void {
  const { top, skip } = state.cut ?? {};
  if (top !== undefined || (trafo.kind === "skipTrafo" && skip !== undefined)) throw unsupported(trafo);
  state.cut = { ...state.cut, [trafo.kind === "topTrafo" ? "top" : "skip"]: trafo.count };
}

function unsupported(trafo: ApplyTrafo): Error {
  const name = trafo.kind === "topBottomTrafo" ? trafo.name : trafo.kind.replace("Trafo", "");
  return notImplemented(
    `The transformation "${name}" at this place of $apply`,
    trafo.offset,
  );
}

function assertNotCut(grouped: Grouping | undefined, trafo: ApplyTrafo): void {
  if (grouped?.top !== undefined || grouped?.skip !== undefined) throw unsupported(trafo);
}

function planCompute(state: State, trafo: Extract<ApplyTrafo, { kind: "computeTrafo" }>): void {
  const computed = new Map(state.scope.computed);
  for (const { expr, name, offset } of trafo.items) {
    if (computed.has(name) || state.scope.entity.$flat.has(name)) {
      throw badRequest(`The name "${name}" is taken`, offset);
    }
    const value = planValue(expr, state.scope);
    computed.set(name, value);
    state.grouped?.columns.push(asColumn(value.expr, name));
    state.grouped?.aggregated.push({ name, path: [name] });
  }
  state.scope = { ...state.scope, computed };
}

function asColumn(expr: Expression, name: string): Column {
  return { ...expr, as: name } as Column; // an expression with a name is a column
}

function planGroupby(state: State, trafo: Extract<ApplyTrafo, { kind: "groupbyTrafo" }>): void {
  const grouped: Grouping = { columns: [], groupBy: [], orderBy: [], aggregated: [] };
  state.grouped = grouped;
  const names = new Map<string, Typed>();
  for (const element of trafo.elements) {
    for (const [path, value] of groupingProperty(element, state.scope)) {
      const key = path.join("/");
      if (names.has(key)) continue;
      const name = path.join("_");
      names.set(key, value);
      grouped.columns.push(asColumn(value.expr, name));
      grouped.groupBy.push(value.expr);
      grouped.aggregated.push({
        name,
        path,
        ...(value.type?.element === undefined ? {} : { element: value.type.element }),
      });
    }
  }
  for (const inner of trafo.apply?.trafos ?? []) {
    if (inner.kind === "identityTrafo") continue;
    if (inner.kind !== "aggregateTrafo" || trafo.apply!.trafos.length > 1) throw unsupported(inner);
    for (const [name, value] of aggregate(state, inner.items)) names.set(name, value);
  }
  closeScope(state, names);
}

function closeScope(state: State, computed: ReadonlyMap<string, Typed>): void {
  state.scope = { ...state.scope, computed, closed: true };
}

/** A grouping property; a navigation property stands for its foreign keys. */
function groupingProperty(
  element: GroupbyElement,
  scope: Scope,
): readonly (readonly [readonly string[], Typed])[] {
  if (element.kind !== "memberExpr") throw notImplemented("rollup in $apply", element.offset);
  const path = pathOf(element);
  const member = planMember(element, scope, planCondition);
  if (member.value !== undefined) return [[path, member.value]];
  const [, navigation] = member.navigation ?? [];
  if (navigation === undefined || navigation.is2many || !navigation.$foreignKeys?.length) {
    throw badRequest("Rows can be grouped by single values only", element.offset);
  }
  return navigation.$foreignKeys.map(({ target, element: flat }) => [
    [...path, target],
    {
      expr: { ref: [...path, target] },
      nullable: true,
      ...(flat.element.$type.builtin === undefined
        ? {}
        : { type: { builtin: flat.element.$type.builtin, element: flat.element } }),
    },
  ]);
}

function pathOf(expr: MemberExpr): readonly string[] {
  return expr.steps.map((step) => {
    if (step.kind !== "memberName" || step.parens.length > 0) {
      throw notImplemented("This path in $apply", step.offset);
    }
    return step.name;
  });
}

const METHODS: Readonly<Record<string, string>> = {
  sum: "sum",
  min: "min",
  max: "max",
  average: "avg",
  countdistinct: "countdistinct",
};

/** Adds the aggregates to the columns; returns them by alias. */
function aggregate(state: State, items: readonly AggregateExpr[]): ReadonlyMap<string, Typed> {
  const grouped = state.grouped!; // set by the caller
  const values = new Map<string, Typed>();
  for (const item of items) {
    const { alias, offset } = item;
    if (item.from !== undefined) throw notImplemented('"from" in aggregate', offset);
    if (alias === undefined) throw noCustomAggregate(item, state.scope);
    if (values.has(alias) || grouped.aggregated.some(({ name }) => name === alias)) {
      throw badRequest(`The name "${alias}" is taken`, offset);
    }
    const value = aggregateValue(item, state.scope);
    values.set(alias, value);
    grouped.columns.push(asColumn(value.expr, alias));
    const element = item.method === "min" || item.method === "max" ? value.type?.element : undefined;
    grouped.aggregated.push({ name: alias, path: [alias], ...(element === undefined ? {} : { element }) });
  }
  return values;
}

/** Models declare no custom aggregates: whatever stands without alias is none. */
function noCustomAggregate({ expr, offset }: AggregateExpr, scope: Scope): Error {
  if (expr.kind === "memberExpr") planMember(expr, scope, planCondition);
  return badRequest('An aggregation needs "with" and a method, or "as" and a name', offset);
}

function aggregateValue(item: AggregateExpr, scope: Scope): Typed {
  const { expr, method, offset } = item;
  if (method === undefined) {
    const counted = expr.kind === "memberExpr" && expr.steps.length === 1 &&
      expr.steps[0].kind === "countStep";
    if (!counted) throw notImplemented("A count of related instances in aggregate", offset);
    return { expr: { func: "count", args: ["*"] }, type: INTEGER, nullable: false };
  }
  const func = METHODS[method];
  if (func === undefined) throw notImplemented(`The aggregation method "${method}"`, offset);
  const value = planValue(expr, scope);
  const group = groupOf(value.type);
  if ((method === "sum" || method === "average") && group !== undefined && group !== "number") {
    throw badRequest(`The method "${method}" needs numbers`, offset);
  }
  const type = method === "countdistinct" ? INTEGER : method === "average" ? DECIMAL : value.type;
  return {
    expr: { func, args: [value.expr] },
    ...(type === undefined ? {} : { type }),
    nullable: method !== "countdistinct",
  };
}
