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
import { entitiesOfPath } from "../passes/source.ts";
import { linksOf } from "../../model/links.ts";
import { addGenerated, hiddenSuppliers } from "./managed_values.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { type NestedRows, normalizeRow } from "./normalize_row.ts";
import { sqlValue } from "./sql_value.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { writeTargetOf } from "./write_target.ts";

/**
 * Inserts rows.
 *
 * @param runner the transaction
 * @param body the query
 * @returns the keys of the new rows by flat name
 * @throws ServiceError 404 when the row that a path starts at does not exist
 */
export function insertRows(runner: StatementRunner, body: InsertBody): MaybePromise<readonly Row[]> {
  return andThen(resolveTarget(runner, body.into), ({ entity, links }) => {
    if (body.from) return insertFrom(runner, entity, body);
    const [first, ...others] = entriesOf(body);
    if (first === undefined) return [];
    const key = insertRow(runner, entity, { ...first, ...links });
    if (others.length === 0) return andThen(key, (only) => [only]);
    return insertOthers(key, others, (row) => insertRow(runner, entity, { ...row, ...links }));
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

/** What a write addresses. */
interface WriteTarget {
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
export function resolveTarget(runner: StatementRunner, ref: EntityRef): MaybePromise<WriteTarget> {
  const steps: readonly RefStep[] = typeof ref === "string" ? [ref] : ref.ref;
  const entities = entitiesOfPath(runner, steps);
  const entity = entities[entities.length - 1];
  if (steps.length === 1) return { entity, links: {} };
  return linkedTarget(runner, steps, { entity, parent: entities[entities.length - 2] });
}

async function linkedTarget(
  runner: StatementRunner,
  steps: readonly RefStep[],
  { entity, parent }: { readonly entity: LinkedEntity; readonly parent: LinkedEntity },
): Promise<WriteTarget> {
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
  const { values, nested } = normalizeRow(entity, row);
  addGenerated(writeTargetOf(runner.model, entity), values, { event: "insert", context: runner.context });
  if (nested.length > 0) return insertDeep(runner, entity, { values, nested });
  return andThen(insertValues(runner, entity, values), () => keyOf(entity, values));
}

async function insertDeep(
  runner: StatementRunner,
  entity: LinkedEntity,
  { values, nested }: ReturnType<typeof normalizeRow>,
): Promise<Row> {
  for (const { composition, rows } of nested.filter(ownsForeignKey)) {
    const links = linksOf(composition);
    const key = rows[0] && composition.$target
      ? await insertChild(runner, composition.$target, rows[0])
      : undefined;
    for (const pair of links.pairs) values[pair.source] = key?.[pair.target] ?? null;
  }
  await insertValues(runner, entity, values);
  await insertNested(runner, nested.filter((item) => !ownsForeignKey(item)), values);
  return keyOf(entity, values);
}

/** Inserts into the table alone. */
function insertValues(runner: StatementRunner, entity: LinkedEntity, values: Row): MaybePromise<number> {
  const target = writeTargetOf(runner.model, entity);
  const columns: FlatElement[] = [];
  const bound = [];
  for (const [name, value] of Object.entries(values)) {
    const column = target.columns.get(name);
    if (!column) continue;
    columns.push(column);
    bound.push(sqlValue(value, column.element));
  }
  for (const { flat, value } of hiddenSuppliers(target, "insert")) {
    columns.push(flat);
    bound.push(sqlValue(value(runner.context), flat.element));
  }
  return runner.change({ kind: "insert", table: target.base, columns, values: bound });
}

/**
 * The key of a row.
 *
 * @param entity what the row belongs to
 * @param values flat values
 */
export function keyOf(entity: LinkedEntity, values: Row): Row {
  return Object.fromEntries(entity.$flatKeys.map(({ name }) => [name, values[name]]));
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
