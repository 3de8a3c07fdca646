/**
 * What builders take as entity and key.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { RefExpression, Source, Xo } from "../cqn.ts";
import { isQuery, isRef } from "../is_query.ts";
import { type EntityShape, type QueryBinding, resolveEntity } from "../query_runner.ts";
import { type ConditionObject, conditionTokens, elementTokens } from "./expressions.ts";
import { fromTemplate, isTemplate, parseSourceText, type TextWithValues } from "./parse_text.ts";
import { withCallerFrames } from "../../util/caller_frames.ts";
import { stepName } from "../steps.ts";

/** An entity: its name (or CQL text of a path), its definition, a class with its name, or a path. */
export type EntityArgument =
  | string
  | TemplateStringsArray
  | { readonly name: string }
  | { readonly ref: RefExpression["ref"]; readonly as?: string };

/** An entity whose name carries no type of its rows. */
export type UntypedEntity =
  | Exclude<EntityArgument, { readonly name: string }>
  | { readonly name: string; readonly $row?: never };

const NAME = /^\s*[\p{L}_$][\p{L}\w$.-]*\s*$/u;

/** A resolved argument: what stands in the query, and the definition if it is known. */
export interface ResolvedEntity<S extends Source = Source> {
  /** What stands in the query. */
  readonly source: S;
  /** The definition, where it is known. */
  readonly shape: EntityShape | undefined;
}

/**
 * The source that an entity argument means.
 *
 * @param args the argument, or a tagged template with its values
 * @param binding looks up names
 * @throws TypeError if the argument is no entity
 */
export function resolveSource(args: readonly unknown[], binding?: QueryBinding): ResolvedEntity {
  const [entity] = args;
  if (isTemplate(args)) return fromText(fromTemplate(args[0], args.slice(1)), binding);
  if (typeof entity === "string") {
    // a definition may have any name
    const shape = resolveEntity(entity, binding);
    if (shape) return { source: { ref: [entity] }, shape };
    return NAME.test(entity)
      ? byName(entity.trim(), binding)
      : fromText({ text: entity, values: [] }, binding);
  }
  if (entity !== null && (typeof entity === "object" || typeof entity === "function")) {
    if (isQuery(entity)) return { source: entity as Source, shape: undefined };
    if (isRef(entity)) return { source: entity, shape: shapeOfPath(entity, binding) };
    if (isShape(entity)) return { source: { ref: [entity.name] }, shape: entity };
    const { name } = entity as { name?: unknown };
    if (typeof name === "string") return byName(name, binding);
  }
  throw new TypeError(
    `Expected an entity, its name or a path, found ${entity === null ? "null" : typeof entity}`,
  );
}

/**
 * The path that an entity argument of a writing query means, and what was given beside it.
 *
 * @param entity the argument, which may be the text of a tagged template
 * @param given what follows: the values of a template, or anything else, which is `others` then
 * @param binding looks up names
 */
export function resolveEntityPath<T>(
  entity: EntityArgument,
  given: readonly T[],
  binding?: QueryBinding,
): ResolvedEntity<RefExpression & { readonly as?: string }> & { readonly others: readonly T[] } {
  const isText = isTemplate([entity]);
  const { source, shape } = resolveSource(isText ? [entity, ...given] : [entity], binding);
  if (!isRef(source)) throw new TypeError("Expected an entity to write to, found a query");
  return { source, shape, others: isText ? [] : given };
}

/**
 * The condition that a key means: a value for the single key, or values by key.
 *
 * @param key the value or the values
 * @param shape definition of the entity; without it a single key is called `ID`
 * @param call how the call reads: `UPDATE(Books, …)`; asked for where something is wrong with it
 * @throws TypeError for a key that is undefined, or of another form
 */
export function keyCondition(
  key: unknown,
  shape: EntityShape | undefined,
  call: () => string,
): readonly Xo[] {
  const values = toKeyObject(key);
  assertDefined(call, values ?? key);
  if (values && Object.keys(values).length === 0) {
    throw new TypeError("Expected a key, found an empty object");
  }
  if (values) return conditionTokens(values);
  const names = keyNames(shape);
  if (names.length > 1) {
    throw new TypeError(
      `Expected values for the keys ${names.join(", ")} of ${shape?.name}, found one value`,
    );
  }
  return elementTokens({ ref: [names[0] ?? "ID"] }, key);
}

/**
 * The name of an entity as messages show it.
 *
 * @param source what stands in the query
 */
export function entityName(source: Source | string): string {
  if (typeof source === "string" || !isRef(source)) return String(source || "…");
  return source.ref.map(stepName).join(":");
}

function toKeyObject(key: unknown): ConditionObject | undefined {
  if (isPlainObject(key)) return key;
  // Entries of req.params convert to the value of a single key, but are key-value objects.
  return typeof key === "object" && key !== null && !Array.isArray(key) && !(key instanceof Date) &&
      !(key instanceof Uint8Array)
    ? { ...key }
    : undefined;
}

const NO_KEYS: readonly string[] = [];
const KEY_NAMES: WeakMap<EntityShape, readonly string[]> = new WeakMap();

function keyNames(shape: EntityShape | undefined): readonly string[] {
  if (shape === undefined) return NO_KEYS;
  let names = KEY_NAMES.get(shape);
  if (!names) KEY_NAMES.set(shape, names = namesOfKeys(shape));
  return names;
}

function namesOfKeys({ keys = {} }: EntityShape): readonly string[] {
  const all = Object.entries(
    keys as Readonly<Record<string, { virtual?: boolean; isAssociation?: boolean }>>,
  );
  return all.filter(([, key]) => !key.virtual && !key.isAssociation).map(([name]) => name);
}

function byName(name: string, binding?: QueryBinding): ResolvedEntity {
  return { source: { ref: [name] }, shape: resolveEntity(name, binding) };
}

function fromText(text: TextWithValues, binding?: QueryBinding): ResolvedEntity {
  const source = parseSourceText(text);
  return { source, shape: isRef(source) ? shapeOfPath(source, binding) : undefined };
}

function shapeOfPath(path: RefExpression, binding?: QueryBinding): EntityShape | undefined {
  const [root, ...steps] = path.ref.map(stepName);
  let shape = resolveEntity(root, binding);
  for (const step of steps) shape = shape?.elements[step]?.$target;
  return shape;
}

function isShape(value: object): value is EntityShape {
  const { name, elements } = value as { name?: unknown; elements?: unknown };
  return typeof name === "string" && typeof elements === "object" && elements !== null;
}

/** Lets values pass that are undefined, of which it is told: no row has them. */
export type PassUndefined = (text: string) => boolean;

let pass: PassUndefined = () => false;

/** Sets what lets members of conditions pass that are undefined. */
export function setPassUndefined(value: PassUndefined): void {
  pass = value;
}

/**
 * Refuses `undefined`, which is a mistake in a condition or key: a name that was mistyped, an input that is missing. Rows
 * without a value are found by `null`.
 *
 * @param call how the call reads: `UPDATE(Books, …)`; asked for where something is undefined
 * @param value what was given to it; members of lists and plain objects are looked at as well
 * @param path of the member
 * @throws TypeError for what is undefined
 */
export function assertDefined(call: () => string, value: unknown, path = ""): void {
  if (value === undefined) {
    const what = path === "" ? "The value" : `"${path}"`;
    if (/^[^[]/.test(path) && pass(`${what} in ${call()} is undefined: no row has that`)) return;
    const text = `${what} in ${call()} is undefined: expected a value, or null for none`;
    throw withCallerFrames(new TypeError(text));
  }
  if (Array.isArray(value)) value.forEach((item, i) => assertDefined(call, item, `${path}[${i}]`));
  else if (isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name];
      // most members are values
      if (member !== undefined && (typeof member !== "object" || member === null)) continue;
      assertDefined(call, member, path === "" ? name : `${path}.${name}`);
    }
  }
}
