/**
 * One isolated runtime: environment, linked model, services, database, channels (design 3).
 *
 * @module
 */

import type { AuthenticationStrategy } from "../auth/strategy.ts";
import { createEnvironment, type Environment } from "../config/environment.ts";
import { DEFAULT_LIMITS, type Limits } from "../config/limits.ts";
import type { EventContext } from "../context/event_context.ts";
import { currentContext, runWithOwner } from "../context/store.ts";
import type { Row } from "../cqn/cqn.ts";
import { createLogging } from "../log/create_logging.ts";
import type { Logger, LogLevel } from "../log/logger.ts";
import { TextBundles, type TextsByLocale } from "../i18n/text_bundles.ts";
import type { Csn } from "../model/csn.ts";
import { linkModel } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { authenticationSettings } from "../service/authorization/authentication_need.ts";
import { checkRules } from "../service/check_rules.ts";
import { DatabaseService } from "../service/database_service.ts";
import type { TextLookup } from "../service/host.ts";
import type { Service } from "../service/service.ts";
import { AppRouter } from "./app_router.ts";
import { buildPipeline, buildStrategy } from "./build_pipeline.ts";
import { buildServices } from "./build_services.ts";
import { Connector } from "./connect_service.ts";
import { openDatabase } from "./open_database.ts";
import { Emitter } from "./emitter.ts";
import type { Implementations } from "./implementation.ts";
import type { Kinds } from "./kinds.ts";
import type { Endpoint, RuntimeParts } from "./runtime_parts.ts";
import { TenantDatabases } from "./tenant_databases.ts";

/** What a runtime is made from. */
export interface RuntimeOptions {
  /** The model: CSN (parsed or inferred), or a linked one. */
  readonly model: Csn | LinkedModel;
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
}

/** One isolated runtime. `export default runtime` is a module for `deno serve` and Workers. */
export class Runtime implements RuntimeParts {
  readonly model: LinkedModel;
  readonly env: Environment;
  readonly limits: Limits;
  readonly production: boolean;
  readonly texts: TextLookup;
  /** Table of kinds. */
  readonly kinds: Kinds;
  /** Name. */
  readonly name: string;
  /** Version of the application. */
  readonly version: string | undefined;
  /** Services served or connected so far by name. */
  readonly services: Record<string, Service> & Iterable<Service>;
  /** Own routes, static files and middleware of the application. */
  readonly app: AppRouter = new AppRouter();
  /** Lifecycle events: `bootstrap`, `served`, `shutdown`, … */
  readonly events: Emitter = new Emitter();
  /** Makes a root context one of this runtime: `fw` finds it there. */
  adopt: ((context: EventContext) => void) | undefined;
  readonly #options: RuntimeOptions;
  readonly #logging: (id: string, level?: LogLevel) => Logger;
  readonly #connector: Connector;
  #databases: TenantDatabases | undefined;
  #db: DatabaseService | undefined;
  #endpoints: readonly Endpoint[] = [];
  #pipeline: ((request: Request) => Promise<Response>) | undefined;
  #started: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #strategy: AuthenticationStrategy | undefined;

  /**
   * Links the model and merges the configuration; `start` does the rest.
   *
   * @param options model, configuration, handlers, kinds
   */
  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.env = isEnvironment(options.env) ? options.env : createEnvironment(
      options.env ? [{ name: "code", value: options.env }] : [],
      options.profiles,
    );
    this.production = this.env.production;
    this.limits = limitsOf(this.env);
    this.kinds = options.kinds ?? {};
    this.name = options.name ?? (typeof this.env.name === "string" ? this.env.name : "app");
    this.version = options.version;
    const log = (this.env.log ?? {}) as { levels?: Record<string, LogLevel>; format?: "plain" | "json" };
    this.#logging = createLogging({ ...log, context: currentContext });
    this.model = isLinked(options.model) ? options.model : linkModel(options.model);
    this.texts = textsOf(options.texts, this.env);
    this.services = Object.create({
      *[Symbol.iterator](this: Record<string, Service>): Iterator<Service> {
        yield* Object.values(this);
      },
    });
    this.#connector = new Connector(this);
  }

  /** The primary database. */
  get db(): DatabaseService | undefined {
    return this.#db;
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
   * The logger of a component.
   *
   * @param id name of the component
   * @param level level from now on; default: the configured one
   */
  log(id: string, level?: LogLevel): Logger {
    return this.#logging(id, level);
  }

  /**
   * Answers a web request; starts the runtime on the first one.
   *
   * @param request the request
   * @returns the answer; this never rejects for what a client sends
   */
  readonly fetch = async (request: Request): Promise<Response> => {
    if (!this.#pipeline) await this.start();
    return await this.#pipeline!(request);
  };

  /**
   * Creates the database, services and routes. Called again it gives the same promise.
   *
   * @throws ConfigurationError when the model, the data or the configuration is wrong
   */
  start(): Promise<void> {
    return this.#started ??= runWithOwner(this, () => this.#start());
  }

  async #start(): Promise<void> {
    try {
      await this.events.emit("bootstrap", this.app);
      checkRules(this.model);
      this.#strategy = await buildStrategy(this);
      // finds contradictions now; services get the same settings
      authenticationSettings(this);
      await this.#openDatabase();
      await this.#openServices();
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async #openDatabase(): Promise<void> {
    if (!this.env.requires.db) return;
    const databases = new TenantDatabases({
      open: (tenant) => openDatabase(this, tenant),
      multitenancy: (this.env.requires as Readonly<Record<string, unknown>>).multitenancy === true,
      data: () => this.#data(),
    });
    this.#databases = databases;
    this.#db = new DatabaseService({ name: "db", host: this, database: (tenant) => databases.of(tenant) });
    this.services.db = this.#db;
    await this.#db.init();
    await databases.of(undefined);
  }

  async #openServices(): Promise<void> {
    const { handlers } = this.#options;
    const implementations = typeof handlers === "function" ? await handlers(this) : handlers ?? {};
    this.#endpoints = await buildServices(this, {
      implementations,
      messaging: await this.#connector.messaging(),
    });
    await this.events.emit("served", this.services);
    await this.#connector.start();
    this.#pipeline = await buildPipeline(this, this.#strategy!);
  }

  #data(): ReadonlyMap<string, readonly Row[]> | undefined {
    const { data } = this.#options;
    return typeof data === "function" ? data(this.model) : data;
  }

  /**
   * The service of that name: served here, connected before, or configured below `requires`.
   *
   * @throws ConfigurationError when nothing of that name is known
   */
  connect(name: string): Promise<Service> {
    return this.#connector.connect(name);
  }

  /** Removes all rows and restores the initial data (tests, fixtures). */
  async reset(): Promise<void> {
    await this.start();
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
    await this.#connector.close();
    await this.#databases?.close();
  }
}

function isLinked(model: Csn | LinkedModel): model is LinkedModel {
  return "derived" in model && typeof model.derived === "function";
}

function isEnvironment(env: RuntimeOptions["env"]): env is Environment {
  return env !== undefined && Array.isArray(env.profiles) && Object.isFrozen(env);
}

function limitsOf(env: Environment): Limits {
  const page = (env.query as { limit?: { max?: number } } | undefined)?.limit?.max;
  return {
    ...DEFAULT_LIMITS,
    ...(page ? { pageSize: page } : {}),
    ...env.limits as Partial<Limits> | undefined,
  };
}

function textsOf(project: TextsByLocale | undefined, env: Environment): TextLookup {
  const { default_language: defaultLanguage } = (env.i18n ?? {}) as { default_language?: string };
  const bundles = new TextBundles({ project, defaultLanguage });
  return (key, locale, args) => bundles.at(key, locale, args);
}
