/**
 * What a user may do to a view: its query over the permitted rows of all that it reads (auth 7).
 *
 * @module
 */

import type { SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { isServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { viewQuery } from "../../model/view_query.ts";
import type { Access, EventName } from "./access.ts";
import type { Pass } from "./pass.ts";
import { restrictQuery } from "./restrict_query.ts";

const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/**
 * What a user may do to a view that carries no restriction itself. The conditions of the entities it reads hold where it
 * reads them: columns of the view may have the same names and other values.
 *
 * @param pass who asks
 * @param view a view that reads restricted entities
 * @param event what is done to its rows; what only paths and subqueries lead to is read
 * @returns the query to read in place of the view's own; `"none"` where a role is missing for one of the entities
 */
export function viewAccess(pass: Pass, view: LinkedEntity, event: EventName): Access {
  const query = viewQuery(view)!; // only views come here
  let restricted: SelectQuery | SetQuery;
  try {
    restricted = restrictQuery({ ...pass, isInView: true }, query, event) as typeof query;
  } catch (error) {
    if (isServiceError(error) && REFUSED.has(Number(error.status))) return "none";
    throw error;
  }
  if (restricted === query) return "all";
  // handlers answer for what no database has: they know no other query than the one they were written for
  return view["@cds.persistence.skip"] === true ? "none" : { query: restricted };
}
