/**
 * Queries that a handler builds and never runs: outside production they are told of, with the place where they were built.
 *
 * @module
 */

import { currentContext } from "../context/store.ts";
import type { Query } from "../cqn/cqn.ts";
import { queryTarget } from "../cqn/is_query.ts";
import { isUnused } from "../cqn/query_runner.ts";
import { type RootTransaction, transactionOf } from "../service/transactions/transaction.ts";
import { applicationFrame } from "../util/caller_frames.ts";
import { currentRuntime, hasRuntime } from "./current.ts";
import { stepName } from "../cqn/steps.ts";

/** Queries of one transaction that are looked after. */
const MOST = 100;

/** A query, and where it was built. */
interface BuiltQuery {
  readonly query: object;
  readonly frame: () => string | undefined;
}

const built: WeakMap<RootTransaction, BuiltQuery[]> = new WeakMap();

/**
 * Looks after a query until the transaction of its request is committed.
 *
 * @param query what was started
 * @returns whether it does
 */
export function watchStart(query: object): boolean {
  const transaction = transactionOf(currentContext());
  if (!transaction || !hasRuntime()) return false;
  const runtime = currentRuntime();
  if (runtime.production) return false;
  let queries = built.get(transaction);
  if (queries === undefined) {
    const all = queries = [];
    built.set(transaction, all);
    transaction.afterCommit(() => {
      for (const remark of remarksOn(all)) runtime.log("service").warn(remark);
    });
  }
  if (queries.length >= MOST) return false;
  queries.push({ query, frame: applicationFrame() });
  return true;
}

function remarksOn(queries: readonly BuiltQuery[]): readonly string[] {
  return queries.filter(({ query }) => isUnused(query)).map(({ query, frame }) => {
    const [kind] = Object.keys(query);
    const target = queryTarget(query as Query); // builders are queries
    const entity = target ? ` ${target.ref.map(stepName).join(":")}` : "";
    return `${kind}${entity} was built and never run, so it changed nothing; is "await" missing? ${
      frame() ?? ""
    }`
      .trimEnd();
  });
}
