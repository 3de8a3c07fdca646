/**
 * INSERT, UPSERT, UPDATE and DELETE in memory, deep along compositions.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { removedRows } from "../../cqn/delta_rows.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { suppliersOf, type WriteEvent } from "../../service/validation/fill_managed.ts";
import { joinPairs, valueOf } from "./navigate.ts";
import type { DraftTables } from "./tables.ts";

/** The text that identifies a row. */
export function keyText(entity: LinkedEntity, row: Row): string {
  return JSON.stringify(entity.$flatKeys.map(({ name }) => String(row[name] ?? "")));
}

/**
 * Inserts a row and its composition children.
 *
 * @throws ServiceError 409 `ENTITY_ALREADY_EXISTS`
 */
export function insertRow(entity: LinkedEntity, data: Row, draft: DraftTables): Row {
  const row = { ...ownColumns(entity, data), ...generated(entity, "insert", { data, draft }) };
  const table = draft.writable(entity.name);
  const key = keyText(entity, row);
  if (table.has(key)) throw new ServiceError({ status: 409, code: "ENTITY_ALREADY_EXISTS" });
  table.set(key, row);
  writeChildren(entity, { row, data }, draft);
  return row;
}

/** Changes a row; compositions in the data replace the children there are. */
export function updateRow(
  entity: LinkedEntity,
  before: Row,
  change: { data: Row; draft: DraftTables },
): void {
  const { data, draft } = change;
  const keys = Object.fromEntries(entity.$flatKeys.map(({ name }) => [name, before[name]]));
  const own = ownColumns(entity, data, false);
  const changes = Object.keys(own).some((name) => !(name in keys));
  const filled = changes ? generated(entity, "update", change) : {};
  const row = { ...before, ...own, ...filled, ...keys };
  draft.writable(entity.name).set(keyText(entity, row), row);
  writeChildren(entity, { row, data }, draft);
}

/** What the framework supplies where the data says nothing. */
function generated(
  entity: LinkedEntity,
  event: WriteEvent,
  { data, draft }: { readonly data: Row; readonly draft: DraftTables },
): Row {
  const { context } = draft;
  if (!context) return {};
  const given = ownColumns(entity, data, false);
  const missing = suppliersOf(entity, event).filter(({ flat }) => given[flat.name] === undefined);
  return Object.fromEntries(missing.map(({ flat, value }) => [flat.name, value(context) ?? null]));
}

/** Inserts the row, or changes the one with the same key. */
export function upsertRow(entity: LinkedEntity, data: Row, draft: DraftTables): void {
  const existing = draft.tables.get(entity.name)?.get(keyText(entity, ownColumns(entity, data)));
  if (existing) updateRow(entity, existing, { data, draft });
  else insertRow(entity, data, draft);
}

/** Deletes a row and its composition children. */
export function deleteRow(entity: LinkedEntity, row: Row, draft: DraftTables): void {
  draft.writable(entity.name).delete(keyText(entity, row));
  for (const composition of entity.compositions) {
    for (const child of childrenOf(composition, row, draft)) deleteRow(composition.$target!, child, draft);
  }
}

function writeChildren(entity: LinkedEntity, given: { row: Row; data: Row }, draft: DraftTables): void {
  for (const composition of entity.compositions) {
    const nested = given.data[composition.name];
    if (nested === undefined) continue;
    const target = composition.$target!;
    const link = linkOf(composition, given.row);
    const children = nested === null ? [] : [nested].flat().map((child) => ({ ...child as Row, ...link }));
    const kept = new Set(children.map((child) => keyText(target, ownColumns(target, child))));
    const removed = removedRows(nested)?.map((child) =>
      keyText(target, ownColumns(target, { ...child, ...link }))
    );
    for (const child of childrenOf(composition, given.row, draft)) {
      const key = keyText(target, child);
      if (removed ? removed.includes(key) : !kept.has(key)) deleteRow(target, child, draft);
    }
    for (const child of children) upsertRow(target, child, draft);
  }
}

/** Columns of a child that point to its parent. */
function linkOf(composition: LinkedElement, parent: Row): Row {
  const pairs = joinPairs(composition, composition.$target!);
  return Object.fromEntries(pairs.map(({ source, target }) => [target, valueOf(source, parent)]));
}

function childrenOf(composition: LinkedElement, parent: Row, draft: DraftTables): Row[] {
  const link = Object.entries(linkOf(composition, parent));
  const rows = draft.tables.get(composition.$target!.name)?.values() ?? [];
  return [...rows].filter((row) => link.every(([name, value]) => String(row[name]) === String(value)));
}

/** The columns of the entity itself, flat; foreign keys also from `author: {ID}`. */
function ownColumns(entity: LinkedEntity, data: Row, complete = true): Row {
  const row: Row = {};
  for (const flat of entity.$flat.values()) {
    if (flat.virtual) continue;
    const value = flat.name in data ? data[flat.name] : nestedValue(data, flat.path);
    if (value !== undefined) row[flat.name] = value;
    else if (complete) row[flat.name] = null;
  }
  return row;
}

function nestedValue(data: Row, path: readonly string[]): unknown {
  if (path.length === 1) return undefined;
  const [first, ...rest] = path;
  const nested = data[first];
  if (nested === null) return null;
  return typeof nested === "object" && nested !== undefined ? (nested as Row)[rest.join("_")] : undefined;
}
