/**
 * Bundled modules in the real `workerd` with its databases, by `miniflare`.
 *
 * @module
 */

import { Miniflare, type MiniflareOptions } from "miniflare";
import { bundleModules } from "./bundle_modules.ts";

/** A running module. */
export interface ModuleServer {
  /** Sends a request. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * Bundles a module and serves it.
 *
 * @param entry path of the module
 * @param options its databases and objects; with `nodejs_compat` the module may import more of Node, as tests do
 */
export async function startModule(
  entry: string,
  options: Partial<MiniflareOptions> & { readonly compatibilityFlags?: readonly string[] },
): Promise<ModuleServer> {
  const flags = options.compatibilityFlags ?? ["nodejs_als"];
  const mode = flags.includes("nodejs_compat") ? ["--tests"] : [];
  const [output] = await bundleModules([entry], mode);
  const server = new Miniflare({
    ...options,
    compatibilityDate: "2026-04-01",
    compatibilityFlags: [...flags],
    modules: [{ type: "ESModule", path: "edge.js", contents: await Deno.readTextFile(output!) }],
  } as MiniflareOptions);
  return {
    fetch: async (path, init) =>
      await server.dispatchFetch(`http://localhost${path}`, init as never) as unknown as Response,
    stop: () => server.dispose(),
  };
}
