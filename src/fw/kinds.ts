/**
 * Tables of kinds: databases, channels, protocols, authentication strategies (design 3).
 *
 * @module
 */

import type { AuthenticationStrategy } from "../auth/strategy.ts";
import type { SendRequest } from "../auth/token_client/token_credentials.ts";
import type { ConsoleFiles, FrontEnds, SourceText } from "../http/front_ends.ts";
import type { SharedBuckets } from "../http/rate_limits.ts";
import type { ChannelFactory } from "../messaging/channel.ts";
import type { DestinationResolver } from "../odata/remote/remote_connection.ts";
import type { Row } from "../cqn/cqn.ts";
import type { Logger } from "../log/logger.ts";
import type { Csn } from "../model/csn.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { BinaryForms, DatabaseFactory } from "../service/database.ts";
import type { ProtocolFactory } from "../service/wire/protocol_adapter.ts";
import type { OpenMetrics } from "../telemetry/open_metrics.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Service, ServiceOptions } from "../service/service.ts";
import type { StaticFiles } from "./app_router.ts";
import type { AnswerFile } from "./send_file.ts";
import type { RunNodeRouter } from "./node_router.ts";

/** What buckets that processes share are made from. */
export interface BucketOptions {
  /** `url`, and what else connections need. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** Name of the application. */
  readonly application: string;
  /** Takes failures. */
  readonly log: Logger;
}

/** Loads a module on first use; the specifier in it is literal, so bundlers can follow it. */
export type Loader<T> = () => T | Promise<T>;

/** Creates a service that runs elsewhere. */
export type ServiceFactory = (options: ServiceOptions) => Service | Promise<Service>;

/** Compiles CDL: a text, or files by their names (`"*"`: those of the project). */
export type CompileSource = (source: string | readonly string[] | Readonly<Record<string, string>>) => Csn;

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
  /** What code gets of bytes that queries read; default: those of the web. */
  readonly binaries?: BinaryForms;
  /** Sends the requests of remote services and to identity services; default: `fetch`, without certificates. */
  readonly fetch?: SendRequest;
  /** Looks up the destinations of remote services; default: the entries of `fw.destinations`. */
  readonly destinations?: DestinationResolver;
  /** Finds out who is calling, whatever the configuration says. */
  readonly strategy?: AuthenticationStrategy;
  /** Own authentication strategies by kind. */
  readonly strategies?: Readonly<Record<string, Loader<AuthenticationStrategy>>>;
  /** OpenTelemetry, loaded where an SDK or the platform has registered itself. */
  readonly telemetry?: Loader<(name: string, version?: string) => Telemetry>;
  /** Measurements that are scraped, loaded where `fw.server.metrics` asks for them. */
  readonly metrics?: Loader<() => OpenMetrics>;
  /** Where requests are counted together with other processes, loaded where `fw.server.rate_limits.redis` asks for it. */
  readonly buckets?: Loader<(options: BucketOptions) => SharedBuckets & { close(): void }>;
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
  /** Paths of the model files that names stand for (`"*"`: those of the project, a folder: those in it). */
  readonly resolveModel?: (names: readonly string[]) => readonly string[];
  /** The initial rows beside the files of a model, for `fw.deploy`. */
  readonly initialData?: (model: Csn) => (model: LinkedModel) => ReadonlyMap<string, readonly Row[]>;
  /** The compiler of CDL, for `fw.compile`; a server over a compiled model does not load it by itself. */
  readonly compiler?: Loader<CompileSource>;
  /** Runs routers and applications of Express, where there are streams of Node.js. */
  readonly nodeRouter?: RunNodeRouter;
  /** Answers requests below a path by the files of a folder of the project, or of a package. */
  readonly staticFiles?: StaticFiles;
  /** Answers requests by single files, for `res.sendFile`. */
  readonly answerFile?: AnswerFile;
  /** Front ends of the project. */
  readonly frontEnds?: FrontEnds;
  /** The files of the console; without them the first page is a list of links. */
  readonly console?: Loader<ConsoleFiles>;
  /** The source files of the model, for people to read. */
  readonly modelSources?: () => Promise<readonly SourceText[]>;
  /** How logs are written for a person at a terminal. */
  readonly terminal?: () => { readonly colours: boolean; readonly shortStacks: boolean };
  /** Whether timers outlive the request that starts them; at the edge they end with it. */
  readonly sharedTimers?: boolean;
}
