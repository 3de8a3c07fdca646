/**
 * Metadata with some of its annotations only.
 *
 * @module
 */

import type { Csdl, CsdlAnnotation, CsdlValue } from "./csdl.ts";

/** Whether an annotation stays. */
export type AnnotationTest = (term: string, qualifier: string | undefined) => boolean;

/**
 * Leaves annotations out, those of annotations, too.
 *
 * @param csdl the metadata
 * @param stays which annotations stay
 */
export function onlyAnnotations(csdl: Csdl, stays: AnnotationTest): Csdl {
  const annotations = csdl.annotations.map(([target, list]) => [target, kept(list, stays)] as const);
  return {
    ...csdl,
    schemaAnnotations: kept(csdl.schemaAnnotations, stays),
    annotations: annotations.filter(([, list]) => list.length > 0),
  };
}

function kept(annotations: readonly CsdlAnnotation[], stays: AnnotationTest): readonly CsdlAnnotation[] {
  return annotations.filter(({ term, qualifier }) => stays(term, qualifier)).map((one) => ({
    ...one,
    value: keptInside(one.value, stays),
    annotations: kept(one.annotations, stays),
  }));
}

function keptInside(value: CsdlValue, stays: AnnotationTest): CsdlValue {
  if (value.kind === "collection") {
    return { ...value, items: value.items.map((item) => keptInside(item, stays)) };
  }
  if (value.kind !== "record") return value;
  const properties = value.properties.map(([name, inner]) => [name, keptInside(inner, stays)] as const);
  return { ...value, properties, annotations: kept(value.annotations, stays) };
}
