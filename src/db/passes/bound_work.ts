/**
 * Steps counted in queries whose work grows with products of tables, for engines that nothing interrupts while they run.
 *
 * @module
 */

import { call, conjuncts, join, select } from "../../algebra/build.ts";
import type { Expr, Reference, TreeBody, TreeQuery, TreeSource } from "../../algebra/tree.ts";
import { mapTree, walkTree } from "../../algebra/walk_tree.ts";
import { stepName } from "../../cqn/steps.ts";

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
