/**
 * The slice of temporal data that is valid at the time of a request.
 *
 * @module
 */

import type { Xo } from "../cqn/cqn.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { FlatElement, LinkedEntity } from "./linked.ts";
import { placeOf } from "./problems.ts";

/** The elements that hold when a slice is valid. */
export interface ValidityElements {
  readonly from?: FlatElement;
  readonly to?: FlatElement;
}

const ELEMENTS: WeakMap<LinkedEntity, ValidityElements> = new WeakMap();
const CONDITIONS: WeakMap<LinkedEntity, readonly Xo[]> = new WeakMap();

/**
 * The elements of an entity annotated `@cds.valid.from` and `@cds.valid.to`.
 *
 * @param entity any entity
 */
export function validityElements(entity: LinkedEntity): ValidityElements {
  let elements = ELEMENTS.get(entity);
  if (elements === undefined) {
    const flats = [...entity.$flat.values()].filter(({ virtual }) => !virtual);
    elements = {
      from: flats.find(({ annotated }) => annotated["@cds.valid.from"] === true),
      to: flats.find(({ annotated }) => annotated["@cds.valid.to"] === true),
    };
    ELEMENTS.set(entity, elements);
  }
  return elements;
}

/**
 * Whether all stored rows have a value: keys, and what tells the slices of a key apart.
 *
 * @param entity any entity
 * @param flat one of its elements
 */
export function isNeverNull(entity: LinkedEntity, flat: FlatElement): boolean {
  if (flat.notNull || entity.$rowKeys.includes(flat)) return true;
  return entity.$rowKeys.length > 0 && validityElements(entity).from === flat;
}

const INSTANTS: ReadonlySet<string | undefined> = new Set(["cds.Date", "cds.DateTime", "cds.Timestamp"]);

/**
 * Makes sure that the annotations of an entity say when its rows are valid.
 *
 * @param entity any entity
 * @throws {ConfigurationError} for bounds that are several or no times, and for keys of slices without a beginning
 */
export function assertValidity(entity: LinkedEntity): void {
  const marked = (term: `@cds.valid.${string}`) =>
    [...entity.$flat.values()].filter(({ annotated, virtual }) => !virtual && annotated[term] === true);
  for (const term of ["@cds.valid.from", "@cds.valid.to"] as const) {
    const [first, second] = marked(term);
    if (second) throw mistake(`${term} stands at "${first!.name}" and "${second.name}"`, second);
    if (first && !INSTANTS.has(first.element.$type.builtin)) {
      throw mistake(`${term} stands at "${first.name}", which is no date and no time`, first);
    }
  }
  const [key] = marked("@cds.valid.key");
  if (!key || marked("@cds.valid.from").length > 0) return;
  throw mistake(`@cds.valid.key at "${key.name}" needs an element with @cds.valid.from`, key);
}

function mistake(message: string, { annotated }: FlatElement): ConfigurationError {
  return new ConfigurationError(message, placeOf(annotated));
}

/** The units of elements that do not hold all of an instant. */
const UNITS: Readonly<Record<string, "seconds" | "days">> = { "cds.DateTime": "seconds", "cds.Date": "days" };

/**
 * The part of an instant that an element holds.
 *
 * @param flat an element of a temporal type
 * @returns undefined for all of it
 */
export function validityUnit({ element }: FlatElement): "seconds" | "days" | undefined {
  return UNITS[element.$type.builtin ?? ""];
}

/**
 * The condition, over elements of the entity, that a row is valid at the time of the request: from before its end until after
 * its beginning; a bound that is null is open.
 *
 * @param entity any entity
 * @returns empty for entities that are not temporal
 */
export function validSlice(entity: LinkedEntity): readonly Xo[] {
  let condition = CONDITIONS.get(entity);
  if (condition === undefined) {
    const { from, to } = validityElements(entity);
    const bounds = [...(from ? [bound(from, "<", "to")] : []), ...(to ? [bound(to, ">", "from")] : [])];
    condition = Object.freeze(bounds.flatMap((one, index) => index > 0 ? ["and", one] : [one]));
    CONDITIONS.set(entity, condition);
  }
  return condition;
}

function bound(flat: FlatElement, operator: string, end: "from" | "to"): Xo {
  const unit = validityUnit(flat);
  const element = { ref: [flat.name] };
  const at = { ref: ["$at", end, ...(unit ? [unit] : [])] };
  return Object.freeze({ xpr: [element, "is", "null", "or", element, operator, at] });
}
