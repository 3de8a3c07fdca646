/**
 * CommonJS modules of projects, whose `require("@sap/cds")` is answered by our facade (api 11.11).
 *
 * @module
 */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isPlainObject } from "../util/is_plain_object.ts";
import { activateHooks } from "./module_hooks.ts";
import { readTextIfExists } from "./text_files.ts";

/**
 * Loads a module: CommonJS by `require`, anything else by `import`.
 *
 * @param file its path
 * @returns what it exports
 */
export async function loadModuleFile(file: string): Promise<unknown> {
  if (isCommonJs(file)) {
    activateHooks();
    return createRequire(pathToFileURL(file))(file);
  }
  activateHooks();
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href);
  // what a module in the way of CommonJS exports is one value
  const { default: value } = module;
  return Object.keys(module).length === 1 && isPlainObject(value) ? value : module;
}

/** `.cjs`, and `.js` that exports or requires in the way of CommonJS and has no import or export declaration. */
function isCommonJs(file: string): boolean {
  if (file.endsWith(".cjs")) return true;
  if (!file.endsWith(".js")) return false;
  const text = readTextIfExists(file) ?? "";
  return /\bmodule\.exports\b|\bexports\.\w+\s*=|\brequire\s*\(/.test(text) &&
    !/^\s*(?:import\b(?!\s*\()|export\b)/m.test(text);
}
