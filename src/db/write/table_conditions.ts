/**
 * Conditions on the table that is written itself. Where one transaction waits for another, the database looks again at
 * these only, not at the results of subqueries.
 *
 * @module
 */

import { conjuncts } from "../../algebra/build.ts";
import type { Expr } from "../../algebra/tree.ts";
import { mapPaths, walkTree } from "../../algebra/walk_tree.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { createLowering } from "../passes/lower_query.ts";
import { Scope } from "../passes/scope.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../../model/view_query.ts";
import type { WriteTarget } from "./write_target.ts";

/** A condition on a table. */
export interface TableCondition {
  /** With the names of the elements of its entity. */
  readonly given: Expr;
  /** Lowered, for the table under its own name. */
  readonly lowered: Expr;
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
  { filter, as }: { readonly filter: Expr | undefined; readonly as: string | undefined },
): TableConditions {
  const alias = sqlName(target.base);
  const lowering = createLowering(model);
  lowering.alias(alias);
  const lower = (given: Expr): TableCondition | undefined => {
    const scope = new Scope();
    scope.sources.push({ alias, name: as ?? alias, explicit: as !== undefined, entity: target.base });
    const lowered = lowering.expression(given, scope);
    return scope.joinCount > 0 ? undefined : { given, lowered };
  };
  const parts = conjuncts(filter);
  const conditions = parts.flatMap((part) => {
    const given = viewQuery(target.entity) ? onColumns(target, part) : part;
    return (given && lower(given)) ?? [];
  });
  return { conditions, isComplete: conditions.length === parts.length };
}

/** A condition on an entity with the names that its table has; undefined where it asks for anything else. */
function onColumns({ columns }: WriteTarget, condition: Expr): Expr | undefined {
  let isOwn = true;
  walkTree(condition, (expression) => {
    if (expression.kind === "select" || expression.kind === "set") isOwn = false;
    if (expression.kind !== "reference") return isOwn;
    const [name] = expression.ref;
    if (expression.ref.length > 1 || typeof name !== "string" || !columns.has(name)) isOwn = false;
    return isOwn;
  });
  if (!isOwn) return undefined;
  return mapPaths(condition, (ref) => [columns.get(String(ref[0]))?.name ?? ref[0]!, ...ref.slice(1)]);
}
