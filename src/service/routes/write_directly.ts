/**
 * Writing rows along routes on which nothing is left to do but a statement.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { QueryParams, RefExpression, Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { ApplicationService } from "../application_service.ts";
import { maySeeToAll, permittedChange } from "../authorization/authorize_request.ts";
import type { Statement } from "../requests/service_request.ts";
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
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** The new row, or what changes of one. */
  readonly data: Row;
  /** The path to the row that changes, a template or with values; without it, the row is new. */
  readonly place?: RefExpression;
  /** Values of the parameters of the path. */
  readonly queryParams?: QueryParams;
}

/**
 * Creates or updates a row in the transaction of a context, which is the current one, where the route says that a request
 * would come to nothing else: the user may create all rows of the entity, or what changes leaves the row among those that
 * the user may change, and the checks of input accept the row as it is.
 *
 * @param service the service
 * @param context the context, in a transaction
 * @param write the row, which is completed
 * @returns the number of rows, of which none says that a request has to tell why; undefined where a request has to be sent,
 *   nothing has happened then
 * @throws ServiceError 401 or 403 for the user of a service that requires a role, and what the database throws
 */
export function writeDirectly(
  service: Service,
  context: EventContext,
  write: DirectWrite,
): MaybePromise<number> | undefined {
  const { target, place } = write;
  const event = place ? "UPDATE" : "CREATE";
  if (!(service instanceof ApplicationService)) return undefined;
  if (!routeOf(service, { event, target, path: target.name }).writesOneRow) return undefined;
  const { db } = service.host;
  const transaction = transactionOf(context);
  if (!transaction || !db?.needsNoContext(context)) return undefined;
  const statement = place
    ? changing(service, context, { ...write, place })
    : creating(service, context, write);
  if (!statement) return undefined;
  transaction.join(service);
  return andThen(db.execute(statement), Number);
}

function creating(
  service: ApplicationService,
  context: EventContext,
  { target, data }: DirectWrite,
): Statement | undefined {
  if (!maySeeToAll(context, service, { event: "CREATE", target })) return undefined;
  if (!isAcceptedTree(target, data, new RulesOfWholes(service, context))) return undefined;
  const query = { INSERT: { into: target.name, entries: [data] } };
  fillManaged(query, { model: service.model, context });
  return { query };
}

function changing(
  service: ApplicationService,
  context: EventContext,
  { target, data, place, queryParams }: DirectWrite & { readonly place: RefExpression },
): Statement | undefined {
  const query = { UPDATE: { entity: place, data } };
  const statement = permittedChange(context, service, {
    statement: { query, params: queryParams },
    target,
    data,
  });
  return isAcceptedChange(target, data, defaultStringLength(service.host)) ? statement : undefined;
}

/** Nested rows are written with the row where nothing is to be asked about them. */
class RulesOfWholes implements TreeRules {
  readonly defaultStringLength: number;
  readonly #service: ApplicationService;
  readonly #context: EventContext;

  /**
   * @param service the service
   * @param context who writes
   */
  constructor(service: ApplicationService, context: EventContext) {
    this.defaultStringLength = defaultStringLength(service.host);
    this.#service = service;
    this.#context = context;
  }

  linksOf(composition: LinkedElement): ReadonlySet<string> | undefined {
    return isWrittenWithWhole(composition) &&
        mayWriteParts(this.#context, this.#service, composition.$target!)
      ? linkNames(composition)
      : undefined;
  }
}
