/**
 * Everything of a server process: loading a project folder, SQLite, the file channel, serving.
 *
 * @example Serving a folder
 * ```ts ignore
 * import { serveProject } from "@fw/runtime/deno";
 *
 * const server = await serveProject("examples/bookshop", { port: 0 });
 * await server.stop();
 * ```
 *
 * @module
 */

export {
  type ModuleServeOptions,
  type RunningServer,
  serveModule,
  type ServeOptions,
  serveProject,
} from "./serve_project.ts";
export { loadProject, type Project, type ProjectOptions } from "./load_project.ts";
export { denoKinds } from "./deno_kinds.ts";
export type { FoundImplementation } from "./load_handlers.ts";
