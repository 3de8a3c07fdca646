/**
 * What the rows of drafts are parts of, and that they stay where they are.
 *
 * @module
 */

import type { RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { type Link, linksOf } from "../../model/links.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { activeName, databaseOf, draftEntities, heldDraftOf, isRoot, keyWhere } from "./administration.ts";
import type { DraftService } from "./draft_settings.ts";
import { andThen, inTurn, type MaybePromise } from "../../util/maybe_promise.ts";

/** A draft entity that another one is a part of, and how. */
export interface DraftWhole {
  readonly whole: LinkedEntity;
  readonly composition: LinkedElement;
  /** Columns of the whole (`source`) and of the part (`target`) with the same values. */
  readonly links: readonly Link[];
  /** Whether the whole has the columns that follow the part. */
  readonly inWhole: boolean;
}

/**
 * The draft entities that one is a part of.
 *
 * @param service the service
 * @param part the draft entity
 */
export function wholesOf({ model }: DraftService, part: LinkedEntity): readonly DraftWhole[] {
  return model.derived(
    `draftWholes ${part.name}`,
    () =>
      draftEntities(model).flatMap((whole) =>
        [...whole.compositions].filter(({ $target }) => $target?.name === part.name).map((composition) => {
          const { pairs, inSource } = linksOf(composition);
          return { whole, composition, links: pairs, inWhole: inSource };
        })
      ),
  );
}

/**
 * What a row is a part of, and the keys of the whole.
 *
 * @param service the service
 * @param part the draft entity
 * @param row the row: of a draft, or active
 * @returns undefined where it is a part of nothing
 */
export async function wholeOfRow(
  service: DraftService,
  part: LinkedEntity,
  row: RefExpression,
): Promise<DraftWhole & { readonly keys: Row } | undefined> {
  const wholes = wholesOf(service, part);
  const names = [...new Set(wholes.flatMap(({ links }) => links.map(({ target }) => target)))];
  const values = names.length > 0 ? await readColumns(service, row, names) : undefined;
  for (const whole of values ? wholes : []) {
    const keys = await keysOfWhole(service, whole, values!);
    if (keys) return { ...whole, keys };
  }
  return undefined;
}

async function keysOfWhole(
  service: DraftService,
  { whole, links }: DraftWhole,
  values: Row,
): Promise<Row | undefined> {
  const known = Object.fromEntries(links.map(({ source, target }) => [source, values[target] ?? null]));
  if (links.length === 0 || Object.values(known).includes(null)) return undefined;
  const names = whole.$flatKeys.map(({ name }) => name);
  if (names.every((name) => Object.hasOwn(known, name))) return known;
  return await readColumns(service, { ref: [{ id: whole.name, where: keyWhere(known) }] }, names);
}

/**
 * Whether a row is inside of a draft that starts above it: entities that are parts of themselves have such rows.
 *
 * @param service the service
 * @param drafts the draft entity
 * @param row the row, and the draft that it is of
 */
export async function isInside(
  service: DraftService,
  drafts: LinkedEntity,
  { from, uuid }: { readonly from: RefExpression; readonly uuid: string },
): Promise<boolean> {
  if (!hasOwnDrafts(service, drafts)) return true;
  const above = await wholeOfRow(service, drafts, from);
  if (!above) return false;
  const held = await heldDraftOf(service, above.whole.name, above.keys);
  return held?.uuid === uuid;
}

/** Rows that are written, and the draft that they are to stay in. */
export interface WrittenRows {
  readonly service: DraftService;
  /** The draft entity. */
  readonly entity: LinkedEntity;
  readonly row: Row;
  readonly uuid: string;
  /** Whose draft it is. */
  readonly user: string;
  /** The composition that leads to the row: of its links nothing is to be said. */
  readonly along?: LinkedElement;
  /** Where a row is that there was before. */
  readonly from?: RefExpression;
}

/**
 * Parts stay in their draft: those of another one would be seen, changed and activated by somebody else. Looks at what the
 * columns of a row lead to, before it is written.
 *
 * @param written the row
 * @throws ServiceError 422 `DRAFT_MODIFICATION_ONLY_VIA_ROOT`
 */
export function assertOwnParts(written: WrittenRows): MaybePromise<void> {
  const owned = [...written.entity.compositions].filter((composition) => linksOf(composition).inSource);
  return andThen(
    inTurn(owned, (composition) => assertOwnPart(written, composition)),
    () => inTurn(nestedRows(written), assertOwnParts),
  );
}

/**
 * The same for what new rows, and rows inside of others, are parts of; this is asked behind the write, as they may be parts
 * of each other.
 *
 * @param written the row
 * @throws ServiceError 422 `DRAFT_MODIFICATION_ONLY_VIA_ROOT`
 */
export function assertOwnWholes(written: WrittenRows): MaybePromise<void> {
  const { service, entity, along, from } = written;
  const wholes = from
    ? []
    : wholesOf(service, entity).filter(({ inWhole, composition }) => !inWhole && composition !== along);
  return andThen(
    inTurn(wholes, (whole) => assertOwnWhole(written, whole)),
    () => inTurn(nestedRows(written), assertOwnWholes),
  );
}

async function assertOwnWhole(written: WrittenRows, whole: DraftWhole): Promise<void> {
  const values = linkedValues(written.entity, whole.links, written.row);
  const isLinked = Object.values(values).some((value) => (value ?? null) !== null);
  if (isLinked && !await mayBePartOf(written, whole, values)) throw onlyViaRoot();
}

function nestedRows(written: WrittenRows): WrittenRows[] {
  return [...written.entity.compositions].flatMap((composition) => {
    const part = composition.$target;
    const rows = part ? [written.row[composition.name] ?? []].flat().filter(isPlainObject) : [];
    return rows.map((row) => ({ ...written, entity: part!, row, along: composition, from: undefined }));
  });
}

/** The part that columns of a row lead to is of its draft, or there is none yet that comes with the row. */
async function assertOwnPart(written: WrittenRows, composition: LinkedElement): Promise<void> {
  const { service, row, uuid, from } = written;
  const { pairs } = linksOf(composition);
  const given = row[composition.name];
  const nested = isPlainObject(given) ? given : undefined;
  const columns = Object.fromEntries(
    pairs.map(({ source, target }) => [target, row[source] ?? nested?.[target]]),
  );
  if (Object.values(columns).every((value) => (value ?? null) === null)) return;
  const { name } = composition.$target!; // compositions of a draft entity lead to others
  const part = await ownerOf(service, name, columns);
  if (part === uuid || (part === undefined && nested)) return;
  const now = from && await readColumns(service, from, pairs.map(({ source }) => source));
  const isSame = part === undefined && pairs.every(({ source, target }) => now?.[source] === columns[target]);
  if (!isSame) throw onlyViaRoot();
}

/**
 * A row that is there stays a part of its draft, whatever of its links is changed; this is asked behind the change.
 *
 * @param written the row as it is sent
 * @throws ServiceError 422 `DRAFT_MODIFICATION_ONLY_VIA_ROOT`
 */
export function assertStays(written: InPlace): MaybePromise<void> {
  const { service, entity, row, from } = written;
  const wholes = wholesOf(service, entity).filter(({ inWhole }) => !inWhole);
  const before = from.ref.at(-2);
  const path = typeof before === "object" ? keysIn(before.where) : {};
  const isChanged = wholes.some(({ links }) =>
    links.some(({ source, target }) => {
      const value = linkedValues(entity, [{ source, target }], row)[target];
      return value !== undefined && (value === null || value !== path[source]);
    })
  );
  if (isChanged) return assertSameDraft(written, wholes);
}

/** A row that was there before. */
type InPlace = WrittenRows & { readonly from: RefExpression };

async function assertSameDraft(written: InPlace, wholes: readonly DraftWhole[]): Promise<void> {
  const { service, entity, from } = written;
  const names = wholes.flatMap(({ links }) => links.map(({ target }) => target));
  const values = await readColumns(service, from, [...new Set(names)]);
  let isPart = false;
  for (const whole of wholes) {
    if (whole.links.some(({ target }) => (values?.[target] ?? null) === null)) continue;
    if (!await mayBePartOf(written, whole, values!)) throw onlyViaRoot();
    isPart = true;
  }
  if (!isPart && !hasOwnDrafts(service, entity)) throw onlyViaRoot();
}

/**
 * Whether a row may be part of what values of linked columns lead to: a row of the same draft. What has drafts itself may
 * belong to an active instance, but not to one that somebody else edits.
 */
async function mayBePartOf(
  { service, entity, uuid, user }: WrittenRows,
  { whole, links }: DraftWhole,
  values: Row,
): Promise<boolean> {
  const columns = Object.fromEntries(links.map(({ source, target }) => [source, values[target] ?? null]));
  const held = await heldDraftOf(service, whole.name, columns);
  if (held?.uuid === uuid) return true;
  return hasOwnDrafts(service, entity) && (held === undefined || held.owner === user);
}

function hasOwnDrafts({ model }: DraftService, drafts: LinkedEntity): boolean {
  return isRoot(model.entity(activeName(drafts)!)!);
}

/** The draft that a row with values of columns is of. */
async function ownerOf(service: DraftService, name: string, columns: Row): Promise<unknown> {
  const from = { ref: [{ id: name, where: keyWhere(columns) }] };
  return (await readColumns(service, from, [DRAFT_UUID]))?.[DRAFT_UUID];
}

const DRAFT_UUID = "DraftAdministrativeData_DraftUUID";

async function readColumns(
  service: DraftService,
  from: RefExpression,
  names: readonly string[],
): Promise<Row | undefined> {
  const columns = names.map((name) => ({ ref: [name] }));
  return await databaseOf(service).run({ SELECT: { from, columns, one: true } }) as Row | null ?? undefined;
}

/** The values that a row has for linked columns: by themselves, or in the row that an association leads to. */
function linkedValues(entity: LinkedEntity, links: readonly Link[], row: Row): Row {
  return Object.fromEntries(links.map(({ target }) => {
    const association = entity.$flat.get(target)?.foreignKey4;
    const nested = association === undefined ? undefined : row[association];
    const key = entity.elements[association ?? ""]?.$foreignKeys?.find(({ name }) => name === target)?.target;
    return [
      target,
      row[target] ?? (isPlainObject(nested) ? nested[key!] : nested === null ? null : row[target]),
    ];
  }));
}

/** The values that a condition on a key compares with. */
export function keysIn(where: readonly Xo[] = []): Row {
  const found: Row = {};
  where.forEach((item, at) => {
    const value = where[at + 2];
    if (where[at + 1] !== "=" || typeof item !== "object" || !("ref" in item)) return;
    if (typeof value === "object" && "val" in value) found[String(item.ref[0])] = value.val;
  });
  return found;
}

/** The refusal of parts that are written by their own set. */
export function onlyViaRoot(): ServiceError {
  return new ServiceError({ status: 422, code: "DRAFT_MODIFICATION_ONLY_VIA_ROOT" });
}
