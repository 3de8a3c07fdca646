/**
 * What of the facade is the same for all runtimes: classes, query builders, parsers, utilities (design 3, api 1).
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import { User } from "../context/user.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import type { LinkedService } from "../model/linked.ts";
import { servicePaths } from "../model/service_path.ts";
import { RemoteService } from "../odata/remote/remote_service.ts";
import { ApplicationService } from "../service/application_service.ts";
import { DatabaseService } from "../service/database_service.ts";
import { queued, unqueued } from "../service/queue/queued_service.ts";
import { ServiceEvent } from "../service/requests/service_event.ts";
import { ServiceRequest } from "../service/requests/service_request.ts";
import { Service } from "../service/service.ts";
import { type BuiltinType, builtinTypes } from "./builtin_types.ts";
import { type Compile, compile } from "./facade_compile.ts";
import { type DefinitionClass, type DefinitionClasses, definitionClasses } from "./definition_classes.ts";
import { error, type ErrorFactory } from "./facade_error.ts";
import { type Parsers, parsers } from "./facade_parse.ts";
import { type QueryLanguage, queryLanguage } from "./facade_ql.ts";
import type { ServiceClass, ServiceFunction } from "./implementation.ts";
import { type Internationalization, internationalization, localize } from "./labels.ts";
import { type Utilities, utilities } from "./utilities.ts";
import { VERSION } from "./version.ts";

/** The members of the facade that need no runtime. */
export class FacadeValues {
  /** Base class of services of the application. */
  readonly ApplicationService: typeof ApplicationService = ApplicationService;
  /** Base class of all services. */
  readonly Service: typeof Service = Service;
  /** Base class of databases. */
  readonly DatabaseService: typeof DatabaseService = DatabaseService;
  /** The same, as existing code calls it. */
  readonly SQLService: typeof DatabaseService = DatabaseService;
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
  readonly ql: QueryLanguage = queryLanguage;
  /** Helpers for implementations: `fw.service.impl(srv => …)` marks a function as one. */
  readonly service = {
    /** Whether a definition is a service: `definition instanceof fw.service`. */
    [Symbol.hasInstance]: (one: unknown): boolean => one instanceof definitionClasses.service,
    /** The given implementation. */
    impl: <T extends ServiceClass | ServiceFunction>(implementation: T): T => implementation,
    /** The path at which a service is served: `fw.service.path4(fw.model.definitions.CatalogService)`. */
    path4: (service: LinkedService | Service): string | undefined => {
      const definition = service instanceof Service ? service.definition : service;
      return definition && servicePaths(definition)[0]?.path;
    },
  };
  /** Texts of messages and labels: `fw.i18n.messages.at(key, locale, args)`. */
  readonly i18n: Internationalization = internationalization;
  /** Metadata with texts in place of keys: `fw.localize(fw.model, "de", edmx)`. */
  readonly localize: typeof localize = localize;
  /** Utilities: `fw.utils.uuid()`; where there is a file system, paths and files as well. */
  readonly utils: Utilities = utilities;
  /** Parsers: CQL, expressions and CDL. */
  readonly parse: Parsers = parsers;
  /** Models to CSN, CSDL and SQL: `fw.compile(text).to.sql()`, `fw.compile.to.edmx(fw.model, {service})`. */
  readonly compile: Compile = compile;
  /** Builds errors with `new`; called as function or tag it throws them. */
  readonly error: ErrorFactory = error;
  /** Built-in types of models by name, and the classes of what is linked. */
  readonly builtin: {
    readonly types: Readonly<Record<string, BuiltinType>>;
    readonly classes: DefinitionClasses;
  } = {
    types: builtinTypes,
    classes: definitionClasses,
  };
  /** Class of linked entities, for `instanceof`. */
  readonly entity: DefinitionClass = definitionClasses.entity;
  /** Class of linked associations, for `instanceof`. */
  readonly Association: DefinitionClass = definitionClasses.Association;
  /** Class of linked compositions, for `instanceof`. */
  readonly Composition: DefinitionClass = definitionClasses.Composition;
  /** Class of linked types, for `instanceof`. */
  readonly type: DefinitionClass = definitionClasses.type;
  /** Class of linked aspects, for `instanceof`. */
  readonly aspect: DefinitionClass = definitionClasses.aspect;
  /** Class of linked definitions and elements with elements, for `instanceof`. */
  readonly struct: DefinitionClass = definitionClasses.struct;
  /** Class of linked arrays, for `instanceof`. */
  readonly array: DefinitionClass = definitionClasses.array;
  /** Class of linked events, for `instanceof`. */
  readonly event: DefinitionClass = definitionClasses.event;
  /** Class of linked actions, for `instanceof`. */
  readonly action: DefinitionClass = definitionClasses.action;
  /** Class of linked functions, for `instanceof`. */
  readonly function: DefinitionClass = definitionClasses.function;
  /** The service through the outbox: its calls are stored with the transaction, and made after the commit. */
  readonly queued: <S extends Service>(service: S) => S = queued;
  /** The same as `queued`. */
  readonly outboxed: <S extends Service>(service: S) => S = queued;
  /** The same as `unqueued`. */
  readonly unboxed: <S extends object>(service: S) => S = unqueued;
  /** The service without outbox: its calls are made at once. */
  readonly unqueued: <S extends object>(service: S) => S = unqueued;
  /** What the command that started this process was given, for programs that note something there. */
  readonly options: Record<string, unknown> = {};
  /** Version of this package. */
  readonly version: string = VERSION;
}
