/**
 * The paths of a query that lead to other entities.
 *
 * @module
 */

import type { Column, Expression, NestedColumn, Source, Xo } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { walkExpression } from "../../cqn/walk.ts";

/**
 * Where paths of a query start.
 *
 * @param source what the query reads
 * @returns the paths of its sources; of subqueries none
 */
export function* startsOf(source: Source): Iterable<readonly string[]> {
  if ("join" in source) { for (const arg of source.args) yield* startsOf(arg); }
  else if ("ref" in source) yield source.ref.map(stepName);
}

/** Where expressions stand. */
export interface Followed {
  /** The path to what the items belong to. */
  readonly before: readonly string[];
  /** Whether types come from there. Conditions take none, and may name keys, which need no more than the association. */
  readonly isColumn: boolean;
}

/** Columns of a query. */
export const COLUMN: Followed = { before: [], isColumn: true };
/** Conditions of a query. */
export const CONDITION: Followed = { before: [], isColumn: false };

/**
 * The paths that something follows: another step of a column, nested columns, or a filter.
 *
 * @param items columns, or operands and operators
 * @param at where they stand
 * @returns the paths; columns of one step follow nothing, their path is empty
 */
export function followed(items: readonly (Xo | Column)[], at: Followed): (readonly string[])[] {
  const { before, isColumn } = at;
  const paths: (readonly string[])[] = [];
  const visit = (item: Expression | NestedColumn) => {
    if ("SELECT" in item || "SET" in item) return false; // a query of its own
    if (!("ref" in item) || !item.ref) return;
    const path = [...before, ...item.ref.map(stepName)];
    const { expand, inline } = item as NestedColumn;
    const nested = expand ?? inline;
    if (isColumn) paths.push(nested ? path : path.slice(0, -1));
    paths.push(...followed(nested ?? [], { ...at, before: path }));
    for (const [at, step] of item.ref.entries()) {
      if (typeof step === "string" || !step.where) continue;
      const filtered = path.slice(0, before.length + at + 1);
      paths.push(filtered, ...followed(step.where, { before: filtered, isColumn: false }));
    }
    return false;
  };
  for (const item of items) if (typeof item !== "string") walkExpression(item, visit);
  return paths;
}
