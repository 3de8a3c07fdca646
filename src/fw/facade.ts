/**
 * The facade `fw`: everything handlers reach through the current runtime (design 3, api 1).
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { EventContext, type EventContextProperties, ownerOf } from "../context/event_context.ts";
import { currentContext, replaceContext } from "../context/store.ts";
import { User } from "../context/user.ts";
import type { Query } from "../cqn/cqn.ts";
import { DELETE } from "../cqn/builders/delete.ts";
import { INSERT } from "../cqn/builders/insert.ts";
import { SELECT } from "../cqn/builders/select.ts";
import { UPDATE } from "../cqn/builders/update.ts";
import { UPSERT } from "../cqn/builders/upsert.ts";
import { expr, func, list, ref, val, xpr } from "../cqn/ql.ts";
import type { RequiredService } from "../config/environment.ts";
import type { Middlewares } from "../http/middlewares.ts";
import type { Logger, LogLevel, LogOptions } from "../log/logger.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import { type BuiltinType, builtinTypes } from "./builtin_types.ts";
import type { LinkedBase, LinkedEntity, LinkedModel } from "../model/linked.ts";
import { linkModel } from "../model/link_model.ts";
import type { Csn } from "../model/csn.ts";
import { RemoteService } from "../odata/remote/remote_service.ts";
import { ApplicationService } from "../service/application_service.ts";
import { DatabaseService } from "../service/database_service.ts";
import { Service } from "../service/service.ts";
import { ServiceEvent } from "../service/requests/service_event.ts";
import { ServiceRequest } from "../service/requests/service_request.ts";
import { type Job, spawn, type SpawnOptions } from "../service/transactions/spawn.ts";
import {
  beginTransaction,
  type ContextArgument,
  type TransactionBody,
  type TransactionService,
} from "../service/transactions/tx.ts";
import { type CallableMap, callableMap } from "../util/callable_map.ts";
import type { Listener } from "./emitter.ts";
import type { LifecycleName, LifecycleValues } from "./lifecycle_values.ts";
import type { AppRouter } from "./app_router.ts";
import { deadLettersOf } from "./dead_letters_of.ts";
import { currentRuntime, ownContext, withRuntime } from "./current.ts";
import { type Compile, compile, withoutCompiler } from "./facade_compile.ts";
import { error, type ErrorFactory } from "./facade_error.ts";
import type { ServiceClass, ServiceFunction } from "./implementation.ts";
import { type Parsers, parsers } from "./facade_parse.ts";
import { labelOf } from "./labels.ts";
import type { GivenUpMessages } from "../messaging/given_up_messages.ts";
import type { Outbox } from "../messaging/outbox/outbox.ts";
import { queued, unqueued } from "../service/queue/queued_service.ts";
import type { Runtime } from "./runtime.ts";
import { ServeBuilder, type ServeOptions } from "./serve_service.ts";
import { projectPlace } from "./project_place.ts";
import { setTestKit, type TestKit, testKit } from "./test_kit.ts";
import { VERSION } from "./version.ts";

/** Entities by local name; called with a namespace, those of the namespace by local name. */
export type EntitiesAccess = CallableMap<
  LinkedEntity,
  string,
  Readonly<Record<string, LinkedEntity>> & Iterable<LinkedEntity>
>;

/** The facade over the current runtime: that of the running request, else the one created last. */
class Facade {
  /** Base class of services of the application. */
  readonly ApplicationService: typeof ApplicationService = ApplicationService;
  /** Base class of all services. */
  readonly Service: typeof Service = Service;
  /** Base class of databases. */
  readonly DatabaseService: typeof DatabaseService = DatabaseService;
  /** Base class of messaging services. */
  readonly MessagingService: typeof MessagingService = MessagingService;
  /** Class of services that are called over HTTP. */
  readonly RemoteService: typeof RemoteService = RemoteService;
  /** Users: `new fw.User({id, roles, attr})`, `fw.User.anonymous`, `fw.User.privileged`. */
  readonly User: typeof User = User;
  /** Contexts of requests and events. */
  readonly EventContext: typeof EventContext = EventContext;
  /** Events, as handlers see them. */
  readonly Event: typeof ServiceEvent = ServiceEvent;
  /** Requests, as handlers see them. */
  readonly Request: typeof ServiceRequest = ServiceRequest;
  /** Query builders. */
  readonly ql = { SELECT, INSERT, UPSERT, UPDATE, DELETE, expr, func, list, ref, val, xpr };
  /** Helpers for implementations: `fw.service.impl(srv => …)` marks a function as one. */
  readonly service = {
    /** The given implementation. */
    impl: <T extends ServiceClass | ServiceFunction>(implementation: T): T => implementation,
  };
  /** Texts of messages: `fw.i18n.messages.at(key, locale, args)`. */
  readonly i18n = {
    messages: {
      /** A text, or `undefined` if there is none. */
      at: (key: string, locale?: string, args?: readonly unknown[]): string | undefined =>
        currentRuntime().texts(key, locale ?? currentContext()?.locale, args),
    },
    labels: {
      /** The label of a key, definition or element, or `undefined` if there is none. */
      at: (key: string | LinkedBase, locale?: string): string | undefined =>
        labelOf(key, (name) => currentRuntime().texts(name, locale ?? currentContext()?.locale)),
    },
  };
  /** Utilities. */
  readonly utils = {
    /** A new UUID. */
    uuid: (): string => crypto.randomUUID(),
  };
  /** Connecting to services: `fw.connect.to(name)`. */
  readonly connect = {
    /**
     * A service that is served here, or required by the configuration.
     *
     * @throws ConfigurationError when nothing of that name is known
     */
    to: (service: string | RequiredService, options?: RequiredService): Promise<Service> =>
      connectTo(service, options),
  };
  /** Parsers: CQL, expressions and CDL. */
  readonly parse: Parsers = parsers;
  /** Models to CSN, CSDL and SQL: `fw.compile(text).to.sql()`, `fw.compile.to.edmx(fw.model, {service})`. */
  readonly compile: Compile = compile;
  /** Builds errors with `new`; called as function or tag it throws them. */
  readonly error: ErrorFactory = error;
  /** Built-in types of models. */
  readonly builtin: { readonly types: Readonly<Record<string, BuiltinType>> } = { types: builtinTypes };
  /** Class of linked entities, for `instanceof`. */
  readonly entity: DefinitionClass = definitionClass((one) => one.kind === "entity");
  /** Class of linked associations, for `instanceof`. */
  readonly Association: DefinitionClass = definitionClass((one) => one.isAssociation === true);
  /** Class of linked compositions, for `instanceof`. */
  readonly Composition: DefinitionClass = definitionClass((one) => one.isComposition === true);
  /** The outbox of the current runtime, if it has a database: dead letters, and `flush`. */
  get queue(): Outbox | undefined {
    return currentRuntime().queue;
  }

  /** Messages that the current runtime gave up, in its outbox and in its channels. */
  get deadLetters(): GivenUpMessages {
    return deadLettersOf(currentRuntime());
  }

  /** The service through the outbox: its calls are stored with the transaction, and made after the commit. */
  readonly queued: <S extends Service>(service: S) => S = queued;
  /** The service without outbox: its calls are made at once. */
  readonly unqueued: <S extends object>(service: S) => S = unqueued;
  /** Version of this package. */
  readonly version: string = VERSION;

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

  /** Effective configuration. */
  get env(): Environment {
    return currentRuntime().env;
  }

  /** Configuration of required services. */
  get requires(): Environment["requires"] {
    return currentRuntime().env.requires;
  }

  /** Services served or connected so far by name, iterable. */
  get services(): Runtime["services"] {
    return currentRuntime().services;
  }

  /** The linked model in effect. */
  get model(): LinkedModel {
    const runtime = currentRuntime();
    return runtime.modelOf?.(currentContext()) ?? runtime.model;
  }

  /** Entities of the model; `fw.entities("ns")` gives those of a namespace by local name. */
  get entities(): EntitiesAccess {
    return this.model.derived(entitiesOf, entitiesOf);
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

  /** Where this package is; of a bundle, where that is. */
  get home(): string {
    return new URL("../..", import.meta.url).href;
  }

  /** Root folder of the project; where there is no runtime yet, that a test or program has set. */
  get root(): string | undefined {
    return projectPlace.root ?? currentRuntime().root;
  }
  set root(folder: string | undefined) {
    projectPlace.root = folder;
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

  /**
   * Runs a function outside of the current request, in a root transaction of its own, maybe later or repeatedly; closing
   * the runtime ends it.
   *
   * @param options when and as whom, or the function
   * @param run the function
   */
  spawn(options: SpawnOptions | (() => unknown), run?: () => unknown): Job {
    const runtime = currentRuntime();
    const work = typeof options === "function" ? options : run;
    if (typeof work !== "function") throw new TypeError("A function is expected as job");
    const when = typeof options === "function" ? {} : options;
    const job = spawn(runtime, when, work);
    runtime.jobs.add(job);
    return when.every === undefined ? job.on("done", () => runtime.jobs.delete(job)) : job;
  }

  /**
   * Serves a service by code: `await fw.serve("CatalogService").at("/browse").with(implementation)`, or all of the model.
   *
   * @param service name, class, or `all`
   * @param options protocol, path and implementation
   */
  serve(service: string | { readonly name: string }, options?: ServeOptions): ServeBuilder {
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

  /** The logger of a component; a level or options count from now on. */
  log(id: string, given?: LogLevel | LogOptions): Logger {
    return currentRuntime().log(id, given);
  }

  /**
   * Compiles files of the project.
   *
   * @param files their names; `"*"`: those that are served
   * @returns the parsed model
   * @throws ConfigurationError where the runtime has no compiler
   */
  async load(files: string | readonly string[] = "*"): Promise<Csn> {
    const { loadModel } = currentRuntime().kinds;
    if (!loadModel) throw withoutCompiler();
    return await loadModel(typeof files === "string" ? [files] : files);
  }

  /** A linked, inferred model from CSN. */
  linked(csn: Csn): LinkedModel {
    return linkModel(csn);
  }

  /** Listens to a lifecycle event: `bootstrap`, `serving`, `served`, `listening`, `shutdown`. */
  on<E extends LifecycleName>(event: E, listener: (...values: LifecycleValues[E]) => unknown): this;
  /** Listens to an event of the project. */
  on(event: string, listener: Listener): this;
  on(event: string, listener: Listener): this {
    withRuntime(({ events }) => events.on(event, listener));
    return this;
  }

  /** Listens once. */
  once<E extends LifecycleName>(event: E, listener: (...values: LifecycleValues[E]) => unknown): this;
  /** Listens once to an event of the project. */
  once(event: string, listener: Listener): this;
  once(event: string, listener: Listener): this {
    withRuntime(({ events }) => events.once(event, listener));
    return this;
  }

  /** Emits a lifecycle event. */
  emit(event: string, ...values: readonly unknown[]): Promise<void> {
    return currentRuntime().events.emit(event, ...values);
  }
}

function entitiesOf(model: LinkedModel): EntitiesAccess {
  return callableMap(model.entities(), (namespace) => model.entities(namespace));
}

/** What stands on the right of `instanceof` for linked definitions and elements. */
export interface DefinitionClass {
  /** Whether a value is such a definition or element. */
  [Symbol.hasInstance](value: unknown): boolean;
}

interface Kinded {
  readonly kind?: unknown;
  readonly isAssociation?: unknown;
  readonly isComposition?: unknown;
}

function definitionClass(accepts: (definition: Kinded) => boolean): DefinitionClass {
  return {
    [Symbol.hasInstance]: (value) => typeof value === "object" && value !== null && accepts(value),
  };
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
