/**
 * INSERT, with nested rows of compositions (deep write).
 *
 * @module
 */

import type { EntityRef, InsertBody, RefStep, Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { lowerQuery } from "../passes/lower_query.ts";
import { stepName } from "../passes/scope.ts";
import { entitiesOfPath, entityNamed } from "../passes/source.ts";
import { linksOf } from "../../model/links.ts";
import type { Supplier } from "../../service/validation/fill_managed.ts";
import { addGenerated, hiddenSuppliers, isCompleted } from "./managed_values.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { isPlainName, type NestedRows, normalizeRow } from "./normalize_row.ts";
import { type SqlValue, sqlValue } from "./sql_value.ts";
import type { StatementRunner } from "./statement_runner.ts";
import type { InsertColumns } from "./write_statement.ts";
import { type WriteTarget, writeTargetOf } from "./write_target.ts";

/**
 * Inserts rows.
 *
 * @param runner the transaction
 * @param body the query
 * @returns the keys of the new rows by flat name
 * @throws ServiceError 404 when the row that a path starts at does not exist
 */
export function insertRows(runner: StatementRunner, body: InsertBody): MaybePromise<readonly Row[]> {
  const { into, entries } = body;
  if (typeof into === "string" && entries?.length === 1) {
    return andThen(insertRow(runner, entityNamed(runner, into), entries[0]!), (only) => [only]);
  }
  return andThen(resolveTarget(runner, into), ({ entity, links }) => {
    if (body.from) return insertFrom(runner, entity, body);
    const [first, ...others] = entriesOf(body);
    if (first === undefined) return [];
    const insert = (row: Row) => insertRow(runner, entity, links === NO_LINKS ? row : { ...row, ...links });
    const key = insert(first);
    return others.length === 0 ? andThen(key, (only) => [only]) : insertOthers(key, others, insert);
  });
}

async function insertOthers(
  first: MaybePromise<Row>,
  others: readonly Row[],
  insert: (row: Row) => MaybePromise<Row>,
): Promise<readonly Row[]> {
  const keys = [await first];
  for (const row of others) keys.push(await insert(row));
  return keys;
}

const NO_LINKS: Row = Object.freeze({});

/** What a write addresses. */
interface AddressedRows {
  readonly entity: LinkedEntity;
  /** What links its rows to the row the path starts at. */
  readonly links: Row;
}

/**
 * The entity a write addresses, and the values that link its rows to the row the path starts at.
 *
 * @param runner the transaction
 * @param ref name or path
 */
export function resolveTarget(runner: StatementRunner, ref: EntityRef): MaybePromise<AddressedRows> {
  const steps: readonly RefStep[] = typeof ref === "string" ? [ref] : ref.ref;
  const entities = entitiesOfPath(runner, steps);
  const entity = entities[entities.length - 1];
  if (steps.length === 1) return { entity, links: NO_LINKS };
  return linkedTarget(runner, steps, { entity, parent: entities[entities.length - 2] });
}

async function linkedTarget(
  runner: StatementRunner,
  steps: readonly RefStep[],
  { entity, parent }: { readonly entity: LinkedEntity; readonly parent: LinkedEntity },
): Promise<AddressedRows> {
  const { pairs, constants, inSource } = linksOf(parent.elements[stepName(steps[steps.length - 1])]);
  if (inSource) {
    throw new ServiceError({ status: 405, message: "Rows can be added along associations to many only" });
  }
  const columns = pairs.map(({ source }) => ({ ref: [source] }));
  const [row] = await runner.select({ SELECT: { from: { ref: steps.slice(0, -1) }, columns, one: true } });
  if (!row) throw new ServiceError({ status: 404 });
  const links: Row = { ...constants };
  for (const { source, target } of pairs) links[target] = row[source];
  return { entity, links };
}

/**
 * The rows of an INSERT or UPSERT, whichever form it has.
 *
 * @param body the query
 */
export function entriesOf({ entries, columns, values, rows }: InsertBody): readonly Row[] {
  if (entries) return entries;
  const lists = rows ?? (values ? [values] : []);
  return lists.map((list) => Object.fromEntries((columns ?? []).map((name, index) => [name, list[index]])));
}

/**
 * Inserts a row and the nested rows of its compositions.
 *
 * @param runner the transaction
 * @param entity what the row belongs to
 * @param row the row
 * @returns its key
 */
export function insertRow(runner: StatementRunner, entity: LinkedEntity, row: Row): MaybePromise<Row> {
  const target = writeTargetOf(runner.model, entity);
  const known = KNOWN_INSERTS.get(target)?.last;
  if (known?.isWhole && isSame(known.names, Object.keys(row)) && isGiven(row)) {
    // nothing to bring into form
    return andThen(insertInto(runner, known, row), () => keyOf(entity, row));
  }
  const { values, nested } = normalizeRow(entity, row);
  addGenerated(target, values, { event: "insert", context: runner.context });
  if (nested.length > 0) return insertDeep(runner, target, { values, nested });
  return andThen(insertValues(runner, target, values), () => keyOf(entity, values));
}

async function insertDeep(
  runner: StatementRunner,
  target: WriteTarget,
  { values, nested }: ReturnType<typeof normalizeRow>,
): Promise<Row> {
  for (const { composition, rows } of nested.filter(ownsForeignKey)) {
    const links = linksOf(composition);
    const key = rows[0] && composition.$target
      ? await insertChild(runner, composition.$target, rows[0])
      : undefined;
    for (const pair of links.pairs) values[pair.source] = key?.[pair.target] ?? null;
  }
  await insertValues(runner, target, values);
  await insertNested(runner, nested.filter((item) => !ownsForeignKey(item)), values);
  return keyOf(target.entity, values);
}

/**
 * Inserts a row of queued work, in whose element `seq` the database puts the next number.
 *
 * @param runner the transaction
 * @param entity name of the entity
 * @param row its other values
 */
export function insertNumbered(runner: StatementRunner, entity: string, row: Row): MaybePromise<number> {
  const target = writeTargetOf(runner.model, entityNamed(runner, entity));
  const { values } = normalizeRow(target.entity, row);
  addGenerated(target, values, { event: "insert", context: runner.context });
  const known = knownInsert(target, Object.keys(values));
  return insertInto(
    runner,
    { ...known, into: numberedInsert(known.into, target.columns.get("seq")!) },
    values,
  );
}

/** Inserts into the table alone. */
function insertValues(runner: StatementRunner, target: WriteTarget, row: Row): MaybePromise<number> {
  return insertInto(runner, knownInsert(target, Object.keys(row)), row);
}

function insertInto(
  runner: StatementRunner,
  { into, shown, hidden }: KnownInsert,
  row: Row,
): MaybePromise<number> {
  const values: SqlValue[] = [];
  for (const { name, column } of shown) values.push(sqlValue(row[name], column));
  for (const { flat, value } of hidden) values.push(sqlValue(value(runner.context), flat));
  return runner.change({ kind: "insert", into, values });
}

/** Into which columns the members of rows go. */
interface KnownInsert {
  /** All members, also those that are no columns. */
  readonly names: readonly string[];
  /** Whether rows with these members need nothing else: all are plain values, and nothing is generated beside them. */
  readonly isWhole: boolean;
  readonly into: InsertColumns;
  /** Members of the row, in the order of the columns, */
  readonly shown: readonly { readonly name: string; readonly column: FlatElement }[];
  /** and behind them what a projection hides. */
  readonly hidden: readonly Supplier[];
}

/** The inserts into a table by the members of rows. */
interface KnownInserts {
  readonly bySignature: Map<string, KnownInsert>;
  /** That of the row before: mostly the next one has the same members. */
  last?: KnownInsert;
}

const KNOWN_INSERTS: WeakMap<WriteTarget, KnownInserts> = new WeakMap();
/** Sets of columns kept per table; clients choose them. */
const KEPT_COLUMNS = 100;

function knownInsert(target: WriteTarget, names: readonly string[]): KnownInsert {
  let kept = KNOWN_INSERTS.get(target);
  if (!kept) KNOWN_INSERTS.set(target, kept = { bySignature: new Map() });
  if (kept.last && isSame(kept.last.names, names)) return kept.last;
  const signature = names.join();
  let known = kept.bySignature.get(signature);
  if (!known) {
    known = createInsert(target, names);
    if (kept.bySignature.size < KEPT_COLUMNS) kept.bySignature.set(signature, known);
  }
  return kept.last = known;
}

const NUMBERED: WeakMap<InsertColumns, InsertColumns> = new WeakMap();

function numberedInsert(into: InsertColumns, numbered: FlatElement): InsertColumns {
  let known = NUMBERED.get(into);
  if (!known) NUMBERED.set(into, known = { ...into, numbered });
  return known;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}

function createInsert(target: WriteTarget, names: readonly string[]): KnownInsert {
  const written = names.filter((name) => target.columns.has(name));
  const columns = written.map((name) => target.columns.get(name)!);
  const hidden = hiddenSuppliers(target, "insert");
  return {
    names,
    isWhole: names.every((name) => isPlainName(target.entity, name)) && !isCompleted(target, names),
    into: { table: target.base, columns: [...columns, ...hidden.map(({ flat }) => flat)] },
    shown: written.map((name, index) => ({ name, column: columns[index]! })),
    hidden,
  };
}

/** Whether all members have a value. */
function isGiven(row: Row): boolean {
  for (const name in row) if (row[name] === undefined) return false;
  return true;
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

function ownsForeignKey({ composition }: NestedRows): boolean {
  return composition.isManaged;
}

/** Everything of the child that a foreign key may refer to. */
async function insertChild(runner: StatementRunner, entity: LinkedEntity, row: Row): Promise<Row> {
  const { values } = normalizeRow(entity, row);
  return { ...values, ...await insertRow(runner, entity, row) };
}

async function insertNested(
  runner: StatementRunner,
  nested: readonly NestedRows[],
  parent: Row,
): Promise<void> {
  for (const { composition, rows } of nested) {
    for (const row of rows) {
      await insertRow(runner, composition.$target!, { ...row, ...linkValues(composition, parent) });
    }
  }
}

/**
 * The values that link a child to its parent.
 *
 * @param composition whose target has the links
 * @param parent flat values of the parent
 */
export function linkValues(composition: NestedRows["composition"], parent: Row): Row {
  const { pairs, constants } = linksOf(composition);
  return { ...constants, ...Object.fromEntries(pairs.map(({ source, target }) => [target, parent[source]])) };
}

async function insertFrom(
  runner: StatementRunner,
  entity: LinkedEntity,
  body: InsertBody,
): Promise<readonly Row[]> {
  const target = writeTargetOf(runner.model, entity);
  const lowered = lowerQuery(runner.model, body.from!);
  const names = body.columns ?? lowered.columns.map(({ name }) => name);
  const columns = names.map((name) => {
    const column = target.columns.get(name);
    if (!column) throw new TypeError(`Column "${name}" of "${entity.name}" cannot be written`);
    return column;
  });
  const { query } = lowered;
  const affected = await runner.change({ kind: "insertFrom", table: target.base, columns, query });
  return Array.from({ length: affected }, () => ({}));
}
