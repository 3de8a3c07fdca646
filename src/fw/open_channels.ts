/**
 * The channels of a configuration.
 *
 * @module
 */

import { ChannelRegistry, type ChannelRegistryOptions } from "../messaging/channel_registry.ts";
import { createLocalChannel } from "../messaging/local_channel.ts";
import type { Kinds } from "./kinds.ts";

/** Channels that run everywhere. */
const CHANNELS: Kinds["channels"] = {
  "local-messaging": () => createLocalChannel,
  // its patterns are compiled by a CommonJS package, which a start without routes does not load
  "composite-messaging": async () =>
    (await import("../messaging/composite_channel.ts")).createCompositeChannel,
};

/**
 * All kinds of channels.
 *
 * @param kinds the table of those that do not run everywhere
 */
export function channelKinds({ channels }: Kinds): NonNullable<Kinds["channels"]> {
  return { ...CHANNELS, ...channels };
}

/** What channels are made from. */
export interface OpenChannelsOptions extends Omit<ChannelRegistryOptions, "kinds" | "defaultKind"> {
  /** Table of kinds. */
  readonly kinds: Kinds;
  /** Whether the default kind is that of production. */
  readonly production: boolean;
}

/** The channels below `fw.requires`; each is created on first use. */
export function openChannels({ kinds, production, ...options }: OpenChannelsOptions): ChannelRegistry {
  return new ChannelRegistry({
    ...options,
    kinds: channelKinds(kinds),
    defaultKind: (production ? kinds.productionChannel : undefined) ?? kinds.defaultChannel ??
      "local-messaging",
  });
}
