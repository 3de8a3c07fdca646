/**
 * DELETE, which removes the rows of compositions as well, at any depth (deep write).
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import type { DeleteQuery, QueryParams, Row } from "../../cqn/cqn.ts";
import { equalities, everyOf } from "../../cqn/conjunction.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { entitiesOfPath } from "../passes/source.ts";
import { sqlName } from "../sql_name.ts";
import { hasStoredRows, viewQuery } from "../../model/runtime_view.ts";
import { linksOf } from "../../model/links.ts";
import { rowKeyOf } from "./insert_many.ts";
import { rowGroups, writeTargetOf } from "./write_target.ts";
import { sqlValue } from "./sql_value.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { selectRows, type WriteSelection } from "./write_condition.ts";
import { addAll } from "../../util/add_all.ts";

/**
 * Deletes rows and what is composed into them.
 *
 * @param runner the transaction
 * @param query the query
 * @param given its parameters
 * @returns the number of rows, those of compositions not counted
 */
export function deleteRows(
  runner: StatementRunner,
  { DELETE }: DeleteQuery,
  given: QueryParams,
): MaybePromise<number> {
  const { selection, params } = selectRows(runner, { ref: DELETE.from, where: DELETE.where }, given);
  const { base } = selection.target;
  return cascades(base).length === 0
    ? runner.change({ kind: "delete", table: base, where: selection.where }, params)
    : deleteWithParts(runner, selection, params);
}

/** Whether rows are deleted by one statement: they have no parts. */
export function isDeletedAtOnce(
  runner: Pick<StatementRunner, "model">,
  { DELETE: { from } }: DeleteQuery,
): boolean {
  const entities = entitiesOfPath(runner, typeof from === "string" ? [from] : from.ref);
  return cascades(writeTargetOf(runner.model, entities[entities.length - 1]!).base).length === 0;
}

async function deleteWithParts(
  runner: StatementRunner,
  selection: WriteSelection,
  params: QueryParams,
): Promise<number> {
  const { base } = selection.target;
  const found = await rowsToDelete(runner, selection, params);
  await deleteCascading(runner, { entity: base, rows: found, visited: new Set() });
  return found.length;
}

async function rowsToDelete(
  runner: StatementRunner,
  selection: WriteSelection,
  params: QueryParams,
): Promise<readonly Row[]> {
  const { target } = selection;
  const needed = neededColumns(target.base);
  const byColumn = new Map([...target.columns].map(([name, column]) => [column.name, name]));
  if (needed.every((name) => byColumn.has(name))) {
    const rows = await runner.select(selection.query(needed.map((name) => byColumn.get(name)!)), params);
    return rows.map((row) => Object.fromEntries(needed.map((name) => [name, row[byColumn.get(name)!]])));
  }
  // The projection hides columns that compositions need: find the rows by key in the table.
  const keys = target.base.$rowKeys.map((key) => key.name);
  const found = await runner.select(selection.query(keys.map((name) => byColumn.get(name)!)), params);
  const given = found.map((row) => Object.fromEntries(keys.map((name) => [name, row[byColumn.get(name)!]])));
  return await readByAny(runner, target.base, given);
}

/** Compositions whose rows live and die with the row; texts are among them. */
function cascades(entity: LinkedEntity): readonly LinkedElement[] {
  let known = CASCADES.get(entity);
  if (!known) {
    known = [...entity.compositions].filter(({ $target }) => $target && hasStoredRows($target));
    CASCADES.set(entity, known);
  }
  return known;
}

const CASCADES: WeakMap<LinkedEntity, readonly LinkedElement[]> = new WeakMap();

function neededColumns(entity: LinkedEntity): string[] {
  const sources = cascades(entity).flatMap((composition) =>
    linksOf(composition).pairs.map(({ source }) => source)
  );
  return [...new Set([...entity.$rowKeys.map(({ name }) => name), ...sources])];
}

/** The rows that have the values of one of the given rows. */
async function readByAny(
  runner: StatementRunner,
  entity: LinkedEntity,
  given: readonly Row[],
): Promise<readonly Row[]> {
  const conditions = given.map(equalities);
  const columns = neededColumns(entity).map((name) => ({ ref: [name] }));
  const rows: Row[] = [];
  for (const where of rowGroups(conditions, Object.keys(given[0] ?? {}).length)) {
    addAll(rows, await runner.select({ SELECT: { from: { ref: [entity.name] }, columns, where } }));
  }
  return rows;
}

interface Cascade {
  readonly entity: LinkedEntity;
  readonly rows: readonly Row[];
  readonly visited: Set<string>;
}

/** Rows of all compositions first, level by level. */
async function deleteCascading(runner: StatementRunner, { entity, rows, visited }: Cascade): Promise<void> {
  const keys = entity.$rowKeys.map(({ name }) => name);
  const fresh = rows.filter((row) => {
    const id = JSON.stringify([entity.name, ...keys.map((name) => String(row[name]))]);
    return !visited.has(id) && visited.add(id);
  });
  for (const composition of cascades(entity)) {
    await deleteComposed(runner, composition, { entity, rows: fresh, visited });
  }
  await deleteByAny(runner, entity, fresh.map((row) => rowKeyOf(entity, row)));
}

/** Deletes the rows of a table that have the values of one of the given rows, which all have the same members. */
async function deleteByAny(
  runner: StatementRunner,
  entity: LinkedEntity,
  given: readonly Row[],
): Promise<void> {
  const names = Object.keys(given[0] ?? {});
  const conditions = given.map((row) =>
    everyOf(names, (name) => [
      { ref: [sqlName(entity), name] },
      "=",
      { val: sqlValue(row[name], entity.$flat.get(name)) },
    ])
  );
  for (const where of rowGroups(conditions, names.length)) {
    await runner.change({ kind: "delete", table: entity, where: fromXo(where) });
  }
}

async function deleteComposed(
  runner: StatementRunner,
  composition: LinkedElement,
  { entity, rows, visited }: Cascade,
): Promise<void> {
  const { pairs, constants } = linksOf(composition);
  if (pairs.length === 0) return;
  const child = composition.$target!;
  const links = new Map<string, Row>();
  for (const row of rows) {
    const own = Object.fromEntries(pairs.map(({ source, target }) => [target, row[source]]));
    const values: Row = { ...constants, ...own };
    if (Object.values(values).includes(null)) continue;
    links.set(JSON.stringify(Object.values(values).map(String)), values);
  }
  if (isFoundByLinks(composition, entity)) return await deleteByAny(runner, child, [...links.values()]);
  const children = await readByAny(runner, child, [...links.values()]);
  if (children.length > 0) await deleteChildren(runner, { entity: child, rows: children, visited });
}

/** Whether rows of a composition are those of a table, have no parts, and are linked by columns of one type. */
function isFoundByLinks(composition: LinkedElement, entity: LinkedEntity): boolean {
  let known = BY_LINKS.get(composition);
  if (known === undefined) {
    const child = composition.$target!;
    known = !viewQuery(child) && cascades(child).length === 0 &&
      linksOf(composition).pairs.every(({ source, target }) => {
        const [own, other] = [entity.$flat.get(source), child.$flat.get(target)];
        return own !== undefined && other?.virtual !== true && own.type.builtin === other?.type.builtin;
      });
    BY_LINKS.set(composition, known);
  }
  return known;
}

const BY_LINKS: WeakMap<LinkedElement, boolean> = new WeakMap();

/** Targets of compositions may be projections in hand-written models. */
async function deleteChildren(runner: StatementRunner, cascade: Cascade): Promise<void> {
  const { base } = writeTargetOf(runner.model, cascade.entity);
  if (base === cascade.entity) return await deleteCascading(runner, cascade);
  for (const row of cascade.rows) {
    const where = equalities(rowKeyOf(cascade.entity, row));
    await deleteRows(runner, { DELETE: { from: cascade.entity.name, where } }, {});
  }
}
