/**
 * What the parts of a runtime see of it.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { Outbox } from "../messaging/outbox/outbox.ts";
import type { LiveData } from "../service/live/live_data.ts";
import type { ServiceHost } from "../service/host.ts";
import type { Service } from "../service/service.ts";
import type { Middlewares } from "../http/middlewares.ts";
import type { AppRouter } from "./app_router.ts";
import type { Emitter } from "./emitter.ts";
import type { OpenMetrics } from "../telemetry/open_metrics.ts";
import type { Readiness } from "../http/readiness.ts";
import type { Kinds } from "./kinds.ts";

/** A service at a path. */
export interface Endpoint {
  /** The service. */
  readonly service: Service;
  /** `odata` or `rest`. */
  readonly protocol: string;
  /** Root path without trailing slash. */
  readonly path: string;
}

/** What clients of a runtime may follow. */
export interface LiveEvents extends LiveData {
  /**
   * Keeps the declared events of a service as they are emitted.
   *
   * @param service a service that is served
   */
  forward(service: Service): void;
  /**
   * Ends the streams of a tenant whose database is closed.
   *
   * @param tenant the tenant
   */
  leave(tenant: string): Promise<void>;
  /** Ends all streams, and what is under way. */
  close(): Promise<void>;
}

/** A runtime, as those see it who build its parts. */
export interface RuntimeParts extends ServiceHost {
  /** Effective configuration. */
  readonly env: Environment;
  /** What tables are made from: it has what any feature toggle adds. */
  readonly deployedModel: LinkedModel;
  /** The outbox, if there is a database. */
  readonly queue?: Outbox;
  /** Full names of the services of other systems that are served here while their credentials are missing. */
  readonly mocked: ReadonlySet<string>;
  /** What happens, as clients may follow it; undefined where the configuration says so. */
  readonly live?: LiveEvents;
  /** Whether this runtime should get requests. */
  readonly readiness: Readiness;
  /** Measurements that are scraped, if the configuration asks for them. */
  readonly metrics?: OpenMetrics;
  /** Table of kinds. */
  readonly kinds: Kinds;
  /** Name. */
  readonly name: string;
  /** Version of the application. */
  readonly version: string | undefined;
  /** Services in the order of the model. */
  readonly services: Record<string, Service>;
  /** Own routes of the application. */
  readonly app: AppRouter;
  /** Middleware around the steps of the pipeline. */
  readonly middlewares: Middlewares;
  /** Names of events. */
  readonly events: Emitter;
  /** What is served where. */
  readonly endpoints: readonly Endpoint[];
}
