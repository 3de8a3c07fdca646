/**
 * Own functions in expressions (OData 4.01 Part 2, section 5.1.1): unbound ones, and those bound to the type of a row.
 * They are called before the query runs (`resources/read_parts.ts`), once where their arguments are the same for all rows,
 * otherwise for each row; the query has what they return as parameter.
 *
 * @module
 */

import { call, parameter, reference, select } from "../../../algebra/build.ts";
import type { Expr, TreeColumn, TreeSelect } from "../../../algebra/tree.ts";
import { walkTree } from "../../../algebra/walk_tree.ts";
import { stepName } from "../../../cqn/steps.ts";
import type { LinkedElement, LinkedEntity, LinkedOperation } from "../../../model/linked.ts";
import type { CommonExpr, MemberExpr, MemberName, MemberStep } from "../../url/ast.ts";
import type { CallTemplate, ReachedRows, RowValues } from "../shapes/bindings.ts";
import { type Member, memberRef, type Walk } from "./member_walk.ts";
import { functionOverload, planArguments } from "../paths/plan_operation.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { itemMember } from "./plan_item.ts";
import { groupOf, namedRows, resolveAlias, type RowName, type Scope, told, typeOf } from "../scope.ts";
import { boundOperation, localName, returnedEntity } from "../service_index.ts";
import type { RowCall } from "../query_inputs.ts";
import { isWhole } from "./plan_arithmetic.ts";
import { storedKeys } from "../../../model/keys.ts";

/**
 * Plans a path that starts with the call of an unbound function.
 *
 * @param expr the path
 * @param scope what names refer to
 * @returns its value, or a part of it; undefined if the path starts with something else
 * @throws {ServiceError} 400 for wrong arguments and actions, 501 for functions that return entities
 */
export function calledMember(
  { root, steps }: MemberExpr,
  scope: Scope,
): Member | undefined {
  const [first, ...rest] = steps;
  if (first?.kind !== "memberName" || first.parens.length === 0) return undefined;
  if (root !== "$root" && (root !== undefined || isTaken(first, scope))) return undefined;
  const { index } = scope;
  const named = index.operations.get(localName(first.name, index.service));
  return named && callMember(named, { node: first, rest, scope });
}

/**
 * Plans the call of a function that is bound to what a path has reached (Part 2, section 4.5).
 *
 * @param walk the path, which has reached one entity
 * @param node the name of the function
 * @param rest what follows
 * @returns its value, or a part of it; undefined if there is no such function
 * @throws {ServiceError} 400 for wrong arguments and actions, 501 for functions that return entities
 */
export function boundMember(walk: Walk, node: MemberName, rest: readonly MemberStep[]): Member | undefined {
  const { scope, entity } = walk;
  if (walk.many || walk.root || node.parens.length === 0) return undefined;
  const named = boundOperation(entity, node.name, scope.index.service);
  if (!named || named.$collectionBound) return undefined;
  return callMember(named, { node, rest, scope, walk });
}

/** The place of a call. */
interface CallPlace {
  readonly node: MemberName;
  readonly rest: readonly MemberStep[];
  readonly scope: Scope;
  /** The path to what the function is bound to. */
  readonly walk?: Walk;
}

function callMember(named: LinkedOperation, place: CallPlace): Member {
  const { node, rest, scope } = place;
  const { name, offset } = node;
  if (named.kind === "action") throw badRequest(`"${name}" is an action; expressions call functions`, offset);
  const { definition, param, rows } = plannedCall(named, place);
  const { returns } = definition;
  if (!returns || returns.isAssociation || returnedEntity(definition, scope.index.service).entity) {
    throw notImplemented("A function that returns entities in an expression", offset);
  }
  const value = parameter(param);
  const type = typeOf({ element: returns });
  const [next] = rest;
  if (type && next) throw badRequest(`Nothing can follow the value of "${name}"`, next.offset);
  if (rows) {
    const entry = call("$nested", [value, ...rows.entry()]);
    return itemMember({ kind: "item", element: returns, value: entry, path: ["v"] }, rest, scope);
  }
  if (type === undefined) {
    return itemMember({ kind: "item", element: returns, value, path: [] }, rest, scope);
  }
  return { value: { expr: told(value, type.builtin), type, nullable: true } };
}

function plannedCall(named: LinkedOperation, { node, scope, walk }: CallPlace): CallTemplate {
  const { bindings } = scope;
  return bindings.callOf(node, scope.row, () => {
    const segment = { ...node, kind: "nameSegment" as const };
    const definition = functionOverload(named, segment, { offsets: {} });
    const rows = new RowArguments(scope, walk && { entity: walk.entity, keys: keysOf(walk) });
    const { args } = planArguments(definition, segment, {
      bindings,
      resolveAlias: (argument) => resolveAlias(argument, scope),
      options: { offsets: {} },
      rows,
    });
    return { definition, args, ...(rows.isEmpty ? {} : { rows: rows.checked(node.offset) }) };
  });
}

/** Whether the name is one of the row: a navigation property with a key, a variable, a function bound to the entity. */
function isTaken({ name }: MemberName, { entity, base, variables, index }: Scope): boolean {
  if (variables?.has(name)) return true;
  if (base && base.kind !== "row") return false;
  const owner = base?.entity ?? entity;
  return owner.elements[name] !== undefined || boundOperation(owner, name, index.service) !== undefined;
}

/** What a function is bound to. */
interface BoundEntity {
  readonly entity: LinkedEntity;
  /** The values of its keys, by name. */
  readonly keys: Readonly<Record<string, Expr>>;
}

/**
 * The keys of what a path has reached.
 *
 * @param walk the path
 * @returns values by name
 */
function keysOf(walk: Walk): BoundEntity["keys"] {
  return Object.fromEntries(storedKeys(walk.entity).map(({ name }) => [name, memberRef(walk, name)]));
}

/** The values of a row that a call takes. */
class RowArguments implements RowValues {
  /** The rows; conditions inside of others know them by its name. */
  readonly row: RowName;
  readonly #scope: Scope;
  readonly #bound: BoundEntity | undefined;
  readonly #args: Map<string, Expr> = new Map();

  /**
   * @param scope what names refer to
   * @param bound what the function is bound to
   */
  constructor(scope: Scope, bound: BoundEntity | undefined) {
    this.row = scope.row;
    this.#scope = scope;
    this.#bound = bound;
  }

  /** Whether the call is the same for all rows. */
  get isEmpty(): boolean {
    return this.#bound === undefined && this.#args.size === 0;
  }

  /**
   * Takes an argument that is no literal.
   *
   * @param parameter the parameter
   * @param expr its value
   * @throws {ServiceError} 400 where the types do not fit, 501 for structures and collections
   */
  add(parameter: LinkedElement, expr: CommonExpr): void {
    const type = typeOf({ element: parameter });
    if (type === undefined || parameter.isAssociation) {
      throw notImplemented("A structure or collection of a row as an argument", expr.offset);
    }
    const value = this.#scope.plan.value(expr, this.#scope, type);
    if (groupOf(value.type) !== groupOf(type) || (isWhole(type) && !isWhole(value.type))) {
      throw badRequest(`The value does not fit the type of "${parameter.name}"`, expr.offset);
    }
    this.#args.set(parameter.name, told(value.expr, type.builtin));
  }

  /**
   * Makes sure that the values are those of one row, which can be read on its own.
   *
   * @param offset of the call
   * @returns itself
   * @throws {ServiceError} 501 where they are not
   */
  checked(offset: number): this {
    const { entity, closed } = this.#scope;
    if (closed || !this.#values().every((value) => startsAt(value, entity))) {
      throw notImplemented("A function of values that are not those of one entity", offset);
    }
    return this;
  }

  /** The names that lead to the result in JSON. */
  entry(): readonly Expr[] {
    return this.#values().map((value) => call("$entry_name", [value]));
  }

  /**
   * The query that gives the values of all rows, with the names that lead to their results.
   *
   * @param reached the rows of the URL, if the call is about them; all rows of the entity otherwise
   */
  planned(reached?: ReachedRows): RowCall<TreeSelect> {
    const { row } = this;
    const from = reached?.from ?? reference([this.#scope.entity.name]);
    const keys = Object.entries(this.#bound?.keys ?? {});
    const columns: TreeColumn[] = [
      ...keys.map(([name, expr]) => ({ ...expr, as: `key_${name}` })),
      ...[...this.#args].map(([name, expr]) => ({ ...expr, as: `arg_${name}` })),
      ...this.entry().map((expr, at) => ({ ...expr, as: `name_${at}` })),
    ];
    const distinct = reached?.limit === undefined;
    const query = select({
      ...reached,
      from,
      columns,
      localized: true,
      bounded: true,
      ...(distinct && { distinct }),
    });
    return {
      query: namedRows(query, from, row),
      ...(this.#bound && { entity: this.#bound.entity }),
      keys: keys.map(([name]) => name),
      args: [...this.#args.keys()],
    };
  }

  #values(): readonly Expr[] {
    return [...Object.values(this.#bound?.keys ?? {}), ...this.#args.values()];
  }
}

/** Whether all names of an expression are those of the row of an entity. */
function startsAt(value: Expr, entity: LinkedEntity): boolean {
  let isOwn = true;
  walkTree(value, (node) => {
    if (node.kind === "select" || node.kind === "set") isOwn = false;
    if (node.kind !== "reference") return isOwn;
    const name = stepName(node.ref[0]!);
    isOwn &&= Object.hasOwn(entity.elements, name) || entity.$flat.has(name);
    return false;
  });
  return isOwn;
}
