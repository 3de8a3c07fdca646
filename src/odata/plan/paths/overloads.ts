/**
 * Overloads: operations of one name, told apart by their parameters (`@odata.overload`; CSDL 4.01, 12.2).
 *
 * @module
 */

import { edmOperationName } from "../../../model/edm_types.ts";
import type { LinkedDefinition, LinkedOperation } from "../../../model/linked.ts";
import type { NameSegment, QueryOptions } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";

/**
 * All operations that a name may mean: bound to the same, or unbound.
 *
 * @param operation one of them
 */
export function overloadsOf(operation: LinkedOperation): readonly LinkedOperation[] {
  let overloads = OVERLOADS.get(operation);
  if (overloads === undefined) OVERLOADS.set(operation, overloads = findOverloads(operation));
  return overloads;
}

const OVERLOADS: WeakMap<LinkedOperation, readonly LinkedOperation[]> = new WeakMap();

function findOverloads(operation: LinkedOperation): readonly LinkedOperation[] {
  const { $service, $entity } = operation as LinkedOperation & Pick<LinkedDefinition, "$service">;
  const all = $entity?.actions ?? $service?.operations ?? [operation];
  const name = edmOperationName(operation);
  return [...all].filter((other) =>
    other.$collectionBound === operation.$collectionBound && edmOperationName(other) === name
  );
}

/**
 * The overload of a function that a call means.
 *
 * @param operation one of its overloads
 * @param segment the call
 * @param options query options, which may hold arguments
 * @throws {ServiceError} 400 when none takes these arguments
 */
export function functionOverload(
  operation: LinkedOperation,
  segment: NameSegment,
  options: QueryOptions,
): LinkedOperation {
  const overloads = overloadsOf(operation);
  if (overloads.length < 2 || operation.kind !== "function") return operation;
  const explicit = (segment.parens[0]?.items ?? []).map(({ name }) => name ?? "");
  const implicit = [...options.aliases ?? [], ...options.custom ?? []].map(({ name }) => name);
  const found = bestOverload(overloads, explicit, implicit);
  if (found) return found;
  throw badRequest(
    `No overload of "${segment.name}" has the parameters (${explicit.join(", ")})`,
    segment.offset,
  );
}

/**
 * The overload of an action that the members of a body fit.
 *
 * @param operation one of its overloads
 * @param body the body, whose annotations are no arguments
 * @returns the operation itself where it is the only one, or where none fits
 */
export function actionOverload(operation: LinkedOperation, body: object): LinkedOperation {
  const overloads = overloadsOf(operation);
  if (overloads.length < 2) return operation;
  const names = Object.keys(body).filter((name) => !name.includes("@"));
  return bestOverload(overloads, names, []) ?? operation;
}

/** The one that takes all arguments and misses the fewest. */
function bestOverload(
  overloads: readonly LinkedOperation[],
  explicit: readonly string[],
  implicit: readonly string[],
): LinkedOperation | undefined {
  const ranked = overloads.flatMap((operation) => {
    const params = [...operation.params];
    if (!explicit.every((name) => Object.hasOwn(operation.params, name))) return [];
    const missing = params.filter(({ name }) => !explicit.includes(name) && !implicit.includes(name));
    const isCallable = missing.every((param) => param.notNull !== true || param.default !== undefined);
    return isCallable ? [{ operation, missing: missing.length, params: params.length }] : [];
  });
  ranked.sort((one, other) => one.missing - other.missing || other.params - one.params);
  return ranked[0]?.operation;
}
