/**
 * Conditions on the steps of paths: a hidden row is not there, whichever way it is reached.
 *
 * @module
 */

import { exists, join, reference } from "../../algebra/build.ts";
import type { Expr, TreeStep } from "../../algebra/tree.ts";
import { mapArray, mapOrder, withMembers } from "../../algebra/walk_tree.ts";
import { PART_BY } from "../../model/exposure.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { type Access, type EventName, type PermittedRows, withAccess } from "./access.ts";
import { assertReadable } from "./assert_capable.ts";
import { parentsOf } from "./parents.ts";
import { accessOf, assertOpen, grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";
import { forbidden, refusal } from "./refusals.ts";
import { stepName } from "../../cqn/steps.ts";

/** Restricts an expression in a step, whose names are those of an entity. */
export type RestrictInStep = (
  expression: Expr,
  entity: LinkedEntity,
  /** The name of the row, if the step gives it one. */
  as?: string,
) => Expr;

/** A path with its conditions, and where it leads. */
export interface RestrictedPath {
  /** The steps; the same array if nothing changed. */
  readonly steps: readonly TreeStep[];
  /** The entity at the end; undefined if the path does not start at one of the model. */
  readonly entity: LinkedEntity | undefined;
}

/** A path of elements. */
export interface ElementPath {
  /** The elements of the entity or structure where it starts. */
  readonly elements: LinkedElements;
  readonly steps: readonly TreeStep[];
  /** The target of the first step, where that is an association of a query and not of the entity. */
  readonly first?: LinkedEntity | undefined;
}

/** A path of elements with its conditions, and what can be named at its end. */
export interface RestrictedElementPath {
  /** The steps; the same array if nothing changed. */
  readonly steps: readonly TreeStep[];
  /** The elements of the entity or structure at the end; undefined behind other elements. */
  readonly elements: LinkedElements | undefined;
  /** The last entity that it leads to, if any. */
  readonly entity: LinkedEntity | undefined;
}

/** How a path is restricted. */
export interface PathOptions {
  /** Restricts conditions of steps. */
  readonly condition: RestrictInStep;
  /** Whether the rows at the end of the path are touched; otherwise an association at its end is its foreign key. */
  readonly touchesEnd: boolean;
}

/**
 * Restricts a path of elements that starts at an entity or a structure.
 *
 * @param pass the pass
 * @param path where it starts, and the steps from there
 * @param options what is touched
 */
export function restrictPath(
  pass: Pass,
  path: ElementPath,
  options: PathOptions,
): RestrictedElementPath {
  let elements: LinkedElements | undefined = path.elements;
  let entity: LinkedEntity | undefined;
  const steps = mapArray(path.steps, (step, index) => {
    const element = elements && findElement(elements, stepName(step));
    const target: LinkedEntity | undefined = (index === 0 ? path.first : undefined) ?? element?.$target;
    if (!target) {
      elements = element?.$type.elements ?? element?.$type.items?.$type.elements;
      return step;
    }
    elements = target.elements;
    entity = target;
    const isEnd = index === path.steps.length - 1;
    if (isEnd && !options.touchesEnd && typeof step === "string") return step;
    const access = isOwnAuthority(target)
      ? grantedAccess(pass, target, "READ")
      : target[PART_BY] !== undefined && element?.isComposition !== true
      ? grantedParts(pass, target, "READ")
      : "all";
    if (!pass.isInView) assertReadable(target);
    return withAccess(withOwnCondition(step, target, options), access);
  });
  return { steps, elements, entity };
}

/**
 * Restricts what a query reads from or writes to: an entity, or a path from one.
 *
 * @param pass the pass
 * @param path full name of the entity, and steps along associations
 * @param options the event at the end of the path, and whether its start is permitted already
 */
export function restrictRoot(
  pass: Pass,
  path: readonly TreeStep[],
  options: {
    readonly condition: RestrictInStep;
    readonly event: EventName;
    /** Whether the path starts at a row of the query around, which is one that the user may read. */
    readonly isReached?: boolean;
  },
): RestrictedPath {
  const [only] = path;
  if (path.length === 1 && typeof only === "string") return restrictName(pass, path, options);
  const entities = entitiesOf(pass, path);
  if (entities === undefined) return { steps: path, entity: undefined };
  const end = entities.length - 1;
  const isStart = (index: number) =>
    isOwnAuthority(entities[index]!) || (index > 0 && isPartAside(entities, path, index));
  const authorities = entities.map((_, index) => lastAt(index, isStart));
  const events = new Map<number, EventName[]>();
  const accesses = new Map<number, "all" | PermittedRows>();
  const [first] = path;
  authorities.forEach((authority, index) => {
    // whoever gave the rows has decided about them
    if (index === 0 && typeof first === "object" && first.rows) return;
    const event = index === end ? options.event : "READ";
    if (authority === undefined) {
      // a part at the start, which nothing leads to, and what the path ends at
      const isAsked = !options.isReached && (index === 0 || index === end);
      if (isAsked) accesses.set(index, grantedParts(pass, entities[index]!, event));
    } else if (index === end || index === authority) {
      events.set(authority, [...events.get(authority) ?? [], event]);
    }
  });
  for (const [at, list] of events) {
    const granted = isOwnAuthority(entities[at]!) ? grantedAccess : grantedParts;
    accesses.set(at, granted(pass, entities[at]!, list.flat()));
  }
  const read = options.event === "READ" ? entities : entities.slice(0, -1);
  if (!pass.isInView) read.forEach(assertReadable);
  const steps = mapArray(
    path,
    (step, index) =>
      withAccess(withOwnCondition(step, entities[index]!, options), accesses.get(index) ?? "all"),
  );
  return { steps, entity: entities[end] };
}

/** An entity by its name alone: most paths are no longer. */
function restrictName(
  pass: Pass,
  path: readonly TreeStep[],
  { event, isReached }: { readonly event: EventName; readonly isReached?: boolean },
): RestrictedPath {
  const entity = pass.model.entity(stepName(path[0]!));
  if (entity === undefined) return { steps: path, entity };
  const access = isOwnAuthority(entity)
    ? grantedAccess(pass, entity, event)
    : isReached
    ? "all"
    : grantedParts(pass, entity, event);
  if (event === "READ" && !pass.isInView) assertReadable(entity);
  return { steps: typeof access === "string" ? path : [withAccess(path[0]!, access)], entity };
}

/**
 * The part of a path that leads to the entity whose restriction holds at its end.
 *
 * @param pass the pass
 * @param path full name of an entity, and steps along associations
 * @returns undefined if there is none, or if the path does not start at an entity
 */
export function authorityPath(
  pass: Pass,
  path: readonly TreeStep[],
): { readonly entity: LinkedEntity; readonly path: readonly TreeStep[] } | undefined {
  const entities = entitiesOf(pass, path);
  const at = entities && lastAt(entities.length - 1, (index) => isOwnAuthority(entities[index]!));
  return at === undefined ? undefined : { entity: entities![at]!, path: path.slice(0, at + 1) };
}

/** The entities of a path; undefined if it does not start at one of the model. */
function entitiesOf(pass: Pass, path: readonly TreeStep[]): LinkedEntity[] | undefined {
  const entities: LinkedEntity[] = [];
  for (const [index, step] of path.entries()) {
    const entity: LinkedEntity | undefined = index === 0
      ? pass.model.entity(stepName(step))
      : findElement(entities[index - 1]!.elements, stepName(step))?.$target;
    if (!entity) return undefined;
    entities.push(entity);
  }
  return entities;
}

/** The last index up to a given one for which something holds. */
function lastAt(index: number, holds: (index: number) => boolean): number | undefined {
  for (let at = index; at >= 0; at--) if (holds(at)) return at;
  return undefined;
}

/** Whether a step leads to parts by another way than from what they are parts of. */
function isPartAside(entities: readonly LinkedEntity[], path: readonly TreeStep[], index: number): boolean {
  if (entities[index]![PART_BY] === undefined) return false;
  return findElement(entities[index - 1]!.elements, stepName(path[index]!))?.isComposition !== true;
}

function withOwnCondition(
  step: TreeStep,
  entity: LinkedEntity,
  { condition }: { readonly condition: RestrictInStep },
): TreeStep {
  if (typeof step === "string") return step;
  const restrict = (expression: Expr) => condition(expression, entity, step.as);
  const { where, groupBy, having, orderBy } = step;
  return withMembers(step, {
    ...(where && { where: restrict(where) }),
    ...(groupBy && { groupBy: mapArray(groupBy, restrict) }),
    ...(having && { having: restrict(having) }),
    ...(orderBy && { orderBy: mapOrder(orderBy, restrict) }),
  });
}

/** The element of a name, also of a flat one (`address_country`). */
export function findElement(elements: LinkedElements, name: string): LinkedElement | undefined {
  if (Object.hasOwn(elements, name)) return elements[name];
  for (const element of elements) {
    const inner = element.$type.elements;
    if (inner && name.startsWith(`${element.name}_`)) {
      const found = findElement(inner, name.slice(element.name.length + 1));
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * What the user may do to an entity that stands for nothing itself and is not reached by a path from what it is a part of:
 * of parts that name their wholes, those of permitted wholes; of others all, where everything is permitted in the wholes.
 *
 * @throws ServiceError 401 or 403
 */
function grantedParts(pass: Pass, entity: LinkedEntity, event: EventName): Exclude<Access, "none"> {
  const access = accessOfParts(pass, entity, event);
  if (access === "none") {
    throw refusal(pass, () => `${entity} is a part of entities that are not permitted for ${event}`);
  }
  if (access) return access;
  assertParents(pass, entity, event);
  return "all";
}

/** Undefined for parts that do not name all their wholes. */
function accessOfParts(pass: Pass, entity: LinkedEntity, event: EventName): Access | undefined {
  const links = entity[PART_BY] as readonly string[] | undefined; // as the model writes it
  if (links === undefined) return undefined;
  const conditions: Expr[] = [];
  const wholes = parentsOf(pass.model, entity);
  for (const whole of wholes) {
    const link = links.find((name) => entity.elements[name]?.$target === whole);
    const access = isOwnAuthority(whole) ? accessOf(pass, whole, event) : accessOfParts(pass, whole, event);
    if (access === undefined || (link === undefined && access !== "all")) return undefined;
    if (access === "none") continue;
    if (access === "all" && (link === undefined || wholes.length === 1)) return "all";
    conditions.push(exists(reference([withAccess(link!, access)])));
  }
  if (conditions.length > 0) return { where: join("or", conditions) };
  return wholes.length > 0 ? "none" : pass.isAdmitted ? "all" : "none";
}

/**
 * Refuses access to a generated entity without path from its parent, unless everything is permitted in the parents.
 *
 * @throws ServiceError 401 or 403
 */
function assertParents(pass: Pass, entity: LinkedEntity, event: EventName): void {
  const parents = parentsOf(pass.model, entity);
  if (parents.length === 0) assertOpen(pass);
  for (const parent of parents) {
    if (isOwnAuthority(parent) && grantedAccess(pass, parent, event) !== "all") {
      throw forbidden(() =>
        `${entity} is a part of ${parent}, of which not all rows are permitted for ${event}`
      );
    }
    if (!isOwnAuthority(parent)) assertParents(pass, parent, event);
  }
}
