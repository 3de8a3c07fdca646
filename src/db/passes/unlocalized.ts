/**
 * Conditions over default texts in a query that is localized.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import { isLocalizedInline } from "./localize.ts";
import { type Lowering, Scope } from "./scope.ts";

/**
 * A condition whose names stand for default texts.
 *
 * @param lowering the steps of lowering
 * @param tokens the condition
 * @param scope the scope it stands in
 */
export function unlocalizedCondition(lowering: Lowering, tokens: readonly Xo[], scope: Scope): readonly Xo[] {
  const { unlocalized } = lowering;
  const { entity, alias } = scope.sources[0] ?? {};
  if (!lowering.localized || !entity || !isLocalizedInline(lowering, entity)) {
    return unlocalized.xo(tokens, scope);
  }
  // The columns of this source are localized already: the condition looks at the same row beside it.
  const inner = new Scope(scope, false);
  const row = lowering.alias("row");
  inner.sources.push({ alias: row, name: row, explicit: false, entity });
  const condition = { xpr: unlocalized.xo(tokens, inner) };
  const sameRow = entity.$flatKeys.filter((key) => !key.virtual).flatMap((key): Xo[] => [
    { ref: [row, key.name] },
    "=",
    { ref: [alias!, key.name] },
    "and",
  ]);
  const from = inner.withJoins(unlocalized.table(entity, row));
  const columns = [{ val: 1, literal: "number" as const }];
  return ["exists", { SELECT: { columns, from, where: [...sameRow, condition] } }];
}
