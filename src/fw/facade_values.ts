/**
 * What of the facade is the same for all runtimes: classes, query builders, parsers, utilities (design 3, api 1).
 *
 * @module
 */

import { EventContext } from "../context/event_context.ts";
import { currentContext } from "../context/store.ts";
import { User } from "../context/user.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import type { LinkedBase } from "../model/linked.ts";
import { RemoteService } from "../odata/remote/remote_service.ts";
import { ApplicationService } from "../service/application_service.ts";
import { DatabaseService } from "../service/database_service.ts";
import { queued, unqueued } from "../service/queue/queued_service.ts";
import { ServiceEvent } from "../service/requests/service_event.ts";
import { ServiceRequest } from "../service/requests/service_request.ts";
import { Service } from "../service/service.ts";
import { type BuiltinType, builtinTypes } from "./builtin_types.ts";
import { currentRuntime } from "./current.ts";
import { type Compile, compile } from "./facade_compile.ts";
import { error, type ErrorFactory } from "./facade_error.ts";
import { type Parsers, parsers } from "./facade_parse.ts";
import { type QueryLanguage, queryLanguage } from "./facade_ql.ts";
import type { ServiceClass, ServiceFunction } from "./implementation.ts";
import { labelOf } from "./labels.ts";
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
  /** Utilities: `fw.utils.uuid()`; where there is a file system, paths and files as well. */
  readonly utils: Utilities = utilities;
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
  /** Class of linked types, for `instanceof`. */
  readonly type: DefinitionClass = definitionClass((one) => one.kind === "type");
  /** Class of linked aspects, for `instanceof`. */
  readonly aspect: DefinitionClass = definitionClass((one) => one.kind === "aspect");
  /** Class of linked definitions and elements with elements, for `instanceof`. */
  readonly struct: DefinitionClass = definitionClass((one) =>
    one.is_struct === true || one.kind === "entity"
  );
  /** Class of linked arrays, for `instanceof`. */
  readonly array: DefinitionClass = definitionClass((one) => one.items !== undefined);
  /** Class of linked events, for `instanceof`. */
  readonly event: DefinitionClass = definitionClass((one) => one.kind === "event");
  /** Class of linked actions, for `instanceof`. */
  readonly action: DefinitionClass = definitionClass((one) => one.kind === "action");
  /** Class of linked functions, for `instanceof`. */
  readonly function: DefinitionClass = definitionClass((one) => one.kind === "function");
  /** The service through the outbox: its calls are stored with the transaction, and made after the commit. */
  readonly queued: <S extends Service>(service: S) => S = queued;
  /** The service without outbox: its calls are made at once. */
  readonly unqueued: <S extends object>(service: S) => S = unqueued;
  /** Version of this package. */
  readonly version: string = VERSION;
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
  readonly is_struct?: unknown;
  readonly items?: unknown;
}

function definitionClass(accepts: (definition: Kinded) => boolean): DefinitionClass {
  return {
    [Symbol.hasInstance]: (value) => typeof value === "object" && value !== null && accepts(value),
  };
}
