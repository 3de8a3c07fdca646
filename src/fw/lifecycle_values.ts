/**
 * What listeners of lifecycle events get (api 2).
 *
 * @module
 */

import type { LinkedModel } from "../model/linked.ts";
import type { Service } from "../service/service.ts";
import type { AppRouter } from "./app_router.ts";

/** The values of each lifecycle event. */
export interface LifecycleValues {
  /** Before middlewares are added: the own routes of the application. */
  readonly bootstrap: readonly [app: AppRouter];
  /** The model is there. */
  readonly loaded: readonly [model: LinkedModel];
  /** A service is connected. */
  readonly connect: readonly [service: Service];
  /** A service is about to be served. */
  readonly serving: readonly [service: Service];
  /** All services exist: by name, iterable. */
  readonly served: readonly [services: Record<string, Service> & Iterable<Service>];
  /** The server takes requests. */
  readonly listening: readonly [at: { readonly url: string; readonly server: unknown }];
  /** The runtime ends. */
  readonly shutdown: readonly [];
}

/** Names of lifecycle events. */
export type LifecycleName = keyof LifecycleValues;
