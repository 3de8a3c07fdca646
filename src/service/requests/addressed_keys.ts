/**
 * The instance that a query addresses by its key.
 *
 * @module
 */

import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import { queryTarget } from "../../cqn/is_query.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/**
 * The key values in the condition of a query that is nothing but a comparison of all keys with values.
 *
 * @param query a query on the entity
 * @param entity its target
 * @returns `undefined` for any other condition
 */
export function addressedKeys(query: Query, entity: LinkedEntity): Row | undefined {
  const where = conditionOf(query);
  const keys = entity.$flatKeys;
  if (where === undefined || keys.length === 0 || where.length !== keys.length * 4 - 1) return undefined;
  const values: Row = {};
  for (let index = 0; index < where.length; index += 4) {
    const [left, operator, right, next = "and"] = where.slice(index, index + 4);
    if (!isName(left) || operator !== "=" || !isValue(right) || next !== "and") return undefined;
    values[left.ref[0]] = right.val;
  }
  return keys.every(({ name }) => Object.hasOwn(values, name)) ? values : undefined;
}

/**
 * The key values at the end of the path of a query that has no other condition.
 *
 * @param query a query on the entity
 * @param entity its target
 */
export function keysInPath(query: Query, entity: LinkedEntity): Row | undefined {
  const last = queryTarget(query)?.ref.at(-1);
  if (conditionOf(query) !== undefined || typeof last !== "object" || !last.where) return undefined;
  return addressedKeys({ DELETE: { from: entity.name, where: last.where } }, entity);
}

/** The condition of a query outside of its path. */
export function conditionOf(query: Query): readonly Xo[] | undefined {
  if ("SELECT" in query) return query.SELECT.where;
  if ("UPDATE" in query) return query.UPDATE.where;
  return "DELETE" in query ? query.DELETE.where : undefined;
}

function isName(operand: Xo): operand is { ref: readonly [string] } {
  return typeof operand === "object" && "ref" in operand && !operand.param && operand.ref.length === 1 &&
    typeof operand.ref[0] === "string";
}

function isValue(operand: Xo): operand is { val: never } {
  return typeof operand === "object" && "val" in operand;
}
