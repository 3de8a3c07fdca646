/**
 * Elements and types of the syntax tree to CSN, names resolved.
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { toExpression } from "../../cqn/conjunction.ts";
import type { CsnElement, TypeExpression } from "../csn.ts";
import type { AstAssociation, AstElement, AstEnumSymbol, AstFacet, AstReturns, AstType } from "./ast.ts";
import { locate, type QueryResolver, resolveQuery } from "./build_query.ts";
import { resolveName, type Scope } from "./scope.ts";

/** What elements need to know of their surroundings. */
export interface ElementContext {
  readonly scope: Scope;
  /** Full name of the definition. */
  readonly owner: string;
  /** Path of the element around, inside the definition. */
  readonly path?: readonly string[];
  /** The elements that `type of` can name, innermost first. */
  readonly visible?: readonly VisibleElements[];
}

interface VisibleElements {
  readonly path: readonly string[];
  readonly names: ReadonlySet<string>;
}

type Node = Record<string, unknown>;

const NAMED_TYPES_DEPTH = 20;

/**
 * Sets a property under any name, also `__proto__`.
 *
 * @param record the object
 * @param name the name
 * @param value the value
 */
export function setOwn(record: object, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Elements or parameters as a record.
 *
 * @param elements in order
 * @param context their surroundings
 * @returns name → element
 */
export function buildElements(
  elements: readonly AstElement[],
  context: ElementContext,
): Record<string, CsnElement> {
  const result: Record<string, CsnElement> = {};
  const path = context.path ?? [];
  const visible = [{ path, names: new Set(elements.map(({ name }) => name)) }, ...context.visible ?? []];
  for (const element of elements) {
    if (Object.hasOwn(result, element.name)) {
      const text = `Duplicate element "${element.name}" in "${context.owner}"`;
      context.scope.problems.add(text, element.location);
    }
    const inner = { ...context, visible, path: [...path, element.name] };
    setOwn(result, element.name, buildElement(element, inner));
  }
  return result;
}

function buildElement(element: AstElement, context: ElementContext): CsnElement {
  const node: Node = {
    ...(element.isExtension && { kind: "extend" }),
    ...(element.key && { key: true }),
    ...(element.virtual && { virtual: true }),
    ...element.annotations,
    ...(element.doc !== undefined && { doc: element.doc }),
    ...(element.type && buildType(element.type, context)),
    ...(element.notNull !== undefined && { notNull: element.notNull }),
    ...(element.default && { default: operand(element.default, context) }),
    ...(element.value && {
      value: { ...operand(element.value, context), ...(element.stored && { stored: true }) },
    }),
  };
  return locate(node, element.location) as CsnElement;
}

function operand(xos: readonly Xo[], context: ElementContext): Expression {
  return toExpression(resolveQuery(xos, queryResolver(context)));
}

/**
 * How queries inside a definition find their sources and types.
 *
 * @param context the surroundings
 * @returns the resolver
 */
export function queryResolver(context: ElementContext): QueryResolver {
  return {
    source: (name) => resolveName(context.scope, name, "source"),
    type: (type) => buildType(type, context),
    mixin: (elements) => buildElements(elements, context),
  };
}

/**
 * A type expression as the properties an element has of it.
 *
 * @param type the type
 * @param context its surroundings
 * @returns the CSN properties
 */
export function buildType(type: AstType, context: ElementContext): TypeExpression {
  const node: Node = {
    ...(type.localized && { localized: true }),
    ...(type.notNull && { notNull: true }),
    ...typeProperties(type, context),
  };
  if (type.enum) node.enum = buildEnum(type.enum, context);
  if (type.facets) applyFacets(node, type.facets, context);
  return node as TypeExpression;
}

function typeProperties(type: AstType, context: ElementContext): object {
  if (type.elements) return { elements: buildElements(type.elements, context) };
  if (type.items) return { items: buildType(type.items, context) };
  if (type.association) return associationProperties(type.association, context);
  if (!type.named) return {};
  if (type.isTypeOf && !type.path) {
    const steps = type.named.name.split(".");
    const around = context.visible?.find(({ names }) => names.has(steps[0]))?.path ?? [];
    return { type: { ref: [context.owner, ...around, ...steps] } };
  }
  const name = resolveName(context.scope, type.named, type.path ? "source" : "type");
  return { type: type.path ? { ref: [name, ...type.path] } : name };
}

function associationProperties(association: AstAssociation, context: ElementContext): object {
  const { scope } = context;
  const { isComposition, cardinality, target, aspect, keys, on } = association;
  const common = {
    type: isComposition ? "cds.Composition" : "cds.Association",
    ...(cardinality && { cardinality }),
  };
  if (aspect) return { ...common, targetAspect: { elements: buildElements(aspect, context) } };
  if (!target) return common;
  const name = resolveName(scope, target, "target");
  const kind = scope.declarations.byName.get(name)?.kind;
  const isAspect = isComposition && (kind === "aspect" || kind === "type");
  return {
    ...common,
    ...(isAspect ? { targetAspect: name } : { target: name }),
    ...(keys && { keys }),
    ...(on && { on: resolveQuery(on, queryResolver(context)) }),
  };
}

/**
 * The symbols of an enum.
 *
 * @param symbols in order
 * @param context its surroundings
 * @returns symbol → its value and annotations
 */
export function buildEnum(
  symbols: readonly AstEnumSymbol[],
  { scope }: ElementContext,
): Record<string, object> {
  const result: Record<string, object> = {};
  for (const { name, value, annotations, doc, location } of symbols) {
    if (Object.hasOwn(result, name)) scope.problems.add(`Duplicate enum symbol "${name}"`, location);
    const node = { ...annotations, ...(doc !== undefined && { doc }), ...value };
    setOwn(result, name, locate(node, location));
  }
  return result;
}

/**
 * The result of an operation.
 *
 * @param returns type and annotations
 * @param context its surroundings
 * @returns the CSN of `returns`
 */
export function buildReturns(returns: AstReturns, context: ElementContext): TypeExpression {
  return { ...(returns.type && buildType(returns.type, context)), ...returns.annotations };
}

/**
 * Facets by name, or by position as the type wants them.
 *
 * @param node the element that gets them
 * @param facets in parentheses
 * @param context the surroundings
 */
export function applyFacets(node: object, facets: readonly AstFacet[], context: ElementContext): void {
  const positional: (number | string)[] = [];
  for (const facet of facets) {
    const { name, value } = facet;
    checkFacet(facet, context.scope);
    if (name === undefined) positional.push(value);
    else Object.assign(node, { [name]: value });
  }
  if (positional.length === 0) return;
  Object.assign(node, positionalFacets(node, positional, context.scope));
}

const FACETS: readonly string[] = ["length", "precision", "scale", "srid"];
const SCALES: readonly unknown[] = ["variable", "floating"];

function checkFacet({ name, value, location }: AstFacet, { problems }: Scope): void {
  if (name !== undefined && !FACETS.includes(name)) {
    problems.add(`Unknown facet "${name}", expected one of ${FACETS.join(", ")}`, location);
  } else if (typeof value === "string" && !SCALES.includes(value)) {
    problems.add(`Found "${value}", expected a number or one of ${SCALES.join(", ")}`, location);
  }
}

function positionalFacets(node: object, [first, second]: readonly (number | string)[], scope: Scope): object {
  if (second !== undefined) return { precision: first, scale: second };
  const base = baseType((node as { type?: unknown }).type, scope);
  if (base === "cds.Decimal") return { precision: first };
  return base.startsWith("cds.hana.ST_") ? { srid: first } : { length: first };
}

/** The built-in type at the end of a chain of named types; empty when there is none. */
function baseType(type: unknown, { declarations: { byName } }: Scope): string {
  let name = type;
  for (let depth = 0; typeof name === "string" && depth < NAMED_TYPES_DEPTH; depth++) {
    const declaration = byName.get(name);
    if (!declaration) return name;
    const named = declaration.ast?.type?.named?.name;
    name = named === undefined ? declaration.csn?.type : nearestDeclared(name, named, byName);
  }
  return "";
}

/** A name seen from a definition: through the blocks around that, else built in. */
function nearestDeclared(from: string, name: string, byName: ReadonlyMap<string, unknown>): string {
  for (let end = from.lastIndexOf("."); end > 0; end = from.lastIndexOf(".", end - 1)) {
    const candidate = `${from.slice(0, end)}.${name}`;
    if (byName.has(candidate)) return candidate;
  }
  return byName.has(name) || name.startsWith("cds.") ? name : `cds.${name}`;
}
