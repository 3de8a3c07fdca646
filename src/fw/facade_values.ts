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
import { type QueryLanguage, queryLanguage } from "./facade_ql.ts";
import type { ServiceClass, ServiceFunction } from "./implementation.ts";
import { type Internationalization, internationalization, localize } from "./labels.ts";
import { type Utilities, utilities } from "./utilities.ts";
import { VERSION } from "./version.ts";
import { type ErrorArguments, errorFromArguments, shown, templateText } from "../errors/error_arguments.ts";
import { ServiceError } from "../errors/service_error.ts";
import {
  fromTemplate,
  isTemplate,
  noteMade,
  parseColumnText,
  parseQueryText,
  parseTokens,
} from "../cqn/builders/parse_text.ts";
import { toRef } from "../cqn/builders/expressions.ts";
import type { Column, Expression, RefExpression, SelectQuery, SetQuery, Xo } from "../cqn/cqn.ts";
import type { Csn } from "../model/csn.ts";
import { parsed } from "./model_source.ts";

/** Builds errors with `new`; called as function or tag it throws them. */
export interface ErrorFactory {
  /** Builds an error from the arguments of `req.reject`; further members may follow in an object. */
  new (...given: readonly unknown[]): ServiceError;
  /** Throws an error with the text of the template. */
  (strings: TemplateStringsArray, ...values: readonly unknown[]): never;
  /** Throws an error from the arguments of `req.reject`; further members may follow in an object. */
  (...given: readonly unknown[]): never;
  /** Throws that a value is another one than expected: `` fw.error.expected `${{ stock }} to be a number` ``. */
  expected(strings: TemplateStringsArray, ...values: readonly unknown[]): never;
}

/** `fw.error`. */
const error: ErrorFactory = Object.assign(raise, {
  expected: (strings: TemplateStringsArray, ...values: readonly unknown[]): never => {
    const [named] = values;
    const [name, value] = Object.entries(named ?? {})[0] ?? ["value", named];
    const wanted = templateText(strings, ["", ...values.slice(1)]).trim();
    throw new ServiceError({ message: `Expected "${name}" ${wanted}, but found ${shown(value)}` });
  },
}) as unknown as ErrorFactory; // a function with both signatures

function raise(...given: readonly unknown[]): Error {
  const made = errorFrom(given);
  if (new.target) return made;
  throw made;
}

function errorFrom(given: readonly unknown[]): Error {
  return errorFromArguments(given as ErrorArguments);
}

/** Parsers; those of CQL also as tags, whose values become literals. */
export interface Parsers {
  /** CDL text to CSN, the same as `cdl`. */
  (text: string | TemplateStringsArray, ...values: readonly unknown[]): Csn;
  /**
   * CQL text to CQN.
   *
   * @throws ConfigurationError with the position of a mistake
   */
  cql(text: string | TemplateStringsArray, ...values: readonly unknown[]): SelectQuery | SetQuery;
  /**
   * The text of an expression to CXN: one operand, or an `xpr`.
   *
   * @throws ConfigurationError with the position of a mistake
   */
  expr(text: string | TemplateStringsArray, ...values: readonly unknown[]): Expression;
  /**
   * CDL text to CSN.
   *
   * @throws ConfigurationError for mistakes, and where there is no compiler
   */
  cdl(text: string | TemplateStringsArray, ...values: readonly unknown[]): Csn;
  /** The steps of the path in a text: `["author", "name"]` of `author.name`. */
  ref(text: string | TemplateStringsArray): RefExpression["ref"];
  /** The path in a text: `author.name`. */
  path(text: string): RefExpression;
  /** The text of an expression as list of its tokens. */
  xpr(text: string | TemplateStringsArray, ...values: readonly unknown[]): readonly Xo[];
  /** A column with its alias: `max(price) as most`. */
  column(text: string | TemplateStringsArray, ...values: readonly unknown[]): Column;
}

/** `fw.parse`. */
const parsers: Parsers = Object.assign(parseCdl, {
  cql: (...given: Given) => parseQueryText(textOf(given)),
  expr: (...given: Given) => {
    const tokens = parseTokens(textOf(given));
    const [only] = tokens;
    return noteMade(tokens.length === 1 && typeof only !== "string" ? only : { xpr: tokens });
  },
  cdl: parseCdl,
  ref: (text: string | TemplateStringsArray) => (toRef(String(text)) as RefExpression).ref,
  path: (text: string) => noteMade(toRef(text) as RefExpression),
  xpr: (...given: Given) => noteMade(parseTokens(textOf(given))),
  column: (...given: Given) => noteMade(parseColumnText(textOf(given))[0]),
});

type Given = readonly [string | TemplateStringsArray, ...(readonly unknown[])];

function parseCdl(text: string | TemplateStringsArray, ...values: readonly unknown[]): Csn {
  return parsed(typeof text === "string" ? text : String.raw(text, ...values));
}

function textOf(given: readonly unknown[]): { readonly text: string; readonly values: readonly unknown[] } {
  if (isTemplate(given)) return fromTemplate(given[0], given.slice(1));
  const [text, ...values] = given;
  if (typeof text === "string") return { text, values };
  throw new TypeError(`A text is expected, but found ${text === null ? "null" : typeof text}`);
}

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
