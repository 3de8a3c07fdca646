/**
 * Temporal data: of entities with `@cds.valid.from` and `@cds.valid.to` only the slices are read that are valid at the
 * time the caller asks for (csn-cqn 9, 14).
 *
 * @module
 */

import { allOf, column, compare, isNull, join } from "../../algebra/build.ts";
import type { ComparisonOperator, Expr } from "../../algebra/tree.ts";
import type { FlatElement } from "../../model/linked.ts";
import { validityElements, validityUnit } from "../../model/valid_slice.ts";
import type { Anchor, Lowering } from "./scope.ts";

/**
 * The condition that a row is valid: from before `$at.to` until after `$at.from`; a bound that is null is open.
 *
 * @param lowering the steps of lowering
 * @param anchor alias and entity of the row
 * @returns undefined for entities that are not temporal, and where all slices are read
 */
export function validityCondition(
  lowering: Lowering,
  { alias, entity }: Pick<Anchor, "alias" | "entity">,
): Expr | undefined {
  if (!lowering.temporal) return undefined;
  const { from, to } = validityElements(entity);
  return allOf([
    from && bound(column(alias, from.name), "<", at(lowering, "to", from)),
    to && bound(column(alias, to.name), ">", at(lowering, "from", to)),
  ]);
}

function bound(instant: Expr, operator: ComparisonOperator, limit: Expr): Expr {
  return join("or", [isNull(instant), compare(instant, operator, limit)]);
}

/** The time in the form of the element; a day begins at midnight. */
function at({ validity }: Lowering, end: "from" | "to", flat: FlatElement): Expr {
  const unit = validityUnit(flat);
  if (validity) return validity[end][unit ?? "exact"];
  return { kind: "variable", path: ["$at", end, ...(unit ? [unit] : [])] };
}
