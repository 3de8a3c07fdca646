/**
 * What a service sees of the runtime it lives in.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import type { Logger } from "../log/logger.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { DatabaseService } from "./database_service.ts";
import type { Service } from "./service.ts";

/** Texts by key, locale and arguments; `undefined` when no bundle has the key. */
export type TextLookup = (key: string, locale?: string, args?: readonly unknown[]) => string | undefined;

/** The runtime as its services see it; implemented by `fw.ts`. */
export interface ServiceHost {
  readonly model: LinkedModel;
  /** Effective configuration below `fw` (`host.env.requires.auth`, …). */
  readonly env: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
  /** True in the production profile. */
  readonly production: boolean;
  /** Texts of messages and errors. */
  readonly texts: TextLookup;
  /** The primary database, if the runtime has one. */
  readonly db: DatabaseService | undefined;
  /** Services served or connected so far by name. */
  readonly services: Readonly<Record<string, Service>>;
  /** Connects to a required service. */
  connect(name: string): Promise<Service>;
  log(id: string): Logger;
}
