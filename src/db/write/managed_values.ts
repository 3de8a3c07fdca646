/**
 * Values that the database adds: UUID keys, `@cds.on.insert`, `@cds.on.update`, defaults that depend on the request.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement } from "../../model/linked.ts";
import { contextVariable } from "../context_variable.ts";
import { stepName } from "../passes/scope.ts";
import type { WriteTarget } from "./write_target.ts";

/**
 * Adds what an insert generates to the values of a row.
 *
 * @param target entity and table
 * @param values flat values, which are completed
 * @param context gives user and time
 */
export function addInsertValues(target: WriteTarget, values: Row, context: EventContext): void {
  for (const [name, column] of target.columns) {
    if (values[name] !== undefined) continue;
    const generated = insertValue(column, context);
    if (generated !== undefined) values[name] = generated;
  }
}

function insertValue(column: FlatElement, context: EventContext): unknown {
  const { element, foreignKey4 } = column;
  if (foreignKey4) return managed(column, "@cds.on.insert", context);
  if (column.key && element.$type.builtin === "cds.UUID" && element.default === undefined) {
    return crypto.randomUUID();
  }
  const value = managed(column, "@cds.on.insert", context);
  if (value !== undefined) return value;
  const fallback = element.default;
  return fallback && "ref" in fallback ? contextVariable(fallback.ref.map(stepName), context) : undefined;
}

/**
 * Adds what an update generates to the values of a row.
 *
 * @param target entity and table
 * @param values flat values, which are completed
 * @param context gives user and time
 */
export function addUpdateValues(target: WriteTarget, values: Row, context: EventContext): void {
  for (const [name, column] of target.columns) {
    if (values[name] !== undefined) continue;
    const generated = managed(column, "@cds.on.update", context);
    if (generated !== undefined) values[name] = generated;
  }
}

function managed(
  { annotated }: FlatElement,
  annotation: "@cds.on.insert" | "@cds.on.update",
  context: EventContext,
): unknown {
  const value = annotated[annotation];
  if (typeof value !== "object" || value === null) return undefined;
  if ("=" in value && typeof value["="] === "string") {
    return contextVariable(value["="].split("."), context);
  }
  return "val" in value ? value.val : undefined;
}
