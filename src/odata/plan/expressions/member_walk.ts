/**
 * The state of planning a path in an expression, and the references that come out of it.
 *
 * @module
 */

import { conjunction } from "../../../cqn/conjunction.ts";
import type { Expression, RefStep, RefStepObject, SelectQuery, Xo } from "../../../cqn/cqn.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { CommonExpr } from "../../url/ast.ts";
import type { ValueType } from "./literal_values.ts";
import { outerValues } from "./outer_values.ts";
import { badRequest } from "../plan_error.ts";
import type { DerivedCast } from "../type_names.ts";
import { type ItemPlace, namedStep, type RowName, type RowPlace, type Scope, type Typed } from "../scope.ts";

/** What a path is: a value, a condition (lambda), a navigation property or instance, or a collection of values. */
export interface Member {
  readonly value?: Typed;
  readonly condition?: readonly Xo[];
  readonly navigation?: readonly [readonly RefStep[], LinkedElement];
  /** An instance: keys of an entity, given as values. */
  readonly instance?: Walk;
  readonly values?: ValueCollection;
  /** A structure inside of a collection of values. */
  readonly structure?: ItemPlace;
  /** A structure that rows hold flat. */
  readonly flat?: readonly FlatMember[];
}

/** A flat element of a structure. */
export interface FlatMember {
  /** Names inside of the structure. */
  readonly path: readonly string[];
  readonly leaf: FlatElement;
  readonly walk: Walk;
}

/** Plans expressions; handed in, because expressions contain paths and paths contain expressions. */
export interface PlanParts {
  readonly condition: (expr: CommonExpr, scope: Scope, exact?: boolean) => Xo[];
  readonly value: (expr: CommonExpr, scope: Scope, hint?: ValueType) => Typed;
}

/** A collection of values: the array, and the type of its members. */
export interface ValueCollection {
  readonly array: Expression;
  readonly items: LinkedElement;
}

/** A path so far. */
export interface Walk {
  readonly scope: Scope;
  readonly parts: PlanParts;
  /** The entity reached. */
  entity: LinkedEntity;
  /** Steps to it, from the row where the path starts; with `root` from an entity set. */
  ref: RefStep[];
  /** The path starts at `$root`: what it leads to is read by a query of its own. */
  readonly root: boolean;
  /** The path has reached a collection of entities. */
  many: boolean;
  /** The navigation property reached last. */
  element?: LinkedElement;
  /** The derived type that the path has cast to. */
  cast?: DerivedCast;
  /** The values of an instance that no reference leads to. */
  readonly given?: (name: string) => Expression;
  /** The condition that an instance before is of the type that the path has cast it to. */
  guard?: readonly Xo[];
}

/**
 * A path that starts at a row.
 *
 * @param place the row
 * @param scope the scope of the expression
 * @param parts plans the expressions in it
 * @returns the path; the row gets a name if it is not that of the scope
 */
export function walkFrom(place: RowPlace, scope: Scope, parts: PlanParts): Walk {
  const ref = place.row === scope.row ? [] : [place.row.name ??= scope.bindings.rowName()];
  return { scope, parts, entity: place.entity, ref, root: false, many: false };
}

/**
 * Adds a condition to the last step.
 *
 * @param walk changed in place
 * @param where the condition
 * @param row the row that it is about
 */
export function addWhere(walk: Walk, where: readonly Xo[], row: RowName = {}): void {
  if (where.length === 0) return;
  const last = namedStep(walk.ref.at(-1)!, row); // the caller has seen a collection
  const step: RefStepObject = typeof last === "string" ? { id: last } : last;
  walk.ref = [...walk.ref.slice(0, -1), { ...step, where: conjunction(step.where, where) }];
}

/**
 * The value of an element of what the path has reached.
 *
 * @param walk the path
 * @param name flat name of the element
 * @returns a reference, or a query
 */
export function memberRef(walk: Walk, name: string): Expression {
  if (walk.given) return walk.given(name);
  if (!walk.root) return { ref: [...walk.ref, name] };
  return { SELECT: { one: true, from: { ref: walk.ref }, columns: [{ ref: [name] }] } };
}

/**
 * The condition that there is something at the end of the path.
 *
 * @param walk the path
 * @returns `exists …`
 */
export function existsAt(walk: Walk): Xo[] {
  if (!walk.root) return ["exists", { ref: walk.ref }];
  const query: SelectQuery = { SELECT: { from: { ref: walk.ref }, columns: [{ val: 1, as: "found" }] } };
  return ["exists", query];
}

/**
 * How many instances there are at the end of the path.
 *
 * @param walk the path
 * @returns the number
 */
export function countAt(walk: Walk): Expression {
  if (!walk.root) return { func: "count", args: [{ ref: walk.ref }] };
  return { SELECT: { from: { ref: walk.ref }, columns: [{ func: "count", args: ["*"], as: "count" }] } };
}

/**
 * Makes sure that the path has reached a collection of entities.
 *
 * @param walk the path
 * @param offset of what needs one
 * @throws {ServiceError} 400 if it has not
 */
export function assertCollection(walk: Walk, offset: number): void {
  if (!walk.many) throw badRequest("A collection is expected before this", offset);
}

/**
 * The scope of a condition on the members of the collection that the path has reached.
 *
 * @param walk the path
 * @returns the scope; its row is new
 */
export function memberScope(walk: Walk): Scope {
  const { bindings, aliases, it, entity, row, index, variables } = walk.scope;
  return {
    entity: walk.entity,
    bindings,
    aliases,
    computed: new Map(),
    outer: outerValues(walk.scope),
    row: {},
    it: it ?? { kind: "row", entity, row },
    ...(index && { index }),
    ...(variables && { variables }),
  };
}
