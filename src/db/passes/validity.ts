/**
 * Temporal data: of entities with `@cds.valid.from` and `@cds.valid.to` only the slices are read that are valid at the
 * time the caller asks for (csn-cqn 9, 14).
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { Anchor, Lowering } from "./scope.ts";

/** The elements that hold when a slice is valid. */
interface ValidityElements {
  readonly from?: FlatElement;
  readonly to?: FlatElement;
}

const known: WeakMap<LinkedEntity, ValidityElements> = new WeakMap();

/**
 * The elements of an entity annotated `@cds.valid.from` and `@cds.valid.to`.
 *
 * @param entity any entity
 */
function validityElements(entity: LinkedEntity): ValidityElements {
  let elements = known.get(entity);
  if (elements === undefined) {
    const flats = [...entity.$flat.values()].filter(({ virtual }) => !virtual);
    elements = {
      from: flats.find(({ annotated }) => annotated["@cds.valid.from"] === true),
      to: flats.find(({ annotated }) => annotated["@cds.valid.to"] === true),
    };
    known.set(entity, elements);
  }
  return elements;
}

/**
 * The condition that a row is valid: from before `$at.to` until after `$at.from`; a bound that is null is open.
 *
 * @param lowering the steps of lowering
 * @param anchor alias and entity of the row
 * @returns undefined for entities that are not temporal, and where all slices are read
 */
export function validityCondition(
  lowering: Lowering,
  { alias, entity }: Pick<Anchor, "alias" | "entity">,
): readonly Xo[] | undefined {
  if (!lowering.temporal) return undefined;
  const { from, to } = validityElements(entity);
  const bounds = [
    ...(from ? [bound({ ref: [alias, from.name] }, "<", at(lowering, "to", from))] : []),
    ...(to ? [bound({ ref: [alias, to.name] }, ">", at(lowering, "from", to))] : []),
  ];
  return bounds.length === 0 ? undefined : bounds.flatMap((one, index) => index ? ["and", one] : [one]);
}

function bound(column: Expression, operator: string, limit: Expression): Xo {
  return { xpr: [column, "is", "null", "or", column, operator, limit] };
}

/** The units of elements that do not hold all of an instant. */
const UNITS: Readonly<Record<string, "seconds" | "days">> = { "cds.DateTime": "seconds", "cds.Date": "days" };

/** The time in the form of the element; a day begins at midnight. */
function at({ validity }: Lowering, end: "from" | "to", { element }: FlatElement): Expression {
  const unit = UNITS[element.$type.builtin ?? ""];
  if (validity) return validity[end][unit ?? "exact"];
  return { ref: ["$at", end, ...(unit ? [unit] : [])] };
}
