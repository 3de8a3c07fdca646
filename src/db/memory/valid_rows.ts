/**
 * The slices of temporal entities that are valid at the time of the request.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { validityElements } from "../passes/validity.ts";
import type { EvaluationContext } from "./scope.ts";

/**
 * The rows of an entity that are valid from before `$at.to` until after `$at.from`; a bound that is null is open.
 *
 * @param entity any entity
 * @param rows all of its rows
 * @param context gives `$at`
 */
export function validRows(
  entity: LinkedEntity,
  rows: readonly Row[],
  { variable }: Pick<EvaluationContext, "variable">,
): readonly Row[] {
  const { from, to } = validityElements(entity);
  if (!from && !to) return rows;
  const end = from && limit("to", from, variable);
  const start = to && limit("from", to, variable);
  return rows.filter((row) =>
    (!from || row[from.name] == null || String(row[from.name]) < end!) &&
    (!to || row[to.name] == null || String(row[to.name]) > start!)
  );
}

function limit(
  end: "from" | "to",
  { element }: FlatElement,
  variable: EvaluationContext["variable"],
): string {
  return String(variable(["$at", end, ...(element.$type.builtin === "cds.DateTime" ? ["seconds"] : [])]));
}
