/**
 * DELETE, which removes the rows of compositions as well, at any depth (deep write).
 *
 * @module
 */

import type { DeleteQuery, QueryParams, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";
import { linksOf } from "../../model/links.ts";
import { sqlValue } from "./sql_value.ts";
import type { StatementRunner } from "./statement_runner.ts";
import { selectRows, type WriteSelection } from "./write_condition.ts";
import { writeTargetOf } from "./write_target.ts";

/**
 * Deletes rows and what is composed into them.
 *
 * @param runner the transaction
 * @param query the query
 * @param params its parameters
 * @returns the number of rows, those of compositions not counted
 */
export async function deleteRows(
  runner: StatementRunner,
  { DELETE }: DeleteQuery,
  params: QueryParams,
): Promise<number> {
  const selection = selectRows(runner, { ref: DELETE.from, where: DELETE.where });
  const { target } = selection;
  if (cascades(target.base).length === 0) {
    return await runner.change({ kind: "delete", table: target.base, where: selection.where }, params);
  }
  const rows = await rowsToDelete(runner, selection, params);
  await deleteCascading(runner, { entity: target.base, rows, visited: new Set() });
  return rows.length;
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
  const keys = target.base.$flatKeys.map((key) => key.name);
  const found = await runner.select(selection.query(keys.map((name) => byColumn.get(name)!)), params);
  const rows: Row[] = [];
  for (const row of found) {
    const key = Object.fromEntries(keys.map((name) => [name, row[byColumn.get(name)!]]));
    rows.push(...await readBy(runner, target.base, key));
  }
  return rows;
}

/** Compositions whose rows live and die with the row; texts are among them. */
function cascades(entity: LinkedEntity): LinkedElement[] {
  return [...entity.compositions].filter(({ $target }) =>
    $target && $target["@cds.persistence.skip"] !== true
  );
}

function neededColumns(entity: LinkedEntity): string[] {
  const sources = cascades(entity).flatMap((composition) =>
    linksOf(composition).pairs.map(({ source }) => source)
  );
  return [...new Set([...entity.$flatKeys.map(({ name }) => name), ...sources])];
}

async function readBy(runner: StatementRunner, entity: LinkedEntity, values: Row): Promise<readonly Row[]> {
  const where = Object.entries(values).flatMap(([name, val], index) => [
    ...(index ? ["and"] : []),
    { ref: [name] },
    "=",
    { val: val as string },
  ]);
  const columns = neededColumns(entity).map((name) => ({ ref: [name] }));
  return await runner.select({ SELECT: { from: { ref: [entity.name] }, columns, where } });
}

interface Cascade {
  readonly entity: LinkedEntity;
  readonly rows: readonly Row[];
  readonly visited: Set<string>;
}

async function deleteCascading(runner: StatementRunner, { entity, rows, visited }: Cascade): Promise<void> {
  for (const row of rows) {
    const keys = entity.$flatKeys.map(({ name }) => name);
    const id = JSON.stringify([entity.name, ...keys.map((name) => String(row[name]))]);
    if (visited.has(id)) continue;
    visited.add(id);
    for (const composition of cascades(entity)) {
      const { pairs, constants } = linksOf(composition);
      const values: Row = {
        ...constants,
        ...Object.fromEntries(pairs.map((pair) => [pair.target, row[pair.source]])),
      };
      if (pairs.length === 0 || Object.values(values).includes(null)) continue;
      const child = composition.$target!;
      const children = await readBy(runner, child, values);
      if (children.length === 0) continue;
      await deleteChildren(runner, { entity: child, rows: children, visited });
    }
    const where = keys.flatMap((name, index): Xo[] => [
      ...(index ? ["and"] : []),
      { ref: [sqlName(entity), name] },
      "=",
      { val: sqlValue(row[name], entity.$flat.get(name)?.element) },
    ]);
    await runner.change({ kind: "delete", table: entity, where });
  }
}

/** Targets of compositions may be projections in hand-written models. */
async function deleteChildren(runner: StatementRunner, cascade: Cascade): Promise<void> {
  const { base } = writeTargetOf(runner.model, cascade.entity);
  if (base === cascade.entity) return await deleteCascading(runner, cascade);
  for (const row of cascade.rows) {
    const where = cascade.entity.$flatKeys.flatMap(({ name }, index) => [
      ...(index ? ["and"] : []),
      { ref: [name] },
      "=",
      { val: row[name] as string },
    ]);
    await deleteRows(runner, { DELETE: { from: cascade.entity.name, where } }, {});
  }
}
