/**
 * What the parts of a runtime see of it.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { ServiceHost } from "../service/host.ts";
import type { Service } from "../service/service.ts";
import type { AppRouter } from "./app_router.ts";
import type { Emitter } from "./emitter.ts";
import type { Kinds } from "./kinds.ts";

/** A service at a path. */
export interface Endpoint {
  readonly service: Service;
  readonly protocol: string;
  /** Root path without trailing slash. */
  readonly path: string;
}

/** A runtime, as those see it who build its parts. */
export interface RuntimeParts extends ServiceHost {
  readonly env: Environment;
  readonly kinds: Kinds;
  readonly name: string;
  readonly version: string | undefined;
  readonly services: Record<string, Service>;
  readonly app: AppRouter;
  readonly events: Emitter;
  readonly endpoints: readonly Endpoint[];
}
