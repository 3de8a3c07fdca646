/**
 * One isolated runtime: environment, linked model, services, database, channels (design 3).
 *
 * @module
 */

import type { AuthenticationStrategy } from "../auth/strategy.ts";
import { type Environment, type RequiredService, toEnvironment } from "../config/environment.ts";
import { withKeyPlace } from "../config/key_places.ts";
import { type Limits, limitsOf } from "../config/limits.ts";
import type { EventContext } from "../context/event_context.ts";
import { currentContext, runWithOwner } from "../context/store.ts";
import type { Row } from "../cqn/cqn.ts";
import type { LogLevel } from "../log/logger.ts";
import { createLogging, type Logging } from "../log/create_logging.ts";
import { TextBundles, type TextsByLocale } from "../i18n/text_bundles.ts";
import type { Csn } from "../model/csn.ts";
import type { LinkedModel } from "../model/linked.ts";
import { authenticationSettings } from "../service/authorization/refusals.ts";
import { logOverridingViews } from "../service/authorization/view_restrictions.ts";
import { checkRules } from "../service/check_rules.ts";
import type { DatabaseService } from "../service/database_service.ts";
import type { TextLookup } from "../service/host.ts";
import type { OpenMetrics } from "../telemetry/open_metrics.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Service } from "../service/service.ts";
import type { WebHandler } from "../http/pipeline.ts";
import type { Outbox } from "../messaging/outbox/outbox.ts";
import { Middlewares } from "../http/middlewares.ts";
import type { ProtocolAdapter } from "../service/wire/protocol_adapter.ts";
import type { Job } from "../service/transactions/spawn.ts";
import { AppRouter } from "./app_router.ts";
import { buildPipeline, buildStrategy, mountEndpoint } from "./build_pipeline.ts";
import { buildServices, serveService, servicesByName } from "./build_services.ts";
import { Connector } from "./connect_service.ts";
import { openDatabases } from "./open_databases.ts";
import { openOutbox } from "./open_outbox.ts";
import { Emitter } from "./emitter.ts";
import { openLiveEvents } from "./live_events.ts";
import type { Implementations } from "./implementation.ts";
import type { Kinds } from "./kinds.ts";
import type { Readiness } from "../http/readiness.ts";
import { RuntimeReadiness } from "./readiness.ts";
import { sharedBuckets } from "./shared_buckets.ts";
import { type Watchers, watchersOf } from "./telemetry_of.ts";
import { runtimeModels } from "./runtime_models.ts";
import type { Endpoint, LiveEvents, RuntimeParts } from "./runtime_parts.ts";
import { type ServeOptions, serviceNamed } from "./serve_service.ts";
import { remarkRemoteEntries } from "./remote_entries.ts";
import { passOver, remarkWithoutEffect } from "./without_effect.ts";
import type { TenantDatabases } from "./tenant_databases.ts";
import type { Tenants } from "./tenants/open_tenants.ts";

/** How long what is due in the outbox may take when a runtime closes; the rest stays stored. */
const DRAIN_MS = 5_000;

/** What a runtime is made from. */
export interface RuntimeOptions {
  /** The model: CSN (parsed or inferred), or a linked one. */
  readonly model: Csn | LinkedModel;
  /** What each feature toggle adds to a parsed model: definitions and extensions, as `toggleOf` gives them. */
  readonly toggles?: Readonly<Record<string, Csn>>;
  /** Version of the framework that has checked the rules of model and toggles, as `fw build` writes it. */
  readonly checked?: string;
  /** Configuration below `fw`, or a complete environment. */
  readonly env?: Readonly<Record<string, unknown>> | Environment;
  /** Profiles in effect; default: `development`. */
  readonly profiles?: readonly string[];
  /** Implementations of services, or a function that loads them once the model is there. */
  readonly handlers?: Implementations | ((runtime: Runtime) => Promise<Implementations>);
  /** Table of kinds. */
  readonly kinds?: Kinds;
  /** Texts by locale (`""` for the default language) and key. */
  readonly texts?: TextsByLocale;
  /** Initial rows by entity name, or a function of the model that gives them. */
  readonly data?:
    | ReadonlyMap<string, readonly Row[]>
    | ((model: LinkedModel) => ReadonlyMap<string, readonly Row[]>);
  /** Name and version of the application. */
  readonly name?: string;
  /** Version of the application. */
  readonly version?: string;
  /** Root folder of the project. */
  readonly root?: string;
  /** Runs before anything else when the runtime starts: the `server.ts` of a project; it may call `launch()`. */
  readonly boot?: (runtime: Runtime) => Promise<void>;
  /** Whether it takes messages and does what waits in the outbox; default: true. */
  readonly receives?: boolean;
}

/** One isolated runtime. `export default runtime` is a module for `deno serve` and Workers. */
export class Runtime implements RuntimeParts {
  readonly model: LinkedModel;
  /** The linked model for the feature toggles of a context; without toggles there is one for all. */
  readonly modelOf?: (context: EventContext | undefined) => LinkedModel;
  readonly deployedModel: LinkedModel;
  readonly mocked: ReadonlySet<string>;
  readonly env: Environment;
  readonly limits: Limits;
  readonly production: boolean;
  /** Whether a timer outlives the request that starts it. */
  readonly sharedTimers: boolean;
  readonly texts: TextLookup;
  /** Name. */
  readonly name: string;
  /** Version of the application. */
  readonly version: string | undefined;
  /** Root folder of the project. */
  readonly root: string | undefined;
  /** Services served or connected so far by name. */
  readonly services: Record<string, Service> & Iterable<Service>;
  /** Own routes, static files and middleware of the application. */
  readonly app: AppRouter;
  /** Middleware around the steps of the pipeline. */
  readonly middlewares: Middlewares = new Middlewares();
  /** Detached jobs that have not ended; closing the runtime stops them. */
  readonly jobs: Set<Job> = new Set();
  /** Whether this runtime should get requests. */
  readonly readiness: Readiness = new RuntimeReadiness(this);
  /** Ends the process that holds this runtime; set by who listens. */
  onExit: ((code?: number) => unknown) | undefined;
  /** What happens, as clients may follow it. */
  readonly live: LiveEvents | undefined;
  /** Lifecycle events: `bootstrap`, `served`, `reset`, `shutdown`, … */
  readonly events: Emitter = new Emitter();
  /** Makes a root context one of this runtime: `fw` finds it there. */
  adopt: ((context: EventContext) => void) | undefined;
  readonly #options: RuntimeOptions;
  /** Loggers of components; level or options count from now on. */
  readonly log: Logging;
  readonly #isChecked: boolean;
  readonly #connector: Connector;
  #databases: TenantDatabases | undefined;
  #tenants: Tenants | undefined;
  #db: DatabaseService | undefined;
  #outbox: Outbox | undefined;
  readonly #endpoints: Endpoint[] = [];
  readonly #mounts: Map<string, ProtocolAdapter> = new Map();
  readonly #serving: Map<string, ServeOptions> = new Map();
  #pipeline: WebHandler | undefined;
  #started: Promise<void> | undefined;
  #launched: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #strategy: AuthenticationStrategy | undefined;
  #watchers: Watchers;

  /**
   * Links the model and merges the configuration; `start` does the rest.
   *
   * @param options model, configuration, handlers, kinds
   */
  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.env = toEnvironment(options.env, options.profiles);
    this.production = this.env.production;
    this.limits = limitsOf(this.env);
    this.#watchers = { kinds: options.kinds ?? {} };
    this.sharedTimers = this.kinds.sharedTimers === true;
    this.name = options.name ?? (typeof this.env.name === "string" ? this.env.name : "app");
    this.version = options.version;
    this.root = options.root;
    this.app = new AppRouter({ ...this.kinds, ...this.limits, middlewares: this.middlewares });
    const log = (this.env.log ?? {}) as { levels?: Record<string, LogLevel>; format?: "plain" | "json" };
    this.log = createLogging({ ...log, ...this.kinds.terminal?.(), context: currentContext });
    const models = runtimeModels(options, this);
    this.model = models.model;
    this.deployedModel = models.deployedModel;
    this.modelOf = models.modelOf;
    this.mocked = models.mocked;
    this.#isChecked = models.isChecked;
    const { default_language: defaultLanguage } = (this.env.i18n ?? {}) as { default_language?: string };
    this.texts = new TextBundles({ project: options.texts, defaultLanguage }).lookup();
    this.services = servicesByName();
    this.#connector = new Connector(this);
    this.live = openLiveEvents(this);
  }

  /** Table of kinds; where somebody watches, what it sends is seen. */
  get kinds(): Kinds {
    return this.#watchers.kinds;
  }

  /** Who watches, once the runtime has started. */
  get telemetry(): Telemetry | undefined {
    return this.#watchers.telemetry;
  }

  /** Measurements that are scraped, once the runtime has started, if `fw.server.metrics` asks for them. */
  get metrics(): OpenMetrics | undefined {
    return this.#watchers.metrics;
  }

  /** The primary database. */
  get db(): DatabaseService | undefined {
    return this.#db;
  }

  /** The outbox, once the runtime has started, if there is a database. */
  get queue(): Outbox | undefined {
    return this.#outbox;
  }

  /** What is served where. */
  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** Value of `WWW-Authenticate` of a 401, once the runtime has started. */
  get challenge(): string | undefined {
    return this.#strategy?.challenge;
  }

  /** Whether the strategy in effect does nothing, which switches authentication off (spec 5.5.1). */
  get isAuthenticationOff(): boolean {
    return this.#strategy?.isEmpty === true;
  }

  /**
   * Answers a web request; starts the runtime on the first one.
   *
   * @param request the request
   * @param info what the server gives beside it: `remoteAddr.hostname`, as of `Deno.serve`, is the address of the peer
   *   that `fw.server.trusted_proxies` is about; anything else counts as an unknown peer
   * @returns the answer; this never rejects for what a client sends
   */
  readonly fetch = (request: Request, info?: unknown): Promise<Response> =>
    this.#pipeline?.(request, info) ?? this.start().then(() => this.#pipeline!(request, info));

  /**
   * Creates the database, services and routes. Called again it gives the same promise.
   *
   * @throws ConfigurationError when the model, the data or the configuration is wrong
   */
  start(): Promise<void> {
    return this.#started ??= runWithOwner(this, async () => {
      try {
        const { boot } = this.#options;
        // it may ask for the start, which is this one
        if (boot) await Promise.resolve(this).then(boot);
        await this.launch();
      } catch (error) {
        await this.#end();
        throw withKeyPlace(error, this.env.placeOf);
      }
    });
  }

  /** What `start` does once `boot` is through; a `boot` that calls it goes on when all services are there. */
  launch(): Promise<void> {
    return this.#launched ??= this.#launch();
  }

  async #launch(): Promise<void> {
    await this.events.emit("bootstrap", this.app);
    await this.events.emit("loaded", this.model);
    remarkWithoutEffect(this.deployedModel, this.env);
    remarkRemoteEntries(this);
    this.env.remarks.say(this.log("config"));
    if (!this.#isChecked) {
      for (const model of new Set([this.model, this.deployedModel])) checkRules(model, passOver(this.env));
    }
    logOverridingViews(this.deployedModel, this.log("auth"));
    this.#watchers = await watchersOf(this);
    this.#strategy = await buildStrategy(this);
    // finds contradictions now; services get the same settings
    authenticationSettings(this);
    await this.#openDatabase();
    this.env.remarks.say(this.log("config"));
    await this.#openServices();
  }

  async #openDatabase(): Promise<void> {
    const { data } = this.#options;
    if (!this.env.requires.db) return;
    const { databases, service, tenants } = await openDatabases(this, {
      watchers: this.#watchers,
      opened: (tenant) => void this.#outbox?.open(tenant),
      closing: async (tenant) => {
        await this.live?.leave(tenant);
        await this.#outbox?.leave(tenant);
      },
      isBusy: (tenant) => [...this.#mounts.values()].some((adapter) => adapter.isBusy?.(tenant)),
      data: () => typeof data === "function" ? data(this.deployedModel) : data,
    });
    this.#databases = databases;
    this.#tenants = tenants;
    this.services.db = this.#db = service;
    await databases.start();
    this.#outbox = await openOutbox(this, service);
    await this.events.emit("connect", service);
  }

  async #openServices(): Promise<void> {
    const { handlers } = this.#options;
    const implementations = typeof handlers === "function" ? await handlers(this) : handlers ?? {};
    const messaging = await this.#connector.messaging();
    const given = { implementations, messaging, serving: this.#serving, endpoints: this.#endpoints };
    await buildServices(this, given);
    this.env.remarks.say(this.log("config"));
    await this.events.emit("served", this.services);
    if (this.#options.receives !== false) {
      await this.#connector.start();
      await this.#outbox?.start();
    }
    const buckets = await sharedBuckets(this);
    const parts = { strategy: this.#strategy!, mounts: this.#mounts, tenants: this.#tenants, buckets };
    const pipeline = buildPipeline(this, { ...parts, watchers: this.#watchers });
    for (const endpoint of this.#endpoints) await mountEndpoint(this, this.#mounts, endpoint);
    this.#pipeline = pipeline;
  }

  /**
   * Serves a service as the options say; before the start they are noted for it. Services that nobody asks for are
   * served as the model says.
   *
   * @param name full or local name, or `all`
   * @param options protocol, path and implementation
   * @returns the service, or all services
   * @throws ConfigurationError when the model has no such service, or its path is taken
   */
  async serve(name: string, options: ServeOptions = {}): Promise<Service | Runtime["services"]> {
    if (name === "all") {
      // a `boot` that serves all ends with the launch
      await (this.#started ? this.launch() : this.start());
      return this.services;
    }
    const definition = serviceNamed(this.model, name);
    if (!this.#launched) {
      this.#serving.set(definition.name, options);
      // a `boot` that serves services ends with the launch
      await (this.#started ? this.launch() : this.start());
      return this.services[definition.name];
    }
    const messaging = await this.#connector.messaging();
    const given = { options, messaging, endpoints: this.#endpoints };
    const { service, endpoints } = await serveService(this, definition, given);
    if (this.#pipeline) { for (const one of endpoints) await mountEndpoint(this, this.#mounts, one); }
    return service;
  }

  /** Names of the entities whose tables were empty at the start and got their initial rows; not those of tenants. */
  get filled(): readonly string[] {
    return this.#databases?.filled ?? [];
  }

  /**
   * The service of that name: served here, connected before, or configured below `requires`.
   *
   * @throws ConfigurationError when nothing of that name is known
   */
  connect(name: string): Promise<Service> {
    return this.#connector.connect(name);
  }

  /**
   * A service that no configuration knows.
   *
   * @param entry what would stand below `requires`: `kind` or `impl`, `credentials`
   * @param name its name
   * @throws ConfigurationError when there is no such kind
   */
  connectTo(entry: RequiredService, name?: string): Promise<Service> {
    return this.#connector.connectTo(entry, name);
  }

  /** Removes all rows and what is kept for clients, and restores the initial data (tests, fixtures). */
  async reset(): Promise<void> {
    await this.start();
    await this.events.emit("reset");
    await this.#databases?.reset();
  }

  /** Ends orderly: consumers stop, channels drain, the database closes. Called again it gives the same promise. */
  close(): Promise<void> {
    return this.#closed ??= runWithOwner(this, async () => {
      // a start that failed has ended by itself
      await this.#started?.catch(() => {});
      await this.events.emit("shutdown");
      await this.#end();
    });
  }

  async #end(): Promise<void> {
    for (const job of this.jobs) job.stop();
    await this.live?.close();
    await Promise.all([...this.#mounts.values()].map((adapter) => adapter.close?.()));
    await this.#outbox?.stop(DRAIN_MS);
    await this.#connector.close();
    await this.#databases?.close();
    await this.#tenants?.operations.list.close();
  }
}
