/**
 * UPDATE and UPSERT; arrays of compositions are the full set of their rows (deep write, behaviours 4).
 *
 * @module
 */

import type { EntityRef, Expression, InsertBody, QueryParams, Row, UpdateQuery, Xo } from "../../cqn/cqn.ts";
import { entriesOf, removedRows } from "../../cqn/entries_of.ts";
import { equalities } from "../../cqn/conjunction.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { comparedValue } from "../bind_values.ts";
import { deleteRows } from "./delete.ts";
import { insertRow, resolveTarget, selectedRows } from "./insert.ts";
import { insertMany, linkValues, rowKeyOf } from "./insert_many.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { validSlice } from "../../model/valid_slice.ts";
import { holdsLinks, linksOf } from "../../model/links.ts";
import { addGenerated, hiddenSuppliers } from "./managed_values.ts";
import { type NestedRows, normalizeRow } from "./normalize_row.ts";
import { rowGroups } from "./write_target.ts";
import { sqlValue } from "./sql_value.ts";
import type { Assignment, StatementRunner } from "./statement_runner.ts";
import { selectRows, type WriteSelection } from "./write_condition.ts";

/**
 * Updates rows.
 *
 * @param runner the transaction
 * @param query the query
 * @param given its parameters
 * @returns the number of rows that match
 */
export function updateRows(
  runner: StatementRunner,
  { UPDATE }: UpdateQuery,
  given: QueryParams,
): MaybePromise<number> {
  const { entity: ref, where, data = {}, with: expressions = {} } = UPDATE;
  const { selection, params } = selectRows(runner, { ref, where }, given);
  const { entity } = selection.target;
  const { values, nested } = normalizeRow(entity, data);
  for (const { name } of entity.$flatKeys) if (name in values) delete values[name];
  const update = { selection, values, expressions, params };
  return nested.length === 0 ? updateFlat(runner, update) : updateDeep(runner, update, nested);
}

async function updateDeep(
  runner: StatementRunner,
  { selection, values, expressions, params }: FlatUpdate,
  nested: readonly NestedRows[],
): Promise<number> {
  const { entity } = selection.target;
  const columns = new Set([...entity.$rowKeys.map(({ name }) => name), ...sourceColumns(nested)]);
  const rows = await runner.select(selection.query([...columns]), params);
  // who is linked with whom is no part of either
  const isDeep = nested.some(({ composition }) => !holdsLinks(composition));
  for (const row of rows) {
    const own: Row = { ...values };
    const after = await updateNested(runner, { nested, row, own });
    const byKey = selectRows(runner, { ref: entity.name, where: keyWhere(entity, row) }, params);
    await updateFlat(runner, { ...byKey, values: own, expressions, isDeep });
    await after();
  }
  return rows.length;
}

interface FlatUpdate {
  readonly selection: WriteSelection;
  /** Values by flat name, which are completed. */
  readonly values: Row;
  readonly expressions: Readonly<Record<string, Expression>>;
  readonly params: QueryParams;
  /** Whether parts of the rows change. */
  readonly isDeep?: boolean;
}

function updateFlat(runner: StatementRunner, update: FlatUpdate): MaybePromise<number> {
  const { selection, expressions, params, isDeep = false } = update;
  const { target } = selection;
  const { values } = update;
  const changes = isDeep || hasMembers(values) || hasMembers(expressions);
  if (changes) addGenerated(target, values, { event: "update", context: runner.context });
  const counted = changes ? countersOf(target.entity) : [];
  for (const name in expressions) delete values[name];
  for (const name of counted) delete values[name];
  const set: Assignment[] = [];
  for (const name in values) {
    const column = target.columns.get(name);
    if (column) set.push({ column, value: sqlValue(values[name], column) });
  }
  for (const [name, expression] of Object.entries(expressions)) {
    const column = target.columns.get(name);
    if (!column) throw new TypeError(`Element "${name}" of "${target.entity.name}" cannot be written`);
    const value = literalOf(expression, column);
    set.push(
      value !== undefined
        ? { column, value: sqlValue(value, column) }
        : { column, expression: selection.expression(expression, column) },
    );
  }
  for (const name of counted) {
    const column = target.columns.get(name);
    if (!column || Object.hasOwn(expressions, name)) continue;
    const next = { xpr: [{ ref: [name] }, "+", { val: 1 }] };
    set.push({ column, expression: selection.expression(next, column) });
  }
  for (const { flat, value } of changes ? hiddenSuppliers(target, "update") : []) {
    set.push({ column: flat, value: sqlValue(value(runner.context), flat) });
  }
  if (set.length === 0) return countRows(runner, selection, params);
  return runner.change({ kind: "update", table: target.base, set, where: selection.where }, params);
}

function hasMembers(row: object): boolean {
  for (const _name in row) return true;
  return false;
}

/** What is set by an expression that is no more than a value, as those of data are. */
function literalOf(expression: Expression, { type }: FlatElement): unknown {
  const isValue = "val" in expression && Object.keys(expression).length === 1;
  return isValue && type.builtin !== "cds.Boolean" ? expression.val : undefined;
}

const counters: WeakMap<LinkedEntity, readonly string[]> = new WeakMap();

/** Versions that count the updates of a row (`@odata.etag.counter`). */
function countersOf(entity: LinkedEntity): readonly string[] {
  let names = counters.get(entity);
  if (names === undefined) {
    const flats = [...entity.$flat.values()].filter(({ annotated }) =>
      annotated["@odata.etag.counter"] === true
    );
    counters.set(entity, names = flats.map(({ name }) => name));
  }
  return names;
}

async function countRows(
  runner: StatementRunner,
  selection: WriteSelection,
  params: QueryParams,
): Promise<number> {
  const rows = await runner.select(
    selection.query(selection.target.entity.$flatKeys.map(({ name }) => name)),
    params,
  );
  return rows.length;
}

/** The columns of the row that its compositions are found by. */
function sourceColumns(nested: readonly NestedRows[]): string[] {
  return nested.flatMap(({ composition }) => linksOf(composition).pairs.map(({ source }) => source));
}

function keyWhere(entity: LinkedEntity, row: Row): readonly Xo[] {
  return equalities(rowKeyOf(entity, row));
}

/**
 * Brings the rows of compositions to what the update says. Foreign keys that the row itself holds are added to `own`.
 *
 * @returns what is left to do after the row itself is written
 */
async function updateNested(
  runner: StatementRunner,
  { nested, row, own }: { readonly nested: readonly NestedRows[]; readonly row: Row; readonly own: Row },
): Promise<() => Promise<void>> {
  const later: (() => Promise<unknown>)[] = [];
  for (const { composition, rows } of nested) {
    if (!composition.$target) continue;
    if (composition.isManaged) {
      later.push(await replaceOwned(runner, { composition, child: rows[0], row, own }));
    } else await replaceAll(runner, { composition, rows, row });
  }
  return async () => {
    for (const run of later) await run();
  };
}

/** A composition to one whose foreign key is in the row: the child comes first, an old one goes last. */
async function replaceOwned(
  runner: StatementRunner,
  { composition, child, row, own }: {
    readonly composition: LinkedElement;
    readonly child: Row | undefined;
    readonly row: Row;
    readonly own: Row;
  },
): Promise<() => Promise<unknown>> {
  const { pairs } = linksOf(composition);
  const entity = composition.$target!;
  const current: Row = Object.fromEntries(pairs.map(({ source, target }) => [target, row[source]]));
  const exists = pairs.every(({ target }) => current[target] !== null);
  const remove = async () =>
    await deleteRows(runner, { DELETE: { from: entity.name, where: equalities(current) } }, {});
  if (child === undefined) {
    for (const { source } of pairs) own[source] = null;
    return exists ? remove : () => Promise.resolve();
  }
  const values = normalizeRow(entity, child).values;
  const same = exists &&
    pairs.every(({ target }) => {
      const element = entity.$flat.get(target)!;
      return values[target] === undefined ||
        valueText(element, values[target]) === valueText(element, current[target]);
    });
  if (same) {
    await updateRows(
      runner,
      { UPDATE: { entity: entity.name, where: equalities(current), data: child } },
      {},
    );
    return () => Promise.resolve();
  }
  const key = { ...values, ...await insertRow(runner, entity, child) };
  for (const { source, target } of pairs) own[source] = key[target];
  return exists ? remove : () => Promise.resolve();
}

/**
 * The array is the full set: rows that are missing go, the others are updated or inserted by key. Of changes only
 * the rows named go.
 */
async function replaceAll(
  runner: StatementRunner,
  { composition, rows, row }: {
    readonly composition: LinkedElement;
    readonly rows: readonly Row[];
    readonly row: Row;
  },
): Promise<void> {
  const entity = composition.$target!;
  const links = linkValues(composition, row);
  const columns = [...new Set([...entity.$flatKeys, ...entity.$rowKeys])].map(({ name }) => ({
    ref: [name],
  }));
  const from = { ref: [entity.name] };
  const slice = validSlice(entity);
  const where = slice.length === 0 ? equalities(links) : [...equalities(links), "and", ...slice];
  const existing = await runner.select({ SELECT: { from, columns, where } });
  const left = new Map(existing.map((item) => [keyText(entity, item), item]));
  const added: Row[] = [];
  for (const item of rows) {
    const linked = { ...item, ...links };
    const key = keyText(entity, normalizeRow(entity, linked).values);
    const stored = left.get(key);
    left.delete(key);
    if (!stored) added.push(linked);
    else {
      const where = keyWhere(entity, stored);
      await updateRows(runner, { UPDATE: { entity: entity.name, where, data: linked } }, {});
    }
  }
  const removed = removedRows(rows);
  const named = new Set(
    removed?.map((item) => keyText(entity, normalizeRow(entity, { ...item, ...links }).values)),
  );
  const gone = [...left].filter(([key]) => !removed || named.has(key)).map(([, item]) =>
    keyWhere(entity, item)
  );
  for (const where of rowGroups(gone, entity.$rowKeys.length)) {
    await deleteRows(runner, { DELETE: { from: entity.name, where } }, {});
  }
  await insertMany(runner, entity, added);
}

function updateByKey(entity: LinkedEntity, row: Row): UpdateQuery {
  const { values } = normalizeRow(entity, row);
  return { UPDATE: { entity: entity.name, where: keyWhere(entity, values), data: row } };
}

function keyText(entity: LinkedEntity, values: Row): string {
  return JSON.stringify(entity.$flatKeys.map((element) => valueText(element, values[element.name])));
}

/** A value as text, the same for a stored one and for one that comes in another form, as bytes in base64. */
function valueText({ name, type: { builtin } }: FlatElement, value: unknown): string {
  return String(builtin === undefined ? value : comparedValue(value, { type: builtin, name }));
}

/**
 * Updates the rows that exist by key, inserts the others.
 *
 * @param runner the transaction
 * @param body the query
 * @returns how many there are
 */
export async function upsertRows(runner: StatementRunner, body: InsertBody): Promise<number> {
  const { entity, links } = await resolveTarget(runner, body.into as EntityRef);
  const defaults = keyDefaults(entity);
  const entries = body.from ? await selectedRows(runner, body) : entriesOf(body);
  for (const entry of entries) {
    const row = { ...defaults, ...entry, ...links };
    const { values } = normalizeRow(entity, row);
    const hasKey = entity.$rowKeys.every(({ name }) => values[name] !== undefined && values[name] !== null);
    const affected = hasKey ? await updateRows(runner, updateByKey(entity, row), {}) : 0;
    if (affected === 0) await insertRow(runner, entity, row);
  }
  return entries.length;
}

/** The values of keys that rows need not name. */
function keyDefaults({ $rowKeys }: LinkedEntity): Row {
  return Object.fromEntries(
    $rowKeys.flatMap(({ name, element: { default: value } }) =>
      typeof value === "object" && value !== null && "val" in value ? [[name, value.val]] : []
    ),
  );
}
