/**
 * Creating the services of the model and their endpoints.
 *
 * @module
 */

import type { LinkedService } from "../model/linked.ts";
import { servicePaths } from "../model/service_path.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { nearestName } from "../util/nearest_name.ts";
import { createService, type Implementations } from "./implementation.ts";
import type { MessagingService } from "../messaging/messaging_service.ts";
import type { Endpoint, RuntimeParts } from "./runtime_parts.ts";

/** What services are created with. */
export interface GivenServices {
  readonly implementations: Implementations;
  /** Carries the declared events, if it is configured. */
  readonly messaging: MessagingService | undefined;
}

/**
 * Creates every service of the model that is neither external nor required from elsewhere, with its implementation.
 *
 * @returns the endpoints; services of protocol `none` have none
 * @throws ConfigurationError when two services claim one path, or an implementation is for no service
 */
export async function buildServices(runtime: RuntimeParts, given: GivenServices): Promise<Endpoint[]> {
  const { implementations, messaging } = given;
  const endpoints: Endpoint[] = [];
  const definitions = runtime.model.services.filter((service) => isServedHere(runtime, service));
  assertKnown(Object.keys(implementations), runtime.model.services);
  // all of them exist before the first one is initialized: it may connect to any other
  const created = definitions.map((definition) => {
    const { name } = definition;
    const one = createService({ name, host: runtime, definition }, implementations[name]);
    runtime.services[name] = one.service;
    return { ...one, definition };
  });
  for (const { service, init, definition } of created) {
    await init();
    messaging?.forward(service);
    await runtime.events.emit("serving", service);
    for (const { protocol, path } of configuredPaths(runtime, definition)) {
      const taken = endpoints.find((endpoint) => endpoint.path === path);
      if (taken) {
        throw new ConfigurationError(
          `${definition.name} and ${taken.service.name} are both served at ${path}`,
        );
      }
      endpoints.push({ service, protocol, path });
    }
  }
  return endpoints;
}

/** Services that are external, or required by the configuration, run elsewhere. */
function isServedHere({ env }: RuntimeParts, service: LinkedService): boolean {
  return !service["@cds.external"] && !env.requires[service.name];
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
  const path = services?.[definition.name]?.path;
  const paths = servicePaths(definition);
  return path === undefined
    ? paths
    : paths.map((endpoint) => ({ ...endpoint, path: path.replace(/\/+$/, "") }));
}
