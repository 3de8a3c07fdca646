/**
 * Whether a user may change or delete a nested row: asked before anything is told about it.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { RefExpression, Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { forbidden, missingCondition } from "./refusals.ts";
import { accessOf, grantedAccess, isOwnAuthority } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf } from "./pass_of.ts";
import { idOf, keysOf, permittedIds } from "./permitted_rows.ts";
import { keyNames } from "../../model/keys.ts";

/** A nested row, and what is to happen to it. */
export interface NamedPart {
  readonly entity: LinkedEntity;
  /** The path to it. */
  readonly subject: RefExpression;
  readonly event: "UPDATE" | "DELETE";
}

/**
 * Refuses a nested row of an entity with a restriction of its own to who may not do what is to happen to it. One that is
 * not there is nobody's.
 *
 * @param part the row
 * @param context the context of the request
 * @param scope the service
 * @throws ServiceError 401 or 403
 */
export async function assertChangeablePart(
  { entity, subject, event }: NamedPart,
  context: EventContext,
  scope: AuthorizationScope,
): Promise<void> {
  const { db } = scope.host;
  if (!db || isPrivileged(context) || !isOwnAuthority(entity)) return;
  if (entity["@cds.persistence.skip"] === true) return;
  const pass = passOf(context, scope);
  if (accessOf(pass, entity, event) === "all") return;
  const columns = keyNames(entity).map((name) => ({ ref: [name] }));
  const found = await db.run({ SELECT: { from: subject, history: true, columns } }) as readonly Row[];
  if (found.length === 0) return;
  const keys = found.map((row) => keysOf(entity, row));
  const permitted = await permittedIds(db, { entity, keys }, grantedAccess(pass, entity, event));
  if (!keys.every((row) => permitted.has(idOf(entity, row)))) {
    throw forbidden(() => missingCondition(entity, event));
  }
}
