/**
 * `fw build [folder] [--module] [--profile NAME]`
 *
 * @module
 */

import { buildProject } from "../deno/build_project.ts";
import { writeProjectModule } from "../deno/write_project_module.ts";
import { writeSoftwareBill } from "../deno/software_bill.ts";
import type { Command } from "./parse_command.ts";

/** What `fw help build` prints. */
export const BUILD_HELP = `Usage: fw build [folder] [options]

Writes the compiled model to gen/csn.json, from which production starts.

  --module         writes gen/project.ts instead: model, texts, initial rows, configuration and handlers as one
                   module, for where no folders are read: createRuntime(project), bundled for the edge or for Node
  --sbom           writes gen/sbom.json instead: the packages of deno.lock with their hashes (CycloneDX)
  --profile NAME   whose configuration the module has; default: production. Neither .env nor .cdsrc-private.json
                   nor variables become part of it

Examples: fw build
          fw build my-shop --module --profile production`;

/** Writes the compiled model of a project, or all of it as a module. */
export async function buildCommand({ words: [folder = Deno.cwd()], options }: Command): Promise<number> {
  const { profile } = options;
  if (options.sbom === true) {
    console.log(`wrote ${await writeSoftwareBill(folder)}`);
    return 0;
  }
  const written = options.module === undefined
    ? await buildProject(folder)
    : await writeProjectModule(folder, typeof profile === "string" ? profile : undefined);
  console.log(`wrote ${written}`);
  return 0;
}
