/**
 * What the framework supplies to written rows: generated keys, defaults, `@cds.on.insert` and `@cds.on.update`.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { EntityRef, InsertBody, Query, Row } from "../../cqn/cqn.ts";
import type {
  FlatElement,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedModel,
} from "../../model/linked.ts";
import { stepName } from "../../cqn/steps.ts";

/** What the values are taken from. */
export interface ManagedScope {
  /** The linked model. */
  readonly model: LinkedModel;
  /** User and timestamp of the request. */
  readonly context: EventContext;
}

/**
 * Fills in the rows of an INSERT or UPDATE in place, nested rows of compositions included, so that the data of the
 * request has them too. Rows that may be there already or not, those of an UPSERT and children with a key in an UPDATE,
 * are filled by the database once it knows. Other queries stay as they are.
 *
 * @param query a writing query; rows given by columns stay as they are
 * @param scope where values come from
 */
export function fillManaged(query: Query, scope: ManagedScope & Pick<Filling, "before">): void {
  if ("INSERT" in query || "UPSERT" in query) {
    const body = "INSERT" in query ? query.INSERT : query.UPSERT;
    const entity = entityOf(body.into, scope.model);
    if (!entity) return;
    for (const row of body.entries ?? []) {
      const isNew = "INSERT" in query || lacksKey(entity, row);
      fillRow(entity, row, { ...scope, event: isNew ? "insert" : "unknown" });
    }
  } else if ("UPDATE" in query) {
    const entity = entityOf(query.UPDATE.entity, scope.model);
    const { data, with: expressions } = query.UPDATE;
    if (entity && data) fillRow(entity, data, { ...scope, event: "update", expressions });
  }
}

/**
 * Fills in what rows are known by afterwards: the generated keys of new rows, nested ones included. Their other values
 * the database adds to what it stores, and leaves the rows of the caller as they are.
 *
 * @param body the query
 * @param model the linked model
 */
export function fillKeys({ into, entries }: InsertBody, model: LinkedModel): void {
  const entity = entityOf(into, model);
  if (entity) entries?.forEach((row) => addKeys(entity, row));
}

function addKeys(entity: LinkedEntity, row: Row): void {
  for (const name of compiledFor(entity).keys) if (row[name] === undefined) row[name] = crypto.randomUUID();
  for (const { part, rows } of partsOf(entity, row)) for (const child of rows) addKeys(part, child);
}

/** The nested rows that a row has in a composition. */
interface PartsOfRow {
  readonly part: LinkedEntity;
  readonly rows: readonly Row[];
}

const NO_PARTS: readonly PartsOfRow[] = [];

/** The nested rows of compositions. */
function partsOf(entity: LinkedEntity, row: Row): readonly PartsOfRow[] {
  let parts: PartsOfRow[] | undefined;
  for (const { name, $target: part } of entity.compositions) {
    const value = row[name];
    if (!part || typeof value !== "object" || value === null) continue;
    (parts ??= []).push({ part, rows: (Array.isArray(value) ? value : [value]) as Row[] });
  }
  return parts ?? NO_PARTS;
}

/**
 * Fills in the defaults of parameters that were not sent.
 *
 * @param params the declared parameters
 * @param values the values of a call, which are completed
 * @param context gives user and timestamp
 */
export function fillParameters(params: LinkedElements, values: Row, context: EventContext): void {
  for (const param of params) {
    if (param.default === undefined || values[param.name] !== undefined) continue;
    const value = valueOf(param.default, param)?.(context);
    if (value !== undefined) values[param.name] = value;
  }
}

/** What happens to a row. */
export type WriteEvent = "insert" | "update";

interface Filling extends ManagedScope {
  readonly event: WriteEvent | "unknown";
  /** Where values that are there were taken from: they are taken again. */
  readonly before?: EventContext;
  /** Elements that the query computes. */
  readonly expressions?: Readonly<Record<string, unknown>>;
}

function fillRow(entity: LinkedEntity, row: Row, filling: Filling): void {
  if (filling.event !== "unknown") {
    for (const supplier of suppliersOf(entity, filling.event)) {
      const { name } = supplier.flat;
      const isFilled = filling.before && row[name] === supplier.value(filling.before);
      if ((row[name] !== undefined && !isFilled) || filling.expressions?.[name] !== undefined) continue;
      if (isGivenByAssociation(supplier.flat, row)) continue;
      const value = supplier.value(filling.context);
      if (value !== undefined) row[name] = value;
    }
  }
  for (const { part, rows } of partsOf(entity, row)) {
    for (const child of rows) {
      const isNew = filling.event === "insert" || lacksKey(part, child);
      fillRow(part, child, { ...filling, event: isNew ? "insert" : "unknown", expressions: undefined });
    }
  }
}

/** Children of an update may be new: a key must be there then, and a row without key is new for sure. */
function lacksKey(entity: LinkedEntity, row: Row): boolean {
  return compiledFor(entity).keys.some((name) => row[name] === undefined);
}

/** Whether a foreign key comes nested (`author: {ID: 1}`). */
function isGivenByAssociation({ foreignKey4 }: FlatElement, row: Row): boolean {
  return foreignKey4 !== undefined && row[foreignKey4] !== undefined;
}

/** Gives the value of an element. */
export interface Supplier {
  /** The element. */
  readonly flat: FlatElement;
  /** Its value, undefined where the context has none. */
  readonly value: (context: EventContext) => unknown;
}

interface Compiled {
  readonly suppliers: { readonly insert: readonly Supplier[]; readonly update: readonly Supplier[] };
  /** Keys that are generated. */
  readonly keys: readonly string[];
}

/**
 * What the framework supplies to the rows of an entity.
 *
 * @param entity the entity
 * @param event what happens to the row
 */
export function suppliersOf(entity: LinkedEntity, event: WriteEvent): readonly Supplier[] {
  return compiledFor(entity).suppliers[event];
}

const COMPILED: WeakMap<LinkedEntity, Compiled> = new WeakMap();

function compiledFor(entity: LinkedEntity): Compiled {
  let compiled = COMPILED.get(entity);
  if (compiled === undefined) COMPILED.set(entity, compiled = compile(entity));
  return compiled;
}

function compile(entity: LinkedEntity): Compiled {
  const insert: Supplier[] = [];
  const update: Supplier[] = [];
  const keys: string[] = [];
  for (const flat of entity.$flat.values()) {
    if (flat.virtual) continue;
    const managed = managedValue(flat, "insert");
    const other = generatedKey(flat) ?? defaultValue(flat);
    const value = managed && other
      ? (context: EventContext) => managed(context) ?? other(context)
      : managed ?? other;
    if (value) insert.push({ flat, value });
    if (flat.key && isGeneratedKey(flat)) keys.push(flat.name);
    const changed = managedValue(flat, "update");
    if (changed) update.push({ flat, value: changed });
  }
  return { suppliers: { insert, update }, keys };
}

type Value = Supplier["value"];

/** Whether a key, of a row or of a slice, is generated when it is missing; a foreign key is not. */
export function isGeneratedKey(flat: FlatElement): boolean {
  const isKey = flat.key || flat.annotated["@cds.valid.key"] === true;
  return isKey && flat.foreignKey4 === undefined && flat.element.$type.builtin === "cds.UUID";
}

function generatedKey(flat: FlatElement): Value | undefined {
  return isGeneratedKey(flat) ? () => crypto.randomUUID() : undefined;
}

function managedValue(flat: FlatElement, event: WriteEvent): Value | undefined {
  const annotations = flat.annotated as unknown as Readonly<Record<string, unknown>>; // annotations are members
  const given = annotations[`@cds.on.${event}`];
  return given === undefined || given === null ? undefined : valueOf(given, flat.element);
}

/** Whether the framework supplies an element on insert. */
export function isManaged(flat: FlatElement): boolean {
  return managedValue(flat, "insert") !== undefined;
}

function defaultValue(flat: FlatElement): Value | undefined {
  // a foreign key has the default of the key that it refers to
  const given = flat.annotated.default ?? (flat.foreignKey4 === undefined ? undefined : flat.element.default);
  return given === undefined ? undefined : valueOf(given, flat.element);
}

/** Literals, enum symbols and pseudo variables; other expressions are left to the database. */
function valueOf(given: unknown, element: LinkedElement): Value | undefined {
  if (typeof given !== "object" || given === null) return () => given;
  const node = given as { val?: unknown; "#"?: string; "="?: unknown; ref?: readonly unknown[] };
  if ("val" in node) return () => node.val;
  if (node["#"] !== undefined) {
    const symbol = node["#"];
    const value = element.$type.enum?.[symbol]?.val ?? symbol;
    return () => value;
  }
  const path = Array.isArray(node.ref)
    ? node.ref.map(String)
    : typeof node["="] === "string"
    ? node["="].split(".")
    : undefined;
  return path && pseudoVariable(path, element);
}

function pseudoVariable([name, member]: readonly string[], element: LinkedElement): Value | undefined {
  const type = element.$type.builtin;
  if (name === "$now") return ({ timestamp }) => timeText(timestamp, type);
  if (name === "$uuid") return () => crypto.randomUUID();
  if (name === "$tenant") return ({ tenant }) => tenant;
  if (name !== "$user") return undefined;
  if (member === undefined || member === "id") return ({ user }) => user.id;
  if (member === "locale") return ({ locale }) => locale;
  if (member === "tenant") return ({ tenant }) => tenant;
  return ({ user }) => {
    const value = user.attr[member];
    return Array.isArray(value) ? value[0] : value;
  };
}

function timeText(timestamp: Date, type: string | undefined): string {
  const text = timestamp.toISOString();
  if (type === "cds.DateTime") return `${text.slice(0, 19)}Z`;
  if (type === "cds.Date") return text.slice(0, 10);
  return type === "cds.Time" ? text.slice(11, 19) : text;
}

/** The entity that a writing query addresses. */
export function entityOf(target: EntityRef, model: LinkedModel): LinkedEntity | undefined {
  if (typeof target === "string") return model.entity(target);
  const [root, ...steps] = target.ref.map(stepName);
  let entity = root === undefined ? undefined : model.entity(root);
  for (const step of steps) entity = entity?.elements[step]?.$target;
  return entity;
}
