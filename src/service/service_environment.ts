/**
 * What every service sees of the runtime it lives in.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import type { EventContext } from "../context/event_context.ts";
import type { TextLookup } from "../errors/text_lookup.ts";
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
