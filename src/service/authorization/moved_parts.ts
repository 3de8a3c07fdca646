/**
 * Parts that stand for nothing themselves: a change of one gives it to a row only that the user may change (auth 7).
 *
 * @module
 */

import { toSteps } from "../../algebra/to_cqn.ts";
import type { Row, UpdateQuery } from "../../cqn/cqn.ts";
import { linksOf } from "../../model/links.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { keyColumns } from "../../model/keys.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { type AuthorizationScope, isPrivileged, passOf } from "./pass_of.ts";
import { idOf, keyConditions } from "./permitted_rows.ts";
import { forbidden } from "./refusals.ts";
import { isRestrictedByWhole, waysToParts, wholesOf } from "./ways_to_parts.ts";

/**
 * Looks at which parts a change may give to another whole.
 *
 * @param req the request
 * @param scope the service
 * @returns their keys; undefined where none moves, or may be moved to any whole
 */
export function movedParts(
  req: ServiceRequest,
  scope: AuthorizationScope,
): MaybePromise<readonly Row[] | undefined> {
  const { target, event } = req;
  const { db } = scope.host;
  if (event !== "UPDATE" || !target || !db || isPrivileged(req) || !isRestrictedByWhole(target)) {
    return undefined;
  }
  const { query, params } = req.statement ?? {};
  const update: UpdateQuery["UPDATE"] = query && "UPDATE" in query
    ? query.UPDATE
    : { entity: req.subject, data: req.data as Row };
  const names = Object.keys({ ...update.data, ...update.with });
  if (!names.some((name) => isLink(target, name)) || !waysToParts(passOf(req, scope), target)) {
    return undefined;
  }
  const from = typeof update.entity === "string" ? { ref: [update.entity] } : update.entity;
  const where = update.where ? { where: update.where } : {};
  const columns = keyColumns(target);
  return db.run({ SELECT: { from, history: true, columns, ...where } }, params) as Promise<readonly Row[]>;
}

/** Whether a member of a part ties it to what it is a part of, or holds such a member. */
function isLink(part: LinkedEntity, name: string): boolean {
  return wholesOf(part).some(({ composition }) =>
    linksOf(composition).pairs.some(({ target }) => target === name || target.startsWith(`${name}_`))
  );
}

/**
 * Refuses parts that a change gave to a row that the user may not change, or to none. To be called inside its transaction.
 *
 * @param req the request
 * @param scope the service
 * @param keys the keys of the parts
 * @throws ServiceError 403
 */
export async function assertMovedParts(
  req: ServiceRequest,
  scope: AuthorizationScope,
  keys: readonly Row[],
): Promise<void> {
  const target = req.target!; // it has parts
  const missing = new Set(keys.map((row) => idOf(target, row)));
  const columns = keyColumns(target);
  for (const where of keyConditions(target, keys)) {
    for (const way of waysToParts(passOf(req, scope), target) ?? []) {
      const query = { SELECT: { from: { ref: toSteps(way) }, history: true as const, columns, where } };
      for (const row of await scope.host.db!.run(query) as readonly Row[]) missing.delete(idOf(target, row));
    }
  }
  if (missing.size > 0) {
    throw forbidden(() => `${req.event} of ${target}: the row that it becomes a part of is not permitted`);
  }
}
