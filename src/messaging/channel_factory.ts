/**
 * How channels are made from configuration.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import type { Logger } from "../log/logger.ts";
import type { Channel } from "./channel.ts";

/** What a channel is made from. */
export interface ChannelOptions {
  /** Name of the entry below `fw.requires`. */
  readonly name: string;
  /** Name of the application, the source of its events; default: that of the entry. */
  readonly application?: string;
  /** The entry: `kind`, `file`, `routes`, `credentials`, … */
  readonly options: Readonly<Record<string, unknown>>;
  /** Bounds in effect. */
  readonly limits: Limits;
  /** The logger. */
  readonly log: Logger;
  /** Receives and sends web requests; absent where a channel is made without a runtime. */
  readonly web?: ChannelWeb;
  /** Another channel by the name of its entry; composite channels ask for those of their routes. */
  readonly channel: (name: string) => Promise<Channel>;
}

/** What a channel that speaks HTTP needs of its runtime. */
export interface ChannelWeb {
  /**
   * Answers the requests to a path of the application, which are authenticated like all others.
   *
   * @param path begins with a slash
   * @param answer gives the answer; what it throws is rendered like any error
   */
  route(path: string, answer: (request: Request) => Promise<Response>): void;
  /** Sends a request. */
  fetch(request: Request): Promise<Response>;
}

/** Creates a channel; what the loader of a kind resolves to for messaging. */
export type ChannelFactory = (options: ChannelOptions) => Channel | Promise<Channel>;
