/**
 * `fw.serve(name).from(…).to(…).at(…).in(…).with(…)`: providers by code (api 5).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn } from "../model/csn.ts";
import type { LinkedModel, LinkedService } from "../model/linked.ts";
import { absolutePath, servicePaths } from "../model/service_path.ts";
import type { Service } from "../service/service.ts";
import { nearestName } from "../util/nearest_name.ts";
import type { ServiceImplementation } from "./implementation.ts";

/** How a service is served; what is missing follows from the model. */
export interface ServeOptions {
  /** The service, where the options are all that is given: its name, or `all`. */
  readonly service?: string;
  /** Protocol: `odata`, `rest`, or one of the table of kinds. */
  readonly to?: string;
  /** Path, absolute or below the root of the protocol. */
  readonly at?: string;
  /** Class, function or module that implements it. */
  readonly with?: ServiceImplementation;
}

/** What serves: a runtime. */
export interface Provider {
  /** The linked model. */
  readonly model: LinkedModel;
  /**
   * Serves a service, or all of the model.
   *
   * @param name full name, or `all`
   * @param options protocol, path and implementation
   */
  serve(name: string, options: ServeOptions): Promise<Service | Runtime["services"]>;
}

interface Runtime {
  readonly services: Readonly<Record<string, Service>>;
}

/** A provider under construction. Awaiting serves it and gives the service, or all services. */
export class ServeBuilder implements PromiseLike<unknown> {
  readonly #provider: Provider;
  readonly #name: string;
  #options: ServeOptions;

  /**
   * Begins a provider.
   *
   * @param provider the runtime
   * @param service its name, class, or `all`; options that name it
   * @param options protocol, path and implementation
   */
  constructor(
    provider: Provider,
    service: string | { readonly name: string } | ServeOptions,
    options: ServeOptions = typeof service === "object" ? service as ServeOptions : {},
  ) {
    this.#provider = provider;
    this.#name = nameOf(service);
    const isClass = typeof service === "function" ? { with: service as ServiceImplementation } : {};
    this.#options = { ...isClass, ...options };
  }

  /**
   * Names the model: a runtime has one, which names of files stand for. As CSN it has the same services.
   *
   * @throws ConfigurationError for any other model
   */
  from(model: unknown): this {
    if (typeof model === "string" || Array.isArray(model) || isModelOf(this.#provider, model)) return this;
    throw new ConfigurationError(
      "A runtime serves its own model: another one needs a runtime of its own, by createRuntime({ model })",
    );
  }

  /** Sets the protocol. */
  to(protocol: string): this {
    this.#options = { ...this.#options, to: protocol };
    return this;
  }

  /** Sets the path. */
  at(path: string): this {
    this.#options = { ...this.#options, at: path };
    return this;
  }

  /** Takes the application it is served in: `fw.app`, the only one. */
  in(_app?: unknown): this {
    return this;
  }

  /** Sets the implementation. */
  with(implementation: ServiceImplementation): this {
    this.#options = { ...this.#options, with: implementation };
    return this;
  }

  /** Serves it. */
  then<A = unknown, B = never>(
    onfulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#provider.serve(this.#name, this.#options).then(onfulfilled, onrejected);
  }

  /** Serves it, and handles what that fails with. */
  catch<B>(onrejected: (reason: unknown) => B | PromiseLike<B>): Promise<unknown> {
    return this.then(undefined, onrejected);
  }

  /** Serves it, and acts afterwards in any case. */
  finally(act: () => void): Promise<unknown> {
    return this.then().finally(act);
  }
}

/**
 * Whether a model is that of a runtime, or CSN with the same services.
 *
 * @param provider the runtime
 * @param model what is given as model
 */
export function isModelOf({ model: own }: Pick<Provider, "model">, model: unknown): boolean {
  if (model === own) return true;
  const { definitions } = (model ?? {}) as Csn;
  return definitions !== undefined && own.services.every(({ name }) => Object.hasOwn(definitions, name));
}

function nameOf(service: string | { readonly name: string } | ServeOptions): string {
  if (typeof service === "string") return service;
  if ("name" in service) return service.name;
  return service.service ?? "all";
}

/**
 * The service of a model by full or local name.
 *
 * @throws ConfigurationError when the model has no such service
 */
export function serviceNamed(model: LinkedModel, name: string): LinkedService {
  const found = model.service(name) ?? model.services.find((one) => one.name.endsWith(`.${name}`));
  if (found) return found;
  const nearest = nearestName(name, model.services.map((one) => one.name));
  const hint = nearest ? `; did you mean "${nearest}"?` : "";
  throw new ConfigurationError(`The model has no service "${name}"${hint}`);
}

/** A protocol and a path. */
export interface ServedPath {
  /** Name of the protocol. */
  readonly protocol: string;
  /** Absolute path without trailing slash. */
  readonly path: string;
}

/**
 * Where a service is served: as the options say, else as the model does.
 *
 * @param definition the service
 * @param options protocol and path
 * @param others names of further protocols
 */
export function servedPaths(
  definition: LinkedService,
  options: ServeOptions,
  others: readonly string[] = [],
): readonly ServedPath[] {
  const paths: readonly ServedPath[] = servicePaths(definition, others);
  const protocol = options.to;
  const chosen = protocol === undefined ? paths : paths.filter((one) => one.protocol === protocol);
  const [first] = chosen.length > 0 ? chosen : [{ protocol: protocol ?? "odata", path: "" }];
  if (options.at !== undefined) {
    return [{ protocol: first.protocol, path: absolutePath(options.at, first.protocol) }];
  }
  if (chosen.length > 0) return chosen;
  const last = (paths[0]?.path ?? definition.name.toLowerCase()).split("/").at(-1)!;
  return [{ protocol: first.protocol, path: absolutePath(last, first.protocol) }];
}
