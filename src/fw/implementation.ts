/**
 * The forms an implementation of a service has (api 3).
 *
 * @module
 */

import { ApplicationService, type ApplicationServiceOptions } from "../service/application_service.ts";
import { handleByMethods } from "../service/operation_methods.ts";
import { Service } from "../service/service.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { thrownAt } from "../util/caller_frames.ts";
import { unqualified } from "../util/unqualified.ts";

/** A class of services. */
export type ServiceClass = new (options: ApplicationServiceOptions) => ApplicationService;

/** A function that registers handlers; `this` is the service as well. */
export type ServiceFunction = (this: ApplicationService, service: ApplicationService) => unknown;

/** A class, a function, or the namespace of a module that exports one of them. */
export type ServiceImplementation = ServiceClass | ServiceFunction | Readonly<Record<string, unknown>>;

/** Implementations by the name of their service. */
export type Implementations = Readonly<Record<string, ServiceImplementation>>;

/** A service that exists, and what makes it ready. */
export interface CreatedService {
  /** The service. */
  readonly service: ApplicationService;
  /** Registers its handlers. */
  init(): Promise<void>;
}

/**
 * Creates a service with its implementation.
 *
 * @param options name, host and definition
 * @param implementation class, function or module; without one the service has generic handlers only
 * @throws ConfigurationError for an implementation of another form
 */
export function createService(
  options: ApplicationServiceOptions,
  implementation: ServiceImplementation | undefined,
): CreatedService {
  const found = implementation === undefined ? undefined : pickImplementation(implementation, options.name);
  if (found !== undefined && isServiceClass(found)) {
    const service = new found(options);
    if (!(service instanceof ApplicationService)) guard(service);
    return { service, init: () => initClass(service) };
  }
  const service = new ApplicationService(options);
  return {
    service,
    async init() {
      if (found) await placed(() => found.call(service, service));
      return service.init();
    },
  };
}

/** Runs code of the application; what it asks for and is not there is told with its line. */
async function placed(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.file !== undefined) throw error;
    throw new ConfigurationError(error.text, thrownAt(error), { cause: error });
  }
}

/** Methods that are named as operations handle them, after all that `init` has registered. */
async function initClass(service: ApplicationService): Promise<void> {
  await placed(() => service.init());
  const isHandled = (event: string, entity?: string) =>
    service.handlers.for("on", { event, entity, path: entity }).some(({ events }) => events !== "*");
  // handlers of operations that are known by name have no types
  handleByMethods(service as never, ApplicationService.prototype, isHandled);
}

/**
 * Finds the class or function that implements a service.
 *
 * @param implementation class, function or module
 * @param name full name of the service
 * @param file where it comes from, for messages
 * @throws ConfigurationError when a module exports neither a class nor a function for the service, and for a class that
 *   is neither derived from `fw.Service` nor has methods beside `init`
 */
export function pickImplementation(
  implementation: ServiceImplementation,
  name: string,
  file?: string,
): ServiceClass | ServiceFunction {
  const found = typeof implementation === "function" ? implementation : exported(implementation, name, file);
  if (!isClass(found) || isServiceClass(found)) return found;
  const { constructor: _constructor, ...methods } = Object.getOwnPropertyDescriptors(found.prototype);
  if (Object.keys(methods).some((method) => method !== "init")) return serviceClassOf(found.name, methods);
  throw new ConfigurationError(
    `The implementation of ${name} must be a function or a class derived from fw.ApplicationService, but the class ` +
      `${found.name || "without name"} is not derived from it`,
    { file },
  );
}

/** A class of services with the methods of a plain class, which are named as events and operations. */
function serviceClassOf(
  name: string,
  { init, ...methods }: Readonly<Record<string, PropertyDescriptor>>,
): ServiceClass {
  class Methods extends ApplicationService {
    // a plain class has nobody to pass it on to
    override async init(): Promise<void> {
      await init?.value.call(this);
      return super.init();
    }
  }
  Object.defineProperty(Methods, "name", { value: name });
  Object.defineProperties(Methods.prototype, methods);
  return Methods;
}

/**
 * Whether a module implements other services of its model file, and leaves this one to the generic handlers: it exports
 * something for one of the others, nothing for this one, and no class of services by a name that none of them has.
 *
 * @param implementation what the module exports
 * @param name full name of the service
 * @param others full names of the services that the module may implement
 */
export function isForOthers(
  implementation: ServiceImplementation,
  name: string,
  others: readonly string[],
): boolean {
  if (typeof implementation === "function" || exportFor(implementation, name)) return false;
  const taken = new Set(others.flatMap((other) => [other, unqualified(other)]));
  return others.some((other) => exportFor(implementation, other) !== undefined) &&
    Object.entries(implementation).every(([key, value]) =>
      taken.has(key) || typeof value !== "function" ||
      !isServiceClass(value as ServiceClass | ServiceFunction)
    );
}

/**
 * The name under which a module exports its only class of services, where nothing of it is named as the service.
 *
 * @param implementation what the module exports
 * @param name full name of the service
 */
export function onlyClass(implementation: ServiceImplementation, name: string): string | undefined {
  if (typeof implementation === "function" || exportFor(implementation, name)) return undefined;
  const classes = Object.entries(implementation).filter(([, value]) =>
    typeof value === "function" && isServiceClass(value as ServiceClass | ServiceFunction)
  );
  return classes.length === 1 ? classes[0]![0] : undefined;
}

function exported(
  implementation: Readonly<Record<string, unknown>>,
  name: string,
  file: string | undefined,
): ServiceClass | ServiceFunction {
  const exported = exportFor(implementation, name);
  if (typeof exported === "function") return exported as ServiceClass | ServiceFunction;
  const found =
    Object.entries(implementation).map(([key, value]) =>
      typeof value === "function" ? key : `${key} (${value === null ? "null" : typeof value})`
    ).join(", ") || "nothing";
  throw new ConfigurationError(
    `The implementation of ${name} must export a class or function "${unqualified(name)}" or a default, ` +
      `but exports ${found}`,
    { file },
  );
}

function exportFor(implementation: Readonly<Record<string, unknown>>, name: string): unknown {
  return implementation[unqualified(name)] ?? implementation[name] ?? implementation.default;
}

/** Classes can only be called with `new`; their `prototype` cannot be replaced, which tells them from functions. */
function isClass(value: ServiceClass | ServiceFunction): boolean {
  return Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

function isServiceClass(value: ServiceClass | ServiceFunction): value is ServiceClass {
  return value.prototype instanceof Service;
}

/** A class derived from `fw.Service` has no generic handlers; authorization and input checks hold for it all the same. */
function guard(service: Service): void {
  const { prepare, complete } = ApplicationService.prototype;
  Object.defineProperties(service, { prepare: { value: prepare }, complete: { value: complete } });
}
