/**
 * The channels of a runtime by the names of their configuration entries.
 *
 * @module
 */

import type { Limits } from "../config/limits.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Logger } from "../log/logger.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { nearestName } from "../util/nearest_name.ts";
import type { Channel, ChannelFactory, ChannelWeb } from "./channel.ts";
import { patiently } from "./patient_channel.ts";
import { withPrefixes } from "./prefix_channel.ts";

/** What channels are made from. */
export interface ChannelRegistryOptions {
  /** Entries below `fw.requires`. */
  readonly requires: Readonly<Record<string, unknown>>;
  /** Name of the application. */
  readonly application?: string;
  /** Loaders of channels by kind. */
  readonly kinds: Readonly<Record<string, () => ChannelFactory | Promise<ChannelFactory>>>;
  /** Kind of an entry that names none. */
  readonly defaultKind?: string;
  /** Bounds. */
  readonly limits: Limits;
  /** Logger of the channels. */
  readonly log: Logger;
  /** What stands in front of each channel that carries messages itself. */
  readonly observe?: (channel: Channel, name: string) => Channel;
  /** Receives and sends web requests. */
  readonly web?: ChannelWeb;
}

/** Creates each channel once, on first use. */
export class ChannelRegistry {
  readonly #options: ChannelRegistryOptions;
  readonly #channels: Map<string, Promise<Channel>> = new Map();

  /**
   * Creates a registry; channels are created on first use.
   *
   * @param options configuration and loaders
   */
  constructor(options: ChannelRegistryOptions) {
    this.#options = options;
  }

  /**
   * The channel of a configuration entry, with the prefixes of the entry.
   *
   * @param name name of the entry
   * @throws ConfigurationError if there is no such entry or kind, or if channels contain each other
   */
  get(name: string): Promise<Channel> {
    return this.#get(name, []);
  }

  /**
   * Whether a configuration entry is that of a messaging service: by its kind, or as `messaging` without one.
   *
   * @param name name of the entry
   */
  isChannel(name: string): boolean {
    const { requires, kinds } = this.#options;
    const entry = requires[name];
    if (!isPlainObject(entry)) return name === "messaging" && entry === true;
    return typeof entry.kind === "string" ? Object.hasOwn(kinds, entry.kind) : name === "messaging";
  }

  #get(name: string, outer: readonly string[]): Promise<Channel> {
    if (outer.includes(name)) {
      const circle = [...outer, name].join(" -> ");
      return Promise.reject(new ConfigurationError(`Channels contain each other: ${circle}`));
    }
    let channel = this.#channels.get(name);
    if (channel === undefined) this.#channels.set(name, channel = this.#create(name, [...outer, name]));
    return channel;
  }

  async #create(name: string, outer: readonly string[]): Promise<Channel> {
    const { requires, kinds, limits, log, web, defaultKind, application, observe } = this.#options;
    const entry = requires[name];
    if (entry === null || entry === false) {
      throw new ConfigurationError(`fw.requires.${name} is switched off, expected a messaging service`);
    }
    if (entry === undefined) {
      const near = nearestName(name, Object.keys(requires).filter((other) => requires[other]));
      const hint = near ? `, did you mean '${near}'` : "";
      throw new ConfigurationError(`fw.requires.${name} is missing, expected a messaging service${hint}`);
    }
    const options = isPlainObject(entry) ? entry : {};
    const kind = typeof options.kind === "string" ? options.kind : defaultKind;
    const load = kind === undefined || !Object.hasOwn(kinds, kind) ? undefined : kinds[kind];
    if (!load) {
      const known = Object.keys(kinds).join(", ");
      const short = `${kind}-messaging`;
      const near = Object.hasOwn(kinds, short) ? short : nearestName(String(kind), Object.keys(kinds));
      const hint = near === undefined ? "" : `; did you mean '${near}'?`;
      throw new ConfigurationError(`fw.requires.${name}.kind is '${kind}', expected one of ${known}${hint}`);
    }
    const create = await load();
    const inner = (other: string) => this.#get(other, outer);
    const channel = await create({ name, application, options, limits, log, web, channel: inner });
    // Routes match names of events: a composite channel adds prefixes behind them.
    if (channel.routesOf) return channel;
    const patient = patiently(channel, { name, startMs: limits.brokerStartMs, log });
    const prefixed = withPrefixes(patient, options);
    return observe ? observe(prefixed, name) : prefixed;
  }
}
