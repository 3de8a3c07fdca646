/**
 * The working copy of a model while it is inferred: the only mutable form of a model. `inferModel` copies what it was
 * given, the passes of this folder change the copy, and nothing outside sees it before it is complete.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { annotationsOf } from "../annotations_of.ts";
import type { Problems } from "../problems.ts";
import type {
  Annotated,
  CsnDefinition,
  CsnElement,
  CsnExtension,
  CsnOperation,
  TypeExpression,
} from "../csn.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** How many definitions may build on each other. */
const MAX_CHAIN = 200;

/**
 * Ends the work on a chain of definitions before it is too long to be followed.
 *
 * @param open the definitions that wait for the next one
 * @param at the next one
 * @throws {ConfigurationError} beyond 200
 */
export function assertChain(open: ReadonlySet<unknown>, at: Annotated | DraftElement): void {
  if (open.size < MAX_CHAIN) return;
  throw modelError(`More than ${MAX_CHAIN} definitions build on each other`, at);
}

/** Elements by name. */
export type DraftElements = Record<string, DraftElement>;

/** An element, parameter, result, item or type expression that passes may change. */
export interface DraftElement
  extends Mutable<Omit<CsnElement, "elements" | "items" | "targetAspect" | "target">> {
  elements?: DraftElements;
  items?: DraftElement;
  target?: string | { elements: DraftElements };
  targetAspect?: string | { elements: DraftElements };
}

/** An operation that passes may change. */
export interface DraftOperation extends Mutable<Omit<CsnOperation, "params" | "returns">> {
  params?: DraftElements;
  returns?: DraftElement;
}

/** A definition that passes may change. */
export interface DraftDefinition extends
  DraftElement,
  Mutable<
    Pick<CsnDefinition, "kind" | "includes" | "query" | "projection">
  > {
  actions?: Record<string, DraftOperation>;
  params?: DraftElements;
  returns?: DraftElement;
}

/** By entity in the source of a view: its element -> the view element that selects it directly. */
export type SelectedNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What the passes share. */
export interface Draft {
  readonly definitions: Record<string, DraftDefinition>;
  /** `annotate` (and changes of inherited elements) by definition, applied when the definition's elements are known. */
  readonly annotations: Map<string, CsnExtension[]>;
  /** `extend` of definitions that come into being during inference (`Orders.Items`, `Books.texts`). */
  readonly lateExtensions: Map<string, CsnExtension[]>;
  /** Includes added by `extend`: their elements follow those of the definition itself. */
  readonly lateIncludes: Map<string, string[]>;
  /** Takes the mistakes of a pass. */
  readonly problems: Problems;
  /** By view. */
  readonly selected: Map<string, SelectedNames>;
}

/**
 * An empty record without prototype, so that no name collides with one of `Object.prototype`.
 *
 * @returns the record
 */
export function emptyRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>; // a fresh object has any type of entries
}

/**
 * A shallow copy that keeps the source position, which is not enumerable.
 *
 * @param from the object to copy
 */
function copyWithLocation<T extends object>(from: T): T {
  const copy = { ...from };
  const place = Object.getOwnPropertyDescriptor(from, "$location");
  if (place && !place.enumerable) Object.defineProperty(copy, "$location", place);
  return copy;
}

/**
 * Gives what is generated the place of what it is generated for.
 *
 * @param generated the definition or element
 * @param origin has a place
 * @returns the same object
 */
export function placedLike<T extends object>(generated: T, origin: Annotated | DraftElement | undefined): T {
  const { $location: value } = origin ?? {};
  return value ? Object.defineProperty(generated, "$location", { value, configurable: true }) : generated;
}

/**
 * A copy of elements that can be changed without changing the original.
 *
 * @param elements elements by name
 */
export function copyElements(elements: Readonly<Record<string, CsnElement | DraftElement>>): DraftElements {
  const copy = emptyRecord<DraftElement>();
  for (const [name, element] of Object.entries(elements)) copy[name] = copyElement(element);
  return copy;
}

/**
 * A copy of an element that can be changed without changing the original. Expressions are shared: they are never
 * changed, only replaced.
 *
 * @param element the element or type expression
 */
export function copyElement(element: CsnElement | TypeExpression | DraftElement): DraftElement {
  const copy = copyWithLocation(element) as DraftElement; // the nested parts become drafts right below
  if (element.elements) copy.elements = copyElements(element.elements);
  if (element.items) copy.items = copyElement(element.items);
  if (typeof element.target === "object") copy.target = { elements: copyElements(element.target.elements) };
  if (typeof element.targetAspect === "object") {
    copy.targetAspect = { elements: copyElements(element.targetAspect.elements) };
  }
  return copy;
}

/**
 * A copy of an operation that can be changed without changing the original.
 *
 * @param operation the action or function
 */
export function copyOperation(operation: CsnOperation | DraftOperation): DraftOperation {
  const copy = copyWithLocation(operation) as DraftOperation; // the nested parts become drafts right below
  if (operation.params) copy.params = copyElements(operation.params);
  if (operation.returns) copy.returns = copyElement(operation.returns);
  return copy;
}

/**
 * A copy of a definition that can be changed without changing the original.
 *
 * @param definition the definition
 */
export function copyDefinition(definition: CsnDefinition): DraftDefinition {
  const copy = copyElement(definition) as DraftDefinition; // the nested parts become drafts right below
  copy.kind ??= "type";
  if (definition.params) copy.params = copyElements(definition.params);
  if (definition.returns) copy.returns = copyElement(definition.returns);
  if (definition.actions) {
    copy.actions = emptyRecord();
    for (const [name, action] of Object.entries(definition.actions)) {
      copy.actions[name] = copyOperation(action);
    }
  }
  return copy;
}

/**
 * Takes over annotations that the receiver does not have itself.
 *
 * @param receiver gets the annotations
 * @param source has them
 * @param except annotations that stay behind
 */
export function inheritAnnotations(
  receiver: object,
  source: object,
  except?: (key: string, value: unknown) => boolean,
): void {
  const target = receiver as Record<string, unknown>;
  for (const [key, value] of annotationsOf(source)) {
    if (!(key in target) && !except?.(key, value)) target[key] = value;
  }
}

/**
 * An error with the place in the model source.
 *
 * @param message what was found and what was expected
 * @param at the definition or element with the mistake; of several the first with a known position
 */
export function modelError(
  message: string,
  ...at: readonly (Annotated | DraftElement | undefined)[]
): ConfigurationError {
  const place = at.find((item) => item?.$location)?.$location;
  return new ConfigurationError(message, place && { file: place.file, line: place.line, column: place.col });
}

/**
 * The part of a message that suggests a known name.
 *
 * @param name what was found
 * @param known what there is
 * @returns `, did you mean "x"?` or nothing
 */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest ? `, did you mean "${nearest}"?` : "";
}

/**
 * Tells whether a definition is a view: an entity (or event, type) whose elements come from a query.
 *
 * @param definition the definition
 */
export function isView(definition: DraftDefinition): boolean {
  return definition.query !== undefined || definition.projection !== undefined;
}

/**
 * Tells whether an element is an association or composition; its type is resolved already.
 *
 * @param element the element
 */
export function isAssociation(element: DraftElement): boolean {
  return element.target !== undefined || element.targetAspect !== undefined ||
    element.type === "cds.Association" || element.type === "cds.Composition";
}

/**
 * Tells whether an association leads to many rows.
 *
 * @param element the association
 */
export function isToMany(element: { readonly cardinality?: { readonly max?: number | "*" } }): boolean {
  const max = element.cardinality?.max;
  return max === "*" || (typeof max === "number" && max > 1);
}
