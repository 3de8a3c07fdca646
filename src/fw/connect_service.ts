/**
 * Connecting to services by name (api 5).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { ChannelRegistry } from "../messaging/channel_registry.ts";
import { createCompositeChannel } from "../messaging/composite_channel.ts";
import { createLocalChannel } from "../messaging/local_channel.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import { Service } from "../service/service.ts";
import { nearestName } from "../util/nearest_name.ts";
import type { Kinds } from "./kinds.ts";
import type { RuntimeParts } from "./runtime_parts.ts";

/** Channels that run everywhere. */
const CHANNELS: Kinds["channels"] = {
  "local-messaging": () => createLocalChannel,
  "composite-messaging": () => createCompositeChannel,
};

/** Gives services by name: served ones, the database, messaging services, services that run elsewhere. */
export class Connector {
  readonly #runtime: RuntimeParts;
  readonly #channels: ChannelRegistry;
  readonly #pending: Map<string, Promise<Service>> = new Map();
  readonly #messaging: Set<MessagingService> = new Set();
  #isStarted = false;

  /** @param runtime whose services these are */
  constructor(runtime: RuntimeParts) {
    this.#runtime = runtime;
    const { env, kinds, limits } = runtime;
    this.#channels = new ChannelRegistry({
      requires: env.requires,
      kinds: { ...CHANNELS, ...kinds.channels },
      defaultKind: kinds.defaultChannel ?? "local-messaging",
      limits,
      log: runtime.log("messaging"),
    });
  }

  /**
   * The service of that name.
   *
   * @throws ConfigurationError when nothing of that name is known
   */
  connect(name: string): Promise<Service> {
    const { services } = this.#runtime;
    if (Object.hasOwn(services, name)) return Promise.resolve(services[name]);
    let pending = this.#pending.get(name);
    if (!pending) {
      pending = this.#create(name);
      this.#pending.set(name, pending);
    }
    return pending;
  }

  /** The service `messaging`, which carries declared events, if it is configured. */
  async messaging(): Promise<MessagingService | undefined> {
    if (!this.#runtime.env.requires.messaging) return undefined;
    return await this.connect("messaging") as MessagingService;
  }

  /** Begins to receive; handlers are registered by now. */
  async start(): Promise<void> {
    this.#isStarted = true;
    for (const service of this.#messaging) await service.start();
  }

  /** Ends receiving and closes the channels. */
  async close(): Promise<void> {
    await Promise.all([...this.#messaging].map((service) => service.close()));
  }

  async #create(name: string): Promise<Service> {
    const { model, env, services, events } = this.#runtime;
    const definition = model.service(name);
    const entry = env.requires[name];
    const service = definition
      ? await this.#remote(name)
      : entry
      ? await this.#messagingService(name)
      : undefined;
    if (!service) throw this.#unknown(name);
    services[name] = service;
    await events.emit("connect", service);
    return service;
  }

  /** A service of the model that runs elsewhere: its events arrive through `messaging`. */
  async #remote(name: string): Promise<Service> {
    const { model, env } = this.#runtime;
    const service = new Service({
      name,
      host: this.#runtime,
      definition: model.service(name),
      options: env.requires[name] ?? {},
    });
    const messaging = await this.messaging();
    messaging?.receive(service);
    return service;
  }

  async #messagingService(name: string): Promise<MessagingService> {
    const channel = await this.#channels.get(name);
    const options = this.#runtime.env.requires[name] ?? {};
    const service = new MessagingService({ name, host: this.#runtime, options, channel });
    await service.init();
    this.#messaging.add(service);
    if (this.#isStarted) await service.start();
    return service;
  }

  #unknown(name: string): ConfigurationError {
    const { model, env, services } = this.#runtime;
    const known = [
      ...Object.keys(services),
      ...model.services.map((one) => one.name),
      ...Object.keys(env.requires),
    ];
    const nearest = nearestName(name, known);
    const hint = nearest ? `; did you mean "${nearest}"?` : "";
    return new ConfigurationError(`There is no service "${name}", served or below "fw.requires"${hint}`);
  }
}
