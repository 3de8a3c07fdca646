/**
 * The current runtime: that of the running request, else the one that does the work, else the one created last.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { currentContext, currentOwner } from "../context/store.ts";
import type { Runtime } from "./runtime.ts";

let latest: Runtime | undefined;

/** Makes a runtime the one that is used outside of requests. */
export function setLatestRuntime(runtime: Runtime): void {
  latest = runtime;
}

/** Remembers the runtime of a root context. */
export function ownContext(context: EventContext, runtime: Runtime): void {
  context.owner = runtime;
}

/**
 * The current runtime.
 *
 * @throws TypeError when no runtime was created yet
 */
export function currentRuntime(): Runtime {
  const owner = ownerOf(currentContext()) ?? currentOwner() as Runtime | undefined ?? latest;
  if (owner) return owner;
  throw new TypeError("There is no runtime yet: create one with createRuntime()");
}

/** The runtime to which a context, or one it was derived from, belongs. */
export function ownerOf(context: EventContext | undefined): Runtime | undefined {
  for (let at = context; at; at = at.parent) {
    if (at.owner) return at.owner as Runtime; // only runtimes own contexts, see ownContext()
  }
  return undefined;
}
