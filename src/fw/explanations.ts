/**
 * What requests that are to be explained ask of the database: queries, SQL, and how the database reads rows. There is
 * nothing of it where `fw.server.explain` names no roles.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { printQuery } from "../cqn/print_query.ts";
import type { Query, QueryParams, SelectQuery } from "../cqn/cqn.ts";
import { isSelect, isSet } from "../cqn/is_query.ts";
import type { Database, DatabaseTransaction, StatementPlan } from "../service/database.ts";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import type { ContextNotes } from "./context_notes.ts";

/** Queries of a request that are explained at most: the others only run. */
const MOST_QUERIES = 100;

/** A query of a request. */
export interface ExplainedQuery extends Partial<StatementPlan> {
  /** As CQL. */
  readonly cql: string;
  /** As CQN. */
  readonly query: Query;
  /** Values of its parameters. */
  readonly params?: QueryParams;
}

/** The queries of requests that are explained. */
export type Explanations = ContextNotes<ExplainedQuery[]>;

/** An engine that notes the queries of contexts that are explained. */
export function explainedDatabase(database: Database, explanations: Explanations): Database {
  const { kind, asksNobody, isVolatile, decimalDigits } = database;
  const engine: { [Member in keyof Required<Database>]: Database[Member] } = {
    ...{ kind, asksNobody, isVolatile, decimalDigits },
    begin: (context) => explainedTransaction(database.begin(context), context, explanations),
    deploy: (data, options) => database.deploy(data, options),
    deployments: database.deployments?.bind(database),
    reset: (data) => database.reset(data),
    claim: database.claim?.bind(database),
    drop: database.drop?.bind(database),
    state: database.state?.bind(database),
    close: () => database.close(),
  };
  return engine;
}

function explainedTransaction(
  transaction: DatabaseTransaction,
  context: EventContext,
  explanations: Explanations,
): DatabaseTransaction {
  const queries = explanations.of(context);
  const { within, readJson, openCursor, explain, enqueue, define, sql } = transaction;
  const noted = <T>(query: Query, params: QueryParams | undefined, run: () => MaybePromise<T>) =>
    queries === undefined ? run() : andThen(note(queries, transaction, { query, params }), run);
  const explained: { [Member in keyof Required<DatabaseTransaction>]: DatabaseTransaction[Member] } = {
    get holdsNothing() {
      return transaction.holdsNothing;
    },
    run: (query, params) => noted(query, params, () => transaction.run(query, params)),
    within: within &&
      ((other) => explainedTransaction(within.call(transaction, other), other, explanations)),
    readJson: readJson && queries === undefined ? readJson?.bind(transaction) : undefined,
    openCursor: openCursor && queries === undefined ? openCursor?.bind(transaction) : undefined,
    explain: explain?.bind(transaction),
    enqueue: enqueue?.bind(transaction),
    define: define?.bind(transaction),
    sql: sql?.bind(transaction),
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
  };
  return explained;
}

function note(
  queries: ExplainedQuery[],
  transaction: DatabaseTransaction,
  { query, params }: { readonly query: Query; readonly params?: QueryParams },
): MaybePromise<void> {
  if (queries.length >= MOST_QUERIES) return;
  const about = { cql: printQuery(query), query, ...params && { params } };
  const at = queries.push(about) - 1;
  if (!isSelect(query) && !isSet(query)) return;
  return andThen(transaction.explain?.(query as SelectQuery, params), (plan) => {
    if (plan) queries[at] = { ...about, ...plan };
  });
}
