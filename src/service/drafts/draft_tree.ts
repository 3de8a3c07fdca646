/**
 * Deep rows of drafts: their columns, and what all rows of a draft share.
 *
 * @module
 */

import type { Column, Row } from "../../cqn/cqn.ts";
import { DRAFT_MEMBERS } from "../../model/drafts/with_drafts.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/** The administrative columns of a row of a draft. */
export interface DraftMarks {
  readonly DraftAdministrativeData_DraftUUID: unknown;
  readonly HasActiveEntity: boolean;
}

/** Names of elements that only drafts have. */
export const DRAFT_ONLY: ReadonlySet<string> = new Set([
  ...DRAFT_MEMBERS,
  "DraftAdministrativeData_DraftUUID",
]);

/**
 * The columns that an entity and its draft entity have in common, with those of their parts.
 *
 * @param drafts the draft entity
 * @param entity the entity whose rows are read: one of the two
 */
export function draftColumns(drafts: LinkedEntity, entity: LinkedEntity): Column[] {
  const columns: Column[] = [];
  for (const [name, flat] of drafts.$flat) {
    const isStored = !flat.virtual && flat.annotated.value === undefined;
    if (isStored && !DRAFT_ONLY.has(name) && entity.$flat.has(name)) columns.push({ ref: [name] });
  }
  for (const part of drafts.compositions) {
    const target = entity.elements[part.name]?.$target;
    if (target && part.$target) {
      columns.push({ ref: [part.name], expand: draftColumns(part.$target, target) });
    }
  }
  return columns;
}

/**
 * Marks a deep row as part of a draft.
 *
 * @param row the row, which is changed
 * @param drafts its draft entity
 * @param marks what all rows of the draft share
 */
export function markRows(row: Row, drafts: LinkedEntity, marks: DraftMarks): void {
  Object.assign(row, marks);
  for (const part of drafts.compositions) {
    const value = row[part.name];
    for (const child of Array.isArray(value) ? value : value ? [value] : []) {
      if (part.$target && typeof child === "object") markRows(child as Row, part.$target, marks);
    }
  }
}

/**
 * Adds what one row has and another lacks, parts included: values that checks have taken out.
 *
 * @param row the row, which is changed
 * @param whole the row that has all
 */
export function restore(row: Row, whole: Row): void {
  for (const [name, value] of Object.entries(whole)) {
    const own = row[name];
    if (own === undefined) row[name] = value;
    else if (Array.isArray(own) && Array.isArray(value)) {
      own.forEach((item, index) => restore(item as Row, (value[index] ?? {}) as Row));
    }
  }
}
