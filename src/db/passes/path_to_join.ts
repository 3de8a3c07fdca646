import {
  allOf,
  call,
  column as columnNode,
  exists,
  literal,
  NULL,
  ONE,
  select,
} from "../../algebra/build.ts";
import type { Expr, TreeStep } from "../../algebra/tree.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { FlatElement, LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import { associationCondition, validityCondition } from "./association_condition.ts";
import { localizedColumn, sameRow } from "./localize.ts";
import { type Anchor, type Lowering, type ResolvedPath, Scope, stepSource } from "./scope.ts";
import { stepName } from "../../cqn/steps.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import { mapPaths } from "../../algebra/walk_tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { symbolValue } from "./value_type.ts";

/**
 * Follows steps from a place.
 *
 * @param lowering the steps of lowering
 * @param start where the path starts
 * @param steps names, with infix filters where associations have them
 * @throws TypeError for unknown elements
 */
export function resolvePath(lowering: Lowering, start: Anchor, steps: readonly TreeStep[]): ResolvedPath {
  let anchor = start;
  let elements: LinkedElements = anchor.entity.elements;
  let flat = "";
  for (const [index, step] of steps.entries()) {
    const name = stepName(step);
    const mixin = index === 0 ? anchor.scope.mixins.get(name) : undefined;
    const element: LinkedElement | undefined = mixin ?? elements[name];
    const rest = steps.slice(index + 1);
    if (element === undefined) return flatColumn(lowering, anchor, `${flat}${name}`);
    if (element.isAssociation) {
      if (rest.length === 0) return { kind: "association", association: element, anchor, step };
      const key = typeof step === "string" ? foreignKey(element, rest) : undefined;
      if (key) return column(lowering, anchor, key.element);
      anchor = joinTarget(lowering, anchor, { association: element, step });
      elements = anchor.entity.elements;
      flat = "";
    } else if (element.$type.elements && element.$type.builtin === undefined) {
      if (rest.length === 0) return { kind: "structure", anchor, element, flat: `${flat}${name}` };
      elements = element.$type.elements;
      flat += `${name}_`;
    } else return flatColumn(lowering, anchor, `${flat}${name}`);
  }
  throw new TypeError(`An empty path leads nowhere in "${start.entity.name}"`);
}

function foreignKey(
  association: LinkedElement,
  rest: readonly TreeStep[],
): { element: FlatElement } | undefined {
  if (!association.isManaged) return undefined;
  const target = rest.map(stepName).join("_");
  return association.$foreignKeys?.find((key) => key.target === target);
}

function flatColumn(lowering: Lowering, anchor: Anchor, name: string): ResolvedPath {
  const flat = anchor.entity.$flat.get(name);
  if (flat === undefined) throw unknownElement(anchor.entity, name);
  return column(lowering, anchor, flat);
}

/**
 * The error for a path that leads nowhere.
 *
 * @param entity where the element was looked for
 * @param name what was asked for
 */
export function unknownElement(entity: LinkedEntity, name: string): TypeError {
  const near = nearestName(name, [
    ...entity.$flat.keys(),
    ...[...entity.associations].map((item) => item.name),
  ]);
  return new TypeError(
    `Unknown element "${name}" of "${entity.name}"${near ? `, the nearest is "${near}"` : ""}`,
  );
}

function column(lowering: Lowering, anchor: Anchor, flat: FlatElement): ResolvedPath {
  const { element } = flat;
  const type = element.$type.builtin;
  if (flat.virtual) return { kind: "column", expression: { ...NULL, type }, element, type };
  const { value } = element;
  if (value !== undefined && !value.stored && viewQuery(anchor.entity) === undefined && !flat.foreignKey4) {
    return { kind: "column", expression: calculated(lowering, anchor, flat), element, type };
  }
  const plain = columnNode(anchor.alias, flat.name, { type });
  const localized = lowering.localized ? localizedColumn(lowering, flat, anchor.entity) : undefined;
  if (localized === undefined) return { kind: "column", expression: plain, element, type };
  const texts = joinTarget(lowering, anchor, { association: localized, step: localized.name });
  const expression = call("coalesce", [columnNode(texts.alias, flat.name, { type }), plain], { type });
  return { kind: "column", expression, element, type };
}

/** A calculated element is replaced by its expression, with as many digits as its type has. */
function calculated(lowering: Lowering, anchor: Anchor, flat: FlatElement): Expr {
  const lowered = lowering.expression(calculation(flat, anchor.entity), anchoredScope(anchor));
  const { builtin, scale } = flat.element.$type;
  return builtin === "cds.Decimal" && typeof scale === "number"
    ? call("round", [lowered, literal(scale)], { type: builtin })
    : lowered;
}

/**
 * A scope that sees one source and adds its joins to the scope of that source.
 *
 * @param anchor the source
 * @param step the step that leads to it: it may have a name
 */
export function anchoredScope(anchor: Anchor, step: TreeStep = anchor.alias): Scope {
  const { alias, entity } = anchor;
  const scope = new AnchoredScope(anchor);
  scope.sources.push(stepSource(step, { alias, name: alias, entity }));
  return scope;
}

class AnchoredScope extends Scope {
  readonly #owner: Scope;
  constructor(anchor: Anchor) {
    super(anchor.scope, false);
    this.#owner = anchor.scope;
  }
  override join(...args: Parameters<Scope["join"]>): string {
    return this.#owner.join(...args);
  }
}

/**
 * The infix filter of a step. Joins that its paths need cannot stand before the join whose rows they start at, so the
 * filter becomes a subquery over the same row.
 */
function filterOfJoin(lowering: Lowering, where: Expr, { place, step }: FilteredJoin): Expr {
  const scope = new Scope(place.scope, false);
  const condition = lowering.expression(where, anchoredScope({ ...place, scope }, step));
  if (!scope.hasJoins) return condition;
  const alias = lowering.alias("row");
  const from = scope.withJoins(lowering.table(place.entity, alias));
  return exists(
    select({ columns: [ONE], from, where: allOf([sameRow(place.entity, alias, place.alias), condition]) }),
  );
}

/** The step that leads to a join, which has a filter. */
interface FilteredJoin {
  readonly place: Anchor;
  readonly step: TreeStep;
}

/** The target of an association as a place, left joined on first use. */
function joinTarget(
  lowering: Lowering,
  anchor: Anchor,
  to: { readonly association: LinkedElement; readonly step: TreeStep },
): Anchor {
  const { association, step } = to;
  const target = association.$target;
  if (target === undefined) throw new TypeError(`The target of "${association}" is not in the model`);
  const filter = typeof step === "string" ? "" : JSON.stringify([step.where, step.query]);
  const key = `${anchor.alias}/${association}/${filter}/${lowering.localized}`;
  const alias = anchor.scope.join(key, () => {
    const name = lowering.alias(association.name);
    const place = { alias: name, entity: target, scope: anchor.scope };
    return {
      alias: name,
      source: lowering.table(target, name, step),
      on: () => {
        const on = associationCondition(lowering, association, { from: anchor, to: place });
        const valid = validityCondition(lowering, place);
        const where = typeof step === "string" ? undefined : step.where;
        return allOf([on, where && filterOfJoin(lowering, where, { place, step }), valid])!;
      },
    };
  });
  return { alias, entity: target, scope: anchor.scope };
}

/**
 * The expression of a calculated element, with paths that start at the entity. Those of an element of a structure
 * start among the elements beside it.
 *
 * @param flat the element
 * @param entity has the element
 */
export function calculation({ element, path }: FlatElement, entity: LinkedEntity): Expr {
  const { stored: _stored, ...value } = element.value!; // the caller has looked for it
  const given = value as Expression;
  if ("#" in given) return literal(symbolValue(given["#"], element.$type.enum));
  const expression = fromExpression(given);
  const around = path.slice(0, -1);
  const beside = around.reduce<LinkedElements | undefined>(
    (elements, step) => elements?.[step]?.$type.elements,
    entity.elements,
  );
  if (around.length === 0 || !beside) return expression;
  return mapPaths(expression, (ref) => {
    const first = stepName(ref[0]!);
    if (first === "$self") return ref.slice(1);
    return beside[first] ? [...around, ...ref] : ref;
  });
}
