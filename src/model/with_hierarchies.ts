/**
 * What `@hierarchy` adds to an entity of a service: the annotations that tree tables read, and the elements that say where a
 * node stands.
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";
import type { Csn, CsnDefinition, CsnElement } from "./csn.ts";
import { modelError, placedLike } from "./infer/draft.ts";
import { unqualified } from "../util/unqualified.ts";

/** Elements that say where a node stands. */
const FACTS: Readonly<Record<string, CsnElement>> = {
  LimitedDescendantCount: derived("cds.Integer"),
  DistanceFromRoot: derived("cds.Integer"),
  DrillState: derived("cds.String"),
  LimitedRank: derived("cds.Integer"),
};

function derived(type: string): CsnElement {
  return { type, virtual: true, "@Core.Computed": true };
}

/**
 * A model with what its hierarchies add.
 *
 * @param csn an inferred model; it is not changed
 * @returns the same model where nothing has `@hierarchy`, or all is there already
 * @throws {ConfigurationError} where it is not known how nodes lead to their parents
 */
export function withHierarchies(csn: Csn): Csn {
  const definitions = csn.definitions ?? {};
  const trees: Record<string, CsnDefinition> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const given = definition["@hierarchy"];
    if (definition.kind !== "entity" || given === undefined || given === null || given === false) continue;
    const isInherited = isHierarchy(definitions, definition);
    const parent = parentOf(name, definition, isInherited);
    if (parent === undefined && isInherited) continue; // a view that leaves it out
    const added = withTree(definition, { name, parent });
    if (added !== definition) trees[name] = placedLike(added, definition);
  }
  return Object.keys(trees).length === 0 ? csn : { ...csn, definitions: { ...definitions, ...trees } };
}

/** Whether what a view reads has the annotation, too. */
function isHierarchy(
  definitions: NonNullable<Csn["definitions"]>,
  { projection, query }: CsnDefinition,
): boolean {
  const from = projection?.from ?? (query && "SELECT" in query ? query.SELECT.from : undefined);
  const source = from && "ref" in from && typeof from.ref[0] === "string"
    ? definitions[from.ref[0]]
    : undefined;
  return source?.["@hierarchy"] !== undefined;
}

function withTree(
  definition: CsnDefinition,
  { name, parent }: { readonly name: string; readonly parent: string | undefined },
): CsnDefinition {
  const { elements = {} } = definition;
  const qualifier = `${unqualified(name)}Hierarchy`;
  if (definition[`@Aggregation.RecursiveHierarchy#${qualifier}`] !== undefined) return definition;
  if (parent === undefined) {
    throw modelError(
      `@hierarchy names the association from a node to its parent, a "${name}", too`,
      definition,
    );
  }
  const keys = Object.keys(elements).filter((key) => elements[key]!.key && !elements[key]!.virtual);
  if (keys.length !== 1) {
    throw modelError(`@hierarchy needs an entity with one key, not ${keys.length}`, definition);
  }
  const paths = Object.fromEntries(Object.keys(FACTS).map((fact) => [fact, { "=": fact }]));
  return {
    [`@Aggregation.RecursiveHierarchy#${qualifier}`]: {
      NodeProperty: { "=": keys[0] },
      ParentNavigationProperty: { "=": parent },
    },
    [`@Hierarchy.RecursiveHierarchy#${qualifier}`]: paths,
    "@Capabilities.FilterRestrictions.NonFilterableProperties": Object.values(paths),
    "@Capabilities.SortRestrictions.NonSortableProperties": Object.values(paths),
    ...definition,
    elements: {
      ...elements,
      ...Object.fromEntries(Object.entries(FACTS).filter(([fact]) => !elements[fact])),
    },
  };
}

/** The association of a node to its parent: the one that is named, which views may rename, else the only one to a node. */
function parentOf(name: string, definition: CsnDefinition, isInherited: boolean): string | undefined {
  const given = definition["@hierarchy"];
  const isParent = ({ target, cardinality }: CsnElement) => target === name && (cardinality?.max ?? 1) === 1;
  const found = Object.entries(definition.elements ?? {}).filter(([, element]) => isParent(element));
  const path = isPlainObject(given) ? given["="] : given;
  const named = found.filter(([own]) => own === path);
  const [parent, more] = path === true || (isInherited && named.length === 0) ? found : named;
  return more ? undefined : parent?.[0];
}
