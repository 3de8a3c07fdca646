/**
 * What existing code asks `@sap/xsenv` for: services that are bound to the application, by the variables of the platform.
 *
 * @module
 */

import { readFileSync } from "node:fs";

/** A bound service as `VCAP_SERVICES` describes it. */
type BoundService = Readonly<Record<string, unknown>>;

/** Picks services: by a name, members that are equal, or a function. */
type Filter = string | BoundService | ((service: BoundService) => boolean);

/** The functions of that package which projects call. */
export const boundServices = {
  loadEnv,
  readServices,
  readCFServices: readServices,
  filterServices: (filter?: Filter) => Object.values(readServices()).filter((one) => fits(one, filter)),
  filterCFServices: (filter?: Filter) => Object.values(readServices()).filter((one) => fits(one, filter)),
  getServices,
  serviceCredentials,
  cfServiceCredentials: serviceCredentials,
  loadCertificates: () => undefined,
};

/** Adds the variables of a file, which is meant for one machine; those that exist stay. */
function loadEnv(file = "default-env.json"): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return;
  }
  const given: unknown = JSON.parse(text);
  for (const [name, value] of Object.entries(given as Record<string, unknown>)) {
    process.env[name] ??= typeof value === "string" ? value : JSON.stringify(value);
  }
}

function readServices(): Record<string, BoundService> {
  const labels = JSON.parse(process.env.VCAP_SERVICES ?? "{}") as Record<string, readonly BoundService[]>;
  const services = Object.entries(labels).flatMap(([label, list]) => list.map((one) => ({ label, ...one })));
  return Object.fromEntries(services.map((one: BoundService) => [String(one.name), one]));
}

function fits(service: BoundService, filter: Filter | undefined): boolean {
  if (filter === undefined) return true;
  if (typeof filter === "function") return filter(service);
  if (typeof filter === "string") return service.name === filter;
  return Object.entries(filter).every(([key, value]) => {
    const own = key === "tag" ? service.tags : service[key];
    return Array.isArray(own) ? own.includes(value) : own === value;
  });
}

function serviceCredentials(filter: Filter): unknown {
  const found = Object.values(readServices()).filter((service) => fits(service, filter));
  if (found.length === 1) return found[0].credentials;
  throw new Error(
    `Expected one bound service that fits ${JSON.stringify(filter)}, but there are ${found.length}`,
  );
}

function getServices(query: Readonly<Record<string, Filter>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, filter]) => [name, serviceCredentials(filter)]),
  );
}
