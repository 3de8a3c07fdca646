/**
 * CQN as trees: the only place, beside the grammars, that knows in which order tokens stand. What is frozen, as models and
 * templates are, is read once.
 *
 * @module
 */

import type {
  Column,
  Expression,
  FunctionExpression,
  Limit,
  NestedColumn,
  NestedInstant,
  NestedValidity,
  OrderTerm,
  RefStep,
  SelectBody,
  SelectQuery,
  SetQuery,
  Source,
  Xo,
} from "../cqn/cqn.ts";
import { isNamedOnly } from "../cqn/named_only.ts";
import { PSEUDO_VARIABLES, stepName } from "../cqn/steps.ts";
import { call, cast, list, literal, parameter, reference, select } from "./build.ts";
import { fromArgumentTokens, fromTokens, fromWindowTokens } from "./from_cqn_tokens.ts";
import type {
  Call,
  Expr,
  TreeColumn,
  TreeInstant,
  TreeLimit,
  TreeNested,
  TreeOrder,
  TreeQuery,
  TreeSelect,
  TreeSet,
  TreeSource,
  TreeStep,
  TreeValidity,
  Window,
} from "./tree.ts";

/** What stands beside an expression: the name of a column, the order of a term. */
interface Beside {
  readonly as?: string;
  readonly key?: boolean;
  readonly virtual?: boolean;
  readonly sort?: "asc" | "desc";
  readonly nulls?: "first" | "last";
  readonly cast?: { readonly type?: unknown };
}

const CONDITIONS: WeakMap<readonly Xo[], Expr> = new WeakMap();

/** A flat expression array as tree; undefined for one without tokens. */
export function fromXo(tokens: readonly Xo[] | undefined): Expr | undefined {
  if (tokens === undefined || tokens.length === 0) return undefined;
  let known = CONDITIONS.get(tokens);
  if (known === undefined) {
    known = fromTokens(tokens, fromExpression);
    if (Object.isFrozen(tokens)) CONDITIONS.set(tokens, known);
  }
  return known;
}

/** Search terms as tree; undefined for none. Terms side by side must all be there. */
export function fromSearch(terms: readonly Xo[] | undefined): Expr | undefined {
  if (terms === undefined || terms.length === 0) return undefined;
  const tokens = terms.flatMap((term, at): Xo[] =>
    typeof term === "object" && typeof terms[at - 1] === "object" ? ["and", term] : [term]
  );
  return fromTokens(
    tokens,
    (term) =>
      "xpr" in term && !("func" in term)
        ? fromSearch(term.xpr) ?? fromTokens([], fromExpression)
        : fromExpression(term),
  );
}

/** An expression as tree; the name of a column and the order of a term stay beside it. */
export function fromExpression(expression: Expression): Expr {
  const { as, key, virtual, sort, nulls, cast: type } = expression as Beside;
  const plain = plainOf(expression);
  const node = type === undefined ? plain : cast(plain, type as Parameters<typeof cast>[1]); // a type of CQN
  if (
    as === undefined && sort === undefined && nulls === undefined && key === undefined &&
    virtual === undefined
  ) {
    return node;
  }
  return {
    ...node,
    ...(as !== undefined && { as }),
    ...(key !== undefined && { key }),
    ...(virtual !== undefined && { virtual }),
    ...(sort !== undefined && { sort }),
    ...(nulls !== undefined && { nulls }),
  } as Expr;
}

function plainOf(expression: Expression): Expr {
  if ("SELECT" in expression || "SET" in expression) return fromQuery(expression);
  if ("func" in expression) return callOf(expression);
  if ("ref" in expression) return pathOf(expression.ref, expression.param);
  if ("val" in expression) return literal(expression.val, expression.literal);
  if ("xpr" in expression) {
    const arg = fromXo(expression.xpr) ?? fromTokens([], fromExpression);
    return expression.localized === false ? { kind: "unlocalized", arg, type: arg.type } : arg;
  }
  if ("list" in expression) return list(expression.list.map(fromExpression));
  if ("#" in expression) return { kind: "symbol", symbol: expression["#"] };
  throw new TypeError(`An expression is expected, found ${Object.keys(expression).join(", ") || "nothing"}`);
}

function pathOf(ref: readonly RefStep[], isParameter: boolean | undefined): Expr {
  const [first] = ref;
  const name = typeof first === "object" ? first.id : String(first);
  if (isParameter) return parameter(name);
  if (!PSEUDO_VARIABLES.has(name) && name !== "$parameters") return reference(fromSteps(ref));
  const path = ref.map(stepName);
  return { kind: "variable", path, ...(name === "$now" && { type: "cds.Timestamp" }) };
}

function callOf({ func, args, xpr }: FunctionExpression): Expr {
  const over = xpr && windowOf(xpr);
  if (args === undefined) return call(func, [], { args: undefined, ...(over && { over }) } as Partial<Call>);
  if (!Array.isArray(args)) {
    const named = Object.entries(args as Readonly<Record<string, Expression>>);
    const values = named.map(([, value]) => fromExpression(value));
    return call(func, values, { names: named.map(([name]) => name), ...(over && { over }) });
  }
  const found: { distinct?: boolean; orderBy?: readonly TreeOrder[] } = {};
  const values = (args as readonly (Expression | "*")[]).map((arg) => {
    if (arg === "*") return arg;
    const modified = "xpr" in arg && !("func" in arg)
      ? fromArgumentTokens(arg.xpr, fromExpression)
      : undefined;
    if (!modified) return fromExpression(arg);
    if (modified.distinct) found.distinct = true;
    if (modified.orderBy.length > 0) found.orderBy = modified.orderBy;
    return modified.arg;
  });
  return call(func, values, { ...found, ...(over && { over }) });
}

/** `over ( … )`. */
function windowOf([, inside]: readonly Xo[]): Window {
  const tokens = typeof inside === "object" && "xpr" in inside ? inside.xpr ?? [] : [];
  return fromWindowTokens(tokens, fromExpression);
}

/** The steps of a path. */
export function fromSteps(ref: readonly RefStep[]): readonly TreeStep[] {
  return ref.map((step): TreeStep => {
    if (typeof step === "string") return step;
    const { where, args, groupBy, having, orderBy, limit, rows, query, ...plain } = step;
    const condition = fromXo(where);
    return {
      ...plain,
      ...(condition && { where: condition }),
      ...(args && { args: fromRecord(args) }),
      ...(groupBy && { groupBy: groupBy.map(fromExpression) }),
      ...(having && { having: fromXo(having) }),
      ...(orderBy && { orderBy: orderBy.map(orderTerm) }),
      ...(limit && { limit: pageOf(limit) }),
      ...(rows && { rows: fromExpression(rows) }),
      ...(query && { query: fromQuery(query) }),
    };
  });
}

function fromRecord(record: Readonly<Record<string, Expression>>): Readonly<Record<string, Expr>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, fromExpression(value)]));
}

function orderTerm(term: OrderTerm): TreeOrder {
  return fromExpression(term) as TreeOrder;
}

function pageOf({ rows, offset }: Limit): TreeLimit {
  return { ...(rows && { rows: fromExpression(rows) }), ...(offset && { offset: fromExpression(offset) }) };
}

const QUERIES: WeakMap<object, TreeQuery> = new WeakMap();

/** A query as tree. */
export function fromQuery(query: SelectQuery): TreeSelect;
export function fromQuery(query: SelectQuery | SetQuery): TreeQuery;
export function fromQuery(query: SelectQuery | SetQuery): TreeQuery {
  const body = "SELECT" in query ? query.SELECT : query.SET;
  let known = QUERIES.get(body);
  if (known === undefined) {
    known = "SELECT" in query ? fromSelect(query.SELECT) : fromSet(query);
    if (Object.isFrozen(body)) QUERIES.set(body, known);
  }
  return known;
}

/** Says what a query that was made of a tree stands for. */
export function keepTree(query: SelectQuery | SetQuery, tree: TreeQuery): void {
  QUERIES.set("SELECT" in query ? query.SELECT : query.SET, tree);
}

function fromSelect(body: SelectBody): TreeSelect {
  const { from, columns, where, search, groupBy, having, orderBy, limit, validity, ...plain } = body;
  return select({
    ...plain,
    from: fromSource(from),
    columns: columns?.map(fromColumn),
    where: fromXo(where),
    search: fromSearch(search),
    groupBy: groupBy?.map(fromExpression),
    having: fromXo(having),
    orderBy: orderBy?.map(orderTerm),
    limit: limit && pageOf(limit),
    validity: validity && validityOf(validity),
  });
}

function fromSet({ SET }: SetQuery): TreeSet {
  const { args, orderBy, limit, ...plain } = SET;
  return Object.freeze({
    kind: "set",
    SET: {
      ...plain,
      args: args.map((arg) => fromQuery(arg)),
      ...(orderBy && { orderBy: orderBy.map(orderTerm) }),
      ...(limit && { limit: pageOf(limit) }),
    },
  });
}

/** A source as tree. */
export function fromSource(source: Source): TreeSource {
  if ("join" in source) {
    const on = fromXo(source.on);
    return {
      kind: "join",
      join: source.join,
      args: source.args.map(fromSource),
      ...(on && { on }),
      ...(source.as !== undefined && { as: source.as }),
    };
  }
  const { as } = source;
  const node = "ref" in source ? reference(fromSteps(source.ref)) : fromQuery(source);
  return as === undefined ? node : { ...node, as };
}

/** A column as tree. */
export function fromColumn(column: Column): TreeColumn {
  if (column === "*") return column;
  if (isNamedOnly(column)) return fromColumn({ ref: [column.as], cast: column.cast });
  const isNested = ("expand" in column && column.expand) || ("inline" in column && column.inline);
  return isNested ? fromNested(column as NestedColumn) : fromExpression(column as Expression);
}

function fromNested(column: NestedColumn): TreeNested {
  const { ref, expand, inline, where, search, orderBy, limit, validity, query, ...plain } = column;
  return {
    ...plain,
    kind: "nested",
    ...(ref && { ref: fromSteps(ref) }),
    ...(expand && { expand: expand.map(fromColumn) }),
    ...(inline && { inline: inline.map(fromColumn) }),
    ...(where && where.length > 0 && { where: fromXo(where) }),
    ...(search && search.length > 0 && { search: fromSearch(search) }),
    ...(orderBy && { orderBy: orderBy.map(orderTerm) }),
    ...(limit && { limit: pageOf(limit) }),
    ...(validity && { validity: validityOf(validity) }),
    ...(query && { query: fromQuery(query) }),
  };
}

/** A period as tree. */
export function validityOf({ from, to }: NestedValidity): TreeValidity {
  return { from: instantOf(from), to: instantOf(to) };
}

function instantOf({ exact, seconds, days }: NestedInstant): TreeInstant {
  return { exact: fromExpression(exact), seconds: fromExpression(seconds), days: fromExpression(days) };
}
