/**
 * Filters in paths: what `/$filter(…)` says may be about active instances, drafts, or both.
 *
 * @module
 */

import { conjunction } from "../../cqn/conjunction.ts";
import type { RefExpression, RefStepObject, SelectQuery } from "../../cqn/cqn.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import type { EntityPlan } from "../plan/plan.ts";

interface Named {
  readonly as?: string;
}

/** Rewritten templates by those of the shapes of URLs. */
const FILTERED: WeakMap<object, object> = new WeakMap();

/**
 * The plan whose filters in paths to collections are conditions of the queries that read these, as `$filter` is.
 *
 * @param plan what a URL means to clients
 * @returns the same plan where no path starts with a filter
 */
export function withPathFilter<P extends EntityPlan>(plan: P): P {
  const isCount = plan.kind === "count" && !plan.property;
  const query = kept(plan.query, () => {
    const whole = filtered(plan.query) as SelectQuery; // queries stay queries
    return isCount ? moved(whole) : whole;
  });
  if (query === plan.query) return plan;
  const isOne = plan.query.SELECT.one && !isCount;
  return isOne ? { ...plan, query } : { ...plan, query, from: kept(plan.from, () => bare(plan.from)) };
}

function kept<T extends object>(template: T, make: () => T): T {
  let made = FILTERED.get(template);
  if (!made) FILTERED.set(template, made = deepFreeze(make()));
  return made as T; // made from a template of this type
}

/** A part of a query in which all queries have their filters as conditions; the same part where it has none. */
function filtered(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) {
    const items = part.map(filtered);
    return items.every((item, at) => item === part[at]) ? part : items;
  }
  const entries = Object.entries(part).map(([name, value]) => [name, filtered(value), value] as const);
  const isSame = entries.every(([, now, before]) => now === before);
  const whole = isSame ? part : Object.fromEntries(entries);
  return "SELECT" in whole ? filteredQuery(whole as SelectQuery) : whole;
}

/** What a path with a key leads to is one: its condition chooses the row. */
function filteredQuery(query: SelectQuery): SelectQuery {
  return query.SELECT.one ? query : moved(query);
}

function moved(query: SelectQuery): SelectQuery {
  const { from, where } = query.SELECT;
  if (!("ref" in from)) return query;
  const set = bare(from);
  if (set === from) return query;
  const [{ where: filter }] = from.ref as readonly [RefStepObject];
  return { ...query, SELECT: { ...query.SELECT, from: set, where: conjunction(filter, where) } };
}

/** The path of one step without its filter; the name by which conditions refer to its rows is that of the source. */
function bare(from: RefExpression): RefExpression & Named {
  const [first] = from.ref;
  if (from.ref.length > 1 || typeof first !== "object" || !first.where) return from;
  const { where: _filter, as, ...step } = first;
  return { ...from, ref: [step], ...(as !== undefined && { as }) };
}
