/**
 * What is selected of structures and of the members of collections (OData 4.01 Part 2, section 5.1.4).
 *
 * @module
 */

import type { LinkedElement, ResolvedType } from "../../../model/linked.ts";
import type { QueryOptions } from "../../url/ast.ts";
import type { MemberShape } from "../result_shape.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import type { Typed } from "../scope.ts";
import { structureMember, structureMembers } from "../../../model/keys.ts";

/**
 * Refuses options other than `$select` where there is one structure.
 *
 * @param options the options
 * @param offset where they stand
 * @throws {ServiceError} 400, 501 for `$compute`
 */
export function assertOnlySelect(options: QueryOptions, offset: number): void {
  if (options.compute) throw notImplemented("$compute of this structure", options.offsets.compute);
  const other = Object.keys(options.offsets).find((name) => name !== "select");
  if (other !== undefined) throw badRequest(`$${other} needs a collection`, options.offsets[other] ?? offset);
}

/** What stands behind the path of an item of `$select`, and where. */
export interface InnerSelect {
  readonly options?: QueryOptions;
  readonly offset: number;
}

/**
 * What is selected of a structure or of the members of a collection by a path.
 *
 * @param element the structure or collection
 * @param path names of properties
 * @param inner the options behind the path, and where it stands
 * @throws {ServiceError} 400 for unknown names
 */
export function pathShape(element: LinkedElement, path: readonly string[], inner: InnerSelect): MemberShape {
  const { options, offset } = inner;
  const [name, ...rest] = path;
  if (name !== undefined) {
    const select = new Map([[name, pathShape(memberOf(element, name, offset), rest, inner)]]);
    return { select };
  }
  return { ...memberShape(element, options, new Map()), ...(options?.count && { count: true }) };
}

/**
 * What `$select` and `$compute` show of a structure or of the members of a collection.
 *
 * @param element the structure, the collection, or a member of it
 * @param options the options, if any
 * @param computed what `$compute` adds
 * @throws {ServiceError} 400 for unknown names
 */
export function memberShape(
  element: LinkedElement,
  options: QueryOptions | undefined,
  computed: ReadonlyMap<string, Typed>,
): MemberShape {
  const { elements } = (element.$type.items ?? element).$type;
  if (options?.select === undefined) return computedShape(computed);
  const select = new Map<string, MemberShape>();
  const shown = new Map<string, Typed>();
  for (const item of options.select) {
    const [first, ...others] = item.path;
    const value = computed.get(first);
    if (first === "*") { for (const one of elements ?? []) select.set(one.name, {}); }
    else if (value && elements && others.length === 0) {
      select.set(first, {});
      shown.set(first, value);
    } else if (first[0] !== "@") {
      const child = memberOf(element, first, item.offset);
      select.set(first, mergeShapes(select.get(first), pathShape(child, others, item)));
      if (item.options) assertOnlySelect(item.options, item.offset);
    }
  }
  return { select, ...computedShape(shown) };
}

function computedShape(computed: ReadonlyMap<string, Typed>): Pick<MemberShape, "computed"> {
  if (computed.size === 0) return {};
  return { computed: new Map([...computed].map(([name, value]) => [name, resolvedType(value)])) };
}

/**
 * The type of a computed value as payloads write it.
 *
 * @param value the value
 * @returns the type; undefined where it is not known
 */
export function resolvedType({ type }: Typed): ResolvedType | undefined {
  if (type === undefined) return undefined;
  if (type.extended) return { builtin: type.builtin, extended: type.extended };
  return type.element?.$type ?? { builtin: type.builtin };
}

function memberOf(element: LinkedElement, name: string, offset: number): LinkedElement {
  const { elements } = (element.$type.items ?? element).$type;
  if (elements === undefined) throw badRequest(`"${element.name}" has no properties`, offset);
  const member = structureMember(elements, name);
  if (member) return member;
  const known = structureMembers(elements);
  throw unknownName({ name, offset, what: "property", owner: element.name, known });
}

/**
 * Both of two selections; one that selects all wins.
 *
 * @param one a selection, if there is one
 * @param other another one
 */
export function mergeShapes(one: MemberShape | undefined, other: MemberShape): MemberShape {
  if (one === undefined) return other;
  const computed = one.computed ?? other.computed;
  const count = { ...(one.count || other.count ? { count: true } : {}), ...(computed && { computed }) };
  if (!one.select || !other.select) return count;
  const select = new Map(one.select);
  for (const [name, shape] of other.select) select.set(name, mergeShapes(select.get(name), shape));
  return { select, ...count };
}
