/**
 * The events at the end of a request (spec 6.1).
 *
 * @module
 */

/** Names of the events. */
export type LifecycleEvent = "commit" | "succeeded" | "failed" | "done";

/** A function called at the end of a request; `failed` gets the error, the others the results. */
export type LifecycleHook = (value?: unknown) => unknown;

/** The commit hooks of all requests of a transaction. */
export interface CommitHooks {
  /** Adds a hook of a request, as the one to run first. */
  add(req: object, hook: LifecycleHook): void;
}

/** The hooks of one request by event, in order of registration. */
export type RequestHooks = Record<LifecycleEvent, LifecycleHook[]>;
