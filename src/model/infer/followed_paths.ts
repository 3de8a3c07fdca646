/**
 * The paths of a query that lead to other entities.
 *
 * @module
 */

import type { Column, Expression, NestedColumn, Source } from "../../cqn/cqn.ts";
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

/**
 * The paths that columns take their types from: all that another step or nested columns follow. Conditions and filters have
 * no part in that.
 *
 * @param columns the columns
 * @param before the path to what they belong to
 * @returns the paths; columns of one step follow nothing, their path is empty
 */
export function followed(columns: readonly Column[], before: readonly string[] = []): (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const visit = (item: Expression | NestedColumn) => {
    if ("SELECT" in item || "SET" in item) return false; // a query of its own
    if (!("ref" in item) || !item.ref) return;
    const path = [...before, ...item.ref.map(stepName)];
    const { expand, inline } = item as NestedColumn;
    const nested = expand ?? inline;
    paths.push(nested ? path : path.slice(0, -1), ...followed(nested ?? [], path));
    return false;
  };
  for (const column of columns) if (column !== "*") walkExpression(column, visit);
  return paths;
}
