/**
 * Serves this folder: `deno task start`.
 *
 * @module
 */

import { serveProject } from "@fw/runtime/deno";

await serveProject(import.meta.dirname!);
