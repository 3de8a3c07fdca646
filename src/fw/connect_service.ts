import { sendByFetch } from "../auth/token_client/token_credentials.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { applicationName } from "../messaging/consumer_group.ts";
import type { ChannelRegistry } from "../messaging/channel_registry.ts";
import { Inbox } from "../messaging/inbox/inbox.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import { recentMessagesOf } from "../messaging/recent_messages.ts";
import type { Environment, RequiredService } from "../config/environment.ts";
import { DatabaseService } from "../service/database_service.ts";
import { remoteAuthentication } from "../odata/remote/remote_authentication.ts";
import {
  type DestinationCredentials,
  destinationOf,
  type DestinationResolver,
} from "../odata/remote/remote_connection.ts";
import { remoteRoot } from "../odata/remote/remote_client.ts";
import { RemoteService } from "../odata/remote/remote_service.ts";
import { queued } from "../service/queue/queued_service.ts";
import { Service, type ServiceOptions } from "../service/service.ts";
import { nearestName } from "../util/nearest_name.ts";
import { showsMessages } from "./console_routes.ts";
import type { Kinds } from "./kinds.ts";
import { REMOTE_KINDS } from "./mocked_services.ts";
import { observedChannel } from "./observed_parts.ts";
import { openChannels } from "./open_channels.ts";
import { databaseOpener, givesBytes } from "./open_database.ts";
import { isMultitenant, TenantDatabases } from "./tenant_databases.ts";
import type { RuntimeParts } from "./runtime_parts.ts";

/** Services that run elsewhere, by kind. */
function remoteKinds(runtime: RuntimeParts): NonNullable<Kinds["services"]> {
  const destinations = destinationResolver(runtime);
  const { fetch } = runtime.kinds;
  const create = (options: ServiceOptions) => new RemoteService({ ...options, fetch, destinations });
  return Object.fromEntries(REMOTE_KINDS.map((kind) => [kind, () => create]));
}

/** Gives services by name: served ones, the database, messaging services, services that run elsewhere. */
export class Connector {
  readonly #runtime: RuntimeParts;
  #channels: ChannelRegistry | undefined;
  readonly #pending: Map<string, Promise<Service>> = new Map();
  readonly #messaging: Set<MessagingService> = new Set();
  readonly #databases: Set<TenantDatabases> = new Set();
  #isStarted = false;

  /** @param runtime whose services these are */
  constructor(runtime: RuntimeParts) {
    this.#runtime = runtime;
  }

  /**
   * The service of that name.
   *
   * @throws ConfigurationError when nothing of that name is known
   */
  connect(name: string): Promise<Service> {
    const { services } = this.#runtime;
    if (Object.hasOwn(services, name) && !this.#isQueuedMock(name)) return Promise.resolve(services[name]);
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
    this.#assertRemotes();
    this.#isStarted = true;
    await Promise.all([...this.#messaging].map((service) => service.start()));
  }

  /** Finds what would fail at the first call. */
  #assertRemotes(): void {
    const { kinds, env, production } = this.#runtime;
    const known = remoteKinds(this.#runtime);
    for (const [name, options] of Object.entries(env.requires)) {
      const kind = String(options?.kind);
      if (!options || options.impl !== undefined || !Object.hasOwn(known, kind)) continue;
      if (Object.hasOwn(kinds.services ?? {}, kind)) continue;
      // elsewhere one may work at a project without having every service at hand
      if (production && destinationOf(options) === undefined) remoteRoot({ name, options });
      remoteAuthentication({ name, options, host: this.#runtime, fetch: kinds.fetch ?? sendByFetch });
    }
  }

  /** Ends receiving and closes the channels. */
  async close(): Promise<void> {
    await Promise.all([...this.#messaging].map((service) => service.close()));
    await Promise.all([...this.#databases].map((database) => database.close()));
  }

  /**
   * A service that no configuration knows; nothing of it is kept but what must be closed.
   *
   * @param entry what would stand below `requires`
   * @param name its name; default: that of its kind
   * @throws ConfigurationError when there is no such kind
   */
  async connectTo(entry: RequiredService, name?: string): Promise<Service> {
    const given = typeof entry === "object" && entry !== null ? entry : {};
    const kind = typeof given.kind === "string" ? given.kind : undefined;
    if (kind === undefined && given.impl === undefined) {
      throw new ConfigurationError("An ad hoc service needs kind or impl");
    }
    const service = await this.#build(name ?? kind ?? String(given.impl), given);
    await this.#runtime.events.emit("connect", service);
    return service;
  }

  async #create(name: string): Promise<Service> {
    const { model, env, services, events } = this.#runtime;
    const entry = env.requires[name];
    if (!model.service(name) && !entry) throw unknownService(this.#runtime, name);
    const built = await this.#build(name, entry ?? {});
    const service = isQueuedBy(entry) && !(built instanceof MessagingService) ? queued(built) : built;
    if (!Object.hasOwn(services, name)) services[name] = service;
    await events.emit("connect", service);
    return service;
  }

  /** A mocked service is served here, but called as the one that it stands for. */
  #isQueuedMock(name: string): boolean {
    const { mocked, env } = this.#runtime;
    return mocked.has(name) && isQueuedBy(env.requires[name]);
  }

  async #build(name: string, entry: RequiredService): Promise<Service> {
    const { model, kinds, mocked, services } = this.#runtime;
    const kind = typeof entry.kind === "string" ? entry.kind : undefined;
    const modelName = typeof entry.service === "string" ? entry.service : name;
    const definition = model.service(modelName);
    if (entry.credentials === undefined && mocked.has(modelName) && Object.hasOwn(services, modelName)) {
      return services[modelName];
    }
    const options = { name, host: this.#runtime, definition, options: entry };
    if (entry.impl !== undefined) return await this.#implemented(options, entry.impl);
    this.#assertMockable(name, entry, definition);
    const factories: NonNullable<Kinds["services"]> = { ...remoteKinds(this.#runtime), ...kinds.services };
    if (kind !== undefined && Object.hasOwn(factories, kind)) {
      return await this.#receiving(await (await factories[kind]())(options));
    }
    if (kind !== undefined && isDatabase(kinds, kind)) return await this.#database(options);
    if (definition) return await this.#receiving(new Service(options));
    return await this.#messagingService(name, entry);
  }

  /** Outside production a service without credentials is mocked, but for that it needs a model. */
  #assertMockable(
    name: string,
    { kind, credentials }: RequiredService,
    definition: object | undefined,
  ): void {
    const { kinds, production } = this.#runtime;
    const isRemote = REMOTE_KINDS.includes(String(kind)) &&
      !Object.hasOwn(kinds.services ?? {}, String(kind));
    if (!isRemote || production || definition || credentials !== undefined) return;
    throw new ConfigurationError(
      `"fw.requires.${name}" has no credentials, and no model to mock the service from: ` +
        `use its model in that of the project, or name it by "fw.requires.${name}.model"`,
    );
  }

  /** Events of a service of the model that runs elsewhere arrive through `messaging`. */
  async #receiving(service: Service): Promise<Service> {
    await service.init();
    if (service.definition) (await this.messaging())?.receive(service);
    return service;
  }

  /** A service class of the project. */
  async #implemented(options: ServiceOptions, path: string): Promise<Service> {
    const module = await this.#import(path);
    const found = module.default ?? Object.values(module)[0];
    if (typeof found !== "function" || !(found.prototype instanceof Service)) {
      throw new ConfigurationError(`"${path}" must export a class derived from fw.Service`);
    }
    return await this.#receiving(new (found as new (options: ServiceOptions) => Service)(options));
  }

  async #import(path: string): Promise<Readonly<Record<string, unknown>>> {
    const { importModule } = this.#runtime.kinds;
    if (!importModule) throw new ConfigurationError(`"${path}" cannot be imported here`);
    try {
      return await importModule(path);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConfigurationError(`The service cannot be loaded: ${reason}`, { file: path }, { cause });
    }
  }

  /** A database beside the primary one; with multitenancy it is one per tenant as well. */
  async #database(options: ServiceOptions): Promise<Service> {
    const { env, deployedModel: model, modelOf, limits, kinds, telemetry } = this.#runtime;
    const own = { requires: { db: options.options }, features: env.features };
    const databases = new TenantDatabases({
      open: await databaseOpener({ env: own, model, modelOf, limits, kinds, telemetry }),
      multitenancy: isMultitenant(env),
      data: () => undefined,
    });
    const service = new DatabaseService({
      ...options,
      database: (tenant) => databases.of(tenant),
      givesBytes: givesBytes(env),
    });
    this.#databases.add(databases);
    await databases.start();
    return service;
  }

  async #messagingService(name: string, given: RequiredService): Promise<MessagingService> {
    const isKnown = this.#runtime.env.requires[name] === given;
    // what is stored could not be sent by a service that nobody finds by its name
    const options = isKnown || isQueuedBy(given) ? given : { ...given, outboxed: false };
    const channels = isKnown
      ? this.#channels ??= createChannels(this.#runtime, this.#runtime.env.requires)
      : createChannels(this.#runtime, { [name]: options });
    const channel = await channels.get(name);
    const { db, queue } = this.#runtime;
    if (!queue && (isQueuedBy(options) || options.inboxed === true)) {
      throw new ConfigurationError(
        `"fw.requires.${name}" asks for outbox or inbox, which need a database ("fw.requires.db")`,
      );
    }
    if (!isKnown && isQueuedBy(options)) {
      throw new ConfigurationError(
        `"outboxed" of ${name} needs an entry below "fw.requires": only from there it is found after the commit`,
      );
    }
    if (isMultitenant(this.#runtime.env) && options.tenantHeader === undefined) {
      this.#runtime.log("messaging").warn(
        `${name}: messages do not tell their tenant, and handlers that need its database fail: ` +
          `"fw.requires.${name}.tenantHeader" names no header for it`,
      );
    }
    const inbox = db && queue ? (group: string) => new Inbox(db, group) : undefined;
    const service = new MessagingService({ name, host: this.#runtime, options, channel, inbox });
    if (service.isQueued || options.inboxed === true) queue?.use();
    this.#messaging.add(service);
    if (this.#isStarted) await service.start();
    return service;
  }
}

function unknownService({ model, env, services }: RuntimeParts, name: string): ConfigurationError {
  if (Object.hasOwn(env.requires, name)) {
    return new ConfigurationError(
      `The service "${name}" is switched off: "fw.requires.${name}" is ${env.requires[name]}`,
    );
  }
  const required = Object.entries(env.requires).filter(([, entry]) => entry).map(([key]) => key);
  const known = [...Object.keys(services), ...model.services.map((one) => one.name), ...required];
  const nearest = nearestName(name, known);
  const hint = nearest ? `; did you mean "${nearest}"?` : "";
  return new ConfigurationError(`There is no service "${name}", served or below "fw.requires"${hint}`);
}

/** Whether a configuration entry asks for the outbox. */
function isQueuedBy(entry: RequiredService | undefined): boolean {
  const { outboxed } = entry ?? {};
  return outboxed === true || (typeof outboxed === "object" && outboxed !== null);
}

function createChannels(runtime: RuntimeParts, requires: Environment["requires"]): ChannelRegistry {
  const { kinds, limits, production, telemetry } = runtime;
  const recent = showsMessages(runtime) ? recentMessagesOf(runtime) : undefined;
  return openChannels({
    ...{ requires, application: applicationName(runtime), kinds, production, limits },
    log: runtime.log("messaging"),
    observe: (channel, name) => {
      const observed = telemetry ? observedChannel(channel, telemetry) : channel;
      return recent?.watch(observed, name) ?? observed;
    },
    web: {
      route: (path, answer) => void runtime.app.all(path, (context) => answer(context.req.raw)),
      fetch: kinds.fetch ?? fetch,
    },
  });
}

function isDatabase({ databases }: Kinds, kind: string): boolean {
  return kind === "memory" || Object.hasOwn(databases ?? {}, kind);
}

/**
 * Who looks up destinations: the table of kinds, the module that `fw.destinations.impl` names, else the entries of
 * `fw.destinations`.
 *
 * @param runtime its configuration
 */
function destinationResolver({ env, kinds }: RuntimeParts): DestinationResolver {
  if (kinds.destinations) return kinds.destinations;
  const { impl, ...entries } = (env.destinations ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof impl !== "string") return (name) => entryOf(entries, name);
  let loaded: Promise<DestinationResolver> | undefined;
  return async (name, caller) => {
    const resolve = await (loaded ??= load(impl, kinds.importModule));
    return entryOf(entries, name) ?? await resolve(name, caller);
  };
}

function entryOf(
  entries: Readonly<Record<string, unknown>>,
  name: string,
): DestinationCredentials | undefined {
  return Object.hasOwn(entries, name) ? entries[name] as DestinationCredentials : undefined;
}

async function load(
  path: string,
  importModule: RuntimeParts["kinds"]["importModule"],
): Promise<DestinationResolver> {
  if (!importModule) throw new ConfigurationError(`"${path}" cannot be imported here`);
  const module = await importModule(path);
  if (typeof module.default === "function") return module.default as DestinationResolver;
  throw new ConfigurationError(`"${path}" must export a function by default that looks up destinations`);
}
