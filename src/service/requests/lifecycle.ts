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

/** Commit hooks that were not asked yet; the one registered last comes first. */
export class PendingHooks<R extends object> implements CommitHooks {
  #hooks: { readonly req: R; readonly hook: LifecycleHook }[] | undefined;

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#hooks === undefined || this.#hooks.length === 0;
  }

  add(req: R, hook: LifecycleHook): void {
    (this.#hooks ??= []).push({ req, hook });
  }

  /** The next one to ask. */
  take(): { readonly req: R; readonly hook: LifecycleHook } | undefined {
    return this.#hooks?.pop();
  }
}
