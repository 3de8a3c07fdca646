/**
 * When JSON text of the database can be passed on as it is.
 *
 * @module
 */

import { typeHierarchy } from "../../model/derived_types.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { mediaElement } from "../../model/edm_types.ts";
import { nestedStructures } from "../../model/nested_structures.ts";
import { JsonRows } from "../../service/database.ts";
import type { Exchange } from "../exchange.ts";
import type { Format } from "../headers/accept.ts";
import { etagElement } from "../headers/etag.ts";
import type { ExpandShape, ResultShape } from "../plan/result_shape.ts";
import type { EntityPlan } from "../plan/plan.ts";

/** Whether a result is JSON text of the database. */
export function isJsonRows(result: unknown): result is JsonRows {
  return result instanceof JsonRows;
}

/** Whether a service gave no row. */
export function isMissing(result: unknown): boolean {
  if (result === null || result === undefined) return true;
  return Array.isArray(result) ? result.length === 0 : isJsonRows(result) && result.json === "null";
}

/** What tells whether rows are written as the database gives them. */
export type WrittenRows = Pick<EntityPlan, "kind" | "shape" | "target">;

/**
 * Whether an answer in a format takes the text as it is.
 *
 * @param exchange the request
 * @param rows its plan
 * @param format the format of the answer
 */
export function takesJsonText({ preferences }: Exchange, rows: WrittenRows, format: Format): boolean {
  return format.metadata === "minimal" && !format.ieee754 && preferences.omitValues === undefined &&
    isPlainShape(rows);
}

const plainShapes = new WeakMap<ResultShape, boolean>();

/** Whether rows need no control information: no tags, counts, references, media types or nested groups. */
function isPlainShape({ kind, shape, target }: WrittenRows): boolean {
  if (!shape || (kind !== "entity" && kind !== "entitySet")) return false;
  let plain = plainShapes.get(shape);
  if (plain === undefined) plainShapes.set(shape, plain = isPlain(shape, target));
  return plain;
}

function isPlain(shape: ResultShape, entity: LinkedEntity | undefined): boolean {
  if (
    shape.aggregated || shape.members || holdsExtended(shape) || !entity || etagElement(entity) ||
    selectsStream(shape, entity)
  ) {
    return false;
  }
  if (holdsCollection(shape, entity) || needsWriting(shape, entity)) return false;
  return shape.expand.every(isPlainExpand);
}

function isPlainExpand(item: ExpandShape): boolean {
  return !item.count && !item.countOnly && !item.ref && isPlain(item.shape, item.element.$target);
}

/** Durations and values of enumerations are numbers in rows. */
function holdsExtended({ types = new Map() }: ResultShape): boolean {
  return types.values().some(({ extended }) => extended !== undefined);
}

function selectsStream(shape: ResultShape, entity: LinkedEntity): boolean {
  return shape.select?.some((name) => entity.$flat.get(name)?.element["@Core.MediaType"] !== undefined) ??
    false;
}

/** Collections are `[]` in payloads also where the database has null. */
function holdsCollection(shape: ResultShape, entity: LinkedEntity): boolean {
  const names = shape.select ?? [...entity.$flat.keys()];
  return names.some((name) => entity.$flat.get(name)?.element.$type.items !== undefined);
}

/** Values, structures and types that payloads show in another form than rows have them. */
function needsWriting(shape: ResultShape, entity: LinkedEntity): boolean {
  if (nestedStructures(entity).size > 0 || typeHierarchy(entity) || mediaElement(entity)) return true;
  const names = shape.select ?? [...entity.$flat.keys()];
  return names.some((name) => WRITTEN.has(entity.$flat.get(name)?.element.$type.extended));
}

const WRITTEN: ReadonlySet<unknown> = new Set(["Edm.Duration", "enum", "flags"]);
