/**
 * Modules that `require` and `import` are answered by here instead of looking for them: names under which existing code
 * asks for the facade (api 11.11), packages that are not public, and what runs tests.
 *
 * @module
 */

import Module from "node:module";
import { fw } from "../fw.ts";
import { packageEntry } from "./package_entry.ts";
import { boundServices } from "./bound_services.ts";

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
  const loader = Module as unknown as { _load: Load; _resolveFilename: Resolve };
  const load = loader._load;
  loader._load = function (this: unknown, request, ...others) {
    const answer = answerOf(request);
    if (answer) return answer.exports();
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
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  return code === "MODULE_NOT_FOUND" && (message ?? "").includes(`'${request}'`);
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
