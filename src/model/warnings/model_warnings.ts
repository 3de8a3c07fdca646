import type { Expression, SelectBody, Xo } from "../../cqn/cqn.ts";
import { walkExpression, walkQuery, walkXo } from "../../cqn/walk.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { annotationsOf } from "../annotations_of.ts";
import { annotationProblem, roleProblems } from "./annotation_problem.ts";
import { entityProblems, functionProblem } from "./definition_problems.ts";
import { defaultProblem, type ElementPlace, elementProblems } from "./element_problems.ts";
import type { Csn, CsnDefinition, CsnElement, CsnExtension, SourceLocation } from "../csn.ts";

/** A remark and where it belongs. */
export interface ModelWarning {
  /** What was found and what was expected. */
  readonly text: string;
  /** Where, if it is known. */
  readonly location?: SourceLocation;
}

/**
 * Looks for what is suspicious in a sound model.
 *
 * @param parsed the model with its extensions, as it came from the compiler
 * @param inferred what inference made of it
 * @returns remarks, those about extensions first
 */
export function modelWarnings(parsed: Csn, inferred: Csn): ModelWarning[] {
  const definitions = inferred.definitions ?? {};
  return [
    ...(parsed.extensions ?? []).flatMap((extension) => extensionWarnings(extension, definitions)),
    ...Object.entries(parsed.definitions ?? {}).flatMap(([name, definition]) =>
      definitionWarnings(name, definition, definitions)
    ),
    ...localizedWarnings(inferred),
  ];
}

type Definitions = Readonly<Record<string, CsnDefinition>>;

function extensionWarnings(extension: CsnExtension, definitions: Definitions): ModelWarning[] {
  const warnings = annotationWarnings(extension, extension.$location);
  for (const element of Object.values(extension.elements ?? {})) {
    warnings.push(...annotationWarnings(element, element.$location ?? extension.$location));
  }
  const name = extension.annotate;
  if (name === undefined) return warnings;
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (target) return [...warnings, ...unknownElements(extension, { name, target, definitions })];
  const near = hint(name, Object.keys(definitions));
  return [...warnings, {
    text: `Annotated definition "${name}" is unknown${near}`,
    location: extension.$location,
  }];
}

function unknownElements(
  extension: CsnExtension,
  at: { readonly name: string; readonly target: CsnDefinition; readonly definitions: Definitions },
): ModelWarning[] {
  const elements = elementsOf(at.target, at.definitions);
  const actions = at.target.actions ?? {};
  const unknown = (kind: string, given: Readonly<Record<string, CsnElement>>, known: object) =>
    Object.entries(given).filter(([key]) => !Object.hasOwn(known, key)).map(([key, { $location }]) => ({
      text: `Annotated ${kind} "${key}" of "${at.name}" is unknown${hint(key, Object.keys(known))}`,
      location: $location ?? extension.$location,
    }));
  return [
    ...(elements ? unknown("element", extension.elements ?? {}, elements) : []),
    ...unknown("operation", extension.actions as Readonly<Record<string, CsnElement>> ?? {}, actions),
  ];
}

/** The elements of a definition or of its type; undefined where they cannot be told. */
function elementsOf(
  { elements, items, type }: CsnElement,
  definitions: Definitions,
): Readonly<Record<string, CsnElement>> | undefined {
  if (elements ?? items?.elements) return elements ?? items?.elements;
  const base = typeof type === "string" && Object.hasOwn(definitions, type) ? definitions[type] : undefined;
  return base ? elementsOf(base, definitions) : undefined;
}

function definitionWarnings(
  name: string,
  parsed: CsnDefinition,
  definitions: Definitions,
): ModelWarning[] {
  const inferred = definitions[name] ?? parsed;
  const { query, projection, $location } = parsed;
  const select = query ?? (projection && { SELECT: projection });
  const warnings = annotationWarnings(parsed, $location);
  for (const text of entityProblems(name, inferred, definitions)) {
    warnings.push({ text: `"${name}" ${text}`, location: $location });
  }
  if (select) {
    warnings.push(
      ...exclusionWarnings(name, "SELECT" in select ? select.SELECT : undefined, { definitions, $location }),
    );
    walkQuery(select, (expression) => {
      if ("xpr" in expression) warnings.push(...nullWarnings(expression.xpr ?? [], $location));
      warnings.push(...functionWarnings(expression, name, $location));
    });
    const body = "SELECT" in select ? select.SELECT : undefined;
    warnings.push(...[body?.where, body?.having].flatMap((clause) => nullWarnings(clause ?? [], $location)));
  }
  for (const [key, element] of Object.entries(parsed.elements ?? {})) {
    warnings.push(
      ...elementWarnings({ name, key, definitions }, element, inferred.elements?.[key] ?? element),
    );
  }
  warnings.push(...parameterWarnings(name, parsed));
  for (const [key, action] of Object.entries(parsed.actions ?? {})) {
    warnings.push(...parameterWarnings(`${name}.${key}`, action));
  }
  warnings.push(...privilegeWarnings(name, inferred));
  return warnings;
}

function parameterWarnings(
  name: string,
  { params, $location }: { readonly params?: CsnElement["elements"]; readonly $location?: SourceLocation },
): ModelWarning[] {
  return Object.entries(params ?? {}).filter(([, param]) => isTypeless(param)).map(([key, param]) => ({
    text: `Parameter "${key}" of "${name}" has no type: it becomes a text`,
    location: param.$location ?? $location,
  }));
}

function elementWarnings(
  at: ElementPlace,
  element: CsnElement,
  inferred: CsnElement,
): ModelWarning[] {
  const { $location: location, on, value } = element;
  const warnings = annotationWarnings(element, location);
  if (on) warnings.push(...nullsWithin(on, location));
  if (value) {
    warnings.push(...nullsWithin([value as Expression], location));
    walkExpression(value as Expression, (expression) => {
      warnings.push(...functionWarnings(expression, at.name, location));
    });
  }
  for (const text of elementProblems(inferred, at)) {
    warnings.push({ text: `"${at.key}" of "${at.name}" ${text}`, location });
  }
  const isMany = typeof element.cardinality?.max === "string" || Number(element.cardinality?.max) > 1;
  if (element.target !== undefined && isMany && !on && !element.keys && !inferred.on) {
    warnings.push({
      text:
        `"${at.key}" of "${at.name}" leads to many without a condition, so it leads nowhere: expected "on"`,
      location,
    });
  }
  const problem = defaultProblem(inferred);
  if (problem !== undefined) {
    warnings.push({ text: `Default of "${at.key}" of "${at.name}" ${problem}`, location });
  }
  if (isTypeless(inferred)) {
    warnings.push({ text: `"${at.key}" of "${at.name}" has no type: it becomes a text`, location });
  }
  if (/^cds\.(?:Association|Composition)$/.test(String(inferred.type)) && inferred.target === undefined) {
    warnings.push({
      text: `"${at.key}" of "${at.name}" leads nowhere: expected "to" and an entity`,
      location,
    });
  }
  return warnings;
}

function functionWarnings(
  expression: object,
  name: string,
  location: SourceLocation | undefined,
): readonly ModelWarning[] {
  const text = functionProblem(expression);
  return text === undefined ? [] : [{ text: `${text} (in "${name}")`, location }];
}

/** What a projection leaves out has to be there. */
function exclusionWarnings(
  name: string,
  body: SelectBody | undefined,
  { definitions, $location: location }: {
    readonly definitions: Definitions;
    readonly $location?: SourceLocation;
  },
): ModelWarning[] {
  const source = body && "ref" in body.from ? body.from.ref : undefined;
  const [only] = source?.length === 1 ? source : [];
  const elements = typeof only === "string" ? definitions[only]?.elements : undefined;
  if (elements === undefined) return [];
  return (body?.excluding ?? []).filter((one) => !Object.hasOwn(elements, one)).map((one) => ({
    text: `Excluded element "${one}" of "${name}" is unknown${hint(one, Object.keys(elements))}`,
    location,
  }));
}

function isTypeless({ type, target, items, elements, value, enum: symbols }: CsnElement): boolean {
  return [type, target, items, elements, value, symbols].every((part) => part === undefined);
}

/** Privileges with a condition at a service, which has no rows: they grant nothing there. */
function privilegeWarnings(name: string, inferred: CsnDefinition): ModelWarning[] {
  const { kind, "@restrict": restrict, $location: location } = inferred as CsnDefinition & {
    readonly "@restrict"?: unknown;
  };
  if (kind !== "service") return [];
  return [restrict].flat().filter((privilege) =>
    isPlainObject(privilege) && "where" in privilege && privilege.where !== true
  ).map(() => ({
    text:
      `A privilege with "where" at service "${name}" grants nothing: expected it at entities of the service`,
    location,
  }));
}

/** Comparisons with null in a condition and within its parentheses. */
function nullsWithin(tokens: readonly Xo[], location: SourceLocation | undefined): ModelWarning[] {
  const found = nullWarnings(tokens, location);
  walkXo(tokens, (expression) => {
    if ("xpr" in expression) found.push(...nullWarnings(expression.xpr ?? [], location));
  });
  return found;
}

/** `x = null` is never true. */
function nullWarnings(tokens: readonly Xo[], location: SourceLocation | undefined): ModelWarning[] {
  const isNull = (token: Xo | undefined): boolean =>
    typeof token === "object" && "val" in token && token.val === null;
  return tokens.flatMap((token, index): ModelWarning[] => {
    if (token !== "=" && token !== "<>") return [];
    if (!isNull(tokens[index - 1]) && !isNull(tokens[index + 1])) return [];
    const expected = token === "=" ? "is null" : "is not null";
    return [{ text: `A comparison with null by "${token}" is never true: expected "${expected}"`, location }];
  });
}

function annotationWarnings(annotated: object, location: SourceLocation | undefined): ModelWarning[] {
  const problems = annotationsOf(annotated).flatMap(([name, value]) => annotationProblem(name, value) ?? []);
  return [...problems, ...roleProblems(annotated)].map((text) => ({ text, location }));
}

function hint(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? "" : `, did you mean "${near}"?`;
}

/**
 * Looks for `localized` where it has no effect: in entities whose key is an association or that have none, and in
 * structures.
 *
 * @param inferred the inferred model
 * @returns remarks
 */
function localizedWarnings(
  inferred: Csn,
): { readonly text: string; readonly location?: SourceLocation }[] {
  const { definitions = {} } = inferred;
  return Object.entries(definitions).flatMap(([name, definition]) => {
    if (definition.kind !== "entity" || definition.query || definition.projection) return [];
    return Object.entries(definition.elements ?? {}).flatMap(([key, element]) => [
      ...nestedWarnings({ name, path: key, definitions }, element),
      ...(element.localized && !definition.elements?.texts ? [withoutTexts(name, key, definition)] : []),
    ]);
  });
}

function withoutTexts(name: string, key: string, { elements = {} }: CsnDefinition) {
  const location = elements[key].$location;
  if (elements[key].key) return { text: `The key "${key}" of "${name}" cannot be localized`, location };
  const association = Object.keys(elements).find((one) => elements[one].key && elements[one].target);
  const reason = association === undefined ? "has no key" : `has the key "${association}", an association`;
  return { text: `"${key}" of "${name}" cannot be localized: the entity ${reason}`, location };
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly definitions: NonNullable<Csn["definitions"]>;
}

function nestedWarnings(
  at: Place,
  { elements: own, type, $location }: CsnElement,
): { readonly text: string; readonly location?: SourceLocation }[] {
  const elements = own ?? (typeof type === "string" ? at.definitions[type]?.elements : undefined);
  return Object.entries(elements ?? {}).flatMap(([key, element]) => {
    const path = `${at.path}.${key}`;
    const location = element.$location ?? $location;
    const text = `"${path}" of "${at.name}" cannot be localized: it is in a structure`;
    return [...(element.localized ? [{ text, location }] : []), ...nestedWarnings({ ...at, path }, element)];
  });
}
