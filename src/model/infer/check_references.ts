import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import { PSEUDO_VARIABLES, stepName } from "../../cqn/steps.ts";
import { walkXo } from "../../cqn/walk.ts";
import { conditionMistake } from "../condition_mistake.ts";
import {
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  modelError,
  suggestion,
} from "./draft.ts";
import { findElement, findInElements, type FoundElement, structureOf } from "./element_path.ts";

/**
 * Checks targets, conditions of associations and calculated elements of all entities.
 *
 * @param draft the model, complete
 */
export function checkReferences(draft: Draft): void {
  for (const [name, definition] of Object.entries(draft.definitions)) {
    checkElements(draft, definition.elements, { name, definition, around: [] });
  }
}

/**
 * Checks that conditions of associations are expressions, before anything looks at them.
 *
 * @param draft the model, as it is written
 */
export function checkConditions(draft: Draft): void {
  for (const [name, definition] of Object.entries(draft.definitions)) {
    for (const [key, element] of elementsIn(definition)) {
      const mistake = element.on && conditionMistake(element.on);
      if (mistake === undefined) continue;
      const text = `The condition of "${key}" in "${name}" is no expression: ${mistake}`;
      draft.problems.catch(modelError(text, element, definition));
    }
  }
}

function* elementsIn({ elements, items }: DraftElement): Generator<[string, DraftElement]> {
  for (const [key, element] of Object.entries(elements ?? {})) {
    yield [key, element];
    yield* elementsIn(element);
  }
  if (items) yield* elementsIn(items);
}

interface At {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function checkElements(
  draft: Draft,
  elements: DraftElements | undefined,
  { around, ...at }: At & { readonly around: readonly DraftElements[] },
): void {
  for (const [key, element] of Object.entries(elements ?? {})) {
    const scopes = [elements!, ...around]; // there is an element
    draft.problems.attempt(() => checkTarget(draft, element, { ...at, key }));
    // Only elements of entities know all the paths: aspects may rely on elements of those that include them.
    if (at.definition.kind === "entity") {
      const { on, value } = element;
      if (on && around.length === 0) {
        checkPaths(draft, on, { ...at, key, element, scopes });
        checkSelf(draft, on, { key, element });
      }
      if (value) checkPaths(draft, [value as Expression], { ...at, key, element, scopes });
    }
    draft.problems.attempt(() => checkDefault(draft, element, { ...at, key }));
    // a default is made before there is a row
    if (element.default) {
      checkPaths(draft, [element.default], { ...at, key, element, scopes: [{}], isDefault: true });
    }
    checkElements(draft, element.elements, { ...at, around: scopes });
    checkElements(draft, element.items?.elements, { ...at, around: scopes });
  }
}

const LEADS_NOWHERE: ReadonlySet<string> = new Set([
  "type",
  "event",
  "action",
  "function",
  "service",
  "context",
]);

function checkTarget(draft: Draft, element: DraftElement, at: At & { readonly key: string }): void {
  if (typeof element.target !== "string") return;
  const target = draft.definitions[element.target];
  if (target && LEADS_NOWHERE.has(String(target.kind)) && !target.elements) {
    const what = `Target "${element.target}" of association "${at.key}" in "${at.name}"`;
    throw modelError(`${what} is of kind ${target.kind}, expected an entity`, element, at.definition);
  }
  if (target) return;
  const near = suggestion(element.target, Object.keys(draft.definitions));
  throw modelError(
    `Unknown target "${element.target}" of association "${at.key}" in "${at.name}"${near}`,
    element,
    at.definition,
  );
}

/** A default that is a symbol has to be one of the enum. */
function checkDefault(draft: Draft, element: DraftElement, at: At & { readonly key: string }): void {
  if (!element.default || !("#" in element.default)) return;
  const symbol = element.default["#"];
  const symbols = enumOf(draft, element);
  if (symbols && Object.hasOwn(symbols, symbol)) return;
  const near = suggestion(symbol, Object.keys(symbols ?? {}));
  const message = `Default "#${symbol}" of "${at.key}" in "${at.name}" is no symbol of its enum${near}`;
  throw modelError(message, element, at.definition);
}

function enumOf(draft: Draft, element: DraftElement): DraftElement["enum"] {
  const visited = new Set<DraftElement>();
  let current: DraftElement | undefined = element;
  while (current && !visited.has(current)) {
    if (current.enum) return current.enum;
    visited.add(current);
    const { type, target, keys }: DraftElement = current;
    const path: readonly string[] | undefined = typeof target === "string" && keys?.length === 1
      ? [target, ...keys[0].ref] // the default of a managed association is that of its foreign key
      : typeof type === "object"
      ? type.ref
      : undefined;
    const found: FoundElement | undefined = path && findElement(draft, path);
    current = found
      ? "element" in found ? found.element : undefined
      : typeof type === "string"
      ? draft.definitions[type]
      : undefined;
  }
  return undefined;
}

interface PathPlace extends At {
  readonly key: string;
  readonly element: DraftElement;
  /** The elements that paths can start with, innermost first. */
  readonly scopes: readonly DraftElements[];
  /** Whether the path is a default, which is hardly meant to be one. */
  readonly isDefault?: boolean;
}

/** What was written, without other quotes than those of texts. */
function bare(steps: readonly string[]): string {
  return steps.join(".").replace(/^[\u2018\u2019\u201c\u201d]|[\u2018\u2019\u201c\u201d]$/g, "");
}

function checkPaths(draft: Draft, xpr: readonly Xo[], at: PathPlace): void {
  const report = (text: string, expression?: object) =>
    // expressions carry their place as elements do
    draft.problems.catch(modelError(text, expression as DraftElement | undefined, at.element, at.definition));
  const compared = structuresCompared(draft, xpr, at);
  walkXo([{ xpr }], (expression) => {
    if (compared.has(expression)) return false;
    if ("SELECT" in expression || "SET" in expression) return false;
    if ("xpr" in expression && expression.xpr?.some((token) => token === "." || token === "new")) {
      report(`Found a method call in "${at.key}" of "${at.name}", which no database understands`);
    }
    const { ref } = expression as { readonly ref?: readonly RefStep[] }; // other expressions have none
    if (!ref) return;
    const text = "param" in expression && expression.param
      ? `Unknown parameter "${ref.map(stepName).join(".")}" in "${at.key}" of "${at.name}"`
      : unresolved(draft, ref.map(stepName), at);
    if (text !== undefined) report(text, expression);
    return false; // conditions of steps start somewhere else
  });
}

/** The operands of comparisons of a structure with another one. */
function structuresCompared(draft: Draft, xpr: readonly Xo[], at: PathPlace): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const isStructure = (token: Xo | undefined) =>
    typeof token === "object" && "ref" in token && !token.param &&
    leadsToStructure(draft, token.ref.map(stepName), at);
  for (const [index, token] of xpr.entries()) {
    if (typeof token === "object" && "xpr" in token && token.xpr) {
      for (const inner of structuresCompared(draft, token.xpr, at)) found.add(inner);
    }
    const [left, right] = [xpr[index - 1], xpr[index + 1]];
    if ((token !== "=" && token !== "<>") || !isStructure(left) || !isStructure(right)) continue;
    found.add(left).add(right);
  }
  return found;
}

function leadsToStructure(draft: Draft, steps: readonly string[], at: PathPlace): boolean {
  const found = foundAt(draft, steps, at);
  return "element" in found && found.element.target === undefined &&
    structureOf(draft, found.element) !== undefined;
}

function foundAt(draft: Draft, steps: readonly string[], at: PathPlace): FoundElement {
  const isOwn = steps[0] === "$self" || steps[0] === "$projection";
  const path = isOwn ? steps.slice(1) : steps;
  const scopes = isOwn ? at.scopes.slice(-1) : at.scopes;
  return findInElements(draft, scopes.find((elements) => path[0] in elements) ?? scopes[0], path);
}

function unresolved(draft: Draft, steps: readonly string[], at: PathPlace): string | undefined {
  const isOwn = steps[0] === "$self" || steps[0] === "$projection";
  const path = isOwn ? steps.slice(1) : steps;
  if (path.length === 0 || PSEUDO_VARIABLES.has(path[0])) return undefined;
  const found = foundAt(draft, steps, at);
  if ("element" in found) {
    if (found.element.target !== undefined || !structureOf(draft, found.element)) return undefined;
    return `"${steps.join(".")}" in "${at.key}" of "${at.name}" is a structure, expected one of its elements`;
  }
  const hint = at.isDefault ? `; a text is written in single quotes: '${bare(steps)}'` : "";
  return `Unresolved path "${steps.join(".")}" in "${at.key}" of "${at.name}": ${found.missing}${hint}`;
}

/** An association and its name. */
export interface NamedElement {
  readonly key: string;
  readonly element: DraftElement;
}

/**
 * Checks the comparisons with `$self` in the condition of an association.
 *
 * @param draft the model
 * @param on the condition
 * @param association its association
 */
export function checkSelf(draft: Draft, on: readonly Xo[], association: NamedElement): void {
  for (const [index, token] of on.entries()) {
    if (typeof token === "string") continue;
    if ("xpr" in token && !("func" in token)) checkSelf(draft, token.xpr, association);
    if (!isSelf(token)) continue;
    const others = [
      on[index + 1] === "=" ? on[index + 2] : undefined,
      on[index - 1] === "=" ? on[index - 2] : undefined,
    ];
    if (others.some((other) => leadsBack(draft, other, association))) continue;
    const text =
      `"$self" of "${association.key}" can be compared only, by "=", with an association of its target`;
    draft.problems.catch(modelError(text, token as object as DraftElement, association.element)); // it carries its place as elements do
  }
}

function isSelf(token: Xo): boolean {
  return typeof token === "object" && "ref" in token && token.ref.length === 1 &&
    (token.ref[0] === "$self" || token.ref[0] === "$projection");
}

/** `$self.items` is the element `items` of the row itself. */
function isOwn(ref: readonly RefStep[]): boolean {
  return ref[0] === "$self" || ref[0] === "$projection";
}

function leadsBack(draft: Draft, other: Xo | undefined, { key, element }: NamedElement): boolean {
  if (typeof other !== "object" || !("ref" in other)) return false;
  const [first, ...path] = other.ref.map(stepName).slice(isOwn(other.ref) ? 1 : 0);
  if (first !== key) return false;
  let current: DraftElement | undefined = element;
  for (const [index, step] of path.entries()) {
    if (index > 0 && current?.target !== undefined) return false;
    current = current && structureOf(draft, current)?.[step];
    if (!current) return true; // told as unresolved path
  }
  return path.length > 0 && current?.target !== undefined;
}
