/**
 * Steps counted in queries whose work grows with products of tables, for engines that nothing interrupts while they run.
 *
 * @module
 */

import type {
  Expression,
  RefExpression,
  SelectBody,
  SelectQuery,
  SetQuery,
  Source,
  Xo,
} from "../../cqn/cqn.ts";
import { mapQuery, walkQuery } from "../../cqn/walk.ts";
import { stepName } from "./scope.ts";

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
export function boundWork<Q extends SelectQuery | SetQuery>(query: Q): Q {
  const { depth, count, isWide } = workOf(query);
  if (depth < 2 && count <= FEW_SUBQUERIES && !isWide) return query;
  return watched(mapQuery(query, (expression) => watched(expression)));
}

interface Work {
  /** Nesting of subqueries in expressions. */
  readonly depth: number;
  /** Subqueries in expressions, also those of others. */
  readonly count: number;
  /** Whether many tables are joined, or all rows of two with each other. */
  readonly isWide: boolean;
}

function workOf(query: SelectQuery | SetQuery): Work {
  const sources = new Set<unknown>("SELECT" in query ? tablesOf(query.SELECT.from) : query.SET.args);
  let { depth, count, isWide } = {
    depth: 0,
    count: 0,
    isWide: "SELECT" in query && isProduct(query.SELECT.from),
  };
  const add = (inner: SelectQuery | SetQuery, isSource: boolean) => {
    const work = workOf(inner);
    depth = Math.max(depth, work.depth + (isSource ? 0 : 1));
    count += work.count + (isSource ? 0 : 1);
    isWide ||= work.isWide;
  };
  if ("SET" in query) { for (const arg of query.SET.args) add(arg, true); }
  else {
    walkQuery(query, (expression) => {
      if (!("SELECT" in expression) && !("SET" in expression)) return;
      add(expression, sources.has(expression));
      return false;
    });
  }
  return { depth, count, isWide };
}

function tablesOf(source: Source): readonly Source[] {
  return "join" in source ? source.args.flatMap(tablesOf) : [source];
}

function isProduct(source: Source): boolean {
  if (!("join" in source)) return false;
  return source.join === "cross" || tablesOf(source).length > FEW_TABLES || source.args.some(isProduct);
}

function watched<E extends Expression>(expression: E): E {
  if ("SET" in expression) {
    const { SET } = expression as SetQuery;
    return { ...expression, SET: { ...SET, args: SET.args.map((arg) => watched(arg)) } };
  }
  if (!("SELECT" in expression)) return expression;
  const { SELECT } = expression as SelectQuery;
  return { ...expression, SELECT: { ...SELECT, where: withSteps(SELECT) } };
}

/** Steps are taken for the rows that meet the first condition: it is mostly that of an association, and cheap. */
function withSteps(body: SelectBody): readonly Xo[] {
  const { where } = body;
  const steps = stepsOf(body);
  if (!where) return steps;
  const and = where.indexOf("and");
  if (["or", "between", "case"].some((token) => where.includes(token))) {
    return [...steps, "and", { xpr: where }];
  }
  if (and < 0) return [...where, "and", ...steps];
  return [...where.slice(0, and), "and", ...steps, ...where.slice(and)];
}

/** One for each table, so that the engine takes it in the loop over its rows. */
function stepsOf(body: SelectBody): readonly Xo[] {
  const tables = tablesOf(body.from);
  if (tables.length === 1) return [{ func: "$step", args: [] }];
  const columns = columnsOf(body);
  return tables.flatMap((table): Xo[] => {
    const column = columns.get((table as { readonly as?: string }).as ?? "");
    return ["and", { func: "$step", args: column ? [column] : [] }];
  }).slice(1);
}

/** A column of each table, by alias, where the query has one. */
function columnsOf(body: SelectBody): ReadonlyMap<string, RefExpression> {
  const found = new Map<string, RefExpression>();
  walkQuery({ SELECT: body }, (expression) => {
    if (!("ref" in expression) || !expression.ref || "param" in expression || expression.ref.length !== 2) {
      return;
    }
    const alias = stepName(expression.ref[0]!);
    if (!found.has(alias)) found.set(alias, { ref: expression.ref });
  });
  return found;
}
