/**
 * The preference `include-annotations`: which annotations a client wants (OData Protocol 8.2.8.4).
 *
 * @module
 */

import { vocabulary, vocabularyOf } from "../../model/csdl/vocabularies.ts";

/** A term, `namespace.*` or `*`, maybe for one qualifier. */
interface Identifier {
  readonly isExcluded: boolean;
  /** The name up to the star, or the whole name of a term. */
  readonly name: string;
  readonly isPattern: boolean;
  readonly qualifier?: string;
}

/** Which annotations a client wants. */
export type AnnotationsList = readonly Identifier[];

// annotationIdentifier = [ "-" ] ( STAR / namespace "." ( termName / STAR ) ) [ "#" odataIdentifier ]
const IDENTIFIER =
  /^(-?)(?:(\*)|((?:[\p{L}_][\p{L}\p{N}_]*\.)+)(?:(\*)|([\p{L}_][\p{L}\p{N}_]*)))(?:#([\p{L}_][\p{L}\p{N}_]*))?$/u;

/**
 * Parses the value of the preference.
 *
 * @param text the value, without quotes
 * @returns undefined when it is malformed: it counts as absent then
 */
export function parseAnnotationsList(text: string): AnnotationsList | undefined {
  const list: Identifier[] = [];
  for (const one of text.split(",")) {
    const match = IDENTIFIER.exec(one.trim());
    if (!match) return undefined;
    const [, minus, all, namespace = "", star, term = "", qualifier] = match;
    list.push({
      isExcluded: minus === "-",
      name: all ? "" : namespace + term,
      isPattern: (all ?? star) !== undefined,
      ...(qualifier !== undefined && { qualifier }),
    });
  }
  return list;
}

/**
 * Whether an annotation is wanted. The most specific identifier decides: a name before patterns, a longer pattern before
 * a shorter one, one with the qualifier before one without.
 *
 * @param list what the client wants
 * @param term the qualified name of the term, its vocabulary by alias or namespace
 * @param qualifier the qualifier, if the annotation has one
 * @returns for what the list does not mention: whether it only excludes
 */
export function isWanted(list: AnnotationsList, term: string, qualifier: string | undefined): boolean {
  const names = namesOf(term);
  let best: Identifier | undefined;
  for (const one of list) {
    if (one.qualifier !== undefined && one.qualifier !== qualifier) continue;
    if (!names.some((name) => one.isPattern ? name.startsWith(one.name) : name === one.name)) continue;
    if (best === undefined || isMoreSpecific(one, best)) best = one;
  }
  return best === undefined ? list.every(({ isExcluded }) => isExcluded) : !best.isExcluded;
}

function isMoreSpecific(one: Identifier, other: Identifier): boolean {
  if (one.isPattern !== other.isPattern) return other.isPattern;
  const dots = (name: string) => name.split(".").length;
  if (dots(one.name) !== dots(other.name)) return dots(one.name) > dots(other.name);
  return one.qualifier !== undefined && other.qualifier === undefined;
}

/** A term by the alias and by the namespace of its vocabulary. */
function namesOf(term: string): readonly string[] {
  const at = term.lastIndexOf(".");
  const [owner, name] = [term.slice(0, at), term.slice(at)];
  const known = vocabulary(owner) ?? vocabularyOf(owner);
  return known ? [`${known.namespace}${name}`, `${known.alias}${name}`] : [term];
}
