/**
 * `deno task bundle [entry…] [--tests] [--node] [--any-size]`: `dist/edge.js`, the core with the compiled bookshop, or other
 * modules by their names in `dist`, for Workers and the like; prints their sizes. With `--tests` they may import more of
 * Node: tests that run in Workers do. With `--node` they are for Node, and may hold what server processes load as well. The
 * bundle of the example leaves out what `fw build --edge` would, and must not become larger than it is; nor may that of a
 * service that does without more parts. With `--any-size` both may: tests of what it does say nothing of sizes.
 *
 * @module
 */

import { build, type BuildOptions, type Plugin } from "esbuild";
import { toEnvironment } from "../src/config/environment.ts";
import { compileProject } from "../src/deno/build_project.ts";
import { absentModules, type PartChoice, partsLeftOut } from "../src/deno/bundle_parts.ts";
import { findDataFiles, loadData } from "../src/deno/load_data.ts";
import { loadTexts } from "../src/deno/load_texts.ts";
import { readConfiguration } from "../src/deno/read_configuration.ts";
import { linkModel } from "../src/model/link_model.ts";
import { type Toggled, withToggles } from "../src/model/toggles.ts";

/** Engines and channels that only server processes load, with their clients. */
const FOR_SERVERS =
  /src\/(?:messaging\/(?:brokers|file)|db\/(?:sqlite|postgres))\/|\/(?:@nats-io|amqplib|rhea|ioredis|postgres)@?[^/]*\//;
const PROJECT = "examples/bookshop";
/** What the example has at the edge. */
const EDGE_ENV = { requires: { db: { kind: "memory" } }, server: { live: false, index: false } };
/** Kilobytes that the bundle of the example may have, compressed: lowered whenever it gets smaller. */
const MOST_ZIPPED_KB = 380;
/** The same of one that does without more parts. */
const MOST_ZIPPED_SMALL_KB = 354;
const SMALL_WITHOUT = ["apply", "batch", "delta", "remote"];
const isExample = !Deno.args.some((arg) => !arg.startsWith("--"));
const mayGrow = Deno.args.includes("--any-size");
const isForNode = Deno.args.includes("--node");
const mayImport = isForNode || Deno.args.includes("--tests");
const entries = isExample ? ["examples/edge.ts"] : Deno.args.filter((arg) => !arg.startsWith("--"));

/** Names of the import map, those of tests too, as paths and packages, which is what esbuild understands. */
function aliases(): Record<string, string> {
  const { imports, scopes } = JSON.parse(Deno.readTextFileSync("import_map.json")) as {
    imports: Record<string, string>;
    scopes: Record<string, Record<string, string>>;
  };
  const names = Object.assign({}, ...Object.values(scopes), imports) as Record<string, string>;
  const entries = Object.entries(names).filter(([name]) => !name.endsWith("/")).map(([name, target]) => {
    const path = target.startsWith("./") ? `${Deno.cwd()}/${target.slice(2)}` : undefined;
    return [name, path ?? target.replace(/^npm:\/?((?:@[^/]+\/)?[^@/]+)@[^/]+/, "$1")];
  });
  return Object.fromEntries(entries.filter(([name, target]) => name !== target));
}

/** The project as the JSON the entry point expects. */
function projectJson({ model, toggles }: Toggled): string {
  const { env } = readConfiguration(PROJECT, { variables: {} });
  const complete = withToggles({ model, toggles });
  const data = loadData(findDataFiles(PROJECT, env, model), linkModel(complete), { remarks: env.remarks });
  const texts = [...loadTexts(PROJECT, env)].map(([locale, one]) => [locale, Object.fromEntries(one)]);
  return JSON.stringify({
    ...{ env: EDGE_ENV, model, toggles },
    ...{ data: Object.fromEntries(data), texts: Object.fromEntries(texts) },
  });
}

/** Leaves out what the project does not ask for. */
async function withoutParts(project: Toggled, choice?: PartChoice): Promise<Plugin> {
  const env = toEnvironment(EDGE_ENV);
  const absent = await absentModules(partsLeftOut({ ...project, env, program: await programText() }, choice));
  return {
    name: "parts",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        // esbuild takes paths where Deno takes URLs
        const contents = absent.get(`file://${path}`)?.replaceAll('"file://', '"');
        return contents === undefined ? undefined : { contents, loader: "ts" };
      }),
  };
}

/** The example without what it imports of the framework. */
async function programText(): Promise<string> {
  const external = ["@fw/runtime"];
  const { outputFiles } = await build({
    ...{ entryPoints: entries, bundle: true, write: false, format: "esm", external },
    define: { PROJECT: "{}" },
  });
  return outputFiles[0].text;
}

async function gzipSize(bytes: Uint8Array): Promise<number> {
  const stream = new Blob([bytes as BufferSource]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

const project = await compileProject(PROJECT);
const options: BuildOptions = {
  entryPoints: entries,
  outdir: "dist",
  // each by its name, wherever it lies
  entryNames: "[name]",
  bundle: true,
  minify: true,
  write: false,
  alias: aliases(),
  define: { PROJECT: projectJson(project) },
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["worker", "browser", "import"],
  external: ["node:*"],
  metafile: true,
  plugins: isExample ? [await withoutParts(project)] : [],
};

const { metafile, outputFiles } = await build(options);
const imports = Object.values(metafile!.outputs).flatMap((output) => output.imports.map((one) => one.path));
const foreign = imports.filter((path) => path !== "node:async_hooks");
if (foreign.length > 0 && !mayImport) {
  console.error(`The bundle may import node:async_hooks only, but imports ${foreign.join(", ")}`);
  Deno.exit(1);
}
const inside = Object.values(metafile!.outputs).flatMap(({ inputs }) => Object.keys(inputs));
const servers = inside.filter((path) => FOR_SERVERS.test(path));
if (servers.length > 0 && !isForNode) {
  console.error(`The bundle holds what only server processes load: ${servers.join(", ")}`);
  Deno.exit(1);
}
const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
Deno.mkdirSync("dist", { recursive: true });
Deno.writeTextFileSync("dist/package.json", '{ "type": "module" }\n');
for (const { path, contents } of outputFiles!) {
  Deno.writeFileSync(path, contents);
  const zippedBytes = await gzipSize(contents);
  console.log(`${path.slice(Deno.cwd().length + 1)}: min ${kB(contents.length)}, gzip ${kB(zippedBytes)}`);
  if (isExample) assertSmall("The bundle of the example", zippedBytes, MOST_ZIPPED_KB);
}
if (isExample) {
  const plugins = [await withoutParts(project, { without: SMALL_WITHOUT })];
  const { outputFiles } = await build({ ...options, plugins });
  const bytes = await gzipSize(outputFiles![0].contents);
  console.log(`without ${SMALL_WITHOUT.join(", ")}: gzip ${kB(bytes)}`);
  assertSmall("The bundle with fewer parts", bytes, MOST_ZIPPED_SMALL_KB);
}

function assertSmall(what: string, bytes: number, mostKB: number): void {
  if (mayGrow || bytes <= mostKB * 1000) return;
  console.error(`${what} is larger than ${mostKB} kB`);
  Deno.exit(1);
}
