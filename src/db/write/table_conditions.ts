/**
 * Conditions on the table that is written itself. Where one transaction waits for another, the database looks again at
 * these only, not at the results of subqueries.
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { mapRefs } from "../../cqn/map_refs.ts";
import { walkXo } from "../../cqn/walk.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { createLowering } from "../passes/lower_query.ts";
import { isBound } from "../passes/references.ts";
import { Scope } from "../passes/scope.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../../model/view_query.ts";
import type { WriteTarget } from "./write_target.ts";

/** A condition on a table. */
export interface TableCondition {
  /** With the names of the elements of its entity. */
  readonly given: readonly Xo[];
  /** Lowered, for the table under its own name. */
  readonly lowered: readonly Xo[];
}

/** The conditions on a table. */
export interface TableConditions {
  readonly conditions: readonly TableCondition[];
  /** Whether they say all that the filter says. */
  readonly isComplete: boolean;
}

/**
 * What a filter says of the columns of the table behind an entity.
 *
 * @param model the linked model
 * @param target the entity and its table
 * @param filter the filter on the entity, and the alias that it has there
 */
export function tableConditions(
  model: LinkedModel,
  target: WriteTarget,
  { filter = [], as }: { readonly filter: readonly Xo[] | undefined; readonly as: string | undefined },
): TableConditions {
  const alias = sqlName(target.base);
  const lowering = createLowering(model);
  lowering.alias(alias);
  const lower = (given: readonly Xo[]): TableCondition | undefined => {
    const scope = new Scope();
    scope.sources.push({ alias, name: as ?? alias, explicit: as !== undefined, entity: target.base });
    const lowered = lowering.xo(given, scope);
    return scope.joinCount > 0 ? undefined : { given, lowered };
  };
  const parts = conjuncts(filter);
  const conditions = parts.flatMap((part) => {
    const given = viewQuery(target.entity) ? onColumns(target, part) : part;
    return (given && lower(given)) ?? [];
  });
  return { conditions, isComplete: conditions.length === parts.length };
}

/** Operators that bind less than `and`, or have one of their own. */
const UNDIVIDED: readonly unknown[] = ["or", "between", "case"];

/** The conditions that a condition is true by. */
function conjuncts(condition: readonly Xo[]): readonly (readonly Xo[])[] {
  const [only] = condition;
  if (condition.length === 1 && typeof only === "object" && "xpr" in only && !("func" in only)) {
    return conjuncts(only.xpr ?? []);
  }
  if (condition.length === 0 || condition.some((token) => UNDIVIDED.includes(token))) {
    return condition.length === 0 ? [] : [condition];
  }
  const parts: Xo[][] = [[]];
  for (const token of condition) {
    if (token === "and") parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts.length === 1 ? parts : parts.flatMap(conjuncts);
}

/** A condition on an entity with the names that its table has; undefined where it asks for anything else. */
function onColumns({ columns }: WriteTarget, condition: readonly Xo[]): readonly Xo[] | undefined {
  let isOwn = true;
  walkXo(condition, (expression) => {
    if ("SELECT" in expression || "SET" in expression) isOwn = false;
    if (!("ref" in expression) || !expression.ref || isBound(expression as Expression)) return isOwn;
    const [name] = expression.ref;
    if (expression.ref.length > 1 || typeof name !== "string" || !columns.has(name)) isOwn = false;
    return isOwn;
  });
  if (!isOwn) return undefined;
  return mapRefs(condition, (ref) => [columns.get(String(ref[0]))?.name ?? ref[0], ...ref.slice(1)]);
}
