/**
 * Serves this folder on port 4005: `deno run -A examples/reviews/main.ts`.
 *
 * @module
 */

import { serveProject } from "@fw/runtime/deno";

await serveProject(import.meta.dirname!);
