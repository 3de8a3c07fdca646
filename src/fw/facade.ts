/**
 * The facade `fw`: everything handlers reach through the current runtime (design 3, api 1).
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { EventContext, type EventContextProperties } from "../context/event_context.ts";
import { currentContext, replaceContext } from "../context/store.ts";
import { User } from "../context/user.ts";
import type { Query } from "../cqn/cqn.ts";
import { DELETE } from "../cqn/builders/delete.ts";
import { INSERT } from "../cqn/builders/insert.ts";
import { SELECT } from "../cqn/builders/select.ts";
import { UPDATE } from "../cqn/builders/update.ts";
import { UPSERT } from "../cqn/builders/upsert.ts";
import { parseCqlQuery } from "../cqn/parse_cql.ts";
import { expr, func, list, ref, val, xpr } from "../cqn/ql.ts";
import { type ErrorArguments, errorFromArguments } from "../errors/error_arguments.ts";
import type { Logger, LogLevel } from "../log/logger.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import type { LinkedEntity, LinkedModel } from "../model/linked.ts";
import { linkModel } from "../model/link_model.ts";
import type { Csn } from "../model/csn.ts";
import { ApplicationService } from "../service/application_service.ts";
import { DatabaseService } from "../service/database_service.ts";
import { Service } from "../service/service.ts";
import { ServiceEvent } from "../service/service_event.ts";
import { ServiceRequest } from "../service/service_request.ts";
import { type Job, spawn, type SpawnOptions } from "../service/spawn.ts";
import { beginTransaction, type ContextArgument } from "../service/tx.ts";
import { type CallableMap, callableMap } from "../util/callable_map.ts";
import type { AppRouter } from "./app_router.ts";
import { currentRuntime, ownContext, ownerOf, withRuntime } from "./current.ts";
import type { ServiceClass, ServiceFunction } from "./implementation.ts";
import type { Runtime } from "./runtime.ts";

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
  };
  /** Throws an error, `new fw.error(…)` only builds it; the arguments are those of `req.reject`. */
  readonly error: ErrorBuilder = buildError as ErrorBuilder;
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
    to: (name: string): Promise<Service> => currentRuntime().connect(name),
  };
  /** Parsers. */
  readonly parse = {
    /** CQL text to CQN. */
    cql: (text: string): Query => parseCqlQuery(text),
  };

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
    return currentRuntime().model;
  }

  /** Entities of the model; `fw.entities("ns")` gives those of a namespace by local name. */
  get entities(): EntitiesAccess {
    const { model } = currentRuntime();
    return model.derived(entitiesOf, entitiesOf);
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

  /** Runs queries on the primary database: one, several in one transaction, SQL, or a function in a transaction. */
  run(query: Query | readonly Query[] | string, args?: readonly unknown[]): Promise<unknown> {
    return this.db.run(query as readonly Query[], args);
  }

  /**
   * A managed transaction: commits when the function resolves, rolls back when it throws (api 6).
   *
   * @param given members of its context, a request, or the function
   * @param run the work
   */
  tx<T>(
    given: ContextArgument | ((tx: unknown) => T | Promise<T>),
    run?: (tx: unknown) => T | Promise<T>,
  ): unknown {
    const service = currentRuntime().db ?? new Service({ name: "tx", host: currentRuntime() });
    return typeof given === "function"
      ? beginTransaction(service, undefined, given)
      : beginTransaction(service, given, run);
  }

  /**
   * Runs a function outside of the current request, in a root transaction of its own; `after` and `every` in
   * milliseconds.
   *
   * @param options when and as whom
   * @param run the work
   */
  spawn(options: SpawnOptions, run: () => unknown): Job {
    return spawn(currentRuntime(), options, run);
  }

  /** The logger of a component. */
  log(id: string, level?: LogLevel): Logger {
    return currentRuntime().log(id, level);
  }

  /** A linked, inferred model from CSN. */
  linked(csn: Csn): LinkedModel {
    return linkModel(csn);
  }

  /** Listens to a lifecycle event: `bootstrap`, `serving`, `served`, `listening`, `shutdown`. */
  on(event: string, listener: (...values: readonly never[]) => unknown): this {
    withRuntime(({ events }) => events.on(event, listener));
    return this;
  }

  /** Listens once. */
  once(event: string, listener: (...values: readonly never[]) => unknown): this {
    withRuntime(({ events }) => events.once(event, listener));
    return this;
  }

  /** Emits a lifecycle event. */
  emit(event: string, ...values: readonly unknown[]): Promise<void> {
    return currentRuntime().events.emit(event, ...values);
  }
}

/** `fw.error(…)` and `new fw.error(…)`, with the arguments of `req.reject`. */
export interface ErrorBuilder {
  /** Throws the error. */
  (...given: ErrorArguments): never;
  /** Builds the error. */
  new (...given: ErrorArguments): Error;
}

function buildError(...given: ErrorArguments): Error {
  const error = errorFromArguments(given);
  if (new.target) return error;
  throw error;
}

function entitiesOf(model: LinkedModel): EntitiesAccess {
  return callableMap(model.entities(), (namespace) => model.entities(namespace));
}

/** The facade. */
export const fw: Facade = new Facade();
export type { Facade };
