/**
 * Which rows stand for an entity with drafts: its active instances, or drafts.
 *
 * @module
 */

import type { QueryParams, RefExpression, RefStep, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { CALLER } from "./administrative_data.ts";

/** Whether rows are active instances or drafts. */
export type RowKind = "active" | "draft";

/** An entity, as clients see it, and the rows that stand for it. */
export interface Rows {
  readonly entity: LinkedEntity;
  readonly kind: RowKind;
}

/** Whether an entity has drafts, by itself or as a part. */
export function isNode(entity: LinkedEntity): boolean {
  return Object.hasOwn(entity.elements, "IsActiveEntity");
}

/** Whether an entity has drafts. */
export function hasDrafts(entity: LinkedEntity): boolean {
  return isNode(entity) && Object.hasOwn(entity.elements, "SiblingEntity");
}

/** The condition that a draft is the caller's. */
export function ownDraft(path: readonly RefStep[] = []): Xo[] {
  return [{ ref: [...path, "DraftAdministrativeData", "CreatedByUser"] }, "=", {
    ref: [CALLER],
    param: true,
  }];
}

/** The kind that the key of a step says; undefined where it says none. */
export function keyKind(where: readonly Xo[] | undefined, params: QueryParams): RowKind | undefined {
  for (const [index, item] of (where ?? []).entries()) {
    if (!isRef(item) || item.ref[0] !== "IsActiveEntity" || item.ref.length > 1) continue;
    const value = where![index + 2] as { readonly val?: unknown; readonly ref?: readonly string[] };
    const given = value.ref ? params[value.ref[0]] : value.val;
    return given === false ? "draft" : "active";
  }
  return undefined;
}

/** Whether an item of an expression is a path. */
export function isRef(item: unknown): item is RefExpression {
  return typeof item === "object" && item !== null && "ref" in item &&
    (item as { param?: boolean }).param !== true;
}
