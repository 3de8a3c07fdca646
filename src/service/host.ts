/**
 * What application services and adapters see of the runtime they live in.
 *
 * @module
 */

import type { TextLookup } from "../errors/service_error.ts";
import type { LiveData } from "./live/live_data.ts";
import type { DatabaseService } from "./database_service.ts";
import type { Service } from "./service.ts";
import type { ServiceEnvironment } from "./service_environment.ts";

export type { TextLookup };

/** The runtime as its services see it; implemented by `fw.ts`. */
export interface ServiceHost extends ServiceEnvironment {
  /** The primary database, if the runtime has one. */
  readonly db: DatabaseService | undefined;
  /** Services served or connected so far by name. */
  readonly services: Readonly<Record<string, Service>>;
  /** Value of `WWW-Authenticate` of a 401, as the strategy in effect has it. */
  readonly challenge?: string;
  /** Whether the strategy in effect does nothing, so that nobody gets 401 (spec 5.5.1). */
  readonly isAuthenticationOff?: boolean;
  /** What happens, as it happens, where clients may follow it. */
  readonly live?: LiveData;
  /** Connects to a required service. */
  connect(name: string): Promise<Service>;
}
