/**
 * Work of the framework itself, in which no request takes part.
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import { runWithContext } from "../context/store.ts";
import { User } from "../context/user.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import type { DatabaseTransaction } from "./database.ts";
import type { DatabaseService } from "./database_service.ts";
import { type RootTransactionOptions, runInTransaction } from "./transactions/transaction.ts";

/** Runs queries in a transaction. */
export type EngineRunner = <T>(work: (engine: DatabaseTransaction) => MaybePromise<T>) => Promise<T>;

/**
 * Runs queries in a transaction of their own.
 *
 * @param db the database
 * @param tenant whose database, with multitenancy
 * @param run the queries
 */
export function inOwnTransaction<T>(
  db: DatabaseService,
  tenant: string | undefined,
  run: (engine: DatabaseTransaction) => MaybePromise<T>,
): Promise<T> {
  const context = new EventContext({ tenant, user: User.privileged });
  return runInTransaction(context, () => db.withEngine(run), db.rootOptions);
}

/**
 * Runs something in a context of its own. Workers go on for other users and tenants than that of the request that woke
 * them, whose id, user and transaction they must not see.
 *
 * @param root learns about the context
 * @param run the work
 */
export function runDetached<T>({ adopt }: RootTransactionOptions, run: () => T): T {
  const context = new EventContext({ user: User.privileged });
  adopt?.(context);
  return runWithContext(context, run);
}
