/**
 * Loading what a start of a project would load, without a start.
 *
 * @module
 */

import { loadServer, serverFile } from "./boot_server.ts";
import { findInitModules } from "./load_data.ts";
import { loadImplementations } from "./load_handlers.ts";
import { loadProject } from "./load_project.ts";
import { loadModuleFile, moduleFailure } from "./require_module.ts";

/**
 * Loads the modules of a project: plugins, handlers, `server.ts`, those that add initial rows. Nothing is opened, and what
 * they export is not called. Afterwards what they import is in the cache of Deno.
 *
 * @param given root of the project
 * @returns the paths of the modules, without plugins
 * @throws ConfigurationError for a module that cannot be loaded, or implements no service
 */
export async function loadModules(given: string): Promise<readonly string[]> {
  const { folder, implementations, runtime } = await loadProject(given);
  await loadImplementations(implementations, runtime.env);
  const server = serverFile(folder);
  if (server !== undefined) await loadServer(server);
  const initial = findInitModules(folder, runtime.env, runtime.model);
  for (const file of initial) {
    await loadModuleFile(file).catch(async (cause) => {
      throw await moduleFailure("The module cannot be loaded", file, cause);
    });
  }
  return [...new Set(implementations.map(({ file }) => file)), ...server ? [server] : [], ...initial];
}
