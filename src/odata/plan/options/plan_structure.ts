/**
 * `$compute` and `$select` of a single structure (OData 4.01 Part 2, sections 5.1.4 and 5.1.5): names are those of its
 * members, what is computed stands in columns beside it.
 *
 * @module
 */

import type { Column } from "../../../cqn/cqn.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import { linkModel } from "../../../model/link_model.ts";
import { computedColumn } from "../../payload/computed_name.ts";
import type { QueryOptions } from "../../url/ast.ts";
import { memberShape } from "./member_shape.ts";
import type { MemberShape } from "../plan.ts";
import { planCompute } from "./plan_compute.ts";
import { type ItemPlace, rowOf, type Scope, type Typed, typeOf } from "../scope.ts";
import { typedColumn } from "../expressions/typed_column.ts";

/** A structure of a row. */
export interface Structure {
  /** Its name in rows. */
  readonly name: string;
  readonly element: LinkedElement;
  /** Its flat elements, or its place in the JSON of a collection. */
  readonly value: { readonly leaves: readonly FlatElement[]; readonly depth: number } | ItemPlace;
}

/** What options make of a structure. */
export interface PlannedStructure {
  readonly columns: readonly Column[];
  readonly shape: MemberShape;
}

/**
 * Plans the options of a structure.
 *
 * @param structure the structure
 * @param options `$compute` and `$select`
 * @param scope the scope of the row that holds it
 * @returns columns with what is computed, and what is shown of the structure
 * @throws {ServiceError} 400 for unknown names
 */
export function planStructure(structure: Structure, options: QueryOptions, scope: Scope): PlannedStructure {
  const { name, element, value } = structure;
  const inside: Scope = "leaves" in value
    ? flatScope(value, scope)
    : { ...scope, base: value, member: value, computed: new Map() };
  const computed = planCompute(options, inside);
  const own = new Map([...computed].filter(([one]) => !inside.computed.has(one)));
  const shape = memberShape(element, options, own);
  const shown = [...shape.computed?.keys() ?? []];
  return { columns: shown.map((one) => typedColumn(own.get(one)!, computedColumn(name, one))), shape };
}

/** Names are those of the flat elements, and no others. */
function flatScope(
  { leaves, depth }: Exclude<Structure["value"], ItemPlace>,
  scope: Scope,
): Scope {
  const members = leaves.map(({ name, path, element }): [string, Typed] => {
    const type = typeOf({ element });
    const value = { expr: { ref: [name] }, nullable: true };
    return [path.slice(depth).join("/"), type ? { ...value, type } : value];
  });
  return {
    ...scope,
    entity: nothing(),
    row: {},
    it: scope.it ?? rowOf(scope),
    closed: true,
    computed: new Map(members),
  };
}

let noEntity: LinkedEntity | undefined;

/**
 * An entity without elements: scopes are those of an entity, but names inside of values do not begin at one.
 *
 * @returns always the same
 */
export function nothing(): LinkedEntity {
  return noEntity ??= linkModel({ definitions: { Values: { kind: "entity", elements: {} } } }).entity(
    "Values",
  )!;
}
