/**
 * Key predicates in all their forms: `(1)`, `(ID=1)`, `(@k)`, `/1` (OData 4.01 Part 2, section 4.3).
 *
 * @module
 */

import type { Xo } from "../../../cqn/cqn.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import { NUMBER_TYPES } from "../../../model/builtin_types.ts";
import { holdsUnstorable } from "../../../util/unstorable_text.ts";
import type { ArgumentList, CommonExpr, PrimitiveLiteral } from "../../url/ast.ts";
import { numberValue } from "../../url/literals.ts";
import type { Binding, Bindings } from "../shapes/bindings.ts";
import { allOf, compare, parameter, reference } from "../../../algebra/build.ts";
import type { Expr } from "../../../algebra/tree.ts";
import { type Conversion, conversionTo, fitsType, isFiner } from "../expressions/literal_values.ts";
import { badRequest, notFound, unknownName } from "../plan_error.ts";
import { stepName } from "../../../cqn/steps.ts";
import { storedKeys } from "../../../model/keys.ts";

/** The values of a key: bindings by the flat name of the key element, in model order. */
export type KeyBindings = ReadonlyMap<string, Binding>;

/** What keys are read with. */
export interface KeyContext {
  readonly entity: LinkedEntity;
  readonly bindings: Bindings;
  readonly resolveAlias: (expr: CommonExpr) => CommonExpr;
  /** Keys that the parent of a navigation fixes, by name. */
  readonly fixed?: ReadonlyMap<string, Binding | undefined>;
}

/**
 * Reads a key predicate.
 *
 * @param list the parentheses behind the name
 * @param context entity and bindings
 * @returns the key
 * @throws {ServiceError} 400 or 404 as behaviours 2 says
 */
export function keyPredicate(list: ArgumentList, context: KeyContext): KeyBindings {
  const keys = storedKeys(context.entity);
  const named = list.items.filter((item) => item.name !== undefined);
  if (list.items.length === 0) throw badRequest("A key is expected in the parentheses", list.offset);
  if (named.length === 0) return positionalKey(list, context);
  const given = new Map<string, Binding>();
  for (const { name, value, offset } of list.items) {
    const key = context.entity.$flatKeys.find((candidate) => candidate.name === name);
    if (key === undefined || name === undefined) {
      const known = keys.map((candidate) => candidate.name);
      throw unknownName({ name: name ?? "", offset, what: "key", owner: context.entity.name, known });
    }
    if (given.has(name)) throw badRequest(`The key "${name}" is given twice`, offset);
    const binding = keyValue(value, key, context);
    if (!key.virtual) given.set(name, binding);
  }
  return complete(given, context, list.offset);
}

function positionalKey(list: ArgumentList, context: KeyContext): KeyBindings {
  const keys = storedKeys(context.entity);
  const free = keys.filter((key) => !context.fixed?.has(key.name) && !isOptional(key));
  const wanted = free.length > 0 ? free : keys;
  if (list.items.length > wanted.length) {
    throw notFound(`"${context.entity.name}" has fewer keys than given (offset ${list.offset})`);
  }
  if (wanted.length > 1) {
    throw badRequest(`"${context.entity.name}" has several keys, which are given by name`, list.offset);
  }
  const binding = keyValue(list.items[0].value, wanted[0], context);
  return complete(new Map([[wanted[0].name, binding]]), context, list.offset);
}

/** Whether URLs may leave a key out. */
function isOptional({ annotated }: FlatElement): boolean {
  return annotated["@odata.key.optional"] === true;
}

/** All keys in model order; those that the parent fixes may be missing. */
function complete(given: ReadonlyMap<string, Binding>, context: KeyContext, offset: number): KeyBindings {
  const all = new Map<string, Binding>();
  for (const key of storedKeys(context.entity)) {
    const { name } = key;
    const binding = given.get(name) ?? context.fixed?.get(name);
    if (binding !== undefined) all.set(name, binding);
    else if (!context.fixed?.has(name) && !isOptional(key)) {
      throw badRequest(`The key "${name}" is missing`, offset);
    }
  }
  return all;
}

/** A key, or a parameter of a view. */
type KeyElement = Pick<FlatElement, "name" | "element">;

/**
 * Reads the value of a key.
 *
 * @param expr its literal
 * @param key the key
 * @param context bindings
 * @throws {ServiceError} 400 for what is no literal of the type, 404 for what no key is like
 */
export function keyValue(
  expr: CommonExpr,
  key: KeyElement,
  context: Pick<KeyContext, "bindings" | "resolveAlias">,
): Binding {
  const literal = context.resolveAlias(expr);
  if (literal.kind !== "primitiveLiteral" || literal.value === null) {
    throw badRequest(`A literal is expected for the key "${key.name}"`, expr.offset);
  }
  return bindKey(literal, key, context.bindings);
}

function bindKey(literal: PrimitiveLiteral, key: KeyElement, bindings: Bindings): Binding {
  const binding = bindings.bindWith(literal, keyConversion(key));
  binding.convert(literal);
  return binding;
}

function textOf(literal: PrimitiveLiteral): string {
  return literal.type === "Edm.String" ? String(literal.value) : literal.text;
}

function keyConversion({ element }: KeyElement): Conversion {
  const builtin = element.$type.builtin ?? "cds.String";
  // rows of existing data have other texts as well where a UUID is declared
  const convert = builtin === "cds.UUID" ? textOf : conversionTo({ builtin, element });
  return (literal) => {
    if (literal.type !== "Edm.String" && isFiner(literal, { builtin })) {
      throw notFound(
        `No key of type ${builtin.replace("cds.", "")} is ${literal.text} (offset ${literal.offset})`,
      );
    }
    const value = convert(literal);
    if (holdsUnstorable(value)) {
      throw notFound(`A key with U+0000 or a lone surrogate addresses no entity (offset ${literal.offset})`);
    }
    if (!fitsType(value, builtin)) {
      throw badRequest(
        `${literal.text} is not a value of type ${builtin.replace("cds.", "")}`,
        literal.offset,
      );
    }
    return value;
  };
}

/**
 * Reads keys from path segments: `/Books/1`, `/OrderItems/1/2`.
 *
 * @param segments the texts of as many segments as the entity has keys that the parent does not fix
 * @param context entity and bindings
 * @returns the key
 * @throws {ServiceError} 404 if a text is no value of its key
 */
export function keySegments(
  segments: readonly { readonly name: string; readonly offset: number }[],
  context: KeyContext,
): KeyBindings {
  const given = new Map<string, Binding>();
  const free = freeKeys(context);
  segments.forEach(({ name, offset }, index) => {
    if (name === "") throw badRequest("A key is expected behind the slash", offset);
    const literal: PrimitiveLiteral = {
      kind: "primitiveLiteral",
      offset,
      text: name,
      ...segmentValue(name, free[index]),
    };
    given.set(free[index].name, bindKey(literal, free[index], context.bindings));
  });
  return complete(given, context, segments[0].offset);
}

/** The text of a segment is the value without quotes; it is read by the type of the key. */
function segmentValue(text: string, key: FlatElement): Pick<PrimitiveLiteral, "type" | "value"> {
  const { builtin = "" } = key.element.$type;
  if (NUMBER_TYPES.has(builtin) && /^[+-]?\d+(?:\.\d+)?$/.test(text)) return numberValue(text);
  return { type: "Edm.String", value: text };
}

/**
 * The keys that key segments stand for.
 *
 * @param context entity and what its parent fixes
 * @returns key elements in model order
 */
export function freeKeys(context: Pick<KeyContext, "entity" | "fixed">): readonly FlatElement[] {
  const keys = storedKeys(context.entity);
  const free = keys.filter((key) => !context.fixed?.has(key.name));
  return free.length > 0 ? free : keys;
}

/**
 * The condition that a key is.
 *
 * @param key the key
 * @returns `ID = :p1 and …`; undefined for a key without elements
 */
export function keyCondition(key: KeyBindings): Expr | undefined {
  return allOf([...key].map(([name, binding]) => compare(reference([name]), "=", parameter(binding.name))));
}

/**
 * Finds the keys that a key predicate behind a to-many navigation may leave out.
 *
 * @param element the navigation, whose condition ties keys of the target to the source
 * @param target its target
 * @param parent the key of the source, if known
 * @returns key names with the value taken from the parent where it is the same
 */
export function fixedKeys(
  element: LinkedElement,
  target: LinkedEntity,
  parent: KeyBindings | undefined,
): ReadonlyMap<string, Binding | undefined> {
  const tied = tiedNames(element);
  const fixed = new Map<string, Binding | undefined>();
  for (const key of storedKeys(target)) {
    if (tied.has(key.name)) fixed.set(key.name, parent?.get(tied.get(key.name) ?? ""));
    else if (key.foreignKey4 !== undefined && tied.get(key.foreignKey4) === "$self") {
      fixed.set(key.name, parent?.get(key.name.slice(key.foreignKey4.length + 1)));
    }
  }
  return fixed;
}

/** Names of the target by the name of the source (or `$self`) they are equal to: `texts.ID = ID`, `items.up_ = $self`. */
function tiedNames(element: LinkedElement): ReadonlyMap<string, string> {
  const tied = new Map<string, string>();
  const on: readonly Xo[] = element.on ?? [];
  for (let i = 1; i < on.length - 1; i++) {
    if (on[i] !== "=") continue;
    const [left, right] = [pathOf(on[i - 1]), pathOf(on[i + 1])];
    if (left === undefined || right === undefined) continue;
    const [inner, outer] = left[0] === element.name ? [left, right] : [right, left];
    if (inner[0] === element.name && outer[0] !== element.name) {
      tied.set(inner.slice(1).join("_"), outer.join("_"));
    }
  }
  return tied;
}

function pathOf(xo: Xo): readonly string[] | undefined {
  if (typeof xo === "string" || !("ref" in xo)) return undefined;
  const path = xo.ref.map(stepName);
  return path[0] === "$self" && path.length > 1 ? path.slice(1) : path;
}
