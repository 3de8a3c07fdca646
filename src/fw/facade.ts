/**
 * The facade `fw`: everything handlers reach through the current runtime (design 3, api 1).
 *
 * @module
 */

import { carryOn } from "../config/changeable.ts";
import type { Csn } from "../model/csn.ts";
import type { Environment } from "../config/environment.ts";
import { EventContext, type EventContextProperties, ownerOf } from "../context/event_context.ts";
import { currentContext, replaceContext } from "../context/store.ts";
import type { Query } from "../cqn/cqn.ts";
import type { RequiredService } from "../config/environment.ts";
import type { Middlewares } from "../http/middlewares.ts";
import type { LinkedBase, LinkedEntity, LinkedModel } from "../model/linked.ts";
import { PROTOCOL_ROOTS } from "../model/service_path.ts";
import type { DatabaseService } from "../service/database_service.ts";
import { Service } from "../service/service.ts";
import { type Job, spawn, type SpawnOptions } from "../service/transactions/spawn.ts";
import {
  beginTransaction,
  type ContextArgument,
  type TransactionBody,
  type TransactionService,
} from "../service/transactions/tx.ts";
import type { CallableMap } from "../util/callable_map.ts";
import type { Listener } from "./emitter.ts";
import type { LifecycleName, LifecycleValues } from "./lifecycle_values.ts";
import type { AppRouter } from "./app_router.ts";
import { deadLettersOf } from "./dead_letters_of.ts";
import { runtimeOrBare } from "./bare_runtime.ts";
import { currentRuntime, hasRuntime, ownContext, withEvents } from "./current.ts";
import { FacadeModels } from "./facade_models.ts";
import type { GivenUpMessages } from "../messaging/given_up_messages.ts";
import type { Outbox } from "../messaging/outbox/outbox.ts";
import type { Runtime } from "./runtime.ts";
import { isModelOf, ServeBuilder, type ServeOptions } from "./serve_service.ts";
import { type Loggers, loggers } from "./facade_log.ts";
import { moveTo, type ProjectPlace, projectPlace } from "./project_place.ts";
import { setTestKit, type TestKit, testKit } from "./test_kit.ts";

/** Entities by local name; called with a namespace, those of the namespace by local name. */
export type EntitiesAccess = CallableMap<
  LinkedEntity,
  string,
  Readonly<Record<string, LinkedEntity>> & Iterable<LinkedEntity>
>;

/** Connects to services. */
export interface Connect {
  /** Connects to the primary database, or a service. */
  (service?: string | RequiredService): Promise<Service>;
  /**
   * A service that is served here, or required by the configuration.
   *
   * @throws ConfigurationError when nothing of that name is known
   */
  to(service: string | RequiredService, options?: RequiredService): Promise<Service>;
}

/** The facade over the current runtime: that of the running request, else the one created last. */
class Facade extends FacadeModels {
  /** Connecting to services: `fw.connect.to(name)`; called itself it connects to the primary database. */
  readonly connect: Connect = Object.assign(
    (service: string | RequiredService = "db") => connectTo(service),
    {
      to: connectTo,
    },
  );
  /** The outbox of the current runtime, if it has a database: dead letters, and `flush`. */
  get queue(): Outbox | undefined {
    return currentRuntime().queue;
  }

  /** Messages that the current runtime gave up, in its outbox and in its channels. */
  get deadLetters(): GivenUpMessages {
    return deadLettersOf(currentRuntime());
  }

  /** The current runtime. */
  get runtime(): Runtime {
    return currentRuntime();
  }

  /** The context of the running request or event (spec 2.1). Assigning replaces it; plain objects are coerced. */
  get context(): EventContext | undefined {
    return currentContext();
  }
  set context(value: EventContext | { context: EventContext } | EventContextProperties | undefined) {
    const context = value === undefined ? undefined : EventContext.for(value);
    if (context && !ownerOf(context)) ownContext(context, currentRuntime());
    replaceContext(context);
  }

  /** Effective configuration. Tests change or assign it before their project starts. */
  get env(): Environment {
    const { root, readEnvironment } = projectPlace;
    if (readEnvironment && root !== undefined && !hasRuntime()) {
      projectPlace.environment ??= readEnvironment(root);
    }
    return projectPlace.environment ?? runtimeOrBare().env;
  }
  set env(value: Environment | undefined) {
    if (value && projectPlace.environment) carryOn(projectPlace.environment, value);
    Object.assign(projectPlace, { environment: value, isAssigned: value !== undefined });
  }

  /** Configuration of required services; by the names of their definitions as well, where these are others. */
  get requires(): Environment["requires"] {
    return byDefinition(this.env.requires);
  }

  /** Protocols by name, with the path that their services are below. */
  get protocols(): Readonly<Record<string, { readonly path: string }>> {
    return PROTOCOLS;
  }

  /** Services served or connected so far by name, iterable. */
  get services(): Runtime["services"] {
    return runtimeOrBare().services;
  }

  /** The linked model in effect. */
  get model(): LinkedModel {
    const runtime = currentRuntime();
    return runtime.modelOf?.(currentContext()) ?? runtime.model;
  }

  /** Existing code keeps the model here that it loads: one with the services that are served. */
  set model(model: LinkedModel | Csn) {
    if (!isModelOf(currentRuntime(), model)) {
      throw new TypeError("A runtime has its own model: another one needs a runtime of its own");
    }
  }

  /** Entities of the model; `fw.entities("ns")` gives those of a namespace by local name. */
  get entities(): EntitiesAccess {
    return this.model.entities;
  }

  /**
   * The primary database.
   *
   * @throws TypeError when the runtime has none
   */
  get db(): DatabaseService {
    const { db } = currentRuntime();
    if (!db) throw new TypeError("This runtime has no database: configure fw.requires.db");
    return db;
  }

  /** Own routes of the application. */
  get app(): AppRouter {
    return currentRuntime().app;
  }

  /** Existing code keeps the application here that it serves in: this one. */
  set app(app: AppRouter) {
    if (app !== currentRuntime().app) {
      throw new TypeError("Own routes belong to the application that fw.app gives, which is the only one");
    }
  }

  /** Where this package is; of a bundle, where that is. */
  get home(): string {
    const { protocol, pathname, href } = new URL("../..", import.meta.url);
    return (protocol === "file:" ? decodeURIComponent(pathname) : href).replace(/\/$/, "");
  }

  /** Root folder of the project; where there is no runtime yet, that a test or program has set. */
  get root(): string | undefined {
    return projectPlace.root ?? currentRuntime().root;
  }
  set root(folder: string | undefined) {
    moveTo(folder);
  }

  /** The plugins that are loaded, by the names of their packages. */
  get plugins(): Readonly<Record<string, { readonly impl: string }>> {
    return projectPlace.plugins;
  }

  /** The command that this process runs: `serve`, `deploy`, … (empty for programs that are none of ours), and its words. */
  get cli(): ProjectPlace["cli"] {
    return projectPlace.cli;
  }

  /** The test kit: `const { GET, expect } = fw.test(folder)`. */
  get test(): TestKit {
    return testKit();
  }
  set test(kit: TestKit) {
    setTestKit(kit);
  }

  /** Middleware around the steps every request passes: `fw.middlewares.add(fn, {before: "auth"})`. */
  get middlewares(): Middlewares {
    return currentRuntime().middlewares;
  }

  /** Runs queries on the primary database: one, several in one transaction, SQL, or a function in a transaction. */
  run(query: Query | readonly Query[] | string, args?: readonly unknown[]): Promise<unknown>;
  /** Runs a function in a transaction. */
  run<T>(run: (tx: TransactionService<DatabaseService>) => T | Promise<T>): Promise<T>;
  run(query: unknown, args?: readonly unknown[]): Promise<unknown> {
    return this.db.run(query as readonly Query[], args);
  }

  /**
   * A managed transaction: commits when the function resolves, rolls back when it throws (api 6). Without a function the
   * caller ends the transaction by its `commit` or `rollback`.
   *
   * @param given the function, a request or transaction to join, or members of a new context
   * @param run the function
   */
  tx(): TransactionService<DatabaseService>;
  /** Runs a function in a transaction. */
  tx<T>(run: (tx: TransactionService<DatabaseService>) => T | Promise<T>): Promise<T>;
  /** Begins or joins a transaction. */
  tx(given: ContextArgument): TransactionService<DatabaseService>;
  /** Runs a function in a transaction with members of a new context, or in that of a request. */
  tx<T>(
    given: ContextArgument | undefined,
    run: (tx: TransactionService<DatabaseService>) => T | Promise<T>,
  ): Promise<T>;
  tx(given?: unknown, run?: unknown): unknown {
    const runtime = currentRuntime();
    // without a database the transaction still has services and hooks
    const service = runtime.db ?? new Service({ name: "tx", host: runtime });
    return typeof given === "function"
      ? beginTransaction(service, undefined, given as TransactionBody<Service, unknown>)
      : beginTransaction(
        service,
        given as ContextArgument | undefined,
        run as TransactionBody<Service, unknown>,
      );
  }

  /** Does at once what is due in the outbox; without one there is nothing to do. */
  async flush(): Promise<void> {
    await currentRuntime().queue?.flush();
  }

  /** The same as `tx`, as older code calls it. */
  get transaction(): this["tx"] {
    return this.tx.bind(this) as this["tx"];
  }

  /**
   * Runs a function outside of the current request, in a root transaction of its own, maybe later or repeatedly; closing
   * the runtime ends it.
   *
   * @param options when and as whom, or the function
   * @param run the function; it gets the database bound to the transaction
   */
  spawn(
    options: SpawnOptions | ((tx: TransactionService<Service>) => unknown),
    run?: (tx: TransactionService<Service>) => unknown,
  ): Job {
    const runtime = currentRuntime();
    const work = typeof options === "function" ? options : run;
    if (typeof work !== "function") throw new TypeError("A function is expected as job");
    const when = typeof options === "function" ? {} : options;
    const job = spawn(runtime, when, () => work(this.tx(currentContext()!))); // jobs run within one
    runtime.jobs.add(job);
    return when.every === undefined ? job.on("done", () => runtime.jobs.delete(job)) : job;
  }

  /**
   * Serves a service by code: `await fw.serve("CatalogService").at("/browse").with(implementation)`, or all of the model.
   *
   * @param service name, class, or `all`; options that name it
   * @param options protocol, path and implementation
   */
  serve(
    service: string | { readonly name: string } | ServeOptions,
    options?: ServeOptions,
  ): ServeBuilder {
    return new ServeBuilder(currentRuntime(), service, options);
  }

  /** Starts the runtime; a `server.ts` that exports a function of its own calls it. */
  readonly server = async (_options?: unknown): Promise<Runtime> => {
    const runtime = currentRuntime();
    await runtime.launch();
    return runtime;
  };

  /** Ends the runtime through `shutdown`, and the process that listens for it. */
  async exit(code?: number): Promise<void> {
    const runtime = currentRuntime();
    await (runtime.onExit ? runtime.onExit(code) : runtime.close());
  }

  /** The same as `exit`. */
  shutdown(): Promise<void> {
    return this.exit();
  }

  /** Loggers of components: `fw.log("orders")`; a level or options count from now on. */
  readonly log: Loggers = loggers;

  /** The logger of a component if it shows what is for debugging: `const DEBUG = fw.debug("orders"); DEBUG?.("…")`. */
  debug(id: string): ((...values: readonly unknown[]) => void) | undefined {
    const log = this.log(id);
    return log._debug ? (...values) => log.debug(...values) : undefined;
  }

  /** Listens to a lifecycle event: `bootstrap`, `serving`, `served`, `listening`, `shutdown`. */
  on<E extends LifecycleName>(event: E, listener: (...values: LifecycleValues[E]) => unknown): this;
  /** Listens to an event of the project. */
  on(event: string, listener: Listener): this;
  on(event: string, listener: Listener): this {
    withEvents((events) => events.on(event, listener));
    return this;
  }

  /** Listens once. */
  once<E extends LifecycleName>(event: E, listener: (...values: LifecycleValues[E]) => unknown): this;
  /** Listens once to an event of the project. */
  once(event: string, listener: Listener): this;
  once(event: string, listener: Listener): this {
    withEvents((events) => events.once(event, listener));
    return this;
  }

  /** Listens no more. */
  off(event: string, listener: Listener): this {
    withEvents((events) => events.off(event, listener));
    return this;
  }

  /** Emits a lifecycle event. */
  emit(event: string, ...values: readonly unknown[]): Promise<void> {
    return currentRuntime().events.emit(event, ...values);
  }
}

const PROTOCOLS = Object.fromEntries(
  Object.entries({ "odata-v4": PROTOCOL_ROOTS.odata, ...PROTOCOL_ROOTS }).map((
    [name, path],
  ) => [name, { path }]),
);

function byDefinition(requires: Environment["requires"]): Environment["requires"] {
  const named = Object.values(requires).flatMap((entry) =>
    typeof entry?.service === "string" && !Object.hasOwn(requires, entry.service)
      ? [[entry.service, entry]]
      : []
  );
  return named.length > 0 ? Object.assign(Object.create(requires), Object.fromEntries(named)) : requires;
}

function connectTo(service: string | RequiredService, options?: RequiredService): Promise<Service> {
  const runtime = currentRuntime();
  if (isDefinition(service)) return runtime.connect(service.name);
  if (typeof service !== "string") return runtime.connectTo(service);
  if (options === undefined) return runtime.connect(service);
  return runtime.connectTo({ ...runtime.env.requires[service], ...options }, service);
}

/** A linked definition has a kind as well, but not one of services to connect to. */
function isDefinition(service: unknown): service is LinkedBase {
  return typeof service === "object" && service !== null && String(service) === (service as LinkedBase).name;
}

/** The facade. */
export const fw: Facade = new Facade();
export type { Facade };
