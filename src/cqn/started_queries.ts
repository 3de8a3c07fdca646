/**
 * Queries that were started by `INSERT`, `UPSERT`, `UPDATE` or `DELETE`, and not used so far: a hook that the facade fills.
 *
 * @module
 */

/** Decides whether a query that is started shall be looked after. */
export type StartWatcher = (query: object) => boolean;

const unused: WeakSet<object> = new WeakSet();
let watcher: StartWatcher | undefined;

/**
 * Sets who is told of queries that are started.
 *
 * @param watch gives whether `isUnused` will be asked
 */
export function setStartWatcher(watch: StartWatcher | undefined): void {
  watcher = watch;
}

/**
 * Notes the start of a query that changes rows.
 *
 * @param query the query
 * @returns the same query
 */
export function started<Q extends object>(query: Q): Q {
  if (watcher?.(query)) unused.add(query);
  return query;
}

/**
 * Notes that a query is run, or given to somebody who may run it.
 *
 * @param query any query
 */
export function noteUse(query: object): void {
  unused.delete(query);
}

/** Whether a query that is looked after was never used. */
export function isUnused(query: object): boolean {
  return unused.has(query);
}
