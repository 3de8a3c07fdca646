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
import { decoratedDatabase, decoratedTransaction } from "./decorated_database.ts";

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

/** What is noted of a request. */
export interface ExplainedRequest {
  readonly queries: ExplainedQuery[];
  /** Whether its queries run; where nobody wants the rows, they are only looked at, however long they would take. */
  readonly runs: boolean;
}

/** Notes of requests that are explained. */
export type Explanations = ContextNotes<ExplainedRequest>;

/** An engine that notes the queries of contexts that are explained. */
export function explainedDatabase(database: Database, explanations: Explanations): Database {
  return decoratedDatabase(database, {
    begin: (context) => explainedTransaction(database.begin(context), context, explanations),
  });
}

function explainedTransaction(
  transaction: DatabaseTransaction,
  context: EventContext,
  explanations: Explanations,
): DatabaseTransaction {
  const explained = explanations.of(context);
  const { within } = transaction;
  const nested: DatabaseTransaction["within"] = within &&
    ((other) => explainedTransaction(within.call(transaction, other), other, explanations));
  if (explained === undefined) return decoratedTransaction(transaction, { within: nested });
  return decoratedTransaction(transaction, {
    run: (query, params) =>
      andThen(
        note(explained.queries, transaction, { query, params }),
        () => explained.runs ? transaction.run(query, params) : [],
      ),
    within: nested,
    readJson: undefined, // all queries are run
    openCursor: undefined,
  });
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
    queries[at] = { ...about, ...plan };
  });
}
