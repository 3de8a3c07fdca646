/**
 * The current runtime: that of the running request, else the one that does the work, else the one created last.
 *
 * @module
 */

import { type EventContext, ownerOf } from "../context/event_context.ts";
import { currentContext, currentOwner } from "../context/store.ts";
import type { Emitter } from "./emitter.ts";
import type { Runtime } from "./runtime.ts";

let latest: Runtime | undefined;

/** Listeners that were registered before there was a runtime: those of the first one. */
let early: ((runtime: Runtime) => void)[] = [];

/** Makes a runtime the one that is used outside of requests. */
export function setLatestRuntime(runtime: Runtime): void {
  latest = runtime;
  for (const act of early) act(runtime);
  early = [];
}

/** Where listeners go that modules register while they are loaded as plugins. */
let recorder: Emitter | undefined;

/**
 * Has listeners that are registered from now on taken down, instead of adding them to a runtime.
 *
 * @param events takes them
 * @returns ends that
 */
export function recordListeners(events: Emitter): () => void {
  recorder = events;
  return () => recorder = undefined;
}

/** Acts on the events of the current runtime; if there is none yet, on those of the first one as soon as it exists. */
export function withEvents(act: (events: Emitter) => void): void {
  if (recorder) act(recorder);
  else if (latest) act(currentRuntime().events);
  else early.push(({ events }) => act(events));
}

/** Remembers the runtime of a root context. */
export function ownContext(context: EventContext, runtime: Runtime): void {
  context.owner = runtime;
}

/** Whether there is a current runtime. */
export function hasRuntime(): boolean {
  return latest !== undefined;
}

/**
 * The current runtime.
 *
 * @throws TypeError when no runtime was created yet
 */
export function currentRuntime(): Runtime {
  const owner = (ownerOf(currentContext()) ?? currentOwner()) as Runtime | undefined ?? latest; // see ownContext()
  if (owner) return owner;
  throw new TypeError("There is no runtime yet: create one with createRuntime()");
}
