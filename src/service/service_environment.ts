/**
 * What every service sees of the runtime it lives in.
 *
 * @module
 */

import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Limits } from "../config/limits.ts";
import type { EventContext } from "../context/event_context.ts";
import type { TextLookup } from "../errors/service_error.ts";
import type { Logger } from "../log/logger.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { WorkQueue } from "./queue/work_queue.ts";

/** Where a service is served. */
export interface ServedAt {
  /** The service. */
  readonly service: object;
  /** `odata`, `rest`, or a protocol of the application. */
  readonly protocol: string;
  /** Root path without trailing slash. */
  readonly path: string;
}

/** Model, configuration, texts and loggers. */
export interface ServiceEnvironment {
  /** Name of the application. */
  readonly name?: string;
  /** The linked model of whoever has no feature toggles. */
  readonly model: LinkedModel;
  /** The linked model for the feature toggles of a context; without it there is one for all. */
  readonly modelOf?: (context: EventContext | undefined) => LinkedModel;
  /** Effective configuration below `fw` (`host.env.requires.auth`, …). */
  readonly env: Readonly<Record<string, unknown>>;
  /** Bounds in effect. */
  readonly limits: Limits;
  /** Who watches, if anybody does. */
  readonly telemetry?: Telemetry;
  /** True in the production profile. */
  readonly production: boolean;
  /** Whether a timer outlives the request that starts it. */
  readonly sharedTimers?: boolean;
  /** Texts of messages and errors. */
  readonly texts: TextLookup;
  /** The outbox, if the runtime has one. */
  readonly queue?: WorkQueue;
  /** Makes the runtime that of a root context which began outside of its HTTP requests. */
  readonly adopt?: (context: EventContext) => void;
  /** What is served where. */
  readonly endpoints?: readonly ServedAt[];
  /** The logger of a component. */
  log(id: string): Logger;
}

const held: { host: (() => ServiceEnvironment) | undefined } = { host: undefined };

/**
 * Sets what services that are made by hand live in.
 *
 * @param host gives the current runtime
 */
export function setCurrentHost(host: () => ServiceEnvironment): void {
  held.host = host;
}

/**
 * What a service lives in that is made by hand.
 *
 * @param model its own model; default: that of the runtime
 * @throws TypeError where there is no runtime
 */
export function currentHost(model?: LinkedModel): ServiceEnvironment {
  const host = held.host?.();
  if (!host) throw new TypeError("A service needs a runtime: create one with createRuntime()");
  return model === undefined ? host : withModel(host, model);
}

/** What services of another model see of a runtime, whatever it has by then. */
const SEEN = [
  "name",
  "env",
  "limits",
  "production",
  "sharedTimers",
  "texts",
  "queue",
  "adopt",
  "endpoints",
  "db",
];

function withModel(host: ServiceEnvironment, model: LinkedModel): ServiceEnvironment {
  const members = host as unknown as Readonly<Record<string, unknown>>;
  const own = { model, log: (id: string) => host.log(id) };
  const seen = Object.fromEntries(SEEN.map((name) => [name, { get: () => members[name] }]));
  return Object.defineProperties(own, seen) as typeof own & ServiceEnvironment; // with the members just defined
}
