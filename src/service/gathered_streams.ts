/**
 * Streams in written rows: databases take bytes.
 *
 * @module
 */

import type { EntityRef, InsertBody, Query, Row } from "../cqn/cqn.ts";
import type { LinkedEntity, LinkedModel } from "../model/linked.ts";
import { heldBytes, isStream, readAllBytes } from "../util/bytes.ts";
import { entityOf } from "./validation/fill_managed.ts";

/**
 * A query with bytes in place of the streams in its rows.
 *
 * @param query any query
 * @param model the linked model
 * @returns undefined where there is nothing to wait for
 */
export function gatheredStreams(query: Query, model: LinkedModel): Promise<Query> | undefined {
  if ("SELECT" in query) return undefined;
  const into = placeOf(query);
  const entity = into && entityOf(into, model);
  return entity && holdsBytes(entity) && hasStream(rowsOf(query)) ? gathered(query) : undefined;
}

function placeOf(query: Query): EntityRef | undefined {
  if ("INSERT" in query) return query.INSERT.into;
  if ("UPSERT" in query) return query.UPSERT.into;
  return "UPDATE" in query ? query.UPDATE.entity : undefined;
}

/** All members of a query that hold values. */
function rowsOf(query: Query): unknown {
  if ("UPDATE" in query) return [query.UPDATE.data];
  const { entries, rows, values } = "INSERT" in query
    ? query.INSERT
    : (query as { UPSERT: InsertBody }).UPSERT;
  return [entries, rows, values];
}

const KNOWN: WeakMap<LinkedEntity, boolean> = new WeakMap();

/** Whether rows of an entity, or their parts, have bytes. */
function holdsBytes(entity: LinkedEntity): boolean {
  let known = KNOWN.get(entity);
  if (known === undefined) KNOWN.set(entity, known = findsBytes(entity, new Set()));
  return known;
}

function findsBytes(entity: LinkedEntity, seen: Set<LinkedEntity>): boolean {
  if (seen.has(entity)) return false;
  seen.add(entity);
  for (const { element: { $type: { builtin } } } of entity.$flat.values()) {
    if (builtin === "cds.Binary" || builtin === "cds.LargeBinary") return true;
  }
  return [...entity.compositions].some(({ $target }) => $target !== undefined && findsBytes($target, seen));
}

function hasStream(value: unknown): boolean {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  return isStream(value) || Object.values(value).some(hasStream);
}

async function gathered(query: Query): Promise<Query> {
  const [kind, body] = Object.entries(query)[0] as [string, Record<string, unknown>];
  const copy = { ...body };
  for (const name of ["entries", "rows", "values", "data"]) {
    if (copy[name] !== undefined) copy[name] = await withBytes(copy[name]);
  }
  return { [kind]: copy } as unknown as Query; // of the same kind
}

/** Values with bytes in place of streams, one after the other: they may share what they come from. */
async function withBytes(value: unknown): Promise<unknown> {
  if (isStream(value)) return heldBytes(value) ?? await readAllBytes(value);
  if (!hasStream(value)) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await withBytes(item));
    return items;
  }
  const row: Row = {};
  for (const [name, member] of Object.entries(value as Row)) row[name] = await withBytes(member);
  return row;
}
