/**
 * Decimals that an engine cannot hold with all their digits.
 *
 * @module
 */

import type { LinkedModel } from "../model/linked.ts";
import { persistentEntities } from "./ddl/render_ddl.ts";
import { viewQuery } from "../model/view_query.ts";

/**
 * The elements of tables that are declared with more digits than columns hold.
 *
 * @param model the model
 * @param digits how many columns hold
 * @returns names like `shop.Orders.total`
 */
export function wideDecimals(model: LinkedModel, digits: number): readonly string[] {
  const tables = persistentEntities(model).filter((entity) => viewQuery(entity) === undefined);
  return tables.flatMap((entity) =>
    [...entity.$flat.values()]
      .filter(({ element: { $type } }) => $type.builtin === "cds.Decimal" && ($type.precision ?? 0) > digits)
      .map(({ name }) => `${entity.name}.${name}`)
  );
}
