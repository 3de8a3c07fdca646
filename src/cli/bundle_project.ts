/**
 * A project with its program, for servers and for the edge.
 *
 * @module
 */

import { absentModules, type PartChoice, partsLeftOut } from "../deno/bundle_parts.ts";
import { serverFile } from "../deno/boot_server.ts";
import { parseJsonWithComments } from "../deno/parse_json.ts";
import { makeFolder, readText, removeIfExists, writeText } from "../deno/text_files.ts";
import { type PublishedProject, writeProjectModule } from "../deno/write_project_module.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { configurationFile } from "./project_configuration.ts";
import { V8_FLAGS } from "./project_files.ts";

/** Where a bundle runs: in a process of Deno, or where there are only the interfaces of the web. */
export type BundleTarget = "server" | "edge";

const EDGE_ENTRY = `import { createRuntime } from "@fw/runtime";
import { project } from "./project.ts";

export default createRuntime(project);
`;

/** What a bundle is made from. */
export interface BundleOptions extends PartChoice {
  readonly target: BundleTarget;
  /** The module that is bundled, below the root of the project; default: one that serves the project as it is. */
  readonly main?: string;
}

/**
 * Writes `gen/edge.js`: the project and what it needs of the framework as one module, without what neither model nor
 * configuration asks for. Or `gen/server.mjs`, which loads the modules in `gen/server`: the configuration of a server is
 * complete at its start only, which then loads no more of the framework than this asks for.
 *
 * @param project the project
 * @param options target, main module, parts that are wanted or not
 * @returns the path written, and the parts that are left out
 * @throws ConfigurationError for unknown parts, and where the modules cannot be bundled
 */
export async function bundleProject(
  project: PublishedProject,
  { target, main, ...choice }: BundleOptions,
): Promise<{ readonly file: string; readonly leftOut: readonly string[] }> {
  const gen = `${project.folder}/gen`;
  await writeProjectModule(project);
  const entry = main === undefined ? `${gen}/${target}.ts` : `${project.folder}/${main}`;
  if (main === undefined) await writeText(entry, target === "edge" ? EDGE_ENTRY : serverEntry(project));
  const map = `${gen}/import_map.json`;
  const leftOut = target === "edge"
    ? partsLeftOut({ ...project, program: await programText(project.folder, entry) }, choice)
    : [];
  await writeText(map, JSON.stringify(await importMap(project.folder, leftOut)));
  const file = target === "edge" ? `${gen}/edge.js` : `${gen}/server.mjs`;
  const modules = `${gen}/server`;
  // parts have hashes in their names: those of the last bundle would stay
  if (target === "server") await removeIfExists(modules, { recursive: true });
  const output = target === "edge"
    ? ["--platform", "browser", "-o", file]
    : ["--platform", "deno", "--code-splitting", "--outdir", modules];
  await runBundler(["--import-map", map, ...output, entry]);
  if (target === "server") {
    await requireLate(modules);
    await writeText(file, serverModule(entry), { mode: 0o755 });
  }
  for (const made of [map, absentFolder(project.folder)]) await removeIfExists(made, { recursive: true });
  return { file, leftOut };
}

/** What the framework is imported by. */
const FRAMEWORK = ["@fw/runtime", "@fw/runtime/*", "@sap/cds", "@sap/cds/*"];

/** The program as it is without the framework, and without the JSON of model, texts and rows. */
async function programText(folder: string, entry: string): Promise<string> {
  const [map, file] = [`${folder}/gen/program_map.json`, `${folder}/gen/program.js`];
  try {
    await writeText(map, JSON.stringify(await importMap(folder, [])));
    const external = FRAMEWORK.flatMap((name) => ["--external", name]);
    await runBundler(["--import-map", map, "--platform", "browser", ...external, "-o", file, entry]);
    return readText(file).replace(/JSON\.parse\((["'`])(?:\\.|(?!\1)[^\\])*\1\)/gs, "");
  } finally {
    for (const made of [map, file]) await removeIfExists(made);
  }
}

/**
 * Starts as a folder does, with its `server.ts`. The body of the module neither calls nor awaits the start: V8 reads the
 * text of each function below an error again, to know its lines, and that body is the whole bundle.
 */
function serverEntry({ folder, plugins }: PublishedProject): string {
  if (plugins.length > 0) {
    const names = plugins.join(", ");
    throw new ConfigurationError(`${names}: plugins take part where folders are read only; serve the folder`);
  }
  const file = serverFile(folder);
  const boot = file === undefined ? "" : `, boot: async (runtime) => {
  const { default: server } = await import(${JSON.stringify(`..${file.slice(folder.length)}`)});
  if (typeof server === "function") await server({ root: Deno.cwd(), runtime });
} `;
  return `// deno-fmt-ignore-file
import { serveModule } from "@fw/runtime/deno";
import { project } from "./project.ts";

queueMicrotask(() => serveModule({ ...project${boot} }));
`;
}

/** A program that exports what the bundled module does; a default where it has one. */
function serverModule(entry: string): string {
  const [, name] = /([^/]+?)(?:\.\w+)?$/.exec(entry)!;
  const module = JSON.stringify(`./server/${name}.js`);
  return `#!/usr/bin/env -S deno run -A --v8-flags=${V8_FLAGS}
import * as main from ${module};
export * from ${module};
export default main.default;
`;
}

/** What the bundler puts before its helpers, so that modules may require. */
const CREATE_REQUIRE =
  /import\s*\{\s*createRequire as (\w+)\s*\}\s*from\s*"node:module";\s*var (\w+)\s*=\s*\1\(import\.meta\.url\);/;

/** Loads the loader of Node.js with the first module that is required: it takes a tenth of a start. */
async function requireLate(modules: string): Promise<void> {
  for (const { name } of Deno.readDirSync(modules)) {
    const text = readText(`${modules}/${name}`);
    const late = text.replace(
      CREATE_REQUIRE,
      'var $2=(name)=>globalThis.process.getBuiltinModule("node:module").createRequire(import.meta.url)(name);',
    );
    if (late !== text) await writeText(`${modules}/${name}`, late);
  }
}

function absentFolder(folder: string): string {
  return `${folder}/gen/absent`;
}

/** The imports of the project, and what stands in place of parts that are left out. */
async function importMap(folder: string, leftOut: readonly string[]): Promise<unknown> {
  const { imports, scopes } = resolvedImports(configurationFile(folder));
  const absent = absentFolder(folder);
  await removeIfExists(absent, { recursive: true });
  if (leftOut.length > 0) await makeFolder(absent);
  const replaced: Record<string, string> = {};
  for (const [index, [url, text]] of [...await absentModules(leftOut)].entries()) {
    await writeText(`${absent}/${index}.js`, text);
    replaced[url] = `file://${absent}/${index}.js`;
  }
  return { imports: { ...imports, ...replaced }, scopes };
}

interface ImportMap {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The imports of a configuration of Deno, or of the map that it names, wherever the new map lies. */
function resolvedImports(file: string | undefined): ImportMap {
  if (file === undefined) return { imports: {}, scopes: {} };
  const { importMap, imports = {}, scopes = {} } = parseJsonWithComments(readText(file), file) as
    & Partial<ImportMap>
    & { readonly importMap?: string };
  const base = new URL(importMap ?? file, `file://${file}`);
  if (importMap !== undefined) return resolvedImports(decodeURIComponent(base.pathname));
  return {
    imports: resolved(imports, base),
    scopes: Object.fromEntries(
      Object.entries(scopes).map(([scope, own]) => [new URL(scope, base).href, resolved(own, base)]),
    ),
  };
}

function resolved(imports: ImportMap["imports"], base: URL): Record<string, string> {
  const absolute = (name: string) => /^\.{0,2}\//.test(name) ? new URL(name, base).href : name;
  return Object.fromEntries(
    Object.entries(imports).flatMap(([name, target]) => {
      const entry = [absolute(name), absolute(target)] as const;
      const isPackage = /^(?:jsr|npm):[^/]/.test(target) && !name.endsWith("/");
      // as Deno does for imports of configurations
      return isPackage ? [entry, [`${name}/`, `${target.replace(":", ":/")}/`] as const] : [entry];
    }),
  );
}

async function runBundler(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--minify", "--quiet", ...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).output();
  if (success) return;
  throw new ConfigurationError(`The project cannot be bundled: ${new TextDecoder().decode(stderr).trim()}`);
}
