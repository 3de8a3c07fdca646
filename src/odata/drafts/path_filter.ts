/**
 * Filters in paths: what `/$filter(…)` says may be about active instances, drafts, or both.
 *
 * @module
 */

import { conjunction } from "../../cqn/conjunction.ts";
import type { RefExpression, SelectQuery } from "../../cqn/cqn.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import type { EntityPlan } from "../plan/plan.ts";

interface Filtered {
  readonly from: RefExpression;
  readonly query: SelectQuery;
}

/** Rewritten templates by those of the shapes of URLs. */
const FILTERED: WeakMap<SelectQuery, Filtered> = new WeakMap();

/**
 * The plan of a collection whose filter in the path is one more condition, as `$filter` is.
 *
 * @param plan what a URL means to clients
 * @returns the same plan where its path has no such filter at its start
 */
export function withPathFilter(plan: EntityPlan): EntityPlan {
  if (plan.kind !== "entitySet" && plan.kind !== "count") return plan;
  const { from, query } = plan;
  const [first] = from.ref;
  if (from.ref.length > 1 || typeof first !== "object" || !("ref" in query.SELECT.from)) return plan;
  let filtered = FILTERED.get(query);
  if (!filtered) {
    const { where, ...step } = first;
    const set: RefExpression = { ...from, ref: [step] };
    const all = conjunction(where, query.SELECT.where);
    filtered = deepFreeze({ from: set, query: { SELECT: { ...query.SELECT, from: set, where: all } } });
    FILTERED.set(query, filtered);
  }
  return { ...plan, ...filtered };
}
