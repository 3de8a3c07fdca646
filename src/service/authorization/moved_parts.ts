/**
 * Parts that stand for nothing themselves: a change of one gives it to a row only that the user may change (auth 7).
 *
 * @module
 */

import { linksOf } from "../../model/links.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { type AuthorizationScope, isPrivileged, passOf } from "./pass_of.ts";
import { idOf, idsOn, readKeys } from "./permitted_rows.ts";
import { forbidden, missingCondition } from "./refusals.ts";
import { isRestrictedByWhole, waysToParts, wholesOf } from "./ways_to_parts.ts";

/**
 * Looks at which parts a change may give to another whole.
 *
 * @param req the request
 * @param scope the service
 * @returns what refuses parts that were given to a row that the user may not change, or to none, with 403: to be called inside
 *   the transaction, once they are written; undefined where no part moves, or may be moved to any whole
 */
export function movedParts(
  req: ServiceRequest,
  scope: AuthorizationScope,
): MaybePromise<(() => Promise<void>) | undefined> {
  const { target, event, statement } = req;
  const { db } = scope.host;
  if (!target || !db || !statement || !("UPDATE" in statement.query) || isPrivileged(req)) return undefined;
  const { UPDATE } = statement.query;
  const moves = Object.keys({ ...UPDATE.data, ...UPDATE.with }).some((name) => isLink(target, name));
  const ways = moves && isRestrictedByWhole(target) && waysToParts(passOf(req, scope), target);
  if (!ways) return undefined;
  return readKeys(db, target, { ...UPDATE, params: statement.params }).then((keys) => async () => {
    const missing = new Set(keys.map((row) => idOf(target, row)));
    for (const way of ways) {
      for (const id of await idsOn(way, db, { entity: target, keys })) missing.delete(id);
    }
    if (missing.size > 0) throw forbidden(() => missingCondition(target, event));
  });
}

/** Whether a member of a part may tie it to what it is a part of, or hold such a member. */
function isLink(part: LinkedEntity, name: string): boolean {
  return wholesOf(part).some(({ composition }) =>
    linksOf(composition).pairs.some(({ target }) => target.startsWith(name))
  );
}
