/**
 * Deep writes: the rows nested in data belong to entities with restrictions of their own (auth 7).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { ServiceRequest } from "../service_request.ts";
import { forbidden } from "./refusals.ts";
import { grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";

/** A deep update inserts, updates and deletes children. */
const CHILD_EVENTS: Readonly<Record<string, readonly string[]>> = {
  CREATE: ["CREATE"],
  UPDATE: ["CREATE", "UPDATE", "DELETE"],
  UPSERT: ["CREATE", "UPDATE", "DELETE"],
};

/**
 * Refuses nested rows that the user may not write. Children that are restricted to some rows cannot be written through
 * their parent: which rows a deep write touches is not known beforehand.
 *
 * @param pass who asks
 * @param req the request
 * @param event its event
 * @throws ServiceError 401 or 403
 */
export function assertDeepAccess(pass: Pass, req: ServiceRequest, event: string): void {
  const { target } = req;
  if (!target) return;
  for (const row of rowsOf(req.data)) {
    assertNested(pass, { entity: target, row, events: CHILD_EVENTS[event] ?? [] });
  }
}

interface Nested {
  readonly entity: LinkedEntity;
  readonly row: Row;
  readonly events: readonly string[];
}

function assertNested(pass: Pass, { entity, row, events }: Nested): void {
  for (const composition of entity.compositions) {
    const value = row[composition.name];
    const target = composition.$target;
    if (value === undefined || !target) continue;
    if (isOwnAuthority(target)) {
      for (const event of events) if (grantedAccess(pass, target, event) !== "all") throw forbidden();
    }
    for (const child of rowsOf(value)) assertNested(pass, { entity: target, row: child, events });
  }
}

function rowsOf(value: unknown): readonly Row[] {
  const rows = Array.isArray(value) ? value : [value];
  return rows.filter((row): row is Row => typeof row === "object" && row !== null);
}
