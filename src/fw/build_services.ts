/**
 * Creating the services of the model and their endpoints.
 *
 * @module
 */

import type { LinkedService } from "../model/linked.ts";
import { missingProtocols, servicePaths } from "../model/service_path.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { placeOf } from "../model/problems.ts";
import { nearestName } from "../util/nearest_name.ts";
import {
  type CreatedService,
  createService,
  type Implementations,
  isForOthers,
  type ServiceImplementation,
} from "./implementation.ts";
import type { MessagingService } from "../messaging/messaging_service.ts";
import { type ApplicationService, notInitialized } from "../service/application_service.ts";
import type { Service } from "../service/service.ts";
import { unmatchedHandlers } from "../service/handlers/unmatched_handlers.ts";
import type { Endpoint, RuntimeParts } from "./runtime_parts.ts";
import { servedPaths, type ServeOptions } from "./serve_service.ts";

/** What services are created with. */
export interface GivenServices {
  readonly implementations: Implementations;
  /** Carries the declared events, if it is configured. */
  readonly messaging: MessagingService | undefined;
  /** What `fw.serve` was told by name of the service. */
  readonly serving: ReadonlyMap<string, ServeOptions>;
  /** The endpoints of the runtime; a service adds its own before it is initialized, as it tells where it is served. */
  readonly endpoints: Endpoint[];
}

/**
 * Creates every service of the model that is neither external nor required from elsewhere, and the mocked ones, with
 * their implementations.
 *
 * @throws ConfigurationError when two services claim one path, or an implementation is for no service
 */
export async function buildServices(runtime: RuntimeParts, given: GivenServices): Promise<void> {
  const { implementations, messaging, serving, endpoints } = given;
  const services: ApplicationService[] = [];
  const served = runtime.model.services.filter((service) => isServedHere(runtime, service));
  // own services come first: mocked ones give way to them
  const isMocked = ({ name }: LinkedService) => Number(runtime.mocked.has(name));
  const definitions = served.toSorted((one, other) => isMocked(one) - isMocked(other));
  assertKnown(Object.keys(implementations), runtime.model.services);
  // all of them exist before the first one is initialized: it may connect to any other
  const created = definitions.map((definition) => {
    const options = { with: implementationOf(definition, implementations), ...serving.get(definition.name) };
    // a listener of `bootstrap` may have served it
    const isServed = Object.hasOwn(runtime.services, definition.name);
    return { definition, options, created: isServed ? undefined : create(runtime, definition, options.with) };
  });
  for (const { definition, options, created: one } of created) {
    if (one === undefined) continue;
    endpoints.push(...endpointsOf(runtime, definition, { service: one.service, options }));
    await ready(runtime, one, messaging);
    services.push(one.service);
  }
  // handlers of one may be registered by another
  for (const service of services) warnOf(runtime, service);
}

/** A module may be given for all services of a model file, and be for some of them only. */
function implementationOf(
  { name }: LinkedService,
  implementations: Implementations,
): ServiceImplementation | undefined {
  const given = Object.hasOwn(implementations, name) ? implementations[name] : undefined;
  if (given === undefined) return undefined;
  const others = Object.keys(implementations).filter((other) => implementations[other] === given);
  return isForOthers(given, name, others) ? undefined : given;
}

/** How one service is served. */
export interface ServeArguments {
  /** Protocol, path and implementation. */
  readonly options: ServeOptions;
  /** Carries the declared events, if it is configured. */
  readonly messaging: MessagingService | undefined;
  /** The endpoints of the runtime; a service adds its own before it is initialized, as it tells where it is served. */
  readonly endpoints: Endpoint[];
}

/**
 * Serves one service.
 *
 * @returns the service, if it is served already that one, and its new endpoints
 * @throws ConfigurationError when its path is taken, or the implementation is for another service
 */
export async function serveService(
  runtime: RuntimeParts,
  definition: LinkedService,
  { options, messaging, endpoints: all }: ServeArguments,
): Promise<{ readonly service: Service; readonly endpoints: readonly Endpoint[] }> {
  const isServed = Object.hasOwn(runtime.services, definition.name) && options.with === undefined;
  const created = isServed ? undefined : create(runtime, definition, options.with);
  const service = runtime.services[definition.name];
  const endpoints = endpointsOf(runtime, definition, { service, options });
  all.push(...endpoints);
  if (created) {
    await ready(runtime, created, messaging);
    warnOf(runtime, created.service);
  }
  return { service, endpoints };
}

function create(
  runtime: RuntimeParts,
  definition: LinkedService,
  implementation: ServeOptions["with"],
): CreatedService {
  const { name } = definition;
  const created = createService({ name, host: runtime, definition }, implementation);
  runtime.services[name] = created.service;
  return created;
}

async function ready(
  runtime: RuntimeParts,
  { service, init }: CreatedService,
  messaging: MessagingService | undefined,
): Promise<void> {
  await init();
  messaging?.forward(service);
  runtime.live?.forward(service);
  await runtime.events.emit("serving", service);
}

/** Tells what of an implementation never happens. */
function warnOf(runtime: RuntimeParts, service: ApplicationService): void {
  const { deployedModel } = runtime;
  const { name, handlers } = service;
  const definition = deployedModel.service(name);
  const unmatched = definition ? unmatchedHandlers({ definition, handlers }, deployedModel) : [];
  const missing = definition ? missingProtocols(definition, Object.keys(runtime.kinds.protocols ?? {})) : [];
  const remarks = [
    ...missing.map((protocol) => `protocol "${protocol}" is not there: the service is not served by it`),
    ...(service.isInitialized ? [] : [notInitialized(service)]),
    ...unmatched,
  ];
  for (const remark of remarks) runtime.log("service").warn(`${name}: ${remark}`);
}

interface Served {
  readonly service: Service;
  readonly options: ServeOptions;
}

function endpointsOf(
  runtime: RuntimeParts,
  definition: LinkedService,
  { service, options }: Served,
): readonly Endpoint[] {
  const taken = runtime.endpoints;
  const paths = options.at === undefined && options.to === undefined
    ? configuredPaths(runtime, definition)
    : servedPaths(definition, options, Object.keys(runtime.kinds.protocols ?? {}));
  const added = paths.map(({ protocol, path }) => ({ service, protocol, path }))
    .filter(({ path }) => !taken.some((one) => one.path === path && one.service === service));
  return added.filter(({ path }) => {
    const other = taken.find((one) => one.path === path);
    if (!other) return true;
    const both = `${definition.name} and ${other.service.name} are both served at ${path}`;
    if (!runtime.mocked.has(definition.name)) {
      throw new ConfigurationError(`${both}: give one of them another @path`, placeOf(definition));
    }
    runtime.log("service").warn(
      `${both}: ${definition.name}, which is mocked, is called in this process only`,
    );
    return false;
  });
}

/** No services yet: a record that gives them in order when it is iterated. */
export function servicesByName(): Record<string, Service> & Iterable<Service> {
  return Object.create({
    *[Symbol.iterator](this: Record<string, Service>): Iterator<Service> {
      yield* Object.values(this);
    },
  });
}

/** Services that are external, or required by the configuration, run elsewhere unless they are mocked. */
function isServedHere({ env, mocked }: RuntimeParts, service: LinkedService): boolean {
  return mocked.has(service.name) || !service["@cds.external"] && !env.requires[service.name];
}

function assertKnown(names: readonly string[], definitions: readonly LinkedService[]): void {
  const known = definitions.map((definition) => definition.name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest ? `; did you mean "${nearest}"?` : "";
    throw new ConfigurationError(
      `There is an implementation of "${name}", but no such service in the model${hint}`,
    );
  }
}

function configuredPaths(
  runtime: RuntimeParts,
  definition: LinkedService,
): readonly { protocol: string; path: string }[] {
  const services = runtime.env.services as Record<string, { path?: string }> | undefined;
  return servicePaths(
    definition,
    Object.keys(runtime.kinds.protocols ?? {}),
    services?.[definition.name]?.path,
  );
}
