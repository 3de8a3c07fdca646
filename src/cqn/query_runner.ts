import type { Query } from "./cqn.ts";
import { withCallerFrames } from "../util/caller_frames.ts";

/** Runs an awaited query. */
export type QueryRunner = (query: Query) => Promise<unknown>;

/** What builders read of the definition of an entity. */
export interface EntityShape {
  /** Name. */
  readonly name: string;
  /** Elements by name. */
  readonly elements: Readonly<Record<string, ElementShape>>;
  /** Key elements by name. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** Flat elements by name, foreign keys included. */
  readonly $flat?: ReadonlyMap<string, unknown>;
}

/** What builders read of the definition of an element. */
export interface ElementShape {
  /** Elements of a structure. */
  readonly elements?: Readonly<Record<string, ElementShape>>;
  /** Resolved type; its `elements` are those of a named structured type. */
  readonly $type?: { readonly elements?: Readonly<Record<string, ElementShape>> };
  /** Target entity of an association. */
  readonly $target?: EntityShape;
}

/** Finds the definition of an entity by name. */
export type EntityResolver = (name: string) => EntityShape | undefined;

/** Where a builder runs and looks up names; builders without one use the hooks. */
export interface QueryBinding {
  /** Runs an awaited query. */
  readonly run: QueryRunner;
  /** Finds the definition of an entity by name. */
  readonly resolve?: EntityResolver;
}

const hooks: {
  run: QueryRunner | undefined;
  resolve: EntityResolver | undefined;
  lockWait: (() => number | undefined) | undefined;
} = { run: undefined, resolve: undefined, lockWait: undefined };

/**
 * Sets what runs awaited queries that are not bound to a service.
 *
 * @param run normally: `query => fw.db.run(query)`
 */
export function setQueryRunner(run: QueryRunner | undefined): void {
  hooks.run = run;
}

/**
 * Sets what finds the definition of an entity that a builder knows by name only.
 *
 * @param resolve normally: `name => fw.model.entity(name)`
 */
export function setEntityResolver(resolve: EntityResolver | undefined): void {
  hooks.resolve = resolve;
}

/**
 * Runs an awaited query. Promises of failures have who awaits the query in the stack.
 *
 * @param query the query
 * @param binding where it runs; default: the hook
 */
export function runAwaited(query: Query, binding?: QueryBinding): Promise<unknown> {
  const run = binding?.run ?? hooks.run;
  try {
    if (!run) throw new TypeError("No database to run the query on: no runtime was created yet");
    noteUse(query);
    return run(query);
  } catch (error) {
    return Promise.reject(withCallerFrames(error));
  }
}

/** The definition of an entity by name, undefined if unknown. */
export function resolveEntity(name: string, binding?: QueryBinding): EntityShape | undefined {
  return binding?.resolve?.(name) ?? hooks.resolve?.(name);
}

/**
 * Sets how long locks are waited for where queries do not say it.
 *
 * @param seconds gives the seconds; undefined where the database decides
 */
export function setLockWait(seconds: (() => number | undefined) | undefined): void {
  hooks.lockWait = seconds;
}

/** How many seconds locks are waited for where queries do not say it. */
export function defaultLockWait(): number | undefined {
  return hooks.lockWait?.();
}

/** Decides whether a query that is started shall be looked after. */
export type StartWatcher = (query: object) => boolean;

const unused: WeakSet<object> = new WeakSet();
/** Whether any query was looked after: in production none is. */
let isWatching = false;
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
  if (watcher?.(query)) {
    isWatching = true;
    unused.add(query);
  }
  return query;
}

/**
 * Notes that a query is run, or given to somebody who may run it.
 *
 * @param query any query
 */
export function noteUse(query: object): void {
  if (isWatching) unused.delete(query);
}

/** Whether a query that is looked after was never used. */
export function isUnused(query: object): boolean {
  return unused.has(query);
}
