/**
 * Misspelt names of annotations that protect data: unnoticed, they would protect nothing.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { CsnDefinition, SourceLocation } from "../../model/csn.ts";
import type { Problems } from "../../model/problems.ts";
import { editDistance, nearestName } from "../../util/nearest_name.ts";

/** Names without a namespace, which belong to CDS. */
const NAMES: readonly string[] = ["@restrict", "@requires", "@readonly", "@insertonly", "@mandatory"];
/** How many letters may differ: `@restricted` and `@require` mean ours, `@request` and `@writeonly` something else. */
const NEAR = 2;
const ASSERTIONS: readonly string[] = [
  ...["@assert.range", "@assert.format", "@assert.target", "@assert.unique", "@assert.integrity"],
  ...["@assert.enum", "@assert.notNull"],
];
/** Members of an entry of `@restrict`; of a record instead of a list they become parts of the name. */
const PRIVILEGE: ReadonlySet<string> = new Set(["grant", "grants", "to", "where", "roles"]);

/** Something of a model that may be annotated, and what is within. */
interface Annotated {
  readonly elements?: Readonly<Record<string, Annotated>>;
  readonly actions?: Readonly<Record<string, Annotated>>;
  readonly params?: Readonly<Record<string, Annotated>>;
  readonly items?: unknown;
  readonly returns?: unknown;
  readonly $location?: SourceLocation;
}

/** What the name of something is, and where it was declared. */
interface AnnotatedPlace {
  readonly name: string;
  readonly location: SourceLocation | undefined;
}

/** What becomes of misspelt names. */
export interface MisspeltNames {
  /** What names seen so far mean: few of them stand at many places. */
  readonly seen: Map<string, string | undefined>;
  /** Takes them. */
  readonly problems: Problems;
  /** Takes those of checks of input, which existing projects start without; those of rights are problems all the same. */
  readonly pass?: ((problem: ConfigurationError) => void) | undefined;
}

/**
 * Checks the names of the annotations of a definition and of all within it. Names with a dot belong to whoever the
 * namespace belongs to (`@restricted.x`), unless it is one of ours.
 *
 * @param name full name of the definition
 * @param definition the definition as in the CSN
 * @param misspelt takes those that look like one of ours but are none
 */
export function checkAnnotationNames(name: string, definition: CsnDefinition, misspelt: MisspeltNames): void {
  check(definition as Annotated, { name, location: definition.$location }, misspelt);
}

/**
 * The annotation of ours that one is made of by an underscore in front or at the end, which switches it off.
 *
 * @param name of the annotation
 */
export function switchedOff(name: string): string | undefined {
  const meant = name.replace(/^@_|_$/, (mark) => mark.replace("_", ""));
  return meant !== name && NAMES.includes(meant) ? meant : undefined;
}

function check(annotated: Annotated, outer: AnnotatedPlace, misspelt: MisspeltNames): void {
  const place = { name: outer.name, location: annotated.$location ?? outer.location };
  for (const key in annotated) {
    if (!key.startsWith("@")) continue;
    if (!misspelt.seen.has(key)) misspelt.seen.set(key, meantBy(key));
    const meant = misspelt.seen.get(key);
    if (meant === undefined) continue;
    const text = `Annotation ${key} of ${place.name} is unknown, did you mean ${meant}?`;
    const { file, line, col: column } = place.location ?? {};
    const problem = new ConfigurationError(text, { file, line, column });
    if (misspelt.pass && meant.startsWith("@assert.")) misspelt.pass(problem);
    else misspelt.problems.catch(problem);
  }
  for (const part of [annotated.elements, annotated.actions, annotated.params]) {
    for (const name in part) check(part[name]!, { ...place, name: `${place.name}/${name}` }, misspelt);
  }
  for (const part of [annotated.items, annotated.returns]) {
    if (typeof part === "object" && part !== null) check(part, place, misspelt);
  }
}

function meantBy(name: string): string | undefined {
  // an underscore in front of a name or at its end switches the annotation off, as many projects do
  if (NAMES.includes(name) || name.startsWith("@_") || switchedOff(name)) return undefined;
  const [namespace, ...rest] = name.split("#")[0]!.split(".");
  const near = nearTo(namespace!);
  if (rest.length === 0) return near;
  if (namespace === "@restrict") return `@restrict: [{ ${rest[0]}: … }]`;
  if (namespace === "@requires") return namespace;
  if (near === "@restrict" && PRIVILEGE.has(rest[0]!)) return near;
  return assertionMeant(name, namespace!);
}

function nearTo(name: string): string | undefined {
  if (name.toLowerCase().startsWith("@restrict")) return "@restrict";
  const near = nearestName(name, NAMES);
  return near !== undefined && editDistance(name.toLowerCase(), near) <= NEAR ? near : undefined;
}

function assertionMeant(name: string, namespace: string): string | undefined {
  const full = name.split(".").slice(0, 2).join(".");
  if (ASSERTIONS.includes(full)) return undefined;
  if (namespace !== "@assert" && editDistance(namespace.toLowerCase(), "@assert") > 1) return undefined;
  return nearestName(full, ASSERTIONS);
}
