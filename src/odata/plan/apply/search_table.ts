/**
 * `search` in rows with properties of their own: in all that are texts (Data Aggregation 4.0, 3.3.4).
 *
 * @module
 */

import type { Expression, Xo } from "../../../cqn/cqn.ts";
import { searchCondition } from "../../../model/search_condition.ts";
import { conjunction } from "../../../cqn/conjunction.ts";
import { groupOf } from "../scope.ts";
import { derived, type Table } from "./state.ts";

/**
 * Keeps rows that hold terms.
 *
 * @param given the rows
 * @param search the terms
 * @returns the rows that hold them
 */
export function searchedTable(given: Table, search: readonly Xo[]): Table {
  const table = derived(given);
  const paths = table.properties.filter(({ value }) => groupOf(value.type) === "text").map((
    { name },
  ) => [name]);
  const where = searchCondition(search, { entity: table.base.entity, paths, find });
  return { ...table, where: conjunction(table.where, where) };
}

function find(ref: readonly (string | object)[], term: Expression): Expression {
  const text: Expression = { func: "coalesce", args: [{ ref: ref as readonly string[] }, { val: "" }] };
  return { func: "contains", args: [lower(text), lower(term)] };
}

function lower(text: Expression): Expression {
  return { func: "tolower", args: [text] };
}
