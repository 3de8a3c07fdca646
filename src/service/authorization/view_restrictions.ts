/**
 * Which restrictions hold for an entity: its own, or those of all entities that a view reads (auth 7).
 *
 * @module
 */

import type { Expr, TreeStep } from "../../algebra/tree.ts";
import { mapPaths, someOf } from "../../algebra/walk_tree.ts";
import type { Column, SelectBody } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import { entitiesRead, readsFirstSourceOnly } from "../../model/entities_read.ts";
import { hasParameters } from "../../model/runtime_view.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { admitsAny, hasOwnRestriction, ownRestrictions, type Restriction } from "./restrictions.ts";

const RESTRICTED: WeakMap<LinkedEntity, boolean> = new WeakMap();
const HELD: WeakMap<LinkedEntity, readonly Restriction[] | "by query"> = new WeakMap();

/**
 * Whether an entity is restricted: by itself, or as a view that reads one that is.
 *
 * @param entity any entity
 */
export function isRestricted(entity: LinkedEntity): boolean {
  let restricted = RESTRICTED.get(entity);
  if (restricted === undefined) {
    RESTRICTED.set(entity, false); // a view does not read itself
    restricted = hasOwnRestriction(entity) || entitiesRead(entity).some(isRestricted);
    RESTRICTED.set(entity, restricted);
  }
  return restricted;
}

/**
 * The restrictions of an entity. A projection that shows all elements that the conditions of its source name has these,
 * under its own names; of other views only the query tells which rows may be seen.
 *
 * @param entity any entity
 * @returns none if it is not restricted; `"by query"` where conditions hold below the columns of the view
 */
export function restrictionsHeld(entity: LinkedEntity): readonly Restriction[] | "by query" {
  let held = HELD.get(entity);
  if (held === undefined) {
    const isInherited = !hasOwnRestriction(entity) && isRestricted(entity);
    held = isInherited ? renamedRestrictions(entity) ?? "by query" : ownRestrictions(entity);
    HELD.set(entity, held);
  }
  return held;
}

/** Whether somebody without login may use an entity: `any` is written at it, or at all that the view reads. */
export function isOpenToAny(entity: LinkedEntity): boolean {
  const held = restrictionsHeld(entity);
  return held === "by query" ? entitiesRead(entity).every(isOpenToAny) : admitsAny(held);
}

/**
 * Tells which views of services carry a restriction of their own although they read restricted entities: their authors
 * have decided otherwise than those of the entities, which nobody should overlook.
 *
 * @param model the linked model
 * @param log takes a line for each view
 */
export function logOverridingViews(model: LinkedModel, log: { info(text: string): void }): void {
  for (const service of model.services.filter((one) => !one["@cds.external"])) {
    for (const view of [...service.entities].filter(hasOwnRestriction)) {
      const replaced = entitiesRead(view).filter(isRestricted);
      if (replaced.length === 0) continue;
      log.info(`${view} carries a restriction of its own in place of those of ${replaced.join(", ")}`);
    }
  }
}

/** The restrictions of the source of a projection under its own names; undefined where it has not all of them. */
function renamedRestrictions(entity: LinkedEntity): readonly Restriction[] | undefined {
  const { $source: source } = entity;
  if (!source) return undefined;
  const select = entity.$select!; // what has a source selects from it
  if (!showsRowsOf(select) || hasParameters(entity)) return undefined;
  if (!readsFirstSourceOnly(entity)) return undefined;
  const held = restrictionsHeld(source);
  if (held === "by query") return undefined;
  const names = shownNames(select, source);
  const restrictions: Restriction[] = [];
  for (const restriction of held) {
    const renamed = restriction.map((privilege) => {
      const where = privilege.where && renamedCondition(privilege.where, names);
      return privilege.where && !where ? undefined : { ...privilege, ...(where && { where }) };
    });
    if (renamed.includes(undefined)) return undefined;
    restrictions.push(renamed as Restriction); // none is undefined
  }
  return restrictions;
}

/** Whether a query shows rows of one entity, so that conditions may be asked before or after it alike. */
function showsRowsOf({ from, groupBy, having, distinct, limit, one, mixin }: SelectBody): boolean {
  return "ref" in from && from.ref.length === 1 && typeof from.ref[0] === "string" &&
    !groupBy && !having && !distinct && !limit && !one && !mixin;
}

/** The names that plain elements of a source have in a projection. */
function shownNames(select: SelectBody, source: LinkedEntity): ReadonlyMap<string, string> {
  const { columns = ["*"], excluding = [], from } = select;
  const alias = "as" in from ? from.as : source.name.split(".").at(-1)!;
  const shown = new Map<string, string>();
  const taken = new Set(columns.map(nameOf));
  for (const column of columns) {
    if (column === "*") {
      for (const { name } of source.elements) {
        if (isPlain(source, name) && !excluding.includes(name) && !taken.has(name)) shown.set(name, name);
      }
      continue;
    }
    if (!("ref" in column) || "expand" in column || "inline" in column || column.cast) continue;
    const [first, second, ...more] = column.ref ?? [];
    const step = second !== undefined && first === alias && more.length === 0 ? second : first;
    const isOne = second === undefined || step === second;
    if (isOne && typeof step === "string" && isPlain(source, step) && !shown.has(step)) {
      shown.set(step, nameOf(column)!);
    }
  }
  return shown;
}

function nameOf(column: Column): string | undefined {
  if (column === "*") return undefined;
  if (column.as !== undefined) return column.as;
  const last = "ref" in column ? column.ref?.at(-1) : undefined;
  return typeof last === "object" ? last.id : last;
}

/** Whether an element is one value of the row itself, the same in every language. */
function isPlain({ elements }: LinkedEntity, name: string): boolean {
  const element = elements[name];
  return element !== undefined && !element.isAssociation && !element.$type.elements && !element.$type.items &&
    element.virtual !== true && element.localized !== true && element.value === undefined;
}

/** A condition with the names of a projection; undefined where it asks for more than elements that this shows. */
function renamedCondition(where: Expr, names: ReadonlyMap<string, string>): Expr | undefined {
  const isShown = ({ kind, ref }: { readonly kind: string; readonly ref?: readonly TreeStep[] }) => {
    if (kind === "select" || kind === "set") return false;
    return kind !== "reference" || (ref!.length === 1 && typeof ref![0] === "string" && names.has(ref![0]));
  };
  if (someOf(where, (one) => !isShown(one))) return undefined;
  return mapPaths(where, ([name]) => [names.get(stepName(name!))!]);
}
