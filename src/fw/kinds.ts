/**
 * Tables of kinds: databases, channels, protocols, authentication strategies (design 3).
 *
 * @module
 */

import type { AuthenticationStrategy } from "../auth/strategy.ts";
import type { ChannelFactory } from "../messaging/channel_factory.ts";
import type { DatabaseFactory } from "../service/database.ts";
import type { ProtocolFactory } from "../service/protocol_adapter.ts";

/** Loads a module on first use; the specifier in it is literal, so bundlers can follow it. */
export type Loader<T> = () => T | Promise<T>;

/** Entries by kind. A project, a bundle or a test passes its own table; nothing else imports an adapter. */
export interface Kinds {
  /** Database engines. */
  readonly databases?: Readonly<Record<string, Loader<DatabaseFactory>>>;
  /** Message channels. */
  readonly channels?: Readonly<Record<string, Loader<ChannelFactory>>>;
  /** Protocols. */
  readonly protocols?: Readonly<Record<string, Loader<ProtocolFactory>>>;
  /** Own authentication strategies by kind. */
  readonly strategies?: Readonly<Record<string, Loader<AuthenticationStrategy>>>;
  /** Kind of `requires.db` when the configuration names none. */
  readonly defaultDatabase?: string;
  /** Kind of `requires.messaging` when the configuration names none. */
  readonly defaultChannel?: string;
  /** Imports a module of the project by path: custom authentication, implementations of required services. */
  readonly importModule?: (path: string) => Promise<Readonly<Record<string, unknown>>>;
}
