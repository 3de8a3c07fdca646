/**
 * Which of some rows, known by their keys, meet a condition: asked in few statements, however many rows there are.
 *
 * @module
 */

import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { type Access, join, withAccess } from "./access.ts";
import type { RowReader } from "./pass_of.ts";

/** Rows of an entity; their keys are known. */
export interface KnownRows {
  readonly entity: LinkedEntity;
  readonly keys: readonly Row[];
}

/** Rows that one statement names: engines bound the depth of expressions and the number of values. */
const ROWS_AT_ONCE = 100;

/**
 * The ids of the rows that a user may do something with.
 *
 * @param db the database
 * @param rows the rows
 * @param access what the user may do
 * @returns ids as `idOf` gives them for keys as the database has them
 */
export async function permittedIds(
  db: RowReader,
  { entity, keys }: KnownRows,
  access: Access,
): Promise<ReadonlySet<string>> {
  if (access === "none") return new Set();
  if (access === "all") return new Set(keys.map((row) => idOf(entity, row)));
  const ids = new Set<string>();
  const columns = keyNames(entity).map((name) => ({ ref: [name] }));
  for (const where of keyConditions(entity, keys)) {
    const query: Query = {
      SELECT: { from: { ref: [withAccess(entity.name, access)] }, history: true, columns, where },
    };
    for (const row of await db.run(query) as readonly Row[]) ids.add(idOf(entity, row));
  }
  return ids;
}

/**
 * Conditions that find rows by their keys, each for as many rows as one statement may name.
 *
 * @param entity the entity
 * @param rows rows with all their keys
 */
export function keyConditions(entity: LinkedEntity, rows: readonly Row[]): readonly (readonly Xo[])[] {
  const names = keyNames(entity);
  const conditions: (readonly Xo[])[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE);
    conditions.push(names.length === 1 ? oneOf(names[0]!, some) : anyOf(names, some));
  }
  return conditions;
}

function oneOf(name: string, rows: readonly Row[]): readonly Xo[] {
  return [{ ref: [name] }, "in", { list: rows.map((row) => ({ val: row[name] as string })) }];
}

function anyOf(names: readonly string[], rows: readonly Row[]): readonly Xo[] {
  const conditions = rows.map((row) =>
    names.flatMap((name, index): Xo[] => [
      ...(index === 0 ? [] : ["and"]),
      { ref: [name] },
      "=",
      { val: row[name] as string },
    ])
  );
  return join(conditions, "or");
}

/** Whether a row has all its keys; without any there is nothing to find it by. */
export function hasKeys(entity: LinkedEntity, row: Row): boolean {
  const names = keyNames(entity);
  return names.length > 0 && names.every((name) => row[name] !== undefined && row[name] !== null);
}

/** The keys of a row. */
export function keysOf(entity: LinkedEntity, row: Row): Row {
  return Object.fromEntries(keyNames(entity).map((name) => [name, row[name]]));
}

/** Names of the keys that tables have. */
export function keyNames(entity: LinkedEntity): string[] {
  return [...entity.$flatKeys].filter(({ virtual }) => !virtual).map(({ name }) => name);
}

/** A text that stands for a row among those of all entities. */
export function idOf(entity: LinkedEntity, row: Row): string {
  return JSON.stringify([entity.name, ...keyNames(entity).map((name) => String(row[name]))]);
}
