/**
 * CommonJS modules of projects, whose `require("@sap/cds")` is answered by our facade (api 11.11).
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { type CodePlace, placeIn, thrownAt } from "../util/caller_frames.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { nearestName } from "../util/nearest_name.ts";
import { activateHooks } from "./module_hooks.ts";
import { nodeModule } from "../platform/node_module.ts";
import { readText, readTextIfExists } from "./text_files.ts";

/**
 * Loads a module: CommonJS by `require`, anything else by `import`.
 *
 * @param file its path
 * @returns what it exports
 */
export async function loadModuleFile(file: string): Promise<unknown> {
  activateHooks();
  if (isCommonJs(file)) return nodeModule("node:module").createRequire(pathToFileURL(file))(file);
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href);
  // what a module in the way of CommonJS exports is one value
  const { default: value } = module;
  return Object.keys(module).length === 1 && isPlainObject(value) ? value : module;
}

/**
 * What a developer reads about a module that cannot be loaded, at the place of the mistake.
 *
 * @param what "The implementation cannot be loaded"
 * @param file the module
 * @param cause what was thrown while it was loaded
 */
export async function moduleFailure(what: string, file: string, cause: unknown): Promise<ConfigurationError> {
  if (!(cause instanceof Error)) return new ConfigurationError(`${what}: ${cause}`, { file }, { cause });
  const message = cause.message.replace(COLOURS, "");
  // the platform shows the line, and names the place at the end
  const [, reason, at] = /^([\s\S]*?)(?:\n +\|\n[\s\S]*)?\s+at (\S+:\d+:\d+)\s*$/.exec(message) ??
    [undefined, message, ""];
  const place = placeIn(at!) ?? await syntaxPlace(file, cause) ?? thrownAt(cause) ?? { file };
  const whose = place.file === file ? "" : ` (${file})`;
  return new ConfigurationError(
    `${what}${whose}: ${reason!.replace(/^Error: /, "")}${hintFor(reason!)}`,
    place,
    { cause },
  );
}

/** What messages of the platform leave open. */
function hintFor(reason: string): string {
  if (/Class extends value undefined/.test(reason)) {
    return ": the class behind extends is not there, as fw.ApplicationService would be";
  }
  const [, name] = /'@fw\/runtime' does not provide an export named '(\w+)'/.exec(reason) ?? [];
  const near = name === undefined ? undefined : nearestName(name, EXPORTED);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** The values that applications import. */
const EXPORTED: readonly string[] = [
  ...[
    "fw",
    "createRuntime",
    "SELECT",
    "INSERT",
    "UPDATE",
    "UPSERT",
    "DELETE",
    "ApplicationService",
    "Service",
  ],
  ...["ServiceError", "ConfigurationError", "ServiceEvent", "ServiceRequest", "User", "EventContext"],
];

/** In messages of the platform at a terminal. */
// deno-lint-ignore no-control-regex -- that is what colours are made of
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Where CommonJS is no JavaScript: its errors do not say. As a function that nobody calls, nothing of it runs. */
async function syntaxPlace(file: string, cause: Error): Promise<CodePlace | undefined> {
  if (!(cause instanceof SyntaxError) || !isCommonJs(file)) return undefined;
  const source = `(function (exports, require, module, __filename, __dirname) {\n${readText(file)}\n})`;
  try {
    await import(`data:text/javascript,${encodeURIComponent(source)}`);
    return undefined; // what it requires has the mistake
  } catch (error) {
    const [, line, column] = /:(\d+):(\d+)\s*$/.exec((error as Error).message) ?? [];
    return line === undefined ? undefined : { file, line: Number(line) - 1, column: Number(column) };
  }
}

/** `.cjs`, and `.js` that exports or requires in the way of CommonJS and has no import or export declaration. */
function isCommonJs(file: string): boolean {
  if (file.endsWith(".cjs")) return true;
  if (!file.endsWith(".js")) return false;
  const text = readTextIfExists(file) ?? "";
  return /\bmodule\.exports\b|\bexports\.\w+\s*=|\brequire\s*\(/.test(text) &&
    !/^\s*(?:import\b(?!\s*\()|export\b)/m.test(text);
}
