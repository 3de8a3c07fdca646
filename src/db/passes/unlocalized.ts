/**
 * Conditions over default texts in a query that is localized.
 *
 * @module
 */

import { allOf, column, compare, exists, ONE, select } from "../../algebra/build.ts";
import type { Expr } from "../../algebra/tree.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { isLocalizedInline } from "./localize.ts";
import { type Lowering, Scope } from "./scope.ts";

/**
 * A condition whose names stand for default texts.
 *
 * @param lowering the steps of lowering
 * @param given the condition
 * @param scope the scope it stands in
 */
export function unlocalizedCondition(lowering: Lowering, given: Expr, scope: Scope): Expr {
  const { unlocalized } = lowering;
  const { entity, alias } = scope.sources[0] ?? {};
  if (!lowering.localized || !entity || !isLocalizedInline(lowering, entity)) {
    return unlocalized.expression(given, scope);
  }
  // The columns of this source are localized already: the condition looks at the same row beside it.
  const inner = new Scope(scope, false);
  const row = lowering.alias("row");
  inner.sources.push({ alias: row, name: row, explicit: false, entity });
  const condition = unlocalized.expression(given, inner);
  const from = inner.withJoins(unlocalized.table(entity, row));
  return exists(select({ columns: [ONE], from, where: allOf([sameRow(entity, row, alias!), condition]) }));
}

/** The condition that two aliases stand for the same row. */
export function sameRow({ $rowKeys }: LinkedEntity, one: string, other: string): Expr | undefined {
  const keys = $rowKeys.filter((key) => !key.virtual);
  return allOf(keys.map(({ name }) => compare(column(one, name), "=", column(other, name))));
}
