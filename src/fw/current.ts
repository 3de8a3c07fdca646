/**
 * The current runtime: that of the running request, else the one created last.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { currentContext } from "../context/store.ts";
import type { Runtime } from "./runtime.ts";

const owners = new WeakMap<EventContext, Runtime>();
let latest: Runtime | undefined;

/** Makes a runtime the one that is used outside of requests. */
export function setLatestRuntime(runtime: Runtime): void {
  latest = runtime;
}

/** Remembers the runtime of a root context. */
export function ownContext(context: EventContext, runtime: Runtime): void {
  owners.set(context, runtime);
}

/**
 * The current runtime.
 *
 * @throws TypeError when no runtime was created yet
 */
export function currentRuntime(): Runtime {
  for (let context = currentContext(); context; context = context.parent) {
    const owner = owners.get(context);
    if (owner) return owner;
  }
  if (latest) return latest;
  throw new TypeError("There is no runtime yet: create one with createRuntime()");
}
