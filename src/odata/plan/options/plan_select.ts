/**
 * `$select` → names, columns of collections with options, and what of structures is shown (OData 4.01 Part 2,
 * section 5.1.4).
 *
 * @module
 */

import { edmProperty, isHidden } from "../../../model/edm_types.ts";
import { reference } from "../../../algebra/build.ts";
import type { TreeColumn } from "../../../algebra/tree.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import { foreignKeyLinks } from "../../../model/links.ts";
import { leavesAt, memberNames, nestedStructures, structureOf } from "../../../model/nested_structures.ts";
import { memberCountName } from "../../payload/control_information.ts";
import type { QueryOptions, SelectItem } from "../../url/ast.ts";
import { assertOnlySelect, memberShape, mergeShapes, pathShape } from "./member_shape.ts";
import type { MemberShape } from "../result_shape.ts";
import { badRequest, unknownName } from "../plan_error.ts";
import { propertyNames } from "../expressions/plan_member.ts";
import { planCompute, planMemberCount, planMembers, typedColumn } from "./plan_values.ts";
import { innerAliases, type ItemPlace, rowOf, type Scope, type Typed, typeOf } from "../scope.ts";
import {
  boundOperation,
  castEntity,
  castTwice,
  derivedCast,
  isOfType,
  namedEntityType,
  navigationOf,
} from "../service_index.ts";
import { linkModel } from "../../../model/link_model.ts";
import { computedColumn } from "../../payload/presented_row.ts";

/** What `$select` asks for. */
export interface PlannedSelect {
  /** Names of properties; undefined for all. */
  readonly names?: ReadonlySet<string>;
  /** Names of navigation properties. */
  readonly navigations: ReadonlySet<string>;
  /** What is selected of structured properties and collections. */
  readonly members: ReadonlyMap<string, MemberShape>;
  /** Columns of collections with options, and their counts. */
  readonly columns: ReadonlyMap<string, TreeColumn>;
  /** Columns with what is computed of structures. */
  readonly added: readonly TreeColumn[];
}

interface Selection {
  readonly names: Set<string>;
  readonly navigations: Set<string>;
  readonly members: Map<string, MemberShape>;
  readonly columns: Map<string, TreeColumn>;
  readonly added: TreeColumn[];
}

/**
 * Plans `$select`.
 *
 * @param items the items, if any
 * @param scope the entity and computed names
 * @returns names, columns and shapes
 * @throws {ServiceError} 400 for unknown names
 */
export function planSelect(items: readonly SelectItem[] | undefined, scope: Scope): PlannedSelect {
  const collected = { navigations: new Set<string>(), members: new Map(), columns: new Map(), added: [] };
  if (items === undefined) return collected;
  const selection: Selection = { names: new Set(), ...collected };
  for (const item of items) selectItem(item, scope, selection);
  return selection;
}

/** Flat elements that payloads may show. */
export function* visible(entity: LinkedEntity): Iterable<FlatElement> {
  for (const flat of entity.$flat.values()) {
    if (flat.annotated["@odata.media"] === true) continue;
    if (!isHidden(entity, flat)) yield flat;
  }
}

function selectItem(item: SelectItem, scope: Scope, selection: Selection): void {
  const { entity } = scope;
  const { offset } = item;
  let [name, ...rest] = item.path;
  let type: string | undefined;
  while (rest.length > 0 && namedEntityType(name, entity)) {
    if (rest.length < item.path.length - 1) throw castTwice(offset);
    castEntity(entity, { name, offset });
    type = derivedCast(name, entity)?.name ?? type;
    [name, ...rest] = rest;
  }
  if (name === "*") {
    for (const flat of visible(entity)) {
      selection.names.add(flat.path.length > 1 && structureOf(entity, flat)?.element.name || flat.name);
    }
  } else if (nestedStructures(entity).has(name)) {
    selectNested({ ...item, path: [name, ...rest] }, scope, selection);
  } else if (name[0] === "@" || name.endsWith(".*")) return;
  else if (scope.computed.has(name)) selection.names.add(name);
  else if (isProperty(entity, name, type ?? scope.type)) {
    selectProperty({ ...item, path: [name, ...rest] }, scope, selection);
  } else if (rest.length === 0 && item.options === undefined && isKnown(entity, name)) {
    selectNavigation(name, entity, selection);
  } else if (navigationOf(entity, name)) {
    throw badRequest(
      `"${name}" is a navigation property: $expand=${name}($select=…) selects behind it`,
      offset,
    );
  } else {
    const known = [...propertyNames(entity), ...scope.computed.keys()];
    throw unknownName({ name, offset, what: "property", owner: entity.name, known });
  }
}

/** A navigation property brings the foreign keys that tell where it leads; operations bring nothing. */
function selectNavigation(name: string, entity: LinkedEntity, { names, navigations }: Selection): void {
  const navigation = navigationOf(entity, name);
  if (!navigation) return;
  navigations.add(name);
  const shown = new Set([...visible(entity)].map((flat) => flat.name));
  for (const { source } of foreignKeyLinks(navigation.element)) if (shown.has(source)) names.add(source);
}

/** A structure that stays nested, or a path into one. */
function selectNested({ path, options, offset }: SelectItem, scope: Scope, selection: Selection): void {
  const { entity } = scope;
  if (options?.compute && path.length === 1) {
    const { compute: _compute, select: _select, ...others } = options.offsets;
    assertOnlySelect({ offsets: others }, offset);
    return selectComputed(path[0], { ...scope, aliases: innerAliases(scope, options) }, {
      options,
      selection,
    });
  }
  if (options) assertOnlySelect(options, offset);
  if (options?.select !== undefined) {
    for (const item of options.select) {
      selectNested({ ...item, path: [...path, ...item.path] }, scope, selection);
    }
    return;
  }
  const [name, ...rest] = path.at(-1) === "*" ? path.slice(0, -1) : path;
  const structure = nestedStructures(entity).get(name!)!; // checked by the caller
  if (rest.length > 0 && leavesAt(structure, rest).length === 0) {
    const known = memberNames(structure.leaves, 1);
    throw unknownName({ name: rest.join("/"), offset, what: "property", owner: name!, known });
  }
  selection.names.add([name, ...rest].join("/"));
}

/** A structure with what is computed of it; all of it is read, so that it is known whether there is one. */
function selectComputed(
  name: string,
  scope: Scope,
  { options, selection }: { readonly options: QueryOptions; readonly selection: Selection },
): void {
  const { element, leaves } = nestedStructures(scope.entity).get(name)!; // checked by the caller
  const { columns, shape } = planStructure({ name, element, value: { leaves, depth: 1 } }, options, scope);
  selection.names.add(name);
  selection.members.set(name, mergeShapes(selection.members.get(name), shape));
  selection.added.push(...columns);
}

/** Whether the name is one of a property of its own, of the type that the path has cast to. */
function isProperty(entity: LinkedEntity, name: string, type: string | undefined): boolean {
  const flat = edmProperty(entity, name);
  return flat !== undefined && isOfType(entity, type, flat.annotated);
}

/** Navigation properties and operations are known, but no properties. */
function isKnown(entity: LinkedEntity, name: string): boolean {
  return navigationOf(entity, name) !== undefined ||
    (entity.$service !== undefined && boundOperation(entity, name, entity.$service) !== undefined);
}

function selectProperty({ path, options, offset }: SelectItem, scope: Scope, selection: Selection): void {
  const [name, ...rest] = path;
  const { element } = scope.entity.$flat.get(name)!; // checked by the caller
  const isNew = !selection.names.has(name);
  selection.names.add(name);
  if (rest.length === 0 && options === undefined) return void selection.members.delete(name);
  const known = selection.members.get(name);
  const add = (shape: MemberShape) => {
    if (isNew || known) selection.members.set(name, mergeShapes(known, shape));
  };
  const { items } = element.$type;
  if (options === undefined || items === undefined || rest.length > 0) {
    add(pathShape(element, rest, { options, offset }));
    return options && assertOnlySelect(options, offset);
  }
  const collection = { array: reference([name]), items };
  const inner: Scope = { ...scope, aliases: innerAliases(scope, options) };
  const { expr, shape } = planMembers(collection, { options }, inner);
  add({ ...shape, ...(options.count && { count: true }) });
  if (expr) selection.columns.set(name, { ...expr, as: name });
  if (options.count) {
    const count = planMemberCount(collection, { options }, inner);
    selection.columns.set(memberCountName(name), { ...count, as: memberCountName(name) });
  }
}

/** A structure of a row. */
interface Structure {
  /** Its name in rows. */
  readonly name: string;
  readonly element: LinkedElement;
  /** Its flat elements, or its place in the JSON of a collection. */
  readonly value: { readonly leaves: readonly FlatElement[]; readonly depth: number } | ItemPlace;
}

/** What options make of a structure. */
interface PlannedStructure {
  readonly columns: readonly TreeColumn[];
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
    const value = { expr: reference([name]), nullable: true };
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
