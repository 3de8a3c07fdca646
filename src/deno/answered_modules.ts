/**
 * Modules that `require` and `import` are answered by here instead of looking for them: names under which existing code
 * asks for the facade (api 11.11), packages that are not public, and what runs tests.
 *
 * @module
 */

import { fw } from "../fw.ts";
import { hasRuntime } from "../fw/current.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { modelledFolder, modelledNames } from "./modelled_names.ts";
import { nodeModule } from "../platform/node_module.ts";
import { isFile, readTextIfExists } from "./text_files.ts";
import { packageFolder } from "./project_root.ts";

/** A bound service as `VCAP_SERVICES` describes it. */
type BoundService = Readonly<Record<string, unknown>>;

/** Picks services: by a name, members that are equal, or a function. */
type Filter = string | BoundService | ((service: BoundService) => boolean);

/** The functions of that package which projects call. */
const boundServices = {
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
    text = Deno.readTextFileSync(file);
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

/** What a module is answered by. */
export interface AnsweredModule {
  /** What `require` gives. */
  exports(): unknown;
  /** Only where no such module is installed. */
  readonly isFallback?: boolean;
}

/** Names under which existing handlers ask for the facade. Nothing is ever looked for under them. */
const FACADE: AnsweredModule = { exports: () => fw };

const answers: Map<string, AnsweredModule> = new Map([
  ["@sap/cds", FACADE],
  ["@fw/runtime", FACADE],
  ["@sap/cds/package.json", { exports: () => ({ name: "@sap/cds", version: fw.version }) }],
  ["@sap/cds-dk", { ...FACADE, isFallback: true }],
  ["@sap/xsenv", { exports: () => boundServices, isFallback: true }],
  ["@sap/cds-odata-v2-adapter-proxy", { exports: () => withoutV2, isFallback: true }],
]);

type Load = (this: unknown, request: string, ...others: readonly unknown[]) => unknown;
type Resolve = (this: unknown, request: string, ...others: readonly unknown[]) => string;

let isActive = false;

/**
 * Answers a module from now on.
 *
 * @param name what is asked for
 * @param answer what it is answered by
 */
export function answerModule(name: string, answer: AnsweredModule): void {
  answers.set(name, answer);
  activateAnswers();
}

/**
 * What answers a module whatever is installed.
 *
 * @param name what is asked for
 * @returns undefined for modules that are looked for first
 */
export function answerOf(name: string): AnsweredModule | undefined {
  const answer = answers.get(name) ?? insideFacade(name);
  return answer?.isFallback ? undefined : answer;
}

/**
 * What answers a module that is not installed.
 *
 * @param name what is asked for
 * @returns undefined where it is missed
 */
export function answerOfAbsent(name: string): AnsweredModule | undefined {
  return answers.get(name) ?? absentPackage(name);
}

/** Begins to answer `require`. */
export function activateAnswers(): void {
  if (isActive) return;
  isActive = true;
  // The loader of the platform has this member, which its types leave out.
  const loader = nodeModule("node:module") as unknown as { _load: Load; _resolveFilename: Resolve };
  const load = loader._load;
  loader._load = function (this: unknown, request, ...others) {
    const answer = answerOf(request);
    if (answer) return answer.exports();
    // generated files may be older than the model, or were never generated here
    const types = hasRuntime() ? modelledFolder(request) : undefined;
    if (types !== undefined) return modelledNames(types);
    try {
      return load.call(this, request, ...others);
    } catch (error) {
      const absent = isMissing(error, request) ? answerOfAbsent(request) : undefined;
      if (absent) return absent.exports();
      throw error;
    }
  };
  // what packages give to those who know ESM does not find the default of modules in CommonJS
  const resolve = loader._resolveFilename;
  loader._resolveFilename = function (this: unknown, request, ...others) {
    const file = resolve.call(this, request, ...others);
    if (!file.endsWith(".mjs") || /^[./]/.test(request)) return file;
    return packageEntry(request, file.slice(0, file.lastIndexOf("/")), ["node", "require"]) ?? file;
  };
}

/** Whether it is this module that was not found, and not one that it asks for. */
function isMissing(error: unknown, request: string): boolean {
  const { code, message = "" } = (error ?? {}) as { readonly code?: string; readonly message?: string };
  return code === "MODULE_NOT_FOUND" && message.includes(`'${request}'`);
}

let refusesInternals = false;

/**
 * Whether modules that ask for internals are refused from now on, which nothing stands in for: plugins work as a whole or
 * not at all.
 */
export function refuseInternals(refuses: boolean): void {
  refusesInternals = refuses;
}

/** Existing code asks for parts of the facade by the paths of files that are no interface. */
function insideFacade(name: string): AnsweredModule | undefined {
  if (refusesInternals && name.startsWith("@sap/cds/libx/")) {
    throw new Error(`Nothing stands in for "${name}", which is no interface`);
  }
  if (!/^@sap\/cds\/[\w./-]+$/.test(name) || /\.(?:cds|json)$/.test(name)) return undefined;
  return /\/ql(?:\/|$)/.test(name) ? { exports: () => fw.ql } : FACADE;
}

const missed = new Set<string>();

/** Packages that are not public: code that asks for one goes on until it needs it. */
function absentPackage(name: string): AnsweredModule | undefined {
  const [, packageName] = /^(@sap\/[\w.-]+)/.exec(name) ?? [];
  if (packageName === undefined || packageName === "@sap/cds-dk") return undefined;
  const text = `The package ${packageName} is not installed, and nothing stands in for it`;
  return {
    exports() {
      if (!missed.has(packageName)) {
        fw.log("server").warn(`${text}: what calls it fails`);
        missed.add(packageName);
      }
      return function absent() {
        throw new Error(text);
      };
    },
  };
}

/** In place of what translates requests of OData V2: they are not understood here. */
function withoutV2(): (req: unknown, res: unknown, next: () => void) => void {
  fw.log("server").warn(
    'The package @sap/cds-odata-v2-adapter-proxy is not installed: requests of OData V2 are not served; the package "' +
      '@cap-js-community/odata-v2-adapter" takes its place',
  );
  return (_req, _res, next) => next();
}

/**
 * Finds the file of an installed package: what its `exports`, `module` or `main` name.
 *
 * @param name of the package, maybe with a path in it
 * @param folder where it is asked for
 * @param conditions that hold, for example `import` or `require`
 * @returns its path; undefined where it is not installed, or gives nothing under that name
 */
export function packageEntry(
  name: string,
  folder: string,
  conditions: readonly string[],
): string | undefined {
  const [, packageName, path] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(name) ?? [];
  const root = packageName === undefined ? undefined : packageFolder(folder, packageName);
  if (root === undefined) return undefined;
  const described = describe(root);
  const named = described.exports === undefined
    ? path ?? text(conditions.includes("import") ? described.module : undefined) ?? text(described.main) ??
      "index"
    : exported(described.exports, `.${path ?? ""}`, conditions);
  if (named === undefined) return undefined;
  const base = `${root}/${named.replace(/^\.?\//, "").replace(/\/$/, "")}`;
  return ["", ".js", ".cjs", ".mjs", ".json", "/index.js"].map((ending) => base + ending).find(isFile);
}

/**
 * Whether a file of a package is a module of ESM.
 *
 * @param file its path
 */
export function isModule(file: string): boolean {
  if (!/\.[jt]s$/.test(file)) return /\.m[jt]s$/.test(file);
  for (let at = parentOf(file); at !== "" && !at.endsWith("/node_modules"); at = parentOf(at)) {
    if (isFile(`${at}/package.json`)) return describe(at).type === "module";
  }
  return false;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function exported(exports: unknown, path: string, conditions: readonly string[]): string | undefined {
  if (!isPlainObject(exports) || !Object.keys(exports).some((key) => key.startsWith("."))) {
    return path === "." ? target(exports, conditions) : undefined;
  }
  if (Object.hasOwn(exports, path)) return target(exports[path], conditions);
  for (const [key, value] of Object.entries(exports)) {
    const [head, tail] = key.split("*");
    if (tail === undefined || !path.startsWith(head) || !path.endsWith(tail)) continue;
    return target(value, conditions)?.replaceAll("*", path.slice(head.length, path.length - tail.length));
  }
  return undefined;
}

function target(value: unknown, conditions: readonly string[]): string | undefined {
  if (Array.isArray(value)) {
    return value.map((one) => target(one, conditions)).find((one) => one !== undefined);
  }
  if (!isPlainObject(value)) return text(value);
  return Object.entries(value).filter(([key]) => key === "default" || conditions.includes(key))
    .map(([, one]) => target(one, conditions)).find((one) => one !== undefined);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function describe(folder: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readTextIfExists(`${folder}/package.json`) ?? "{}");
  return isPlainObject(value) ? value : {};
}
