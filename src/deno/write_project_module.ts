/**
 * A project as one module, for where no folders are read: at the edge, on Node, in one file with the program.
 *
 * @module
 */

import { relative } from "node:path";
import type { TextsByLocale } from "../i18n/text_bundles.ts";
import type { Environment } from "../config/environment.ts";
import { SCHEMA } from "../config/schema.ts";
import { knownPart } from "../config/validate.ts";
import { VERSION } from "../fw/version.ts";
import { linkModel } from "../model/link_model.ts";
import { type Toggled, withToggles } from "../model/toggles.ts";
import { compileProject } from "./build_project.ts";
import { findDataFiles, loadData } from "./load_data.ts";
import { findImplementations } from "./load_handlers.ts";
import { loadTexts } from "./load_texts.ts";
import { projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";
import { makeFolder, writeText } from "./text_files.ts";

/** Where the module lies in a project. */
const MODULE = "gen/project.ts";

const HEAD = `// deno-fmt-ignore-file
// deno-lint-ignore-file
// Written by \`fw build --module\`; changes get lost.
import type { RuntimeOptions } from "@fw/runtime";
`;

/** A project as it becomes part of a program. */
export interface PublishedProject extends Toggled {
  /** Root of the project. */
  readonly folder: string;
  readonly name: string;
  readonly version: string | undefined;
  /** The configuration of files that may be published. */
  readonly env: Environment;
  /** Names of the packages that plug themselves in where folders are read. */
  readonly plugins: readonly string[];
}

/**
 * Reads a project as it becomes part of a program.
 *
 * @param given root of the project
 * @param profiles names of profiles, separated by commas
 * @throws ConfigurationError when model or configuration are wrong
 */
export async function publishedProject(given: string, profiles = "production"): Promise<PublishedProject> {
  const folder = projectRoot(given);
  const options = { variables: { FW_ENV: profiles }, isPublished: true };
  const { name, version, env, plugins } = readConfiguration(folder, options);
  return {
    folder,
    name: typeof env.name === "string" ? env.name : name,
    version,
    env,
    plugins: plugins.map((plugin) => plugin.name),
    ...await compileProject(folder),
  };
}

/**
 * Writes `gen/project.ts`: model, feature toggles, texts, initial rows, the configuration of files that may be published,
 * and imports of the implementations, as options of `createRuntime`.
 *
 * @param project the project
 * @returns the path written
 * @throws ConfigurationError when rows are wrong, or the file cannot be written
 */
export async function writeProjectModule(project: PublishedProject): Promise<string> {
  const { folder, name, version, env, model, toggles } = project;
  const linked = linkModel(withToggles({ model, toggles }));
  const files = new Map(
    findImplementations(folder, linked, env).map(({ service, file }) => [service.name, file]),
  );
  const modules = [...new Set(files.values())];
  const { profiles: names, production: _production, ...configuration } = env;
  const lines = [
    HEAD,
    ...modules.map((file, index) =>
      `import * as module${index} from ${JSON.stringify(`../${relative(folder, file)}`)};\n`
    ),
    "\n/** What `createRuntime` takes. */\nexport const project = {\n",
    `  name: ${JSON.stringify(name)},\n`,
    ...(version === undefined ? [] : [`  version: ${JSON.stringify(version)},\n`]),
    `  profiles: ${JSON.stringify(names)},\n`,
    `  env: ${parsed(knownPart(configuration, SCHEMA))},\n`,
    `  model: ${parsed(model)},\n`,
    `  checked: ${JSON.stringify(VERSION)},\n`,
    `  toggles: ${parsed(toggles)},\n`,
    `  texts: new Map(${parsed(textEntries(loadTexts(folder, env)))}.map(`,
    "([locale, texts]: [string, [string, string][]]) => [locale, new Map(texts)])),\n",
    `  data: new Map(${
      parsed([...loadData(findDataFiles(folder, env, model), linked, { remarks: env.remarks })])
    }),\n`,
    "  handlers: {\n",
    ...[...files].map(([service, file]) =>
      `    ${JSON.stringify(service)}: module${modules.indexOf(file)},\n`
    ),
    "  },\n} satisfies RuntimeOptions;\n",
  ];
  await makeFolder(`${folder}/gen`);
  await writeText(`${folder}/${MODULE}`, lines.join(""));
  return `${folder}/${MODULE}`;
}

function textEntries(texts: TextsByLocale): unknown {
  return [...texts].map(([locale, one]) => [locale, [...one]]);
}

/** Parsed when the module is loaded: engines read JSON faster than literals, and do not look at their types. */
function parsed(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}
