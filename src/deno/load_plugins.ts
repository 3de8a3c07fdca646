/**
 * Plugins of existing projects: packages among the dependencies that have a `cds-plugin.js`, which registers listeners and
 * changes the configuration before the model is there.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { recordListeners } from "../fw/current.ts";
import { Emitter } from "../fw/emitter.ts";
import type { Runtime } from "../fw/runtime.ts";
import type { Logger } from "../log/logger.ts";
import { projectPlace } from "../fw/project_place.ts";
import type { Csn } from "../model/csn.ts";
import { inferAddedElements, inferModel } from "../model/infer_model.ts";
import { ApplicationService } from "../service/application_service.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { refuseInternals } from "./answered_modules.ts";
import { loadModuleFile } from "./require_module.ts";

/** A package that plugs itself in. */
export interface Plugin {
  /** Name of the package. */
  readonly name: string;
  /** Path of the module to load. */
  readonly file: string;
}

/** What a plugin listens to; a module is loaded once, and its listeners count for each project that has it. */
const listeners: Map<string, Emitter> = new Map();

/**
 * Loads the plugins of a project that are not loaded yet. One that cannot be loaded stops production; else it is remarked.
 *
 * @param root root of the project
 * @param plugins its plugins, in order
 * @param env its configuration, which plugins may change; `plugins` may switch them off: `{"@scope/name": false}`
 * @returns those that are loaded
 * @throws ConfigurationError for a plugin that cannot be loaded, in production
 */
export async function loadPlugins(
  root: string,
  plugins: readonly Plugin[],
  env: Environment,
): Promise<readonly Plugin[]> {
  const loaded: Plugin[] = [];
  const wanted = plugins.filter(({ name }) => isWanted(env.plugins, name) && !isEngine(name));
  for (const plugin of wanted) {
    try {
      if (!listeners.has(plugin.file)) await within(root, env, () => load(plugin, env));
      loaded.push(plugin);
    } catch (error) {
      env.remarks.add(failure(plugin, env, { error }));
    }
  }
  Object.assign(
    projectPlace.plugins,
    Object.fromEntries(loaded.map(({ name, file }) => [name, { impl: file }])),
  );
  return loaded;
}

/** Packages that connect databases: engines of this runtime take their place. */
function isEngine(name: string): boolean {
  return /^@cap-js\/(?:db-service|sqlite|postgres|hana)$/.test(name);
}

function isWanted(setting: unknown, name: string): boolean {
  return setting !== false && !(isPlainObject(setting) && setting[name] === false);
}

async function load({ file }: Plugin, env: Environment): Promise<void> {
  const events = new Emitter();
  const stop = recordListeners(events);
  const before = new Set(Object.keys(ApplicationService));
  refuseInternals(true);
  try {
    const exported = await loadModuleFile(file) as { readonly activate?: unknown } | undefined;
    if (typeof exported?.activate === "function") await exported.activate(env);
  } finally {
    refuseInternals(false);
    stop();
    recordHandlers(events, before);
  }
  listeners.set(file, events);
}

/** What a plugin adds to the class of services (`handle_attachments`) counts for the services of its projects only. */
function recordHandlers(events: Emitter, before: ReadonlySet<string>): void {
  const members = ApplicationService as unknown as Record<string, unknown>; // plugins add to it
  for (const name of Object.keys(members).filter((name) => name.startsWith("handle_") && !before.has(name))) {
    const register = members[name];
    delete members[name];
    if (typeof register !== "function") continue;
    events.on("serving", (service) => {
      if (isAppService(service)) return register.call(service, service);
    });
  }
}

function isAppService(service: unknown): boolean {
  return service instanceof ApplicationService;
}

/** Modules that are loaded before there is a runtime ask the facade for root and configuration. */
async function within(root: string, env: Environment, run: () => Promise<void>): Promise<void> {
  const { root: rootBefore, environment } = projectPlace;
  Object.assign(projectPlace, { root, environment: env });
  try {
    await run();
  } finally {
    Object.assign(projectPlace, { root: rootBefore, environment });
  }
}

/** Events whose listeners change the model, in order: there is one for services, metadata and database. */
const MODEL_EVENTS: readonly string[] = [
  "loaded",
  "compile.for.runtime",
  "compile.to.dbx",
  "compile.to.edmx",
];

/**
 * The model as plugins change it, which listen to `loaded`: with the elements of views.
 *
 * @param plugins the plugins of the project
 * @param model the compiled model
 * @param env its configuration
 * @throws ConfigurationError where a plugin fails, in production
 */
export function pluggedModel(plugins: readonly Plugin[], model: Csn, env: Environment): Csn {
  return plugins.reduce((csn, plugin) => {
    const events = listeners.get(plugin.file);
    if (!events || !MODEL_EVENTS.some((event) => events.has(event))) return csn;
    const changed = new Emitter();
    changed.addAll(events, (listener, event) => MODEL_EVENTS.includes(event) ? listener : undefined);
    const own = copyOf(inferModel(csn)) as Csn;
    try {
      for (const event of MODEL_EVENTS) void changed.emit(event, own);
      return inferAddedElements(own);
    } catch (error) {
      env.remarks.add(failure(plugin, env, { event: "loaded", error }));
      return csn;
    }
  }, model);
}

/** A copy to change, with what is hidden from those who print it: where definitions stand. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).map((
    [name, { value, enumerable }],
  ) => [name, { value: copyOf(value), enumerable, writable: true, configurable: true }] as const);
  return Object.defineProperties({}, Object.fromEntries(members));
}

/**
 * Adds the other listeners of plugins to those of a runtime.
 *
 * @param plugins the plugins of the project
 * @param runtime the runtime
 */
export function addListeners(
  plugins: readonly Plugin[],
  { env, events: to, log }: Pick<Runtime, "env" | "events"> & { log(id: string): Logger },
): void {
  for (const plugin of plugins) {
    const events = listeners.get(plugin.file);
    if (!events) continue;
    let hasFailed = false;
    to.addAll(events, (listener, event) => {
      if (MODEL_EVENTS.includes(event)) return undefined;
      return async (...values) => {
        // listeners may wait for what one that failed would have done
        if (hasFailed) return;
        try {
          return await listener(...values);
        } catch (error) {
          hasFailed = true;
          log("server").warn(failure(plugin, env, { event, error }));
        }
      };
    });
  }
}

/** A plugin that fails stops production; else what it adds is missing, which this text says. */
function failure(
  { name, file }: Plugin,
  { production }: Environment,
  { event, error }: { readonly event?: string; readonly error: unknown },
): string {
  const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  const what = event === undefined ? "cannot be loaded" : `fails in "${event}"`;
  const text = `The plugin ${name} ${what}: ${reason}`;
  if (production) throw new ConfigurationError(text, { file }, { cause: error });
  return `${text}; what it adds is missing, "plugins": { "${name}": false } switches it off`;
}
