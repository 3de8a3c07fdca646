/**
 * CommonJS modules of projects, whose `require("@sap/cds")` is answered by our facade (api 11.11).
 *
 * @module
 */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { activateAnswers } from "./answered_modules.ts";
import { readTextIfExists } from "./read_text.ts";

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
  activateAnswers();
  return createRequire(pathToFileURL(file))(file);
}

/** `.cjs`, and `.js` that exports or requires in the way of CommonJS and has no import or export declaration. */
function isCommonJs(file: string): boolean {
  if (file.endsWith(".cjs")) return true;
  if (!file.endsWith(".js")) return false;
  const text = readTextIfExists(file) ?? "";
  return /\bmodule\.exports\b|\bexports\.\w+\s*=|\brequire\s*\(/.test(text) &&
    !/^\s*(?:import\b(?!\s*\()|export\b)/m.test(text);
}
