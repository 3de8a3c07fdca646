/**
 * Work outside of the request that caused it.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { runWithContext } from "../../context/store.ts";
import { User } from "../../context/user.ts";
import type { RootTransactionOptions } from "../../service/transactions/transaction.ts";

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
