/**
 * The order of rows in memory.
 *
 * @module
 */

import type { TreeOrder } from "../../algebra/tree.ts";
import type { Aliases, Compiler, Env, Run } from "./evaluation.ts";
import { compareNullsFirst } from "./values.ts";

/**
 * Compiles an order. Nulls come first ascending and last descending, unless the order says otherwise.
 *
 * @param compiler the steps of compiling
 * @param orderBy the terms
 * @param aliases the sources in reach
 * @returns sorts rows; undefined without terms
 */
export function sorting(
  compiler: Compiler,
  orderBy: readonly TreeOrder[] | undefined,
  aliases: Aliases,
): ((members: readonly Env[], run: Run) => Env[]) | undefined {
  if (!orderBy?.length) return undefined;
  const evaluates = orderBy.map((term) => compiler.expression(term, aliases));
  return (members, run) => {
    const keyed = members.map((member) => ({ member, keys: evaluates.map((one) => one(member, run)) }));
    keyed.sort((a, b) => {
      run.clock.check();
      for (const [index, term] of orderBy.entries()) {
        const order = compareTerm(a.keys[index], b.keys[index], term);
        if (order !== 0) return order;
      }
      return 0;
    });
    return keyed.map(({ member }) => member);
  };
}

function compareTerm(left: unknown, right: unknown, { sort, nulls }: TreeOrder): number {
  if (nulls && (left === null || right === null)) {
    const order = Number(right === null) - Number(left === null);
    return nulls === "first" ? order : -order;
  }
  return compareNullsFirst(left, right) * (sort === "desc" ? -1 : 1);
}
