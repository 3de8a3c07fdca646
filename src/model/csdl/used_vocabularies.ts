/**
 * The vocabularies that the annotations of a service use.
 *
 * @module
 */

import type { Csdl, CsdlAnnotation, CsdlValue } from "./csdl.ts";
import { type Vocabulary, vocabulary } from "./vocabularies.ts";

/**
 * Finds the vocabularies in use, in the order of their aliases.
 *
 * @param csdl the metadata
 */
export function usedVocabularies(csdl: Csdl): Vocabulary[] {
  // These two are always there: annotation files of clients build on them.
  const aliases = new Set(["Common", "Core"]);
  collect(csdl.schemaAnnotations, aliases);
  for (const [, annotations] of csdl.annotations) collect(annotations, aliases);
  return [...aliases].sort().map(vocabulary).filter((found) => found !== undefined);
}

function collect(annotations: readonly CsdlAnnotation[], aliases: Set<string>): void {
  for (const { term, value, annotations: nested } of annotations) {
    aliases.add(term.slice(0, term.indexOf(".")));
    collectValue(value, aliases);
    collect(nested, aliases);
  }
}

function collectValue(value: CsdlValue, aliases: Set<string>): void {
  if (value.kind === "collection") { for (const item of value.items) collectValue(item, aliases); }
  if (value.kind === "enum") aliases.add(value.value.slice(0, value.value.indexOf(".")));
  if (value.kind !== "record") return;
  if (value.type?.includes(".")) aliases.add(value.type.slice(0, value.type.indexOf(".")));
  for (const [, inner] of value.properties) collectValue(inner, aliases);
  collect(value.annotations, aliases);
}
