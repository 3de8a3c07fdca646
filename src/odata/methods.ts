/**
 * Which methods a resource has (OData Protocol 11; RFC 9110 15.5.6).
 *
 * @module
 */

import type { ServiceError } from "../errors/service_error.ts";
import { incapability } from "../service/authorization/assert_capable.ts";
import { rulesOf } from "../service/validation/element_rules.ts";
import { ErrorWithHeaders } from "./header_list.ts";
import {
  type EntityPlan,
  isValueCollection,
  type Plan,
  type PlanKind,
  type PropertyPlan,
} from "./plan/plan.ts";

/** Resources that are, or are part of, rows of the entity at the end of the path. */
const OF_TARGET: ReadonlySet<PlanKind> = new Set([
  "entitySet",
  "entity",
  "each",
  "property",
  "value",
  "stream",
  "media",
]);

/**
 * Methods of the resource of a URL, HEAD and OPTIONS included where they belong.
 *
 * @param plan the plan of the URL
 */
export function allowedMethods(plan: Plan): readonly string[] {
  const methods = resourceMethods(plan).filter((method) => isCapable(plan, method));
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

/**
 * Whether the resource of a URL has a method.
 *
 * @param plan the plan of the URL
 * @param method the method, in upper case
 */
export function isAllowed(plan: Plan, method: string): boolean {
  return method === "OPTIONS" || resourceMethods(plan).includes(method === "HEAD" ? "GET" : method);
}

function resourceMethods(plan: Plan): readonly string[] {
  const isReturned = plan.target !== undefined && plan.source !== undefined;
  if (isReturned && plan.kind !== "operation") return ["GET"]; // what a function returned
  switch (plan.kind) {
    case "batch":
      return ["POST"];
    case "entitySet":
      return ["GET", "POST", "PATCH"];
    case "each":
      return ["PATCH", "DELETE"];
    case "entity":
      return plan.singleton && !isNullableSingleton(plan)
        ? ["GET", "PATCH", "PUT"]
        : ["GET", "PATCH", "PUT", "DELETE"];
    case "property":
      if (!isUpdatable(plan)) return ["GET"];
      if (isValueCollection(plan.property)) return ["GET", "POST", "PUT", "DELETE"];
      return plan.property.leaves ? ["GET", "PUT", "PATCH", "DELETE"] : ["GET", "PUT", "DELETE"];
    case "value":
      return plan.property.inside || !isUpdatable(plan) ? ["GET"] : ["GET", "PUT", "DELETE"];
    case "stream":
    case "media":
      return ["GET", "PUT", "DELETE"];
    case "ref":
      if (!plan.collection) return ["GET", "PUT", "DELETE"];
      return plan.navigation ? ["GET", "POST", "PUT", "DELETE"] : ["GET", "POST"];
    case "operation":
      return plan.operation.definition.kind === "action" ? ["POST"] : ["GET"];
    default:
      return ["GET"];
  }
}

/** Whether the entity that a method of its resource is about allows the event. */
function isCapable(plan: Plan, method: string): boolean {
  if (!plan.target || plan.source !== undefined || !OF_TARGET.has(plan.kind)) return true;
  return incapability(plan.target, eventOf(plan, method)) === undefined;
}

/** The event of a method; values of properties are removed by changing the row, media with their entity. */
function eventOf(plan: EntityPlan, method: string): string {
  const { kind } = plan;
  if (method === "GET") return "READ";
  if (method === "POST" && kind === "entitySet") return "CREATE";
  const isRow = kind === "entity" || kind === "each" || (kind === "stream" && plan.media);
  return method === "DELETE" && isRow ? "DELETE" : "UPDATE";
}

/** Whether clients may change the property of a URL: not a key, nor what is computed, managed, read-only or immutable. */
function isUpdatable({ property: { flat }, target }: PropertyPlan): boolean {
  if (!flat) return true;
  if (target.$flatKeys.includes(flat)) return false;
  const rule = rulesOf(target).find((one) => one.flat === flat);
  return !rule?.isIgnored && !rule?.isImmutable;
}

/** Whether a URL names a singleton that need not exist (`@odata.singleton.nullable`). */
export function isNullableSingleton({ singleton, target }: EntityPlan): boolean {
  return singleton && target["@odata.singleton.nullable"] === true;
}

/** The error for a method that the resource of a URL does not have. */
export function methodNotAllowed(plan: Plan): ServiceError {
  return notAllowed(allowedMethods(plan));
}

/**
 * The error for a method that a resource does not have.
 *
 * @param methods those that it has
 */
export function notAllowed(methods: readonly string[]): ServiceError {
  return new ErrorWithHeaders({ status: 405 }, { Allow: methods.join(", ") });
}
