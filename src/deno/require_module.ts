/**
 * CommonJS modules of projects, whose `require("@sap/cds")` is answered by our facade (api 11.11).
 *
 * @module
 */

import Module, { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { fw } from "../fw.ts";
import { readTextIfExists } from "./read_text.ts";

/** Names under which existing handlers ask for the facade. Nothing is ever looked for under them. */
const FACADE_NAMES: ReadonlySet<string> = new Set(["@sap/cds", "@sap/cds/lib", "@fw/runtime"]);

type Load = (this: unknown, request: string, ...others: readonly unknown[]) => unknown;

let isAnswered = false;

/**
 * Loads a module: CommonJS by `require`, anything else by `import`.
 *
 * @param file its path
 * @returns what it exports
 */
export async function loadModuleFile(file: string): Promise<unknown> {
  return isCommonJs(file) ? requireModule(file) : await import(pathToFileURL(file).href);
}

function requireModule(file: string): unknown {
  answerFacade();
  return createRequire(pathToFileURL(file))(file);
}

/** Puts the facade in the place of modules that cannot be there. */
function answerFacade(): void {
  if (isAnswered) return;
  isAnswered = true;
  // The loader of the platform has this member, which its types leave out.
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = function (this: unknown, request, ...others) {
    return FACADE_NAMES.has(request) ? fw : load.call(this, request, ...others);
  };
}

/** `.cjs`, and `.js` that exports or requires in the way of CommonJS and has no import or export declaration. */
function isCommonJs(file: string): boolean {
  if (file.endsWith(".cjs")) return true;
  if (!file.endsWith(".js")) return false;
  const text = readTextIfExists(file) ?? "";
  return /\bmodule\.exports\b|\bexports\.\w+\s*=|\brequire\s*\(/.test(text) &&
    !/^\s*(?:import\b(?!\s*\()|export\b)/m.test(text);
}
