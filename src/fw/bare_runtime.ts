/**
 * What loggers and configuration come from where there is no runtime yet: modules ask for them while they are loaded.
 *
 * @module
 */

import { currentRuntime, hasRuntime } from "./current.ts";
import type { Kinds } from "./kinds.ts";
import { setCurrentHost } from "../service/service_environment.ts";
import { Runtime } from "./runtime.ts";

let bare: Runtime | undefined;
let bareKinds: Kinds | undefined;

/** Brings what models are read and compiled by before there is a runtime. */
export function setBareKinds(kinds: Kinds): void {
  bareKinds = kinds;
  bare = undefined;
}

/** The current runtime, else one without model that is never started. */
export function runtimeOrBare(): Runtime {
  return hasRuntime()
    ? currentRuntime()
    : bare ??= new Runtime({ model: { definitions: {} }, kinds: bareKinds });
}

setCurrentHost(runtimeOrBare);
