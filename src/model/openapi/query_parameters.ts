/**
 * System query options as parameters (OData 4.01 Part 1, clause 11.2.5).
 *
 * @module
 */

import type { CsdlStructuredType } from "../csdl/csdl.ts";
import type { AnnotationIndex } from "./annotation_index.ts";

/** A parameter object of OpenAPI, or a reference to one. */
export type Parameter = Readonly<Record<string, unknown>>;

/** Parameters that every collection shares (`components/parameters`). */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  top: option("$top", "Show only the first n items", { type: "integer", minimum: 0 }),
  skip: option("$skip", "Skip the first n items", { type: "integer", minimum: 0 }),
  count: option("$count", "Include the number of all items", { type: "boolean" }),
  search: option("$search", "Items that match the words", { type: "string" }),
  filter: option("$filter", "Items for which the condition holds", { type: "string" }),
};

/**
 * The options of a collection of entities.
 *
 * @param set qualified name of the annotated set: `S.EntityContainer/Books`
 * @param type its entity type
 * @param annotations restrictions
 */
export function collectionParameters(
  set: string,
  type: CsdlStructuredType,
  annotations: AnnotationIndex,
): readonly Parameter[] {
  const allows = (term: string, property?: string) => annotations.allows(set, term, property);
  const names = [
    allows("TopSupported") && "top",
    allows("SkipSupported") && "skip",
    allows("SearchRestrictions", "Searchable") && "search",
    allows("FilterRestrictions", "Filterable") && "filter",
    allows("CountRestrictions", "Countable") && "count",
  ].filter((name) => name !== false);
  const shared = names.map((name): Parameter => ({ $ref: `#/components/parameters/${name}` }));
  const orderby = type.members.filter(({ kind }) => kind === "property")
    .flatMap(({ name }) => [name, `${name} desc`]);
  return [
    ...shared,
    ...(allows("SortRestrictions", "Sortable")
      ? [list("$orderby", "Order items by these values", orderby)]
      : []),
    ...entityParameters(set, type, annotations),
  ];
}

/**
 * The options of a single entity.
 *
 * @param set qualified name of the annotated set
 * @param type its entity type
 * @param annotations restrictions
 */
export function entityParameters(
  set: string,
  type: CsdlStructuredType,
  annotations: AnnotationIndex,
): readonly Parameter[] {
  const namesOf = (kind: string) => type.members.filter((one) => one.kind === kind).map(({ name }) => name);
  const navigation = namesOf("navigation");
  return [
    ...(annotations.allows(set, "SelectSupport", "Supported")
      ? [list("$select", "Show only these properties", namesOf("property"))]
      : []),
    ...(navigation.length > 0 && annotations.allows(set, "ExpandRestrictions", "Expandable")
      ? [list("$expand", "Show related entities", ["*", ...navigation])]
      : []),
  ];
}

function option(name: string, description: string, schema: object): Parameter {
  return { name, in: "query", description, schema };
}

/** Names separated by commas; the known ones are proposed, paths and expressions are possible. */
function list(name: string, description: string, known: readonly string[]): Parameter {
  const items = { anyOf: [{ type: "string", enum: known }, { type: "string" }] };
  return {
    name,
    in: "query",
    description,
    explode: false,
    schema: { type: "array", uniqueItems: true, items },
  };
}
