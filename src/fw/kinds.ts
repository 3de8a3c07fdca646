/**
 * Tables of kinds: databases, channels, protocols, authentication strategies (design 3).
 *
 * @module
 */

import type { AuthenticationStrategy } from "../auth/strategy.ts";
import type { SendRequest } from "../auth/token_client/client_key_pair.ts";
import type { FrontEnds } from "../http/front_ends.ts";
import type { ChannelFactory } from "../messaging/channel_factory.ts";
import type { Csn } from "../model/csn.ts";
import type { DatabaseFactory } from "../service/database.ts";
import type { ProtocolFactory } from "../service/wire/protocol_adapter.ts";
import type { Service, ServiceOptions } from "../service/service.ts";
import type { StaticFiles } from "./app_router.ts";

/** Loads a module on first use; the specifier in it is literal, so bundlers can follow it. */
export type Loader<T> = () => T | Promise<T>;

/** Creates a service that runs elsewhere. */
export type ServiceFactory = (options: ServiceOptions) => Service | Promise<Service>;

/** Compiles CDL: a text, or files by their names (`"*"`: those of the project). */
export type CompileSource = (source: string | readonly string[]) => Csn;

/** Entries by kind. A project, a bundle or a test passes its own table; nothing else imports an adapter. */
export interface Kinds {
  /** Database engines. */
  readonly databases?: Readonly<Record<string, Loader<DatabaseFactory>>>;
  /** Message channels. */
  readonly channels?: Readonly<Record<string, Loader<ChannelFactory>>>;
  /** Protocols. */
  readonly protocols?: Readonly<Record<string, Loader<ProtocolFactory>>>;
  /** Services that run elsewhere, by kind of their entry below `requires`. */
  readonly services?: Readonly<Record<string, Loader<ServiceFactory>>>;
  /** Sends the requests of remote services and to identity services; default: `fetch`, without certificates. */
  readonly fetch?: SendRequest;
  /** Own authentication strategies by kind. */
  readonly strategies?: Readonly<Record<string, Loader<AuthenticationStrategy>>>;
  /** Kind of `requires.db` when the configuration names none. */
  readonly defaultDatabase?: string;
  /** Kind of `requires.messaging` when the configuration names none. */
  readonly defaultChannel?: string;
  /** The same in production. */
  readonly productionChannel?: string;
  /** Imports a module of the project by path: custom authentication, implementations of required services. */
  readonly importModule?: (path: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Loads model files by their names (`"*"`: those of the project), for `fw.load`. */
  readonly loadModel?: (files: readonly string[]) => Promise<Csn>;
  /** The compiler of CDL, for `fw.compile`; a server over a compiled model does not load it by itself. */
  readonly compiler?: Loader<CompileSource>;
  /** Answers requests below a path by the files of a folder of the project, or of a package. */
  readonly staticFiles?: StaticFiles;
  /** Front ends of the project. */
  readonly frontEnds?: FrontEnds;
  /** Whether timers outlive the request that starts them; at the edge they end with it. */
  readonly sharedTimers?: boolean;
}
