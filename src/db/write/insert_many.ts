/**
 * INSERT of several rows, with the nested rows of their compositions (deep write): as few statements as possible.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { linksOf } from "../../model/links.ts";
import { boundValues, type KnownInsert, knownInsert, knownWhole } from "./known_insert.ts";
import { addGenerated } from "./managed_values.ts";
import { type NestedRows, type NormalizedRow, normalizeRow } from "./normalize_row.ts";
import { andThen, inTurn, type MaybePromise } from "../../util/maybe_promise.ts";
import { powerOfTwo, type WriteTarget, writeTargetOf } from "./write_target.ts";
import type { InsertColumns, StatementRunner } from "./statement_runner.ts";

/** Values in a statement that inserts several rows: PostgreSQL takes 65,535, and gets no faster beyond some hundred. */
const MOST_VALUES = 1024;
/** Rows that are one statement however many they are. */
const FEW_ROWS = 8;

/**
 * Inserts rows and the nested rows of their compositions.
 *
 * @param runner the transaction
 * @param entity what the rows belong to
 * @param rows the rows
 * @returns their keys
 */
export function insertMany(
  runner: StatementRunner,
  entity: LinkedEntity,
  rows: readonly Row[],
): MaybePromise<readonly Row[]> {
  const target = writeTargetOf(runner.model, entity);
  const made = completeRows(runner, target, rows);
  return andThen(
    insertNormalized(runner, target, made),
    () => made.map(({ values }) => keyOf(entity, values)),
  );
}

/** Rows in parts, with all generated values. */
function completeRows(
  runner: StatementRunner,
  target: WriteTarget,
  rows: readonly Row[],
): readonly NormalizedRow[] {
  const event = { event: "insert", context: runner.context } as const;
  return rows.map((row) => {
    if (knownWhole(target, row)) return { values: row, nested: NONE };
    const normalized = normalizeRow(target.entity, row);
    addGenerated(target, normalized.values, event);
    return normalized;
  });
}

const NONE: readonly NestedRows[] = [];

/**
 * Inserts rows that have all generated values, and the nested rows of their compositions. Those whose key a foreign key of
 * the row holds come first.
 *
 * @param runner the transaction
 * @param target entity and table
 * @param rows the rows, whose foreign keys are completed
 */
export function insertNormalized(
  runner: StatementRunner,
  target: WriteTarget,
  rows: readonly NormalizedRow[],
): MaybePromise<void> {
  const own = rows.map(({ values }) => values);
  const compositions = partsOf(rows);
  if (compositions.length === 0) return insertFlat(runner, target, { rows: own });
  const before = inTurn(
    compositions,
    (parts) => parts.composition.isManaged ? insertReferred(runner, parts) : undefined,
  );
  const inserted = andThen(before, () => insertFlat(runner, target, { rows: own }));
  return andThen(inserted, () =>
    inTurn(
      compositions,
      (parts) => parts.composition.isManaged ? undefined : insertChildren(runner, parts),
    ));
}

/** The nested rows that rows have in a composition. */
interface PartsOfRows {
  readonly composition: LinkedElement;
  readonly ofRows: Parts[];
}

/** The nested rows that a row has in a composition. */
interface Parts {
  /** Values of the row. */
  readonly parent: Row;
  readonly nested: readonly Row[];
}

function partsOf(rows: readonly NormalizedRow[]): readonly PartsOfRows[] {
  const found: PartsOfRows[] = [];
  for (const { values: parent, nested } of rows) {
    for (const { composition, rows } of nested) {
      let parts = found.find((one) => one.composition === composition);
      if (!parts) found.push(parts = { composition, ofRows: [] });
      parts.ofRows.push({ parent, nested: rows });
    }
  }
  return found;
}

/** Inserts rows that hold what links them to their parents. */
function insertChildren(runner: StatementRunner, { composition, ofRows }: PartsOfRows): MaybePromise<void> {
  const target = writeTargetOf(runner.model, composition.$target!);
  const children: Row[] = [];
  for (const { parent, nested } of ofRows) {
    const links = linkValues(composition, parent);
    for (const row of nested) children.push({ ...row, ...links });
  }
  return insertNormalized(runner, target, completeRows(runner, target, children));
}

/** Inserts rows of a composition to one, whose keys the foreign keys of their parents take. */
async function insertReferred(
  runner: StatementRunner,
  { composition, ofRows: parts }: PartsOfRows,
): Promise<void> {
  const { pairs } = linksOf(composition);
  const entity = composition.$target;
  const children = entity ? parts.flatMap(({ nested }) => nested.slice(0, 1)) : [];
  const keys = entity ? (await insertMany(runner, entity, children))[Symbol.iterator]() : undefined;
  for (const { parent, nested: [child] } of parts) {
    // everything of the child that a foreign key may refer to
    const key: Row = child && entity ? { ...normalizeRow(entity, child).values, ...keys!.next().value } : {};
    for (const { source, target } of pairs) parent[source] = key[target] ?? null;
  }
}

/**
 * Inserts into the table alone: rows that follow each other and have the same members by the same statement. The number of
 * rows in a statement is small or a power of two, so that there are few different statements.
 *
 * @param runner the transaction
 * @param target entity and table
 * @param rows complete rows, and the column that takes the next number of queued work, if there is one
 */
export function insertFlat(
  runner: StatementRunner,
  target: WriteTarget,
  { rows, numbered }: { readonly rows: readonly Row[]; readonly numbered?: FlatElement },
): MaybePromise<void> {
  const insertSame = (known: KnownInsert, start: number, end: number): MaybePromise<void> => {
    const { length } = known.into.columns;
    const most = length === 0 ? 1 : powerOfTwo(Math.floor(MOST_VALUES / length), Math.floor);
    const left = end - start;
    const next = start + Math.min(most, left <= FEW_ROWS ? left : powerOfTwo(left, Math.floor));
    const group = rows.slice(start, next).map((row) => boundValues(known, row, runner.context));
    const into = numbered ? numberedInsert(known.into, numbered) : known.into;
    const inserted = runner.change({ kind: "insert", into, rows: group });
    return andThen<number, void>(inserted, () => next < end ? insertSame(known, next, end) : undefined);
  };
  const insertFrom = (start: number): MaybePromise<void> => {
    if (start === rows.length) return;
    const known = knownInsert(target, rows[start]!);
    let end = start + 1;
    while (end < rows.length && knownInsert(target, rows[end]!) === known) end++;
    return andThen<void, void>(insertSame(known, start, end), () => insertFrom(end));
  };
  return insertFrom(0);
}

const NUMBERED: WeakMap<InsertColumns, InsertColumns> = new WeakMap();

function numberedInsert(into: InsertColumns, numbered: FlatElement): InsertColumns {
  let known = NUMBERED.get(into);
  if (!known) NUMBERED.set(into, known = { ...into, numbered });
  return known;
}

/**
 * The key of a row.
 *
 * @param entity what the row belongs to
 * @param values flat values
 */
export function keyOf(entity: LinkedEntity, values: Row): Row {
  const key: Row = {};
  const keys = entity.$flatKeys;
  for (let at = 0; at < keys.length; at++) key[keys[at]!.name] = values[keys[at]!.name];
  return key;
}

/**
 * What tells a stored row from all others: its key, and of temporal data the beginning of the slice.
 *
 * @param entity what the row belongs to
 * @param values flat values
 */
export function rowKeyOf(entity: LinkedEntity, values: Row): Row {
  const key: Row = {};
  for (const { name } of entity.$rowKeys) key[name] = values[name];
  return key;
}

/**
 * The values that link a child to its parent.
 *
 * @param composition whose target has the links
 * @param parent flat values of the parent
 */
export function linkValues(composition: LinkedElement, parent: Row): Row {
  const { pairs, constants } = linksOf(composition);
  const links: Row = { ...constants };
  for (const { source, target } of pairs) links[target] = parent[source];
  return links;
}
