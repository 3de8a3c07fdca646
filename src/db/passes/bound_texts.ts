/**
 * Texts that a query joins, bounded before the database makes them: names of computed values stand for the same expression
 * each time, so that a short query can mean a text that no memory holds.
 *
 * @module
 */

import type { Column, Expression, SelectBody, SelectQuery, SetQuery, Xo } from "../../cqn/cqn.ts";
import { mapQuery, walkQuery } from "../../cqn/walk.ts";

/** Joined operands of a query whose texts need no bound: columns and parameters are no longer than bodies and URLs. */
const FEW_OPERANDS = 16;
/** Characters of what is no text: numbers, times, binary data of keys. */
const LONGEST_VALUE = 400;
/** Functions whose result is no longer than their first argument. */
const SHORTENING: ReadonlySet<string> = new Set(
  ["substring", "tolower", "toupper", "lower", "upper", "trim", "ltrim", "rtrim", "$by_code_points"],
);

/** How long a text is at most: characters known before, and those of operands, each as often as it occurs. */
interface Length {
  readonly known: number;
  readonly operands: ReadonlyMap<string, Operand>;
}

interface Operand {
  readonly expression: Expression;
  readonly count: number;
}

/** The function that bounds a join. */
type Guard = "$joined" | "$joined_rows";

/** How joins are bounded. */
interface Bound {
  readonly func: Guard;
  /** The length of all that stands beside a join, with its own; nothing for its own alone. */
  readonly beside: (join: Expression) => Length;
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
export function boundTexts<Q extends SelectQuery | SetQuery>(query: Q, most: number): Q {
  if (joinedOperands(query) <= FEW_OPERANDS) return query;
  const texts = new Texts(most);
  return texts.bound(mapQuery(query, (expression) => texts.bound(expression)));
}

/** Operands of all that is joined; shared expressions count as often as they occur. */
function joinedOperands(query: SelectQuery | SetQuery): number {
  let count = 0;
  walkQuery(query, (expression) => {
    if (count > FEW_OPERANDS) return false;
    if (isJoin(expression as Expression)) count += partsOf(expression as Expression).length;
  });
  return count;
}

function isJoin(expression: Expression): boolean {
  if ("func" in expression) return expression.func.toLowerCase() === "concat";
  return "xpr" in expression && expression.xpr.includes("||");
}

/** What an expression is made of. */
function partsOf(expression: Expression): readonly Expression[] {
  if ("func" in expression) {
    const { args = [], xpr = [] } = expression;
    const list = Array.isArray(args) ? args as readonly (Expression | "*")[] : Object.values(args);
    return [...list, ...xpr].filter((part): part is Expression => typeof part === "object");
  }
  if ("xpr" in expression) return operandsOf(expression.xpr);
  return "list" in expression ? expression.list : [];
}

function operandsOf(tokens: readonly Xo[]): readonly Expression[] {
  return tokens.filter((token): token is Expression => typeof token === "object");
}

/** The texts of one query. */
class Texts {
  readonly #most: number;
  readonly #lengths: WeakMap<object, Length> = new WeakMap();
  readonly #keys: WeakMap<object, string> = new WeakMap();
  #subqueries = 0;

  /** @param most characters that a row may have of them */
  constructor(most: number) {
    this.#most = most;
  }

  /** A subquery whose texts are bounded; other expressions as they are. */
  bound<E extends Expression>(expression: E): E {
    const node: Expression = expression;
    if ("SET" in node) {
      const { SET } = node;
      return { ...expression, SET: { ...SET, args: SET.args.map((arg) => this.bound(arg)) } };
    }
    if (!("SELECT" in node)) return expression;
    const body = node.SELECT;
    const columns = body.columns && this.#columns(body.columns, !body.groupBy);
    const clauses = Object.fromEntries(
      (["where", "having", "orderBy", "groupBy"] as const).flatMap((name) => {
        const clause = body[name] as readonly Xo[] | undefined;
        const func = name === "orderBy" || name === "groupBy" ? "$joined_rows" : "$joined";
        return clause ? [[name, clause.map((token) => this.#token(token, func))]] : [];
      }),
    );
    return { ...expression, SELECT: { ...body, ...clauses, ...(columns && { columns }) } as SelectBody };
  }

  #columns(columns: readonly Column[], areRows: boolean): readonly Column[] {
    const joins: Expression[] = [];
    for (const column of columns) if (column !== "*") this.#collect(column as Expression, joins);
    if (joins.length === 0) return columns;
    const total = areRows ? joins.map((join) => this.#lengthOf(join)).reduce(sum, NOTHING) : NOTHING;
    // the first of them answers for all: it is made before the others
    const [first] = joins;
    return columns.map((column) =>
      column === "*" ? column : this.#wrapped(column as Expression, {
        func: "$joined_rows",
        beside: (join) => join === first ? total : NOTHING,
      }) as Column
    );
  }

  #token<T extends Xo>(token: T, func: Guard): T {
    if (typeof token === "string") return token;
    return this.#wrapped(token as Expression, { func, beside: () => NOTHING }) as T;
  }

  /** The outermost joins of an expression; those of subqueries are their own. */
  #collect(expression: Expression, into: Expression[]): void {
    if (isJoin(expression)) into.push(expression);
    else for (const part of partsOf(expression)) this.#collect(part, into);
  }

  /** An expression whose outermost joins are bounded. */
  #wrapped(expression: Expression, bound: Bound): Expression {
    if (isJoin(expression)) return this.#guarded(expression, bound);
    const inner = (part: Xo | "*") => typeof part === "string" ? part : this.#wrapped(part, bound);
    if ("func" in expression) {
      const { args, xpr } = expression;
      const mapped = Array.isArray(args) ? args.map(inner) as readonly Expression[] : args;
      return { ...expression, ...(mapped && { args: mapped }), ...(xpr && { xpr: xpr.map(inner) }) };
    }
    if ("xpr" in expression) return { ...expression, xpr: expression.xpr.map(inner) };
    if (!("list" in expression)) return expression;
    return { ...expression, list: expression.list.map((part) => this.#wrapped(part, bound)) };
  }

  #guarded(join: Expression, { func, beside }: Bound): Expression {
    const others = beside(join);
    const { known, operands } = others === NOTHING ? this.#lengthOf(join) : others;
    const count = [...operands.values()].reduce((all, operand) => all + operand.count, 0);
    if (known <= this.#most && count <= FEW_OPERANDS) return join;
    const size: Xo[] = [{ val: known, literal: "number" }];
    for (const { expression, count } of operands.values()) {
      const length: Expression = { func: "$text_length", args: [expression] };
      size.push("+", length, "*", { val: count, literal: "number" });
    }
    const { value, rest } = divided(join);
    const args: readonly Expression[] = [value, { xpr: size }, { val: this.#most, literal: "number" }];
    return { ...rest, func, args };
  }

  #lengthOf(expression: Expression): Length {
    let length = this.#lengths.get(expression);
    if (length === undefined) this.#lengths.set(expression, length = this.#measured(expression));
    return length;
  }

  #measured(expression: Expression): Length {
    if ("val" in expression) {
      return {
        known: typeof expression.val === "string" ? expression.val.length : LONGEST_VALUE,
        operands: new Map(),
      };
    }
    if ("ref" in expression || "SELECT" in expression || "SET" in expression) {
      return this.#operand(expression);
    }
    const parts = partsOf(expression);
    if ("func" in expression && SHORTENING.has(expression.func.toLowerCase()) && parts.length > 0) {
      return this.#lengthOf(parts[0]!);
    }
    const all = parts.map((part) => this.#lengthOf(part)).reduce(sum, NOTHING);
    return isJoin(expression) ? all : { ...all, known: all.known + LONGEST_VALUE };
  }

  #operand(expression: Expression): Length {
    const { as: _as, ...plain } = expression as Expression & { readonly as?: string };
    const operand = { expression: plain as Expression, count: 1 };
    return { known: 0, operands: new Map([[this.#keyOf(expression), operand]]) };
  }

  #keyOf(expression: Expression): string {
    if ("ref" in expression) {
      return JSON.stringify([expression.ref, "param" in expression && expression.param]);
    }
    let key = this.#keys.get(expression);
    if (key === undefined) this.#keys.set(expression, key = String(this.#subqueries++));
    return key;
  }
}

/** An expression alone, and what stands beside it: alias, order, cast. */
function divided(expression: Expression): { readonly value: Expression; readonly rest: object } {
  if ("func" in expression) {
    const { func, args, xpr, ...rest } = expression;
    return { value: { func, ...(args && { args }), ...(xpr && { xpr }) }, rest };
  }
  const { xpr, ...rest } = expression as Extract<Expression, { xpr: unknown }>; // joins are calls or operators
  return { value: { xpr }, rest };
}

function sum(one: Length, other: Length): Length {
  if (other.operands.size === 0) return { known: one.known + other.known, operands: one.operands };
  const operands = new Map(one.operands);
  for (const [key, { expression, count }] of other.operands) {
    operands.set(key, { expression, count: count + (operands.get(key)?.count ?? 0) });
  }
  return { known: one.known + other.known, operands };
}
