/**
 * INSERT, with nested rows of compositions (deep write).
 *
 * @module
 */

import { column as columnNode, select } from "../../algebra/build.ts";
import type { TreeSelect } from "../../algebra/tree.ts";
import type { EntityRef, InsertBody, RefStep, Row } from "../../cqn/cqn.ts";
import { entriesOf, selectedEntries } from "../../cqn/entries_of.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { held } from "../passes/assigned.ts";
import { lowerQuery } from "../passes/lower_query.ts";
import type { LoweredSelect } from "../passes/scope.ts";
import { entitiesOfPath, entityNamed } from "../passes/source.ts";
import { linksOf } from "../../model/links.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { insertFlat, insertMany, insertNormalized, keyOf } from "./insert_many.ts";
import { boundValues, type KnownInsert, knownInsert, knownWhole } from "./known_insert.ts";
import { addGenerated, hiddenSuppliers, missingSuppliers } from "./managed_values.ts";
import { normalizeRow } from "./normalize_row.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { writeTargetOf } from "./write_target.ts";
import { stepName } from "../../cqn/steps.ts";

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
    return body.from
      ? insertFrom(runner, body, { entity, links })
      : insertLinked(runner, entriesOf(body), { entity, links });
  });
}

function insertLinked(
  runner: StatementRunner,
  given: readonly Row[],
  { entity, links }: AddressedRows,
): MaybePromise<readonly Row[]> {
  const rows = links === NO_LINKS ? given : given.map((row) => ({ ...row, ...links }));
  return rows.length === 1
    ? andThen(insertRow(runner, entity, rows[0]!), (only) => [only])
    : insertMany(runner, entity, rows);
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
 * The rows that the query of an INSERT or UPSERT gives, under the names of the columns they are for.
 *
 * @param runner the transaction
 * @param body the query, which takes its rows from another one
 */
export async function selectedRows(
  runner: StatementRunner,
  { from, columns }: InsertBody,
): Promise<readonly Row[]> {
  return selectedEntries(await runner.select(from!), columns); // callers have looked for the query
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
  const known = knownWhole(target, row);
  // nothing to bring into form
  if (known) return andThen(insertInto(runner, known, row), () => keyOf(entity, row));
  const { values, nested } = normalizeRow(entity, row);
  addGenerated(target, values, { event: "insert", context: runner.context });
  if (nested.length > 0) {
    return andThen(insertNormalized(runner, target, [{ values, nested }]), () => keyOf(entity, values));
  }
  const insert = knownInsert(target, values);
  return andThen(insertInto(runner, insert, values), () => keyOf(entity, values));
}

/**
 * Inserts a row whose texts are not held against the lengths of their columns; databases that look at them refuse it.
 *
 * @param runner the transaction
 * @param entity what the row belongs to
 * @param row flat values
 */
export function insertUnchecked(
  runner: StatementRunner,
  entity: LinkedEntity,
  row: Row,
): MaybePromise<number> {
  const target = writeTargetOf(runner.model, entity);
  const { values } = normalizeRow(entity, row);
  addGenerated(target, values, { event: "insert", context: runner.context });
  const known = knownInsert(target, values);
  const texts = known.shown.map(({ name, column }) => {
    const value = values[name];
    return column.type.builtin === "cds.String" && typeof value === "string" ? value : undefined;
  });
  const others = known.shown.map(({ name }, at) => [name, texts[at] === undefined ? values[name] : ""]);
  const bound = boundValues(known, Object.fromEntries(others), runner.context)
    .map((value, at) => texts[at] ?? value);
  return runner.change({ kind: "insert", into: known.into, rows: [bound] });
}

function insertInto(runner: StatementRunner, known: KnownInsert, row: Row): MaybePromise<number> {
  const rows = [boundValues(known, row, runner.context)];
  return runner.change({ kind: "insert", into: known.into, rows });
}

/**
 * Inserts rows of queued work, in whose element `seq` the database puts the next numbers.
 *
 * @param runner the transaction
 * @param entity name of the entity
 * @param rows their other values
 */
export function insertNumbered(
  runner: StatementRunner,
  entity: string,
  rows: readonly Row[],
): MaybePromise<void> {
  const target = writeTargetOf(runner.model, entityNamed(runner, entity));
  return insertFlat(runner, target, { rows, numbered: target.columns.get("seq") });
}

/** The rows of a query in the form of the columns that take them. */
function heldRows({ query, columns: given }: LoweredSelect, columns: readonly FlatElement[]): TreeSelect {
  const [as, names] = ["rows", given.map(({ name }) => name)];
  const values = columns.map((column, at) => {
    const { type } = given[at]!;
    const value = columnNode(as, names[at]!, { type });
    return { ...held(value, type, column), as: column.name };
  });
  return select({ from: { ...query, as }, columns: values });
}

/** Rows of a query: they do not leave the database unless something is generated for each of them. */
async function insertFrom(
  runner: StatementRunner,
  body: InsertBody,
  to: AddressedRows,
): Promise<readonly Row[]> {
  const { entity, links } = to;
  const target = writeTargetOf(runner.model, entity);
  const lowered = lowerQuery(runner.model, body.from!);
  const names = body.columns ?? lowered.columns.map(({ name }) => name);
  const columns = names.map((name) => {
    const column = target.columns.get(name);
    if (!column) throw new TypeError(`Column "${name}" of "${entity.name}" cannot be written`);
    return column;
  });
  const isGenerated = missingSuppliers(target, names).length + hiddenSuppliers(target, "insert").length > 0;
  if (isGenerated || links !== NO_LINKS) {
    return insertLinked(runner, await selectedRows(runner, body), to);
  }
  const query = heldRows(lowered, columns);
  const affected = await runner.change({ kind: "insertFrom", table: target.base, columns, query });
  return Array.from({ length: affected }, () => ({}));
}
