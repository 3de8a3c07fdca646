/**
 * Calls of functions whose arguments are values of rows: the keys of what they are bound to, and what their parameters
 * get. Each row that has the same ones has the same result, which is found by them in JSON.
 *
 * @module
 */

import type { Column, Expression, RefExpression, SelectBody, SelectQuery } from "../../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { CommonExpr } from "../../url/ast.ts";
import { memberRef, type PlanParts, type Walk } from "./member_walk.ts";
import { namedRows } from "../named_rows.ts";
import type { RowValues } from "../shapes/bindings.ts";
import type { RowCall } from "../plan.ts";
import { isWhole } from "./plan_arithmetic.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { urlKeys } from "../paths/plan_keys.ts";
import type { ReachedRows } from "./reached_rows.ts";
import { groupOf, type RowName, type Scope, typeOf } from "../scope.ts";

/** What a function is bound to. */
export interface BoundEntity {
  readonly entity: LinkedEntity;
  /** The values of its keys, by name. */
  readonly keys: Readonly<Record<string, Expression>>;
}

/**
 * The keys of what a path has reached.
 *
 * @param walk the path
 * @returns values by name
 */
export function keysOf(walk: Walk): BoundEntity["keys"] {
  return Object.fromEntries(urlKeys(walk.entity).map(({ name }) => [name, memberRef(walk, name)]));
}

/** The values of a row that a call takes. */
export class RowArguments implements RowValues {
  /** The rows; conditions inside of others know them by its name. */
  readonly row: RowName;
  readonly #scope: Scope;
  readonly #parts: PlanParts;
  readonly #bound: BoundEntity | undefined;
  readonly #args: Map<string, Expression> = new Map();

  /**
   * @param scope what names refer to
   * @param parts plans arguments
   * @param bound what the function is bound to
   */
  constructor(scope: Scope, parts: PlanParts, bound: BoundEntity | undefined) {
    this.row = scope.row;
    this.#scope = scope;
    this.#parts = parts;
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
    const value = this.#parts.value(expr, this.#scope, type);
    if (groupOf(value.type) !== groupOf(type) || (isWhole(type) && !isWhole(value.type))) {
      throw badRequest(`The value does not fit the type of "${parameter.name}"`, expr.offset);
    }
    const cast = { cast: { type: type.builtin } };
    this.#args.set(parameter.name, { ...value.expr, ...cast } as Expression);
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
  entry(): readonly Expression[] {
    return this.#values().map((value) => ({ func: "$entry_name", args: [value] }));
  }

  /**
   * The query that gives the values of all rows, with the names that lead to their results.
   *
   * @param reached the rows of the URL, if the call is about them; all rows of the entity otherwise
   */
  planned(reached?: ReachedRows): RowCall {
    const { row } = this;
    const from: RefExpression = { ref: [this.#scope.entity.name] };
    const keys = Object.entries(this.#bound?.keys ?? {});
    const columns: Column[] = [
      ...keys.map(([name, expr]) => ({ ...expr, as: `key_${name}` }) as Column),
      ...[...this.#args].map(([name, expr]) => ({ ...expr, as: `arg_${name}` }) as Column),
      ...this.entry().map((expr, at) => ({ ...expr, as: `name_${at}` }) as Column),
    ];
    const distinct = reached?.limit === undefined;
    const body: SelectBody = {
      from,
      ...reached,
      columns,
      localized: true,
      bounded: true,
      ...(distinct && { distinct }),
    };
    return {
      query: namedRows<SelectQuery>({ SELECT: body }, body.from as RefExpression, row),
      ...(this.#bound && { entity: this.#bound.entity }),
      keys: keys.map(([name]) => name),
      args: [...this.#args.keys()],
    };
  }

  #values(): readonly Expression[] {
    return [...Object.values(this.#bound?.keys ?? {}), ...this.#args.values()];
  }
}

/** Whether all names of an expression are those of the row of an entity. */
function startsAt(node: unknown, entity: LinkedEntity): boolean {
  if (typeof node !== "object" || node === null) return true;
  if ("ref" in node && !("param" in node)) {
    const [first] = (node as RefExpression).ref;
    const name = typeof first === "object" ? first.id : first!;
    return Object.hasOwn(entity.elements, name) || entity.$flat.has(name);
  }
  return Object.values(node).every((member) => startsAt(member, entity));
}
