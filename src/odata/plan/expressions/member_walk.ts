/**
 * The state of planning a path in an expression, and the references that come out of it.
 *
 * @module
 */

import type { FlatElement, LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import type { DerivedCast } from "../service_index.ts";
import {
  type ItemPlace,
  restrictedTo,
  type RowName,
  rowOf,
  type RowPlace,
  type Scope,
  scopeOfRow,
  type Typed,
} from "../scope.ts";
import { call, exists, literal, reference, select } from "../../../algebra/build.ts";
import type { Exists, Expr, TreeStep } from "../../../algebra/tree.ts";
import { mapPaths, walkTree } from "../../../algebra/walk_tree.ts";
import type { Bindings } from "../shapes/bindings.ts";
import { stepName } from "../../../cqn/steps.ts";

/** What a path is: a value, a condition (lambda), a navigation property or instance, or a collection of values. */
export interface Member {
  readonly value?: Typed;
  readonly condition?: Expr;
  readonly navigation?: readonly [readonly TreeStep[], LinkedElement];
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

/** A collection of values: the array, and the type of its members. */
export interface ValueCollection {
  readonly array: Expr;
  readonly items: LinkedElement;
}

/** A path so far. */
export interface Walk {
  readonly scope: Scope;
  /** The entity reached. */
  entity: LinkedEntity;
  /** Steps to it, from the row where the path starts; with `root` from an entity set. */
  ref: readonly TreeStep[];
  /** The path starts at `$root`: what it leads to is read by a query of its own. */
  readonly root: boolean;
  /** The path has reached a collection of entities. */
  many: boolean;
  /** The navigation property reached last. */
  element?: LinkedElement;
  /** The derived type of the instances that the path has reached, where it asks for one. */
  type?: string | undefined;
  /** The derived type that the path has cast an instance to, which may be of another one. */
  cast?: DerivedCast;
  /** The values of an instance that no reference leads to. */
  readonly given?: (name: string) => Expr;
  /** The condition that an instance before is of the type that the path has cast it to. */
  guard?: Expr;
}

/**
 * A path that starts at a row.
 *
 * @param place the row
 * @param scope the scope of the expression
 * @returns the path; the row gets a name if it is not that of the scope
 */
export function walkFrom(place: RowPlace, scope: Scope): Walk {
  const ref = place.row === scope.row ? [] : [place.row.name ??= scope.bindings.rowName()];
  return { scope, entity: place.entity, ref, root: false, many: false, type: place.type };
}

/**
 * Adds a condition to the last step.
 *
 * @param walk changed in place
 * @param where the condition, if there is one
 * @param row the row that it is about
 */
export function addWhere(walk: Walk, where: Expr | undefined, row: RowName = {}): void {
  if (where) walk.ref = restrictedTo(walk.ref, where, row);
}

/**
 * The value of an element of what the path has reached.
 *
 * @param walk the path
 * @param name flat name of the element
 * @returns a reference, or a query
 */
export function memberRef(walk: Walk, name: string): Expr {
  if (walk.given) return walk.given(name);
  if (!walk.root) return reference([...walk.ref, name]);
  return select({ one: true, from: reference(walk.ref), columns: [reference([name])] });
}

/**
 * The condition that there is something at the end of the path.
 *
 * @param walk the path
 * @returns `exists …`
 */
export function existsAt(walk: Walk): Exists {
  const from = reference(walk.ref);
  return exists(walk.root ? select({ from, columns: [{ ...literal(1), as: "found" }] }) : from);
}

/**
 * How many instances there are at the end of the path.
 *
 * @param walk the path
 * @returns the number
 */
export function countAt(walk: Walk): Expr {
  const from = reference(walk.ref);
  return walk.root
    ? select({ from, columns: [{ ...call("count", ["*"]), as: "count" }] })
    : call("count", [from]);
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
  const { it = rowOf(walk.scope), variables } = walk.scope;
  const outer = outerValues(walk.scope);
  return { ...scopeOfRow(walk.entity, walk.scope), type: walk.type, outer, it, variables };
}

/**
 * The computed values that conditions on related rows may name.
 *
 * @param scope the scope of the row outside
 * @returns values that start at a row with a name; undefined without any
 */
function outerValues(scope: Scope): Scope["outer"] {
  const { computed, row, bindings, outer } = scope;
  if (computed.size === 0 || scope.closed) return outer;
  return (name, offset): Typed | undefined => {
    const value = computed.get(name);
    if (value === undefined) return outer?.(name, offset);
    assertShallow(value.expr, bindings, offset);
    const owner = row.name ??= bindings.rowName();
    return { ...value, expr: startingAt(value.expr, owner, offset) };
  };
}

/** An expression over a row as expression over the row of a name. */
function startingAt(expr: Expr, owner: string, offset: number): Expr {
  walkTree(expr, ({ kind }) => {
    if (kind === "select" || kind === "set") {
      throw notImplemented("A computed query in a lambda expression", offset);
    }
  });
  return mapPaths(expr, (ref) => stepName(ref[0]!).startsWith("$") ? ref : [owner, ...ref]);
}

/** Functions that look at each member of a collection of values. */
const OF_MEMBERS: ReadonlySet<string> = new Set(["$any", "$count", "$filtered"]);

/**
 * Makes sure that a named value can be computed for each member of a collection. Names of `$compute` may stand for
 * conditions on related rows, which use other names.
 *
 * @param value the value
 * @param bindings has the limit
 * @param offset of the name
 * @throws {ServiceError} 400 beyond `lambdaDepth`
 */
export function assertShallow(value: Expr, { limits }: Bindings, offset: number): void {
  const { lambdaDepth } = limits;
  if (rowDepth(value) + 1 <= lambdaDepth) return;
  throw badRequest(
    `With the values of names conditions about related rows are nested too deeply, the limit is ${lambdaDepth}`,
    offset,
  );
}

/** How many conditions on rows or members there are above each other. */
function rowDepth(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  const inner = Object.values(node).reduce((most: number, member) => Math.max(most, rowDepth(member)), 0);
  return inner + (isOfRows(node) ? 1 : 0);
}

function isOfRows(node: object): boolean {
  return "where" in node || ("func" in node && OF_MEMBERS.has(String(node.func)));
}

/**
 * Makes sure that not too many collections stand beside each other: there is a row for each combination of their
 * members.
 *
 * @param collections how many there are
 * @param bindings has the limit
 * @param offset of the last one
 * @throws {ServiceError} 400 beyond `joinedCollections`
 */
export function assertFewJoined(collections: number, { limits }: Bindings, offset: number): void {
  const { joinedCollections } = limits;
  if (collections <= joinedCollections) return;
  throw badRequest(`More than ${joinedCollections} collections stand beside each other`, offset);
}
