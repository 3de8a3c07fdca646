/**
 * `extend` and `annotate`: extends are applied to the definitions at once, annotations are kept until the elements of
 * the annotated definition are complete (csn-cqn 8, "Order of application").
 *
 * @module
 */

import type { Column, SelectBody } from "../../cqn/cqn.ts";
import { annotationsOf } from "../annotations_of.ts";
import type { CsnElement, CsnExtension, CsnOperation } from "../csn.ts";
import {
  copyElement,
  copyElements,
  copyOperation,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  modelError,
  suggestion,
} from "./draft.ts";
import { structureOf } from "./element_path.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

const FACETS = ["length", "precision", "scale", "srid"] as const;

/**
 * Applies the extends and files the annotations by definition.
 *
 * @param draft the model
 * @param extensions in order of application
 */
export function applyExtensions(draft: Draft, extensions: readonly CsnExtension[]): void {
  for (const extension of extensions) {
    if (extension.extend === undefined) continue;
    const definition = draft.definitions[extension.extend];
    const { extend: name } = extension;
    if (definition) draft.problems.attempt(() => applyExtend(draft, name, extension));
    else push(draft.lateExtensions, name, extension);
  }
  for (const extension of extensions) {
    if (extension.annotate !== undefined) push(draft.annotations, extension.annotate, extension);
  }
}

/**
 * Applies the extends that waited for a generated definition.
 *
 * @param draft the model
 * @param name the definition that now exists
 */
export function applyLateExtensions(draft: Draft, name: string): void {
  const waiting = draft.lateExtensions.get(name);
  draft.lateExtensions.delete(name);
  for (const extension of waiting ?? []) applyExtend(draft, name, extension);
}

/**
 * Reports extends of definitions that do not exist.
 *
 * @param draft the model, complete
 */
export function reportLateExtensions(draft: Draft): void {
  for (const [name, [extension]] of draft.lateExtensions) {
    const near = suggestion(name, Object.keys(draft.definitions));
    draft.problems.catch(modelError(`Unknown definition "${name}" in extend${near}`, extension));
  }
}

/**
 * Applies the annotations of a definition whose elements are complete. Annotations of what does not exist are
 * ignored: models may annotate optional parts of other models.
 *
 * @param draft the model
 * @param name the definition
 */
export function applyAnnotations(draft: Draft, name: string): void {
  const definition = draft.definitions[name];
  for (const extension of draft.annotations.get(name) ?? []) annotateDefinition(draft, definition, extension);
}

function annotateDefinition(draft: Draft, definition: DraftDefinition, extension: CsnExtension): void {
  change(draft, definition, extension as unknown as CsnElement); // an extension has the parts of an element that count here
  changeAll(draft, definition.params, extension.params);
  if (definition.returns && extension.returns) change(draft, definition.returns, extension.returns);
  for (const [name, operation] of Object.entries(extension.actions ?? {})) {
    const action = definition.actions?.[name];
    if (!action) continue;
    annotate(action, operation);
    changeAll(draft, action.params, operation.params);
    if (action.returns && operation.returns) change(draft, action.returns, operation.returns);
  }
}

function annotate(target: object, source: object): void {
  const record = target as Record<string, unknown>;
  for (const [key, value] of annotationsOf(source)) record[key] = mergeAnnotation(record[key], value);
  if ("doc" in source) record.doc = source.doc;
}

function change(draft: Draft, target: DraftElement, source: CsnElement): void {
  annotate(target, source);
  for (const facet of FACETS) {
    if (source[facet] !== undefined) target[facet] = source[facet] as never;
  }
  if (source.enum && target.enum) {
    const symbols = { ...target.enum };
    for (const [name, symbol] of Object.entries(source.enum)) symbols[name] = { ...symbols[name], ...symbol };
    target.enum = symbols;
  }
  const changes = source.elements ?? source.items?.elements;
  if (changes) changeAll(draft, ownElements(draft, target), changes);
}

/** The elements below an element; those of its type are copied, as the changes are for this one use of the type. */
function ownElements(draft: Draft, target: DraftElement): DraftElements | undefined {
  const elements = target.elements ?? target.items?.elements ?? aspectElements(target);
  if (elements || target.target !== undefined) return elements;
  const inherited = structureOf(draft, target);
  return inherited && (target.elements = copyElements(inherited));
}

function aspectElements(element: DraftElement): DraftElements | undefined {
  return typeof element.targetAspect === "object" ? element.targetAspect.elements : undefined;
}

function changeAll(
  draft: Draft,
  targets: DraftElements | undefined,
  sources?: Readonly<Record<string, CsnElement>>,
): void {
  for (const [name, source] of Object.entries(sources ?? {})) {
    if (targets?.[name]) change(draft, targets[name], source);
  }
}

function applyExtend(draft: Draft, name: string, extension: CsnExtension): void {
  const definition = draft.definitions[name];
  annotate(definition, extension);
  for (const include of extension.includes ?? []) {
    definition.includes = [...(definition.includes ?? []), include];
    const late = draft.lateIncludes.get(name) ?? [];
    draft.lateIncludes.set(name, [...late, include]);
  }
  if (extension.elements) extendElements(draft, name, extension.elements);
  if (extension.columns) extendColumns(definition, extension.columns);
  for (const [action, operation] of Object.entries(extension.actions ?? {})) {
    extendOperation(definition, operation, { key: action, name });
  }
  for (const [param, element] of Object.entries(extension.params ?? {})) {
    definition.params ??= emptyRecord();
    definition.params[param] = copyElement(element);
  }
  if (extension.enum) definition.enum = { ...definition.enum, ...extension.enum };
  for (const facet of FACETS) {
    if (extension[facet] !== undefined) definition[facet] = extension[facet] as never;
  }
}

function extendElements(draft: Draft, name: string, added: Readonly<Record<string, CsnElement>>): void {
  const definition = draft.definitions[name];
  // Elements of queries come from columns; those given here only carry annotations.
  const changes: Record<string, CsnElement> = {};
  const holder = definition.items ?? definition;
  for (const [key, element] of Object.entries(added)) {
    const existing = holder.elements?.[key];
    if (!declares(element) || (existing && isNestedOnly(element))) changes[key] = element;
    else if (existing) {
      draft.problems.catch(modelError(`Duplicate element "${key}" in "${name}"`, element, definition));
    } else (holder.elements ??= emptyRecord())[key] = copyElement(element);
  }
  if (Object.keys(changes).length === 0) return;
  // Nested elements are added at once where they can be seen, everything else when includes are expanded.
  for (const [key, element] of Object.entries(changes)) addNested(holder.elements?.[key], element);
  push(draft.annotations, name, { annotate: name, elements: changes });
}

function addNested(target: DraftElement | undefined, source: CsnElement): void {
  const elements = target && (target.elements ?? target.items?.elements ?? aspectElements(target));
  if (!elements) return;
  for (const [key, element] of Object.entries(source.elements ?? {})) {
    if (elements[key]) addNested(elements[key], element);
    else elements[key] = copyElement(element);
  }
}

function declares(element: CsnElement): boolean {
  const { kind } = element as { kind?: string };
  if (kind === "extend" || kind === "annotate") return false;
  return element.type !== undefined || element.items !== undefined || element.value !== undefined ||
    element.target !== undefined || element.targetAspect !== undefined || element.elements !== undefined;
}

/** Elements without a type of their own extend the structure that is there already. */
function isNestedOnly(element: CsnElement): boolean {
  return element.elements !== undefined && element.type === undefined && element.items === undefined;
}

function extendColumns(definition: DraftDefinition, columns: readonly Column[]): void {
  const extend = (select: SelectBody) => ({
    ...select,
    columns: [...(select.columns ?? ["*" as const]), ...columns],
  });
  if (definition.projection) definition.projection = extend(definition.projection);
  else if (definition.query && "SELECT" in definition.query) {
    definition.query = { ...definition.query, SELECT: extend(definition.query.SELECT) };
  }
}

function extendOperation(
  definition: DraftDefinition,
  operation: CsnOperation,
  { key, name }: { readonly key: string; readonly name: string },
): void {
  definition.actions ??= emptyRecord();
  const existing = definition.actions[key];
  if (!existing) definition.actions[key] = copyOperation(operation);
  else if (operation.kind === "action" || operation.kind === "function") {
    throw modelError(`Duplicate operation "${key}" of "${name}"`, operation, definition);
  } else {
    annotate(existing, operation);
    for (const [param, element] of Object.entries(operation.params ?? {})) {
      (existing.params ??= emptyRecord())[param] = copyElement(element);
    }
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/**
 * The value in effect when an annotation is set again. In an array `{"...": true}` stands for the earlier array, and
 * `{"...": x}` for the earlier array up to (and with) the entry like `x`; further ones continue behind it.
 *
 * @param before the value so far, if any
 * @param value the new value
 */
function mergeAnnotation(before: unknown, value: unknown): unknown {
  if (!Array.isArray(value) || !value.some(isEllipsis)) return value;
  const base: unknown[] = Array.isArray(before) ? before : [];
  const result: unknown[] = [];
  let position = 0;
  for (const item of value) {
    if (!isEllipsis(item)) {
      result.push(item);
      continue;
    }
    const upTo = item["..."];
    const found = base.findIndex((entry, index) =>
      upTo !== true && index >= position && matches(entry, upTo)
    );
    const end = found < 0 ? base.length : found + 1;
    result.push(...base.slice(position, end));
    position = end;
  }
  return result;
}

function isEllipsis(item: unknown): item is { "...": unknown } {
  return isPlainObject(item) && "..." in item;
}

/** Records match by the members given, everything else by equality. */
function matches(entry: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(entry) && pattern.every((part, index) => matches(entry[index], part));
  }
  if (isPlainObject(pattern)) {
    return isPlainObject(entry) && Object.entries(pattern).every(([key, part]) => matches(entry[key], part));
  }
  return entry === pattern;
}
