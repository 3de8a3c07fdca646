/**
 * The `server.ts` of a project (api 1, `fw.server`).
 *
 * @module
 */

import type { Runtime } from "../fw/runtime.ts";
import { isFile } from "./text_files.ts";
import { loadModuleFile, moduleFailure } from "./require_module.ts";

const PLACES = ["server.ts", "server.js", "srv/server.ts", "srv/server.js"];

/**
 * Imports the `server.ts` or `server.js` of a project, if there is one. It registers listeners; a function it exports by
 * default is called instead of starting, and calls `fw.server()` when it wants that.
 *
 * @param folder root of the project
 * @param runtime handed to the function as part of its options
 * @throws ConfigurationError when the file cannot be imported
 */
export async function bootServer(folder: string, runtime: Runtime): Promise<void> {
  const file = serverFile(folder);
  if (file === undefined) return;
  const server = await loadServer(file);
  if (typeof server === "function") {
    await server({ root: folder, runtime, app: runtime.app, service: "all", from: "*" });
  }
}

/**
 * The path of that file.
 *
 * @param folder root of the project
 */
export function serverFile(folder: string): string | undefined {
  return PLACES.map((place) => `${folder}/${place}`).find(isFile);
}

/**
 * Loads it.
 *
 * @param file its path
 * @returns what it exports by default
 * @throws ConfigurationError when it cannot be loaded
 */
export async function loadServer(file: string): Promise<unknown> {
  try {
    const module = await loadModuleFile(file);
    return typeof module === "function" ? module : (module as { default?: unknown }).default;
  } catch (cause) {
    throw await moduleFailure("The server file cannot be loaded", file, cause);
  }
}
