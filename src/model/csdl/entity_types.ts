/**
 * Entity types with their properties, and the entity sets.
 *
 * @module
 */

import { edmName, edmTypeName, mediaElement } from "../edm_types.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../linked.ts";
import { leadsToNoKey } from "../keys.ts";
import { declaringType, typeHierarchy } from "../derived_types.ts";
import { nestedStructures } from "../nested_structures.ts";
import { hasParameters, type ViewWithParameters } from "../runtime_view.ts";
import { durationText } from "../values/text_forms.ts";
import { enumText } from "../values/extended_type.ts";
import { isContained, isSet, isSingleton } from "../service_document.ts";
import type { CsdlNavigationProperty, CsdlProperty, CsdlSet, CsdlStructuredType } from "./csdl.ts";
import type { TypeNames } from "./type_names.ts";
import type { Xo } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";

/** A member of an entity type and the element it comes from. */
export type EntityMember =
  | { readonly kind: "property"; readonly name: string; readonly flat: FlatElement }
  | { readonly kind: "structure"; readonly name: string; readonly element: LinkedElement }
  | { readonly kind: "navigation"; readonly name: string; readonly association: LinkedElement };

/**
 * The element of an entity that carries the annotations of a member.
 *
 * @param member the member
 */
export function elementOf(member: EntityMember): LinkedElement {
  switch (member.kind) {
    case "property":
      return member.flat.annotated;
    case "structure":
      return member.element;
    case "navigation":
      return member.association;
  }
}

/**
 * The members of an entity in order: structures are flattened, foreign keys follow their association.
 *
 * @param entity the entity
 */
export function entityMembers(entity: LinkedEntity): EntityMember[] {
  const byPath = new Map([...entity.$flat.values()].map((flat) => [flat.path.join("."), flat]));
  return [...membersOf(entity.elements, { entity, byPath, path: [] })];
}

interface Walk {
  readonly entity: LinkedEntity;
  readonly byPath: ReadonlyMap<string, FlatElement>;
  readonly path: readonly string[];
}

function* membersOf(elements: Iterable<LinkedElement>, walk: Walk): Iterable<EntityMember> {
  for (const element of elements) {
    if (element["@cds.api.ignore"] === true) continue;
    const path = [...walk.path, element.name];
    if (element.isAssociation) {
      if (isExposed(element, walk.entity)) {
        yield { kind: "navigation", name: path.join("_"), association: element };
      }
      for (const { element: flat } of element.$foreignKeys ?? []) {
        yield { kind: "property", name: flat.name, flat };
      }
      continue;
    }
    if (walk.path.length === 0 && nestedStructures(walk.entity).has(element.name)) {
      yield { kind: "structure", name: element.name, element };
      continue;
    }
    const flat = walk.byPath.get(path.join("."));
    if (flat) {
      if (element.$type.builtin !== "cds.Vector" && element["@odata.media"] !== true) {
        yield { kind: "property", name: flat.name, flat };
      }
    } else yield* membersOf(element.$type.elements ?? [], { ...walk, path });
  }
}

function isExposed(association: LinkedElement, entity: LinkedEntity): boolean {
  const target = association.$target;
  return target !== undefined && target.$service === entity.$service && !leadsToNoKey(association) &&
    target["@cds.api.ignore"] !== true;
}

/**
 * The entity type of an entity; a view with parameters has a second one for its parameters.
 *
 * @param entity the entity
 * @param names names of types
 */
export function entityTypes(entity: LinkedEntity, names: TypeNames): CsdlStructuredType[] {
  const name = edmTypeName(entity);
  const all = entityMembers(entity);
  const membersOfType = (declaring: string | undefined) =>
    all.filter((member) => declaringType(elementOf(member)) === declaring)
      .map((member) => csdlMember(member, { entity, owner: declaring ?? name, names }));
  const members = membersOfType(undefined);
  const key = entity.$flatKeys.filter((flat) => members.some((member) => member.name === flat.name));
  const type: CsdlStructuredType = {
    kind: "entity",
    name,
    key: key.map((flat) => flat.name),
    open: entity["@open"] === true,
    ...(mediaElement(entity) && { hasStream: true }),
    members,
  };
  const derived = [...typeHierarchy(entity)?.types.values() ?? []].flatMap((derived): CsdlStructuredType[] =>
    derived.base === undefined ? [] : [{
      kind: "entity",
      name: derived.name,
      key: [],
      open: false,
      baseType: names.qualified(derived.base),
      members: membersOfType(derived.name),
    }]
  );
  return hasParameters(entity) ? [parametersType(entity, names), type] : [type, ...derived];
}

interface MemberOwner {
  readonly entity: LinkedEntity;
  /** Name of the type that declares it. */
  readonly owner: string;
  readonly names: TypeNames;
}

function csdlMember(
  member: EntityMember,
  { entity, owner, names }: MemberOwner,
): CsdlProperty | CsdlNavigationProperty {
  switch (member.kind) {
    case "property":
      return property(member.flat, `${owner}_${member.name}`, names);
    case "structure": {
      const { element, name } = member;
      return { kind: "property", name, ...names.typeOf(element, `${owner}_${name}`) };
    }
    case "navigation":
      return navigationProperty(entity, member, names);
  }
}

function property(flat: FlatElement, anonymous: string, names: TypeNames): CsdlProperty {
  const type = names.typeOf(flat.element, anonymous);
  const defaultValue = literalDefault(flat);
  return {
    kind: "property",
    name: flat.name,
    ...type,
    nullable: !flat.notNull,
    ...(defaultValue !== undefined && { defaultValue }),
  };
}

function literalDefault({ annotated, element }: FlatElement): string | number | boolean | undefined {
  const value = annotated.default && "val" in annotated.default ? annotated.default.val : undefined;
  const { extended, enum: members = {} } = element.$type;
  if (value === undefined || value === null) return undefined;
  if (extended === "Edm.Duration") return durationText(value);
  if (extended === "enum" || extended === "flags") {
    return enumText(value, { members, flags: extended === "flags" });
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

function navigationProperty(
  entity: LinkedEntity,
  { name, association }: Extract<EntityMember, { kind: "navigation" }>,
  names: TypeNames,
): CsdlNavigationProperty {
  const target = association.$target!; // only exposed associations become members
  const partner = partnerOf(entity, association);
  return {
    kind: "navigation",
    name,
    type: names.qualified(edmTypeName(target)),
    collection: association.is2many,
    nullable: association.notNull !== true,
    ...(partner && { partner: partner.name }),
    ...(isContained(target) && { containsTarget: true }),
    onDeleteCascade: association.isComposition,
    referentialConstraints: referentialConstraints(entity, association),
  };
}

/** `Name(p=1)/Set`: the parameters are the key of a type whose navigation property `Set` leads to the rows. */
function parametersType(entity: ViewWithParameters, names: TypeNames): CsdlStructuredType {
  const name = `${edmTypeName(entity)}Parameters`;
  const set: CsdlNavigationProperty = {
    kind: "navigation",
    name: "Set",
    type: names.qualified(edmTypeName(entity)),
    collection: true,
    nullable: true,
    containsTarget: true,
    onDeleteCascade: false,
    referentialConstraints: [],
  };
  const params = [...entity.params].map((param): CsdlProperty => ({
    kind: "property",
    name: param.name,
    ...names.typeOf(param, `${name}_${param.name}`),
    nullable: false,
  }));
  return {
    kind: "entity",
    name,
    key: params.map((param) => param.name),
    open: false,
    members: [...params, set],
  };
}

/**
 * The entity set or singleton of an entity.
 *
 * @param entity the entity
 * @param names names of types
 * @returns undefined for entities without key
 */
export function entitySet(entity: LinkedEntity, names: TypeNames): CsdlSet | undefined {
  if (!isSet(entity)) return undefined;
  const name = edmName(entity);
  const typeName = edmTypeName(entity);
  const type = names.qualified(hasParameters(entity) ? `${typeName}Parameters` : typeName);
  if (hasParameters(entity)) return { kind: "set", name, type, bindings: [], holdsParameters: true };
  const bindings: [string, string][] = [];
  for (const member of entityMembers(entity)) {
    const target = member.kind === "navigation" ? member.association.$target : undefined;
    if (target && isSet(target) && !hasParameters(target)) bindings.push([member.name, edmName(target)]);
  }
  if (!isSingleton(entity)) return { kind: "set", name, type, bindings };
  const nullable = entity["@odata.singleton.nullable"] === true;
  return { kind: "singleton", name, type, bindings, ...(nullable && { nullable }) };
}

/**
 * The association on the other side of a backlink pair.
 *
 * @param entity where the association is
 * @param association one of the two
 * @returns the partner, if the condition of the pair is just `x.b = $self` and both targets are the pair's own entities
 */
function partnerOf(entity: LinkedEntity, association: LinkedElement): LinkedElement | undefined {
  const target = association.$target;
  if (!target) return undefined;
  const forward = backlinkOf(association);
  if (forward !== undefined) {
    const partner = target.elements[forward];
    return partner?.isAssociation && partner.$target === entity ? partner : undefined;
  }
  const candidates = [...target.associations].filter((candidate) =>
    candidate.$target === entity && backlinkOf(candidate) === association.name
  );
  return candidates.length > 0 ? candidates[0] : undefined;
}

/** `b` of the condition `x.b = $self` of association `x`. */
function backlinkOf(association: LinkedElement): string | undefined {
  if (association.on?.length !== 3 || association.on[1] !== "=") return undefined;
  const [left, , right] = association.on;
  const path = isSelf(right) ? refOf(left) : isSelf(left) ? refOf(right) : undefined;
  return path?.length === 2 && path[0] === association.name ? path[1] : undefined;
}

function isSelf(item: Xo): boolean {
  const ref = refOf(item);
  return ref?.length === 1 && ref[0] === "$self";
}

function refOf(item: Xo): string[] | undefined {
  if (typeof item !== "object" || !("ref" in item)) return undefined;
  return item.ref.map(stepName);
}

/**
 * The referential constraints of an association to one.
 *
 * @param entity where the association is
 * @param association the association
 * @returns pairs of flat names: property here, property of the target
 */
function referentialConstraints(entity: LinkedEntity, association: LinkedElement): [string, string][] {
  const target = association.$target;
  if (!target || association.is2many) return [];
  if (association.$foreignKeys) return association.$foreignKeys.map(({ name, target }) => [name, target]);
  const backlink = backlinkOf(association);
  if (backlink !== undefined) {
    return (target.elements[backlink]?.$foreignKeys ?? []).map(({ name, target }) => [target, name]);
  }
  return equalities(entity, target, association);
}

function equalities(
  entity: LinkedEntity,
  target: LinkedEntity,
  association: LinkedElement,
): [string, string][] {
  const on = association.on ?? [];
  if (on.includes("or") || on.includes("not")) return [];
  const pairs: [string, string][] = [];
  for (const [index, item] of on.entries()) {
    if (item !== "=") continue;
    const sides = [refOf(on[index - 1]), refOf(on[index + 1])];
    const there = sides.find((path) => path?.[0] === association.name && path.length > 1);
    const here = sides.find((path) => path && path !== there);
    if (!there || !here) continue;
    const property = (here[0] === "$self" ? here.slice(1) : here).join("_");
    const referenced = there.slice(1).join("_");
    if (entity.$flat.has(property) && target.$flat.get(referenced)?.key) pairs.push([property, referenced]);
  }
  return pairs;
}
