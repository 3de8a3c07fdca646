/**
 * `fw build [folder] [--module | --server | --edge] [--profile NAME]`
 *
 * @module
 */

import { buildProject } from "../deno/build_project.ts";
import { loadModules } from "../deno/load_modules.ts";
import { publishedProject, writeProjectModule } from "../deno/write_project_module.ts";
import { writeSoftwareBill } from "../deno/software_bill.ts";
import { bundleProject, type BundleTarget } from "./bundle_project.ts";
import { type Command, UsageError } from "./parse_command.ts";
import { V8_FLAGS } from "./project_files.ts";
import { showProgress } from "./terminal_text.ts";

/** What `fw help build` prints. */
export const BUILD_HELP = `Usage: fw build [folder] [options]

Writes the compiled model to gen/csn.json, from which production starts.

  --module         writes gen/project.ts instead: model, texts, initial rows, configuration and handlers as one
                   module, for where no folders are read: createRuntime(project), bundled for the edge or for Node
  --server         writes gen/server.mjs, a program that deno runs: that module with the framework, whose modules in
                   gen/server are loaded as the configuration asks for them
  --edge           writes gen/edge.js: the same as a module for Workers and the like, without the parts of the framework
                   that neither the model, the configuration nor the program asks for
  --main FILE      the module that --server or --edge bundles, such as main.ts; default: one that serves the project
  --with PARTS     parts that --edge is not to leave out: remote,openapi
  --without PARTS  parts that it is to leave out: apply,batch
  --load           loads handlers and plugins afterwards, as a start does: mistakes in them end the build, and what
                   they import is in the cache of Deno then, for servers that download nothing
  --sbom           writes gen/sbom.json instead: the packages of deno.lock with their hashes (CycloneDX)
  --profile NAME   whose configuration the module has; default: production. Neither .env nor .cdsrc-private.json
                   nor variables become part of it; a server reads variables at its start

Examples: fw build
          fw build my-shop --module --profile production
          fw build --server && gen/server.mjs
          deno run -A --v8-flags=${V8_FLAGS} gen/server.mjs
          fw build --edge --without apply`;

/** Writes the compiled model of a project, or all of it as a module. */
export async function buildCommand({ words: [folder = Deno.cwd()], options }: Command): Promise<number> {
  if (options.sbom === true) {
    console.log(`wrote ${await writeSoftwareBill(folder)}`);
    return 0;
  }
  const target = targetOf(options);
  const alone = ["main", "with", "without"].find((name) => options[name] !== undefined);
  if (target === undefined && alone !== undefined) {
    throw new UsageError(`--${alone} is about a bundle: expected --server or --edge with it`);
  }
  if (options.load === true && (target !== undefined || options.module === true)) {
    throw new UsageError(
      "--load is about a folder that is served: expected it without --module, --server and --edge",
    );
  }
  if (target === undefined && options.module === undefined) {
    console.log(`wrote ${await buildProject(folder)}`);
    if (options.load === true) {
      console.log(`loaded ${(await loadModules(folder)).join(", ") || "no modules"}`);
    }
    return 0;
  }
  const { profile, main } = options;
  const project = await publishedProject(folder, typeof profile === "string" ? profile : undefined);
  if (target === undefined) {
    console.log(`wrote ${await writeProjectModule(project)}`);
    return 0;
  }
  showProgress(`bundling a model of ${Object.keys(project.model.definitions ?? {}).length} definitions`);
  const { file, leftOut } = await bundleProject(project, {
    target,
    main: typeof main === "string" ? main : undefined,
    with: listed(options.with),
    without: listed(options.without),
  }).finally(() => showProgress());
  console.log(`wrote ${file}${leftOut.length > 0 ? ` without ${leftOut.join(", ")}` : ""}`);
  return 0;
}

function targetOf({ server, edge, module }: Command["options"]): BundleTarget | undefined {
  const named = (["server", "edge", "module"] as const).filter((name) => ({ server, edge, module })[name]);
  if (named.length > 1) throw new UsageError(`fw build takes one of --${named.join(" and --")}`);
  return named[0] === "module" ? undefined : named[0];
}

function listed(option: string | true | undefined): readonly string[] {
  return typeof option === "string" ? option.split(",").map((one) => one.trim()) : [];
}
