/**
 * The `Prefer` header and what of it was applied (OData Protocol 8.2.8, RFC 7240).
 *
 * @module
 */

import { splitQuoted } from "../../util/http_text.ts";
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

/** Preferences of a request. What is unknown or malformed counts as absent. */
export interface Preferences {
  readonly return?: "minimal" | "representation";
  readonly maxPageSize?: number;
  readonly continueOnError?: boolean;
  readonly omitValues?: "nulls" | "defaults";
  readonly respondAsync?: true;
  /** Seconds to wait for an answer before it becomes asynchronous. */
  readonly wait?: number;
  readonly trackChanges?: true;
  /** Which annotations are wanted (`include-annotations`). */
  readonly annotations?: AnnotationsList;
  /** The preference as the client wrote it, by its name without `odata.`: for `Preference-Applied`. */
  readonly written: ReadonlyMap<string, string>;
}

const NO_PREFERENCES: Preferences = Object.freeze({ written: new Map<string, string>() });

/**
 * Parses a `Prefer` header; names with or without `odata.` in any letter case, the first of a name wins.
 *
 * @param header value of the header; several headers joined by commas
 */
export function parsePrefer(header: string | null | undefined): Preferences {
  if (!header) return NO_PREFERENCES;
  const written = new Map<string, string>();
  const values = new Map<string, string>();
  for (const part of splitQuoted(header, ",")) {
    const [token = ""] = splitQuoted(part, ";");
    const at = `${token}=`.indexOf("=");
    const name = token.slice(0, at).trim().toLowerCase().replace(/^odata\./, "");
    if (name === "" || values.has(name)) continue;
    values.set(name, unquote(token.slice(at + 1).trim()));
    written.set(name, token.trim());
  }
  return {
    ...returnPreference(values.get("return")),
    ...pageSizePreference(values.get("maxpagesize")),
    ...continuePreference(values.get("continue-on-error")),
    ...omitPreference(values.get("omit-values")),
    ...waitPreference(values.get("wait")),
    ...annotationsPreference(values.get("include-annotations")),
    ...(values.has("respond-async") ? { respondAsync: true } : {}),
    ...(values.has("track-changes") ? { trackChanges: true } : {}),
    written,
  };
}

function unquote(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
}

function returnPreference(value: string | undefined): Pick<Preferences, "return"> {
  const text = value?.toLowerCase();
  return text === "minimal" || text === "representation" ? { return: text } : {};
}

function pageSizePreference(value: string | undefined): Pick<Preferences, "maxPageSize"> {
  return value !== undefined && /^[1-9]\d{0,8}$/.test(value) ? { maxPageSize: Number(value) } : {};
}

function continuePreference(value: string | undefined): Pick<Preferences, "continueOnError"> {
  const text = value?.toLowerCase();
  if (text === "" || text === "true") return { continueOnError: true };
  return text === "false" ? { continueOnError: false } : {};
}

function annotationsPreference(value: string | undefined): Pick<Preferences, "annotations"> {
  const annotations = value === undefined ? undefined : parseAnnotationsList(value);
  return annotations ? { annotations } : {};
}

function waitPreference(value: string | undefined): Pick<Preferences, "wait"> {
  return value !== undefined && /^\d{1,9}$/.test(value) ? { wait: Number(value) } : {};
}

function omitPreference(value: string | undefined): Pick<Preferences, "omitValues"> {
  const text = value?.toLowerCase();
  return text === "nulls" || text === "defaults" ? { omitValues: text } : {};
}

/**
 * Value of `Preference-Applied`, or undefined if nothing was applied.
 *
 * @param preferences what the client asked for
 * @param applied names without `odata.` of what was honoured
 */
export function preferenceApplied(preferences: Preferences, applied: readonly string[]): string | undefined {
  if (applied.length === 0) return undefined;
  const texts = applied.map((name) => preferences.written.get(name)).filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join(", ") : undefined;
}
