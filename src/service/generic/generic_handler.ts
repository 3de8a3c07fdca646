/**
 * What the generic handlers have in common.
 *
 * @module
 */

import type { MaybePromise } from "../../util/maybe_promise.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { DatabaseService } from "../database_service.ts";
import type { ServiceRequest } from "../requests/service_request.ts";

/** What a generic handler works with. */
export interface GenericScope {
  /** The primary database. */
  readonly db: DatabaseService;
  /** Whether another handler of the service sees the result. */
  readonly isObserved: boolean;
}

/** Handles an event by the database. */
export type GenericHandler = (req: ServiceRequest, scope: GenericScope) => MaybePromise<unknown>;

/** The error for an addressed row that does not exist. */
export function rowNotFound(): ServiceError {
  return new ServiceError({ status: 404 });
}
