/**
 * Bodies of writes of entities with drafts.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { givenMessage, isServiceError, ServiceError, unsupported } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { DRAFT_ONLY } from "../../service/drafts/draft_tree.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import { type EntityBody, readEntityBody } from "../payload/request_body.ts";
import type { EntityPlan } from "../plan/plan.ts";
import type { InRows } from "./draft_rows.ts";

/** The row of a body that names no other rows: those could be parts of other drafts. */
export function rowOf({ row, members, related = [], replaced = [] }: EntityBody): Row {
  if (members.length + related.length + replaced.length === 0) return row;
  const message = "Links and changes of single members in bodies, of entities with drafts";
  throw unsupported(message);
}

/** A change: what its URL means to clients, and in rows. */
interface Changing {
  readonly exchange: Exchange;
  readonly plan: EntityPlan;
  readonly rows: InRows;
}

/** The body of a change; errors about a row as a whole name its entity. */
export function readChanges({ exchange, plan, rows }: Changing): MaybePromise<EntityBody> {
  return orElse(() => readEntityBody(exchange, plan.target), (error) => {
    if (!isServiceError(error) || error.target !== plan.target.name) throw error;
    const { status, code, args } = error;
    const message = givenMessage(error) || undefined;
    throw new ServiceError({ status, code, message, args, target: rows.rows.target.name });
  });
}

/**
 * A body without what tells drafts apart: clients cannot set it.
 *
 * @param entity the entity as clients see it
 * @param body the row that was sent
 * @throws ServiceError 400 `ASSERT_DATA_TYPE` for flags that are none
 */
export function withoutDraftMembers(entity: LinkedEntity, body: Row): Row {
  const data: Row = {};
  for (const [name, value] of Object.entries(body)) {
    if (DRAFT_ONLY.has(name)) {
      if (entity.elements[name]?.$type.builtin === "cds.Boolean") assertFlag(name, value);
      continue;
    }
    const part = entity.elements[name]?.isComposition ? entity.elements[name].$target : undefined;
    data[name] = !part
      ? value
      : Array.isArray(value)
      ? value.map((item) => isPlainObject(item) ? withoutDraftMembers(part, item) : item)
      : isPlainObject(value)
      ? withoutDraftMembers(part, value)
      : value;
  }
  return data;
}

function assertFlag(name: string, value: unknown): void {
  if (value === null || typeof value === "boolean" || flagOf(value) !== undefined) return;
  const args = [JSON.stringify(value), "Boolean"];
  throw new ServiceError({ status: 400, code: "ASSERT_DATA_TYPE", target: name, args });
}

/** A flag of a body, which may be text; undefined for none. */
export function flagOf(value: unknown): boolean | undefined {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "boolean" ? value : undefined;
}
