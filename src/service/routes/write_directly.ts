/**
 * Writing rows along routes on which nothing is left to do but a statement.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { equalities } from "../../cqn/conjunction.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { ApplicationService } from "../application_service.ts";
import { maySeeToAll } from "../authorization/authorize_request.ts";
import type { Service } from "../service.ts";
import { mayWriteParts } from "../authorization/written_parts.ts";
import { linkNames } from "../validation/validate_complete.ts";
import { isWrittenWithWhole, routeOf } from "./route.ts";
import { transactionOf } from "../transactions/transaction.ts";
import {
  defaultStringLength,
  isAcceptedChange,
  isAcceptedTree,
  type TreeRules,
} from "../validation/given_value.ts";
import { fillManaged } from "../validation/fill_managed.ts";

/** A row to write, addressed by the name of its entity. */
export interface DirectWrite {
  readonly event: "CREATE" | "UPDATE";
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** The new row, or what changes of one. */
  readonly data: Row;
  /** Keys of the row that changes. */
  readonly keys?: Row;
}

/**
 * Creates or updates a row in the transaction of a context, which is the current one, where the route says that a request
 * would come to nothing else: the user may write all rows of the entity, and the checks of input accept the row as it is.
 *
 * @param service the service
 * @param context the context, in a transaction
 * @param write the row, which is completed
 * @returns the number of rows; undefined where a request has to be sent, nothing has happened then
 * @throws ServiceError 401 or 403 for the user of a service that requires a role, and what the database throws
 */
export function writeDirectly(
  service: Service,
  context: EventContext,
  { event, target, data, keys }: DirectWrite,
): MaybePromise<number> | undefined {
  if (!(service instanceof ApplicationService)) return undefined;
  if (!routeOf(service, { event, target, path: target.name }).writesOneRow) return undefined;
  const { db } = service.host;
  const transaction = transactionOf(context);
  if (!transaction || !db?.asksNobody(context) || !maySeeToAll(context, service, { event, target })) {
    return undefined;
  }
  const length = defaultStringLength(service.host);
  const isAccepted = event === "CREATE"
    ? isAcceptedTree(target, data, treeRules(service, context, length))
    : isAcceptedChange(target, data, length);
  if (!isAccepted) return undefined;
  transaction.join(service);
  const query = event === "CREATE"
    ? { INSERT: { into: target.name, entries: [data] } }
    : { UPDATE: { entity: target.name, where: equalities(keys!), data } };
  if (event === "CREATE") fillManaged(query, { model: service.model, context });
  return andThen(db.execute({ query }), Number);
}

/** Nested rows are written with the row where nothing is to be asked about them. */
function treeRules(
  service: ApplicationService,
  context: EventContext,
  defaultStringLength: number,
): TreeRules {
  return {
    defaultStringLength,
    linksOf: (composition) =>
      isWrittenWithWhole(composition) && mayWriteParts(context, service, composition.$target!)
        ? linkNames(composition)
        : undefined,
  };
}
