import { parameter } from "../../../algebra/build.ts";
import type { Expr, TreeStep } from "../../../algebra/tree.ts";
import type { RefExpression, Row } from "../../../cqn/cqn.ts";
import type { FlatElement, LinkedElement, LinkedEntity, LinkedOperation } from "../../../model/linked.ts";
import type { CommonExpr, Crossjoin, NameSegment } from "../../url/ast.ts";
import type { Binding } from "../shapes/bindings.ts";
import type { Addressed, OperationBinding, PlanKind } from "../plan.ts";
import { type KeyBindings, keyCondition } from "./plan_keys.ts";
import { restrictedTo, type RowName } from "../scope.ts";
import type { DerivedCast } from "../service_index.ts";
import type { ViewWithParameters } from "../../../model/runtime_view.ts";
import { argumentList, keyPredicate } from "../../payload/key_predicate.ts";
import { type LiteralScalar, rowValue } from "../expressions/literal_values.ts";

/** What a path has reached. */
export interface Resource {
  kind: Exclude<PlanKind, "part">;
  entity?: LinkedEntity;
  collection: boolean;
  singleton: boolean;
  /** Reference to what is addressed. */
  ref: readonly TreeStep[];
  /** Canonical path (spec 2.3). */
  path: string;
  keys: Readonly<Record<string, Binding>>[];
  url: UrlPart[];
  /** The derived type that the path asks for last. */
  cast?: DerivedCast;
  /** The position of the segment that is a type cast without key, if one was read last. */
  castAt?: number;
  /** Key of the entity reached last, if it was given. */
  key?: KeyBindings;
  navigation?: { source: LinkedEntity; element: LinkedElement; ref: readonly TreeStep[]; keyed: boolean };
  property?: {
    name: string;
    element: LinkedElement;
    flat?: FlatElement;
    leaves?: readonly FlatElement[];
    depth?: number;
    inside?: (number | string)[];
  };
  /** `$crossjoin(…)`. */
  crossjoin?: Crossjoin;
  /** The property is the stream of a media entity. */
  media?: boolean;
  /** `/$filter(…)` behind a collection of values. */
  filters?: CommonExpr[];
  operation?: { definition: LinkedOperation; binding?: OperationBinding; segment: NameSegment };
  /** The number of segments that call the function whose result the path goes on behind. */
  source?: number;
}

/** All rows of an entity. */
export function allRows(entity: LinkedEntity): Resource {
  const { name } = entity;
  return {
    kind: "entitySet",
    collection: true,
    singleton: false,
    entity,
    ref: [name],
    path: name,
    keys: [],
    url: [],
  };
}

/**
 * Goes on behind a function: what it returns takes the place of stored rows.
 *
 * @param resource changed in place
 * @param returned the entity of what is returned, and whether many are
 * @param segments the number of segments that call the function
 */
export function applyResult(
  resource: Resource,
  { entity, many }: { readonly entity: LinkedEntity; readonly many: boolean },
  segments: number,
): void {
  resource.source = segments;
  resource.entity = entity;
  resource.collection = many;
  resource.kind = many ? "entitySet" : "entity";
  resource.singleton = false;
  resource.ref = [{ id: entity.name, rows: parameter(GIVEN_ROWS) }];
  resource.path = entity.name;
  resource.keys = [];
  for (const name of ["operation", "navigation", "key", "cast"] as const) delete resource[name];
}

/**
 * Goes on behind a function that returns values: a path leads to parts of them.
 *
 * @param resource changed in place
 * @param element the type of what is returned
 * @param segments the number of segments that call the function
 */
export function applyValue(resource: Resource, element: LinkedElement, segments: number): void {
  resource.source = segments;
  resource.kind = "property";
  resource.collection = element.$type.items !== undefined;
  resource.singleton = false;
  resource.property = { name: "value", element, inside: [] };
  resource.ref = [];
  resource.path = "";
  resource.keys = [];
  for (const name of ["operation", "navigation", "key", "cast", "entity"] as const) delete resource[name];
}

/** The parameter with the rows that an operation returned, as JSON text. */
export const GIVEN_ROWS = "given";

/**
 * Adds the key of the entity reached last: one of many becomes one.
 *
 * @param resource changed in place
 * @param key the key
 */
export function applyKey(resource: Resource, key: KeyBindings): void {
  const row = Object.fromEntries(key);
  addCondition(resource, keyCondition(key));
  resource.kind = "entity";
  resource.collection = false;
  resource.key = key;
  resource.keys.push(row);
  resource.url.push({ entity: resource.entity!, key: row }); // only entities have keys
  if (resource.navigation?.element.is2many) resource.navigation.keyed = true;
}

/**
 * Restricts the instances reached last.
 *
 * @param resource changed in place
 * @param condition a condition on the entity reached last, if there is one
 * @param row its row
 */
export function addCondition(resource: Resource, condition: Expr | undefined, row: RowName = {}): void {
  resource.ref = restrictedTo(resource.ref, condition, row);
}

/**
 * Follows a navigation property.
 *
 * @param resource changed in place
 * @param element the association
 * @param target its target
 */
export function applyNavigation(resource: Resource, element: LinkedElement, target: LinkedEntity): void {
  resource.navigation = { source: resource.entity!, element, ref: resource.ref, keyed: false };
  resource.ref = [...resource.ref, element.name];
  resource.path += `/${element.name}`;
  resource.url.push(`/${element.name}`);
  resource.entity = target;
  resource.collection = element.is2many;
  resource.kind = element.is2many ? "entitySet" : "entity";
  resource.singleton = false;
  delete resource.key;
  delete resource.cast;
}

/** Part of a canonical URL: text, the key of an entity, or the values of the parameters of a view. */
type UrlPart =
  | string
  | { readonly entity: LinkedEntity; readonly key: Readonly<Record<string, Binding>> }
  | { readonly entity: ViewWithParameters; readonly args: Readonly<Record<string, Binding>> };

/** What is addressed by all URLs of a shape. */
export interface AddressTemplate {
  /** Makes the instances. */
  readonly subject: ReferenceBinder;
  readonly keys: readonly Readonly<Record<string, Binding>>[];
  readonly url: readonly UrlPart[];
}

/** Keys, instances and URL are made when somebody asks for them: queries that read have parameters instead. */
export class BoundAddress implements Addressed {
  readonly #template: AddressTemplate;
  readonly #values: Readonly<Row>;
  #params: readonly Row[] | undefined;
  #subject: RefExpression | undefined;

  /**
   * @param template what URLs of the shape address
   * @param values values of the parameters
   */
  constructor(template: AddressTemplate, values: Readonly<Row>) {
    this.#template = template;
    this.#values = values;
  }

  /** Key objects in URL order. */
  get params(): readonly Row[] {
    return this.#params ??= this.#template.keys.map((key) => keyRow(key, this.#values));
  }

  /** The instances. */
  get subject(): RefExpression {
    return this.#subject ??= this.#template.subject(this.#values);
  }

  /** The canonical URL. */
  get url(): string {
    return this.#template.url.map((part) => urlText(part, this.#values)).join("");
  }
}

function keyRow(key: Readonly<Record<string, Binding>>, values: Readonly<Row>): Row {
  const row: Row = {};
  for (const name in key) row[name] = rowValue(values[key[name].name] as LiteralScalar); // values of bindings
  return row;
}

function urlText(part: UrlPart, values: Readonly<Row>): string {
  if (typeof part === "string") return part;
  if ("args" in part) return argumentList(part.entity, keyRow(part.args, values));
  return keyPredicate(part.entity, keyRow(part.key, values)) ?? "";
}

/** Makes a reference with values in place of parameters. */
export type ReferenceBinder = (values: Readonly<Row>) => RefExpression;

/**
 * The binder of a reference.
 *
 * @param from the reference, with parameters
 * @returns makes copies with values
 */
export function bindReference(from: RefExpression): ReferenceBinder {
  const steps = from.ref.map((step) => createBinder(step) ?? step);
  return (values) => {
    const ref: unknown[] = [];
    for (const step of steps) ref.push(typeof step === "function" ? step(values) : step);
    return { ref } as RefExpression; // the same structure with values in place of parameters
  };
}

/** Makes a copy of a structure with values in place of its parameters. */
type Binder = (values: Readonly<Row>) => unknown;

/** The binder of a structure; undefined where nothing in it is a parameter, so that it can be shared. */
function createBinder(node: unknown): Binder | undefined {
  if (typeof node !== "object" || node === null || node instanceof Uint8Array) return undefined;
  if (Array.isArray(node)) {
    const items = node.map((item) => createBinder(item) ?? item);
    if (!items.some((item) => typeof item === "function")) return undefined;
    return (values) => items.map((item) => typeof item === "function" ? item(values) : item);
  }
  if ("param" in node && "ref" in node) {
    const name = String((node.ref as unknown[])[0]);
    return (values) => ({ val: values[name] });
  }
  const bound = Object.entries(node).flatMap(([name, member]) => {
    const bind = createBinder(member);
    return bind ? [{ name, bind }] : [];
  });
  if (bound.length === 0) return undefined;
  return (values) => {
    const copy: Record<string, unknown> = { ...node };
    for (const { name, bind } of bound) copy[name] = bind(values);
    return copy;
  };
}
