/**
 * Deep rows of drafts: their columns, and what all rows of a draft share.
 *
 * @module
 */

import { unsupported } from "../../errors/service_error.ts";
import type { Column, Row, SelectQuery } from "../../cqn/cqn.ts";
import { DRAFT_MEMBERS } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { keyPath } from "./administration.ts";
import type { DraftService } from "./draft_settings.ts";

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

/** Levels of an entity that is a part of itself: deeper rows have no drafts. */
const LEVELS = 6;

/**
 * The columns that an entity and its draft entity have in common, with those of their parts. Of an entity that is a part of
 * itself a bounded number of levels is read, and the keys of the next one: `assertLevels` tells whether there is one.
 *
 * @param drafts the draft entity
 * @param entity the entity whose rows are read: one of the two
 * @param above the draft entities that it is a part of
 */
function draftColumns(
  drafts: LinkedEntity,
  entity: LinkedEntity,
  above: readonly LinkedEntity[] = [],
): Column[] {
  if (levelsOf(drafts, above) > LEVELS) return drafts.$flatKeys.map(({ name }) => ({ ref: [name] }));
  const columns: Column[] = [];
  for (const [name, flat] of drafts.$flat) {
    const isStored = !flat.virtual && flat.annotated.value === undefined;
    if (isStored && !DRAFT_ONLY.has(name) && entity.$flat.has(name)) columns.push({ ref: [name] });
  }
  for (const part of drafts.compositions) {
    const target = entity.elements[part.name]?.$target;
    if (target && part.$target) {
      columns.push({ ref: [part.name], expand: draftColumns(part.$target, target, [...above, drafts]) });
    }
  }
  return columns;
}

/**
 * The query that reads a deep row by its keys, as template: its parameters have the names of the keys.
 *
 * @param service the service
 * @param drafts the draft entity
 * @param source the entity whose row is read, one of the two, and the keys
 */
export function deepRowQuery(
  service: DraftService,
  drafts: LinkedEntity,
  { entity, keys }: { readonly entity: LinkedEntity; readonly keys: Row },
): SelectQuery {
  const from = keyPath(service, entity.name, keys);
  return service.model.derived(
    `deepRow ${entity.name} ${drafts.name} ${Object.keys(keys)}`,
    () => deepFreeze({ SELECT: { from, columns: deepColumns(service, drafts, entity), one: true } }),
  );
}

/** What `draftColumns` gives for a whole draft, made once. */
export function deepColumns(
  { model }: DraftService,
  drafts: LinkedEntity,
  entity: LinkedEntity,
): readonly Column[] {
  return model.derived(
    `deepColumns ${entity.name} ${drafts.name}`,
    () => deepFreeze(draftColumns(drafts, entity)),
  );
}

/**
 * Refuses a row whose parts are nested deeper than drafts hold.
 *
 * @param row what was read by `draftColumns`
 * @param drafts the draft entity
 * @param above the draft entities that it is a part of
 * @throws ServiceError 501
 */
export function assertLevels(row: Row, drafts: LinkedEntity, above: readonly LinkedEntity[] = []): void {
  if (levelsOf(drafts, above) > LEVELS) {
    const message = `Drafts hold at most ${LEVELS} levels of an entity that is a part of itself`;
    throw unsupported(message);
  }
  for (const { name, $target } of drafts.compositions) {
    const parts = [row[name] ?? []].flat() as Row[];
    if ($target) { for (const part of parts) assertLevels(part, $target, [...above, drafts]); }
  }
}

/** How often an entity stands in a path of parts. */
function levelsOf(drafts: LinkedEntity, above: readonly LinkedEntity[]): number {
  return above.filter((one) => one === drafts).length + 1;
}

/**
 * Marks a deep row as part of a draft.
 *
 * @param row the row, which is changed
 * @param drafts its draft entity
 * @param marks what all rows of the draft share
 */
export function markRows(row: Row, drafts: LinkedEntity, marks: Partial<DraftMarks>): void {
  Object.assign(row, marks);
  markParts(row, drafts, marks);
}

/**
 * Marks the parts in a row as part of a draft.
 *
 * @param row the row, whose parts are changed
 * @param drafts its draft entity
 * @param marks what they get
 */
export function markParts(row: Row, drafts: LinkedEntity, marks: Partial<DraftMarks>): void {
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
    } else if (isPlainObject(own) && isPlainObject(value)) restore(own, value);
  }
}
