/**
 * Where the expressions of elements of a row stand.
 *
 * @module
 */

import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";
import type { Place } from "./arithmetic.ts";
import { createLowering } from "./lower_query.ts";
import { Scope } from "./scope.ts";

/**
 * The place of expressions over a row, whose alias is the name of its table.
 *
 * @param model the linked model
 * @param entity what the row belongs to
 */
export function rowOf(model: LinkedModel, entity: LinkedEntity): Place {
  const alias = sqlName(entity);
  const scope = new Scope();
  scope.sources.push({ alias, name: alias, explicit: false, entity });
  return { lowering: createLowering(model), scope };
}
