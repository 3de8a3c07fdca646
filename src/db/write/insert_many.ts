/**
 * INSERT of several rows, with the nested rows of their compositions (deep write): as few statements as possible.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { linksOf } from "../../model/links.ts";
import { boundValues, type KnownInsert, knownInsert, knownWhole } from "./known_insert.ts";
import { addGenerated } from "./managed_values.ts";
import { type NestedRows, type NormalizedRow, normalizeRow } from "./normalize_row.ts";
import { andThen, inTurn, type MaybePromise } from "../../util/maybe_promise.ts";
import { powerOfTwo } from "./row_groups.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { type WriteTarget, writeTargetOf } from "./write_target.ts";

/** Values in a statement that inserts several rows: PostgreSQL takes 65,535, and gets no faster beyond some hundred. */
const MOST_VALUES = 1024;

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
  const event = { event: "insert", context: runner.context } as const;
  const made = rows.map((row): NormalizedRow => {
    if (knownWhole(target, row)) return { values: row, nested: NONE };
    const normalized = normalizeRow(entity, row);
    addGenerated(target, normalized.values, event);
    return normalized;
  });
  return insertNormalized(runner, target, made);
}

const NONE: readonly NestedRows[] = [];

/**
 * Inserts rows that have all generated values, and the nested rows of their compositions. Those whose key a foreign key of
 * the row holds come first.
 *
 * @param runner the transaction
 * @param target entity and table
 * @param rows the rows, whose foreign keys are completed
 * @returns their keys
 */
export function insertNormalized(
  runner: StatementRunner,
  target: WriteTarget,
  rows: readonly NormalizedRow[],
): MaybePromise<readonly Row[]> {
  const compositions = [...partsOf(rows)];
  const referred = compositions.filter(([{ isManaged }]) => isManaged);
  const others = compositions.filter(([{ isManaged }]) => !isManaged);
  const before = inTurn(referred, ([composition, parts]) => insertReferred(runner, composition, parts));
  const own = andThen(before, () => insertFlat(runner, target, rows));
  const all = andThen(own, () =>
    inTurn(others, ([composition, parts]) => {
      const children = parts.flatMap(({ parent, nested }) => {
        const links = linkValues(composition, parent);
        return nested.map((row) => ({ ...row, ...links }));
      });
      return insertMany(runner, composition.$target!, children);
    }));
  return andThen(all, () => rows.map(({ values }) => keyOf(target.entity, values)));
}

/** The nested rows that a row has in a composition. */
interface Parts {
  /** Values of the row. */
  readonly parent: Row;
  readonly nested: readonly Row[];
}

function partsOf(rows: readonly NormalizedRow[]): ReadonlyMap<LinkedElement, readonly Parts[]> {
  const found = new Map<LinkedElement, Parts[]>();
  for (const { values, nested } of rows) {
    for (const { composition, rows } of nested) {
      const parts = found.get(composition);
      if (parts) parts.push({ parent: values, nested: rows });
      else found.set(composition, [{ parent: values, nested: rows }]);
    }
  }
  return found;
}

/** Inserts rows of a composition to one, whose keys the foreign keys of their parents take. */
async function insertReferred(
  runner: StatementRunner,
  composition: LinkedElement,
  parts: readonly Parts[],
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

/** Inserts into the table alone: rows that follow each other and have the same members by the same statement. */
function insertFlat(
  runner: StatementRunner,
  target: WriteTarget,
  rows: readonly NormalizedRow[],
): MaybePromise<void> {
  const groups: { readonly known: KnownInsert; readonly rows: NormalizedRow[] }[] = [];
  for (const row of rows) {
    const known = knownInsert(target, Object.keys(row.values));
    const last = groups.at(-1);
    if (last?.known === known) last.rows.push(row);
    else groups.push({ known, rows: [row] });
  }
  return inTurn(groups, ({ known, rows }) => insertSame(runner, known, rows));
}

/** The number of rows in a statement is a power of two, so that there are few different statements. */
function insertSame(
  runner: StatementRunner,
  known: KnownInsert,
  rows: readonly NormalizedRow[],
): MaybePromise<void> {
  const { into } = known;
  const { length } = into.columns;
  const most = length === 0 ? 1 : powerOfTwo(Math.floor(MOST_VALUES / length), Math.floor);
  const groups: (readonly NormalizedRow[])[] = [];
  for (let start = 0; start < rows.length;) {
    const end = start + Math.min(most, powerOfTwo(rows.length - start, Math.floor));
    groups.push(rows.slice(start, end));
    start = end;
  }
  return inTurn(groups, (group) =>
    runner.change({
      kind: "insert",
      into,
      rows: group.map(({ values }) => boundValues(known, values, runner.context)),
    }));
}

/**
 * The key of a row.
 *
 * @param entity what the row belongs to
 * @param values flat values
 */
export function keyOf(entity: LinkedEntity, values: Row): Row {
  const key: Row = {};
  for (const { name } of entity.$flatKeys) key[name] = values[name];
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
  return { ...constants, ...Object.fromEntries(pairs.map(({ source, target }) => [target, parent[source]])) };
}
