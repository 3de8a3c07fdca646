/**
 * Context URLs (OData Protocol 10).
 *
 * @module
 */

import { hasParameters } from "../../model/runtime_view.ts";
import { declaringType } from "../../model/derived_types.ts";
import type {
  LinkedElement,
  LinkedEntity,
  LinkedModel,
  LinkedOperation,
  LinkedService,
} from "../../model/linked.ts";
import { entitySetName, entityTypeName, inlineResultName, valueTypeName } from "../names.ts";
import type { ExpandShape, MemberShape, ResultShape } from "../plan/result_shape.ts";
import type { EntityPlan, PartPlan } from "../plan/plan.ts";

/**
 * The context URL of the answer to a read or write of entities, properties and references.
 *
 * @param plan the plan of the URL
 * @param rawPath path of the request below the service root, not decoded: the URL is relative to it
 * @param collection whether the answer is a collection; default: as the plan says
 */
export function contextUrl(
  plan: EntityPlan | PartPlan,
  rawPath: string,
  collection: boolean = plan.collection,
): string {
  return `${parentSteps(rawPath)}$metadata${fragment(plan, { collection, shape: plan.shape })}`;
}

/** The control information of a plan with the fragment, as JSON. */
interface KnownContext extends Pick<EntityPlan, "kind" | "target" | "cast" | "singleton" | "collection"> {
  readonly text: string;
}

/** The contexts written last, by what rows hold: requests of the same shape share it. */
const contexts: WeakMap<ResultShape, KnownContext> = new WeakMap();

/**
 * The context URL as first member of a JSON object: `"@odata.context":"$metadata#Books"`.
 *
 * @param plan the plan of the URL of entities, or of references to them
 * @param rawPath path of the request below the service root, not decoded: the URL is relative to it
 * @param answered whether the answer is a collection, and what its rows show; default: as the plan says
 */
export function contextMember(plan: EntityPlan, rawPath: string, answered: AnsweredRows): string {
  return `"@odata.context":"${parentSteps(rawPath)}${contextText(plan, answered)}`;
}

/** What an answer has rows of. */
interface AnsweredRows {
  readonly collection: boolean;
  readonly shape?: ResultShape | undefined;
}

/**
 * A context URL as member of a JSON object.
 *
 * @param format without metadata there is none
 * @param url the context URL
 * @returns empty where there is none
 */
export function contextOf({ metadata }: { readonly metadata: string }, url: string): string {
  return metadata === "none" ? "" : `"@odata.context":${JSON.stringify(url)}`;
}

function contextText(plan: EntityPlan, { collection, shape = plan.shape }: AnsweredRows): string {
  const { kind, target, cast, singleton } = plan;
  const known = shape && contexts.get(shape);
  if (
    known && known.kind === kind && known.target === target && known.cast === cast &&
    known.singleton === singleton && known.collection === collection
  ) return known.text;
  const text = JSON.stringify(`$metadata${fragment(plan, { collection, shape })}`).slice(1);
  if (shape) contexts.set(shape, { kind, target, cast, singleton, collection, text });
  return text;
}

function fragment(plan: EntityPlan | PartPlan, { collection, shape }: AnsweredRows): string {
  if (plan.kind === "ref") return collection ? "#Collection($ref)" : "#$ref";
  if (plan.kind === "part") return partFragment(plan.property.element);
  if (plan.kind === "property" || plan.kind === "value") return `#${plan.addressed.url}`;
  const cast = plan.cast ? `/${plan.target.$service?.name}.${plan.cast.name}` : "";
  const end = cast + projection(shape, plan.cast?.name);
  if (hasParameters(plan.target)) {
    // the set of this name holds the parameters
    const type = entityTypeName(plan.target);
    return collection ? `#Collection(${type})${end}` : `#${type}${end}`;
  }
  const set = entitySetName(plan.target) + end;
  return collection || plan.singleton ? `#${set}` : `#${set}/$entity`;
}

/** A part of a value that a function returned belongs to no entity: its type says what it is. */
function partFragment(element: LinkedElement): string {
  const { items } = element.$type;
  const item = items ?? element;
  const type = valueTypeName(item, "Edm.ComplexType");
  return items ? `#Collection(${type})` : `#${type}`;
}

/** The service that an operation belongs to. */
interface ServiceScope {
  readonly definition: LinkedService;
  readonly model: LinkedModel;
}

/**
 * The context URL of the result of an operation.
 *
 * @param operation the operation, with a result
 * @param scope its service and the model
 * @param options `rawPath`: path of the request; `shape`: what was selected and expanded of an entity; `values`: what was
 *   selected of values that are no entities; `isMany`: several results, whatever one is; `isNested`: each of them is a
 *   collection
 */
export function resultContextUrl(
  operation: LinkedOperation,
  scope: ServiceScope,
  options: {
    readonly rawPath: string;
    readonly shape?: ResultShape;
    readonly values?: MemberShape;
    readonly isMany?: boolean;
    readonly isNested?: boolean;
  },
): string {
  return options.isNested
    ? nestedContextUrl(operation, scope, options.rawPath)
    : flatContextUrl(operation, scope, options);
}

/** What is known of the results of an operation. */
export interface OperationResult {
  /** The entity that it returns one or many of. */
  readonly entity: LinkedEntity | undefined;
  /** Whether it returns one of them. */
  readonly isOne: boolean;
  /** Name of the type of one of them. */
  readonly typeName: string;
}

const RESULTS: WeakMap<LinkedOperation, OperationResult> = new WeakMap();

/**
 * What is known of the results of an operation.
 *
 * @param operation the operation, with a result
 * @param scope its service and the model
 */
export function operationResult(operation: LinkedOperation, scope: ServiceScope): OperationResult {
  let known = RESULTS.get(operation);
  if (known === undefined) {
    const returns = operation.returns!; // asked for only when there is a result
    const { items } = returns.$type;
    const entity = resultEntity(returns, scope.model);
    const typeName = entity
      ? entityTypeName(entity)
      : valueTypeName(items ?? returns, inlineResultName(operation, scope.definition.name));
    known = { entity, typeName, isOne: items === undefined && !returns.is2many };
    RESULTS.set(operation, known);
  }
  return known;
}

/** A collection of collections, one for each member (URL Conventions 4.12). */
function nestedContextUrl(operation: LinkedOperation, scope: ServiceScope, rawPath: string): string {
  const { typeName: type } = operationResult(operation, scope);
  return `${parentSteps(rawPath)}$metadata#Collection(Collection(${type}))`;
}

function flatContextUrl(
  operation: LinkedOperation,
  scope: ServiceScope,
  options: Parameters<typeof resultContextUrl>[2],
): string {
  const { entity, isOne, typeName } = operationResult(operation, scope);
  const prefix = `${parentSteps(options.rawPath)}$metadata#`;
  const collection = options.isMany || !isOne;
  if (entity) {
    const set = entitySetName(entity) + projection(options.shape);
    return prefix + (collection ? set : `${set}/$entity`);
  }
  return prefix + (collection ? `Collection(${typeName})` : typeName) + selectList(options.values);
}

/** `(city,twice)`: what is selected of values, and computed. */
function selectList(shape: MemberShape | undefined): string {
  const { select, computed } = shape ?? {};
  if (select) return `(${[...select].flatMap(([name, below]) => selectedPaths(name, below)).join(",")})`;
  return computed ? `(${["*", ...computed.keys()].join(",")})` : "";
}

/** The entity that an operation returns one or many of. */
export function resultEntity(returns: LinkedElement, model: LinkedModel): LinkedEntity | undefined {
  const item = returns.$type.items ?? returns;
  return item.$target ?? model.entity(item.$type.typeName ?? "");
}

/** One `../` per path segment beyond the first. */
export function parentSteps(rawPath: string): string {
  if (!rawPath.includes("/")) return "";
  const segments = rawPath.split("/").filter((segment) => segment !== "").length;
  return "../".repeat(Math.max(segments - 1, 0));
}

/** `(ID,title,author(name))`; nothing when all properties are there and nothing is expanded. */
function projection(shape: ResultShape | undefined, type?: string): string {
  if (!shape) return "";
  if (shape.aggregated) {
    const own = shape.aggregated.map(({ path }) => path)
      .filter(([first]) => !shape.expand.some(({ name }) => name === first));
    const paths = nestPaths(own);
    return `(${[...paths, ...shape.expand.map(expandedItem)].join(",")})`;
  }
  const selected = shape.select ?? (shape.computed.length > 0 ? ["*", ...shape.computed] : []);
  const names = selected.flatMap((name) => selectedPaths(name, shape.members?.get(name)))
    .map((name) => castPath(name, shape.entity, type));
  const expanded = shape.expand.filter((item) => !item.countOnly);
  const items = [...names, ...shape.navigations ?? [], ...expanded.map(expandedItem)];
  return items.length > 0 ? `(${items.join(",")})` : "";
}

/** Properties of derived types stand behind a cast, unless the path has one. */
function castPath(name: string, entity: LinkedEntity | undefined, type: string | undefined): string {
  const flat = entity?.$flat.get(name);
  const declaring = flat && declaringType(flat.annotated);
  return declaring === undefined || type !== undefined
    ? name
    : `${entity?.$service?.name}.${declaring}/${name}`;
}

/** `places/city` where a part of a structure is selected. */
function selectedPaths(name: string, shape: MemberShape | undefined): string[] {
  if (!shape?.select) return [name];
  return [...shape.select].flatMap(([inner, below]) => selectedPaths(`${name}/${inner}`, below));
}

function expandedItem(item: ExpandShape): string {
  if (item.ref) return `${item.name}/$ref`;
  return item.name + (projection(item.shape) || "()");
}

/** Paths as nested lists: `["a", "b"], ["a", "c"]` → `a(b,c)`. */
function nestPaths(paths: readonly (readonly string[])[]): string[] {
  const groups = new Map<string, (readonly string[])[]>();
  for (const [head, ...rest] of paths) {
    if (head === undefined) continue;
    const group = groups.get(head) ?? [];
    if (rest.length > 0) group.push(rest);
    groups.set(head, group);
  }
  return [...groups].map(([head, rest]) => rest.length > 0 ? `${head}(${nestPaths(rest).join(",")})` : head);
}
