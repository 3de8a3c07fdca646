/**
 * Engines that do some things in another way, and everything else as the engine they stand in front of.
 *
 * @module
 */

import type { Database, DatabaseTransaction } from "../service/database.ts";

/**
 * An engine in front of another one.
 *
 * @param database does what is not given
 * @param own what is done in another way
 */
export function decoratedDatabase(database: Database, own: Partial<Database>): Database {
  const { kind, needsNoContext, isVolatile, decimalDigits } = database;
  // all members are named: an engine with another one is not forgotten here
  const engine: { [Member in keyof Required<Database>]: Database[Member] } = {
    ...{ kind, needsNoContext, isVolatile, decimalDigits },
    begin: (context) => database.begin(context),
    deploy: (data, options) => database.deploy(data, options),
    deployments: database.deployments?.bind(database),
    reset: (data) => database.reset(data),
    claim: database.claim?.bind(database),
    drop: database.drop?.bind(database),
    state: database.state?.bind(database),
    close: () => database.close(),
  };
  return Object.assign(engine, own);
}

/**
 * A transaction in front of another one.
 *
 * @param transaction does what is not given
 * @param own what is done in another way; undefined for what is not done at all
 */
export function decoratedTransaction(
  transaction: DatabaseTransaction,
  own: Partial<DatabaseTransaction>,
): DatabaseTransaction {
  const { within, readJson, openCursor, explain, enqueue, turn, define, sql } = transaction;
  // all members are named: a transaction with another one is not forgotten here
  const decorated: { [Member in keyof Required<DatabaseTransaction>]: DatabaseTransaction[Member] } = {
    get holdsNothing() {
      return transaction.holdsNothing;
    },
    run: (query, params) => transaction.run(query, params),
    within: within?.bind(transaction),
    readJson: readJson?.bind(transaction),
    openCursor: openCursor?.bind(transaction),
    explain: explain?.bind(transaction),
    enqueue: enqueue?.bind(transaction),
    turn: turn?.bind(transaction),
    define: define?.bind(transaction),
    sql: sql?.bind(transaction),
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
  };
  return Object.assign(decorated, own);
}
