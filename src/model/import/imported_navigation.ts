/**
 * Navigation properties as associations.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import type { CsnElement } from "../csn.ts";
import type { CsdlObject } from "./csdl_document.ts";
import type { ImportScope } from "./import_scope.ts";

/** Where a navigation property stands. */
interface NavigationOwner {
  readonly importer: ImportScope;
  /** Qualified name of the type it belongs to. */
  readonly owner: string;
  /** The navigation bindings of the set. */
  readonly bindings: CsdlObject;
}

/**
 * A navigation property as association or composition. Its condition is that of its referential constraints, or of those
 * of its partner; without, there is none, and only the service knows what it leads to.
 *
 * @param name its name
 * @param member the property
 * @param place where it stands
 */
export function importedNavigation(name: string, member: CsdlObject, place: NavigationOwner): CsnElement {
  const { importer, bindings } = place;
  const type = importer.csdl.qualify(String(member.$Type));
  const bound = bindings[name];
  const set = typeof bound === "string" ? bound.slice(bound.lastIndexOf("/") + 1) : undefined;
  const isSet = importer.members.some(([known]) => known === set);
  const isMany = member.$Collection === true;
  const isPart = member.$ContainsTarget === true || member.$OnDelete !== undefined;
  const on = conditionOf(name, member, place);
  return {
    type: isPart ? "cds.Composition" : "cds.Association",
    target: isSet ? `${importer.service}.${set}` : importer.nameOf(type),
    ...(isMany ? { cardinality: { max: "*" as const } } : {}),
    ...(on ? { on } : { keys: [] }),
    ...(!isMany && member.$Nullable !== true ? { notNull: true } : {}),
  };
}

function conditionOf(
  name: string,
  member: CsdlObject,
  { importer, owner }: NavigationOwner,
): readonly Xo[] | undefined {
  const type = importer.csdl.qualify(String(member.$Type));
  const own = constraintsOf(member, importer, [owner, type]);
  if (own.length > 0) {
    return joined(
      own.map(([dependent, principal]) => [{ ref: [name, principal] }, "=", { ref: [dependent] }]),
    );
  }
  const { $Partner: partner } = member;
  const back = typeof partner === "string" ? importer.membersOfType(type).get(partner) : undefined;
  if (!back || back.$Collection === true || constraintsOf(back, importer, [type, owner]).length === 0) {
    return undefined;
  }
  return [{ ref: [name, String(partner)] }, "=", { ref: ["$self"] }];
}

/** Pairs of dependent and principal property; those that name no properties of the two types are left out. */
function constraintsOf(
  { $ReferentialConstraint }: CsdlObject,
  importer: ImportScope,
  [dependent, principal]: readonly [string, string],
): readonly (readonly [string, string])[] {
  const own = importer.membersOfType(dependent);
  const others = importer.membersOfType(principal);
  return Object.entries($ReferentialConstraint ?? {}).map(([name, other]) => [name, String(other)] as const)
    .filter(([name, other]) => own.has(name) && others.has(other));
}

function joined(conditions: readonly (readonly Xo[])[]): readonly Xo[] {
  return conditions.flatMap((condition, index) => index === 0 ? condition : ["and", ...condition]);
}
