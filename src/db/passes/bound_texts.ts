import { call, conjuncts, join, numeral, select } from "../../algebra/build.ts";
import { functionRow } from "../../algebra/functions.ts";
import type {
  Arithmetic,
  Expr,
  Reference,
  TreeBody,
  TreeColumn,
  TreeQuery,
  TreeSource,
} from "../../algebra/tree.ts";
import { childrenOf, mapChildren, mapTree, walkTree } from "../../algebra/walk_tree.ts";
import { stepName } from "../../cqn/steps.ts";

/** Joined operands of a query whose texts need no bound: columns and parameters are no longer than bodies and URLs. */
const FEW_OPERANDS = 16;
/** Characters of what is no text: numbers, times, binary data of keys. */
const LONGEST_VALUE = 400;
/** How long a text is at most: characters known before, and those of operands, each as often as it occurs. */
interface Length {
  readonly known: number;
  readonly operands: ReadonlyMap<string, Operand>;
}

interface Operand {
  readonly expression: Expr;
  readonly count: number;
}

/** The function that bounds a join. */
type Guard = "$joined" | "$joined_rows";

/** How joins are bounded. */
interface Bound {
  readonly func: Guard;
  /** The length of all that stands beside a join, with its own; nothing for its own alone. */
  readonly beside: (join: Expr) => Length;
}

const NOTHING: Length = { known: 0, operands: new Map() };

/**
 * Wraps what joins many texts in `$joined`, which fails where they are longer than the limit, each alone and all columns of
 * a row together; where the texts of many rows may be kept, in `$joined_rows`, which counts them for engines in the process.
 *
 * @param query a lowered query
 * @param most characters that a row may have of them
 * @returns the query itself where little is joined
 */
export function boundTexts<Q extends TreeQuery>(query: Q, most: number): Q {
  if (joinedOperands(query) <= FEW_OPERANDS) return query;
  const texts = new Texts(most);
  return mapTree(query, (expression) => texts.bound(expression));
}

/** Operands of all that is joined; shared expressions count as often as they occur. */
function joinedOperands(query: TreeQuery): number {
  let count = 0;
  walkTree(query, (expression) => {
    if (count > FEW_OPERANDS) return false;
    if (expression.kind !== "nested" && isJoin(expression)) count += partsOf(expression).length;
  });
  return count;
}

function isJoin(expression: Expr): boolean {
  return expression.kind === "call"
    ? expression.func === "concat"
    : expression.kind === "joined" && expression.op === "||";
}

/** What an expression is made of; subqueries bound their texts themselves. */
function partsOf(expression: Expr): readonly Expr[] {
  return isQuery(expression) ? [] : childrenOf(expression);
}

function isQuery({ kind }: Expr): boolean {
  return kind === "select" || kind === "set" || kind === "exists";
}

/** The texts of one query. */
class Texts {
  readonly #most: number;
  readonly #lengths: WeakMap<object, Length> = new WeakMap();
  #subqueries = 0;

  /** @param most characters that a row may have of them */
  constructor(most: number) {
    this.#most = most;
  }

  /** A query whose texts are bounded; other expressions as they are. */
  bound(expression: Expr): Expr {
    if (expression.kind !== "select") return expression;
    const { columns, where, having, orderBy, groupBy } = expression.SELECT;
    const inClause = <E extends Expr>(one: E, func: Guard) =>
      this.#wrapped(one, { func, beside: () => NOTHING });
    const body: TreeBody = {
      ...expression.SELECT,
      ...(columns && { columns: this.#columns(columns, !groupBy) }),
      ...(where && { where: inClause(where, "$joined") }),
      ...(having && { having: inClause(having, "$joined") }),
      ...(orderBy && { orderBy: orderBy.map((term) => inClause(term, "$joined_rows")) }),
      ...(groupBy && { groupBy: groupBy.map((term) => inClause(term, "$joined_rows")) }),
    };
    return { ...expression, SELECT: body };
  }

  #columns(columns: readonly TreeColumn[], areRows: boolean): readonly TreeColumn[] {
    const joins: Expr[] = [];
    // lowered columns are expressions
    for (const column of columns) this.#collect(column as Expr, joins);
    if (joins.length === 0) return columns;
    const total = areRows ? joins.map((join) => this.#lengthOf(join)).reduce(sum, NOTHING) : NOTHING;
    // the first of them answers for all: it is made before the others
    const [first] = joins;
    const bound: Bound = { func: "$joined_rows", beside: (join) => join === first ? total : NOTHING };
    return columns.map((column) => this.#wrapped(column as Expr, bound) as TreeColumn);
  }

  /** The outermost joins of an expression; those of subqueries are their own. */
  #collect(expression: Expr, into: Expr[]): void {
    if (isJoin(expression)) into.push(expression);
    else for (const part of partsOf(expression)) this.#collect(part, into);
  }

  /** An expression whose outermost joins are bounded; what stands beside it stays. */
  #wrapped<E extends Expr>(expression: E, bound: Bound): E {
    if (isJoin(expression)) return this.#guarded(expression, bound);
    return isQuery(expression) ? expression : mapChildren(expression, (part) => this.#wrapped(part, bound));
  }

  #guarded<E extends Expr>(join: E, { func, beside }: Bound): E {
    const others = beside(join);
    const { known, operands } = others === NOTHING ? this.#lengthOf(join) : others;
    const count = [...operands.values()].reduce((all, operand) => all + operand.count, 0);
    if (known <= this.#most && count <= FEW_OPERANDS) return join;
    const lengths = [...operands.values()].map(({ expression, count }): Expr =>
      calculation(call("$text_length", [expression]), "*", numeral(count))
    );
    const size = lengths.reduce((total, one) => calculation(total, "+", one), numeral(known));
    const { as, sort, nulls } = join as Beside;
    const names = { ...(as && { as }), ...(sort && { sort }), ...(nulls && { nulls }) };
    const guarded = { ...call(func, [join, size, numeral(this.#most)], { type: "cds.String" }), ...names };
    return guarded as Expr as E; // it stands in the place of the join
  }

  #lengthOf(expression: Expr): Length {
    let length = this.#lengths.get(expression);
    if (length === undefined) this.#lengths.set(expression, length = this.#measured(expression));
    return length;
  }

  #measured(expression: Expr): Length {
    if (expression.kind === "literal") {
      const known = typeof expression.val === "string" ? expression.val.length : LONGEST_VALUE;
      return { known, operands: new Map() };
    }
    const parts = partsOf(expression);
    if (parts.length === 0 && expression.kind !== "call") return this.#operand(expression);
    const shortens = expression.kind === "call" && functionRow(expression.func)?.shortens === true;
    if (shortens && parts.length > 0) return this.#lengthOf(parts[0]!);
    const all = parts.map((part) => this.#lengthOf(part)).reduce(sum, NOTHING);
    return isJoin(expression) ? all : { ...all, known: all.known + LONGEST_VALUE };
  }

  #operand(expression: Expr): Length {
    const { as: _as, ...plain } = expression as Expr & Beside;
    const operand = { expression: plain as Expr, count: 1 };
    return { known: 0, operands: new Map([[this.#keyOf(expression), operand]]) };
  }

  #keyOf(expression: Expr): string {
    if (!isQuery(expression)) {
      const { ref, name, path } = expression as { ref?: unknown; name?: unknown; path?: unknown };
      return JSON.stringify([expression.kind, ref ?? path ?? name]);
    }
    return String(this.#subqueries++); // each is measured once
  }
}

/** What may stand beside an expression. */
interface Beside {
  readonly as?: string;
  readonly sort?: "asc" | "desc";
  readonly nulls?: "first" | "last";
}

function calculation(left: Expr, op: Arithmetic["op"], right: Expr): Expr {
  return { kind: "arithmetic", left, op, right, type: "cds.Int64" };
}

function sum(one: Length, other: Length): Length {
  if (other.operands.size === 0) return { known: one.known + other.known, operands: one.operands };
  const operands = new Map(one.operands);
  for (const [key, { expression, count }] of other.operands) {
    operands.set(key, { expression, count: count + (operands.get(key)?.count ?? 0) });
  }
  return { known: one.known + other.known, operands };
}

/** Subqueries beside each other in a query that is not watched. */
const FEW_SUBQUERIES = 4;
/** Tables joined in a query that is not watched. */
const FEW_TABLES = 3;

/**
 * Adds calls of `$step` for the rows that a lowered query visits again and again: in subqueries of subqueries, in many
 * subqueries, in many joins. The function is always true, and ends a statement that takes too long.
 *
 * @param query a lowered query
 * @returns the query itself where its work is small
 */
export function boundWork<Q extends TreeQuery>(query: Q): Q {
  const { depth, count, isWide } = workOf(query);
  if (depth < 2 && count <= FEW_SUBQUERIES && !isWide) return query;
  return mapTree(query, watched);
}

interface Work {
  /** Nesting of subqueries in expressions. */
  readonly depth: number;
  /** Subqueries in expressions, also those of others. */
  readonly count: number;
  /** Whether many tables are joined, or all rows of two with each other. */
  readonly isWide: boolean;
}

function workOf(query: TreeQuery): Work {
  const sources = new Set<unknown>(query.kind === "select" ? tablesOf(query.SELECT.from) : query.SET.args);
  let { depth, count, isWide } = {
    depth: 0,
    count: 0,
    isWide: query.kind === "select" && isProduct(query.SELECT.from),
  };
  walkTree(query, (inner) => {
    if (inner === query || (inner.kind !== "select" && inner.kind !== "set")) return;
    const work = workOf(inner);
    const isSource = sources.has(inner);
    depth = Math.max(depth, work.depth + (isSource ? 0 : 1));
    count += work.count + (isSource ? 0 : 1);
    isWide ||= work.isWide;
    return false;
  });
  return { depth, count, isWide };
}

function tablesOf(source: TreeSource): readonly TreeSource[] {
  return source.kind === "join" ? source.args.flatMap(tablesOf) : [source];
}

function isProduct(source: TreeSource): boolean {
  if (source.kind !== "join") return false;
  return source.join === "cross" || tablesOf(source).length > FEW_TABLES || source.args.some(isProduct);
}

function watched(expression: Expr): Expr {
  if (expression.kind !== "select") return expression;
  const { SELECT } = expression;
  return { ...expression, SELECT: { ...SELECT, where: withSteps(SELECT) } };
}

/** Steps are taken for the rows that meet the first condition: it is mostly that of an association, and cheap. */
function withSteps(body: TreeBody): Expr {
  const [first, ...rest] = conjuncts(body.where);
  const steps = stepsOf(body);
  const isCheap = first !== undefined && first.kind !== "joined" && first.kind !== "case";
  return join("and", isCheap ? [first, ...steps, ...rest] : [...steps, ...first ? [first, ...rest] : []]);
}

/** One for each table, so that the engine takes it in the loop over its rows. */
function stepsOf(body: TreeBody): readonly Expr[] {
  const tables = tablesOf(body.from);
  if (tables.length === 1) return [call("$step", [])];
  const columns = columnsOf(body);
  return tables.map((table) => {
    const column = columns.get(table.as ?? "");
    return call("$step", column ? [column] : []);
  });
}

/** A column of each table, by alias, where the query has one. */
function columnsOf(body: TreeBody): ReadonlyMap<string, Reference> {
  const found = new Map<string, Reference>();
  walkTree(select(body), (expression) => {
    if (expression.kind !== "reference" || expression.ref.length !== 2) return;
    const alias = stepName(expression.ref[0]!);
    if (!found.has(alias)) found.set(alias, { kind: "reference", ref: expression.ref });
  });
  return found;
}
