/**
 * What a request changes: `await req.diff()` (api 7).
 *
 * @module
 */

import { SELECT } from "../../cqn/builders/select.ts";
import type { Column, Query, RefExpression, Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/** What a row is compared for. */
export interface DiffRequest {
  /** What is done with the row. */
  readonly event: string;
  /** The entity. */
  readonly target: LinkedEntity;
  /** The stored row or rows. */
  readonly subject: RefExpression;
  /** Reads what is stored. */
  readonly read: (query: Query) => Promise<unknown>;
}

/** A changed row: its keys, the new values, the old ones in `_old`, and what is done with it in `_op`. */
export type RowDiff = Row & { readonly _op?: "create" | "update" | "delete"; readonly _old?: Row };

/**
 * The differences between data and what is stored, parts along compositions included.
 *
 * @param data the new values
 * @param request where it is stored
 */
export async function dataDiff(data: Row, { event, target, subject, read }: DiffRequest): Promise<RowDiff> {
  if (event === "CREATE" || event === "INSERT") return created(target, data);
  const columns = event === "DELETE" ? ["*" as const] : storedColumns(target, data);
  const stored = await read(SELECT.one.from(subject).columns(...columns)) as Row | null;
  if (event === "DELETE") return { ...stored, _op: "delete" };
  return stored ? changed(target, stored, data) ?? keysOf(target, stored) : created(target, data);
}

/** Keys, what is compared, and the parts that the data names. */
function storedColumns(entity: LinkedEntity, data: Row): Column[] {
  const names = [...entity.$flat.keys()].filter((name) => name in data || entity.$flat.get(name)!.key);
  const parts = partsOf(entity, data).map(({ name, target, rows }): Column => ({
    ref: [name],
    expand: storedColumns(target, Object.assign({}, ...rows)),
  }));
  return [...names.map((name): Column => ({ ref: [name] })), ...parts];
}

interface Parts {
  readonly name: string;
  readonly target: LinkedEntity;
  readonly rows: readonly Row[];
}

function partsOf(entity: LinkedEntity, data: Row): readonly Parts[] {
  return [...entity.compositions].flatMap(({ name, $target: target }) =>
    target && name in data ? [{ name, target, rows: rowsOf(data[name]) }] : []
  );
}

function rowsOf(value: unknown): readonly Row[] {
  return [value ?? []].flat() as unknown[] as Row[];
}

function keysOf(entity: LinkedEntity, row: Row): Row {
  const names = entity.$flatKeys.map(({ name }) => name).filter((name) => row[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function created(entity: LinkedEntity, data: Row): RowDiff {
  const parts = partsOf(entity, data).map(({ name, target, rows }) => {
    const made = rows.map((row) => created(target, row));
    return [name, Array.isArray(data[name]) ? made : made[0] ?? null] as const;
  });
  return { ...data, ...Object.fromEntries(parts), _op: "create" };
}

/** What of a row differs; undefined where nothing does. */
function changed(entity: LinkedEntity, stored: Row, data: Row): RowDiff | undefined {
  const now: Row = {};
  const old: Row = {};
  for (const name of entity.$flat.keys()) {
    if (!(name in data) || isSame(stored[name], data[name])) continue;
    now[name] = data[name];
    old[name] = stored[name] ?? null;
  }
  for (const { name, target, rows } of partsOf(entity, data)) {
    const parts = partsDiff(target, rowsOf(stored[name]), rows);
    if (parts.length > 0) now[name] = Array.isArray(data[name]) ? parts : parts[0];
  }
  if (Object.keys(now).length === 0) return undefined;
  const before = Object.keys(old).length > 0 ? { _old: old } : {};
  return { ...keysOf(entity, stored), ...now, _op: "update", ...before };
}

function partsDiff(entity: LinkedEntity, stored: readonly Row[], rows: readonly Row[]): RowDiff[] {
  const isOne = (a: Row, b: Row) =>
    entity.$flatKeys.every(({ name }) => b[name] === undefined || isSame(a[name], b[name]));
  const found = rows.map((row) => [row, stored.find((one) => isOne(one, row))] as const);
  const kept = new Set(found.map(([, one]) => one));
  return [
    ...found.flatMap(([row, one]) =>
      one ? [changed(entity, one, row) ?? []].flat() as RowDiff[] : [created(entity, row)]
    ),
    ...stored.filter((one) => !kept.has(one)).map((one): RowDiff => ({ ...one, _op: "delete" })),
  ];
}

/** Values of other forms may be the same: dates, numbers in text, structures. */
function isSame(stored: unknown, given: unknown): boolean {
  const [a, b] = [stored ?? null, given ?? null].map((value) =>
    value instanceof Date ? value.toISOString() : value
  );
  if (a === b || a === null || b === null) return a === b;
  return typeof a === "object" ? JSON.stringify(a) === JSON.stringify(b) : String(a) === String(b);
}
