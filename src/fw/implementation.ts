/**
 * The forms an implementation of a service has (api 3).
 *
 * @module
 */

import { ApplicationService, type ApplicationServiceOptions } from "../service/application_service.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";

/** A class of services. */
export type ServiceClass = new (options: ApplicationServiceOptions) => ApplicationService;

/** A function that registers handlers; `this` is the service as well. */
export type ServiceFunction = (this: ApplicationService, service: ApplicationService) => unknown;

/** A class, a function, or the namespace of a module that exports one of them. */
export type ServiceImplementation = ServiceClass | ServiceFunction | Readonly<Record<string, unknown>>;

/** Implementations by the name of their service. */
export type Implementations = Readonly<Record<string, ServiceImplementation>>;

/**
 * Creates a service with its implementation and initializes it.
 *
 * @param options name, host and definition
 * @param implementation class, function or module; without one the service has generic handlers only
 * @throws ConfigurationError when a module exports neither a class nor a function for the service
 */
export async function createService(
  options: ApplicationServiceOptions,
  implementation: ServiceImplementation | undefined,
): Promise<ApplicationService> {
  const found = implementation === undefined ? undefined : pick(implementation, options.name);
  if (found !== undefined && isServiceClass(found)) {
    const service = new found(options);
    await service.init();
    return service;
  }
  const service = new ApplicationService(options);
  if (found) await found.call(service, service);
  await service.init();
  return service;
}

function pick(implementation: ServiceImplementation, name: string): ServiceClass | ServiceFunction {
  if (typeof implementation === "function") return implementation;
  const local = name.slice(name.lastIndexOf(".") + 1);
  const exported = implementation[local] ?? implementation[name] ?? implementation.default;
  if (typeof exported === "function") return exported as ServiceClass | ServiceFunction;
  const found = Object.keys(implementation).join(", ") || "nothing";
  throw new ConfigurationError(
    `The implementation of ${name} must export a class or function "${local}" or a default, but exports ${found}`,
  );
}

function isServiceClass(value: ServiceClass | ServiceFunction): value is ServiceClass {
  return value.prototype instanceof ApplicationService;
}
