/**
 * Rows of derived types: which members they may have.
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { runWithContext } from "../../context/store.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { declaringType, hasElement, typeHierarchy, typeOfValue } from "../../model/derived_types.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";

/**
 * Makes sure that a new row has no members of types that it is not of.
 *
 * @param entity its entity
 * @param row the row; without a discriminator it is of the type of the entity
 * @throws ServiceError 400 for members of other types
 */
export function assertMembersOfType(entity: LinkedEntity, row: Row): void {
  const hierarchy = typeHierarchy(entity);
  if (!hierarchy) return;
  const [own] = hierarchy.types.values();
  const { name: discriminator } = hierarchy.discriminator;
  const type = row[discriminator] === undefined ? own : typeOfValue(hierarchy, row[discriminator]);
  for (const name of Object.keys(row)) {
    const flat = entity.$flat.get(name);
    if (!type || !flat || hasElement(hierarchy, type, flat.annotated)) continue;
    const message = `Property "${name}" does not exist in ${entity.$service?.name}.${type.name}`;
    throw new ServiceError({ status: 400, code: "400", message, target: name });
  }
}

/**
 * The same for changes of a row, whose type the database knows.
 *
 * @param exchange the exchange
 * @param entity the entity
 * @param change the row, and what is written to it
 * @throws ServiceError 400 for members of other types
 */
export function assertChangesOfType(
  exchange: Exchange,
  entity: LinkedEntity,
  { subject, data }: { readonly subject: RefExpression; readonly data: Row },
): MaybePromise<void> {
  const hierarchy = typeHierarchy(entity);
  const { db } = exchange.scope.host;
  if (!hierarchy || !db) return;
  const isTyped = Object.keys(data).some((name) => {
    const flat = entity.$flat.get(name);
    return flat && declaringType(flat.annotated) !== undefined;
  });
  if (!isTyped) return;
  const columns = [{ ref: [hierarchy.discriminator.name] }];
  const query = { SELECT: { one: true, from: subject, columns } };
  return runWithContext(exchange.context, () => db.run(query)).then((row) => {
    if (row) assertMembersOfType(entity, { ...data, ...row as Row });
  });
}
