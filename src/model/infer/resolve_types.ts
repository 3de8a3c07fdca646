import { builtinTypeNames, INTEGER_TYPES, isBuiltinType } from "../builtin_types.ts";
import {
  assertChain,
  copyElement,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  inheritAnnotations,
  isView,
  modelError,
  suggestion,
} from "./draft.ts";
import { findElement, hasUnknownView } from "./element_path.ts";
import { functionRow } from "../../algebra/functions.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Call, Expr } from "../../algebra/tree.ts";
import type { Expression } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";

const INHERITED = [
  "length",
  "precision",
  "scale",
  "srid",
  "target",
  "targetAspect",
  "keys",
  "on",
  "cardinality",
  "localized",
  "notNull",
  "default",
] as const;

interface TypeState {
  readonly draft: Draft;
  readonly done: Set<DraftElement>;
  readonly open: Set<DraftElement>;
}

/**
 * Resolves the types of all elements, parameters and results. References to elements of views whose signature is not
 * known yet are left; a second run resolves them.
 *
 * @param draft the model
 * @throws {ConfigurationError} for unknown and cyclic types
 */
export function resolveTypes(draft: Draft): void {
  const state: TypeState = { draft, done: new Set(), open: new Set() };
  for (const [name, definition] of Object.entries(draft.definitions)) {
    const at = { name, definition };
    if (!isView(definition)) resolve(state, definition, at);
    if (definition.elements) {
      for (const element of Object.values(definition.elements)) resolve(state, element, at);
    }
    resolveAll(state, definition.params, at);
    if (definition.returns) resolve(state, definition.returns, at);
    for (const operation of Object.values(definition.actions ?? {})) {
      resolveAll(state, operation.params, at);
      if (operation.returns) resolve(state, operation.returns, at);
    }
  }
}

interface At {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function resolveAll(state: TypeState, elements: DraftElements | undefined, at: At): void {
  for (const element of Object.values(elements ?? {})) resolve(state, element, at);
}

function resolve(state: TypeState, element: DraftElement, at: At): void {
  if (state.done.has(element)) return;
  if (state.open.has(element)) throw modelError(`Cyclic type in "${at.name}"`, element, at.definition);
  state.open.add(element);
  const { problems } = state.draft;
  problems.attempt(() => {
    assertChain(state.open, element);
    inheritType(state, element, at);
  });
  state.open.delete(element);
  state.done.add(element);
  resolveAll(state, element.elements, at);
  if (element.items) resolve(state, element.items, at);
  if (typeof element.targetAspect === "object") resolveAll(state, element.targetAspect.elements, at);
  if (typeof element.target === "object") resolveAll(state, element.target.elements, at);
  if (element.value !== undefined) (element as Record<string, unknown>)["@Core.Computed"] ??= true;
}

function inheritType(state: TypeState, element: DraftElement, at: At): void {
  const base = baseOf(state, element, at);
  if (!base) return;
  for (const facet of INHERITED) {
    if (element[facet] === undefined && base[facet] !== undefined) element[facet] = base[facet] as never;
  }
  inheritAnnotations(element, base, (key) => key.startsWith("@cds.autoexpose"));
}

/** The element or type definition one level down, itself resolved. */
function baseOf(state: TypeState, element: DraftElement, at: At): DraftElement | undefined {
  const { type } = element;
  if (type === undefined || type === "$self") return undefined;
  if (typeof type === "object") {
    if (hasUnknownView(state.draft, type.ref)) return undefined;
    const found = findElement(state.draft, type.ref);
    if ("missing" in found) {
      if (isExternal(at)) return undefined;
      throw modelError(
        `Unknown type "${type.ref.join(".")}" in "${at.name}": ${found.missing}`,
        element,
        at.definition,
      );
    }
    resolve(state, found.element, { name: type.ref[0], definition: state.draft.definitions[type.ref[0]] });
    return found.element;
  }
  if (isBuiltinType(type)) return undefined;
  const definition = state.draft.definitions[type];
  if (!definition && isBuiltinType(`cds.${type}`)) {
    element.type = `cds.${type}`; // some tools leave the prefix out
    return undefined;
  }
  if (!definition) {
    if (isExternal(at)) return undefined;
    const near = suggestion(type, [...builtinTypeNames(), ...Object.keys(state.draft.definitions)]);
    throw modelError(`Unknown type "${type}" in "${at.name}"${near}`, element, at.definition);
  }
  if (definition.kind !== "type") return undefined; // entities, aspects and events as types only give their structure
  resolve(state, definition, { name: type, definition });
  return definition;
}

/** Imported descriptions of remote services may be cut out of larger models. */
function isExternal({ definition }: At): boolean {
  return Boolean(definition["@cds.external"]);
}

/** Finds the element of a path, if it leads anywhere. */
export type ElementLookup = (steps: readonly string[]) => DraftElement | undefined;

/**
 * The type of an expression.
 *
 * @param expression any expression
 * @param lookup finds the elements of its paths
 * @returns type name and facets; nothing if the type cannot be told
 */
export function expressionType(expression: Expression, lookup: ElementLookup): DraftElement {
  try {
    return typeOf(fromExpression(expression), lookup);
  } catch (error) {
    // calls of methods are refused with their place by `check_references.ts`
    if (error instanceof TypeError) return {};
    throw error;
  }
}

function typeOf(given: Expr, lookup: ElementLookup): DraftElement {
  switch (given.kind) {
    case "literal":
      return given.literal === "x" ? { type: "cds.Binary" } : known(given.type);
    case "reference":
      return pathType(given.ref.map(stepName), lookup);
    case "variable":
      return pathType(given.path, lookup);
    case "call":
      return functionType(given, lookup);
    case "case":
      return typeOf(given.branches[0]!.then, lookup);
    case "arithmetic":
      return calculatedType([given.left, given.right], { lookup, divides: given.op === "/" });
    case "unary":
      return given.op === "not" ? known(given.type) : calculatedType([given.arg], { lookup, divides: false });
    case "joined":
    case "comparison":
    case "in":
    case "like":
    case "between":
    case "exists":
      return known(given.type);
    case "unlocalized":
    case "cast":
      return typeOf(given.arg, lookup);
  }
  return {};
}

function known(type: string | undefined): DraftElement {
  return type === undefined ? {} : { type };
}

function pathType(steps: readonly string[], lookup: ElementLookup): DraftElement {
  if (steps[0] === "$now") return { type: "cds.Timestamp" };
  if (["$user", "$tenant"].includes(steps[0])) return { type: "cds.String" };
  const element = lookup(steps);
  if (!element || element.target !== undefined) return {};
  const { type, length, precision, scale, elements, items } = copyElement(element);
  const known = Object.entries({ type, length, precision, scale, elements, items });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

function functionType({ func, args = [] }: Call, lookup: ElementLookup): DraftElement {
  const { declared, result, like } = functionRow(func) ?? {};
  if (declared === undefined ? like === undefined : declared !== "first") return known(declared ?? result);
  const [first] = args;
  const found = typeof first === "object" ? typeOf(first, lookup) : {};
  // what lies between whole numbers is none, and has more digits than they have
  return like === "mean" && found.type !== "cds.Double" ? known(result) : found;
}

function calculatedType(
  operands: readonly Expr[],
  { lookup, divides }: { readonly lookup: ElementLookup; readonly divides: boolean },
): DraftElement {
  const types = operands.map((operand) => typeOf(operand, lookup).type);
  if (types.some((type) => type === undefined)) return {};
  if (types.every((type) => INTEGER_TYPES.has(type))) return { type: divides ? "cds.Decimal" : types[0] };
  if (types.includes("cds.Double")) return { type: "cds.Double" };
  return types.every((type) => INTEGER_TYPES.has(type) || type === "cds.Decimal")
    ? { type: "cds.Decimal" }
    : {};
}
