/**
 * Reads the configuration of a project folder from all its sources (design 12).
 *
 * @module
 */

import {
  bindingsToSource,
  parseDotenv,
  parseVcapServices,
  profilesOf,
  type ServiceBinding,
  variablesToSources,
} from "../config/environment_variables.ts";
import { type ConfigurationSource, createEnvironment, type Environment } from "../config/environment.ts";
import { misspeltProfiles, unknownProfiles } from "../config/unknown_profiles.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { jsonKeyLine, jsonOr } from "../util/json_text.ts";
import { isFile, listFiles, readText, readTextIfExists } from "./text_files.ts";
import { doubledKeys, parseJson, parseJsonWithComments } from "./parse_json.ts";
import type { Plugin } from "./load_plugins.ts";
import { packageFolder } from "./project_root.ts";
import { parseYaml } from "./parse_yaml.ts";

/** What a project folder says about itself. */
export interface ProjectConfiguration {
  /** Name of the package without scope; else the name of the folder. */
  readonly name: string;
  readonly version?: string;
  readonly env: Environment;
  /** The variable `PORT`, which platforms set. */
  readonly port: number | undefined;
  /** Names of the files that were read, for the start message. */
  readonly files: readonly string[];
  /** Packages that plug themselves in. */
  readonly plugins: readonly Plugin[];
  /** What is probably not meant, for the start message: profiles that nothing is known of. */
  readonly warnings: readonly string[];
}

/** What the caller adds. */
export interface ConfigurationOptions {
  /** Environment variables; default: those of the process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Configuration in code, which wins over all other sources. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** The profiles where no variable names any; default: `development`. */
  readonly profiles?: readonly string[];
  /** Whether what is read becomes part of a program: files that are for this machine only are left out. */
  readonly isPublished?: boolean;
}

/**
 * Reads and merges: `fw` in `package.json` and `deno.json` or `deno.jsonc`, `.fwrc.json`, `.env`, environment variables, service
 * bindings, code. The names `cds`, `.cdsrc.yaml`, `.cdsrc.json`, `.cdsrc-private.json` and `CDS_…` of existing projects
 * are read before ours, after the defaults of their plugins.
 *
 * @param folder the root of the project
 * @throws ConfigurationError with file, line, key and the nearest known name
 */
export function readConfiguration(folder: string, options: ConfigurationOptions = {}): ProjectConfiguration {
  const packages = ["package.json", "deno.json", "deno.jsonc"].flatMap((file) =>
    readObject(folder, file) ?? []
  );
  const { isPublished = false } = options;
  const { variables, otherLines } = readVariables(folder, options);
  const cdsFiles = [".cdsrc.yaml", ".cdsrc.yml", ".cdsrc.json", ".cdsrc-private.json"]
    .filter((file) => !isPublished || file !== ".cdsrc-private.json")
    .flatMap((file) => asCds(readObject(folder, file)) ?? []);
  const rcFiles = [...cdsFiles, ...[readObject(folder, ".fwrc.json") ?? []].flat()];
  const plugins = pluginsOf(folder, packages);
  const sources: ConfigurationSource[] = [
    ...plugins.flatMap(pluginDefaults),
    ...existingDefaults(packages, cdsFiles),
    ...packages.flatMap((file) => asCds(configurationOf(file, "cds")) ?? []),
    ...packages.flatMap((file) => configurationOf(file, "fw") ?? []),
    ...rcFiles,
    ...variablesToSources(variables, "CDS"),
    ...variablesToSources(variables),
  ];
  const code = options.env ? [{ name: "code", value: options.env, isCode: true }] : [];
  const profiles = withOwnProfiles(profilesOf(variables, options.profiles), sources);
  sources.push(...boundSources(variables, [...sources, ...code], profiles), ...code);
  const described = packages.map((file) => file.value).reduce((a, b) => ({ ...a, ...b }), {});
  const env = createEnvironment(
    sources,
    profiles,
    (name) => packages.flatMap((file) => memberOf(file, name) ?? []),
  );
  for (const [file, line] of otherLines) {
    env.remarks.add("Expected NAME=value in one line, and comments behind #: the line is left out", {
      file,
      line,
    });
  }
  for (const file of packages) remarkDoubledKeys(file, env, ["cds", "fw"]);
  for (const file of rcFiles) remarkDoubledKeys(file, env);
  return {
    name: packageName(described.name) ?? folder.replace(/\/+$/, "").split("/").at(-1) ?? "app",
    version: typeof described.version === "string" ? described.version : undefined,
    env,
    port: portOf(variables.PORT),
    files: [...packages, ...rcFiles].map((source) => source.name),
    plugins,
    warnings: [...unknownProfiles(profiles, sources), ...misspeltProfiles(profiles, sources)],
  };
}

/** The configuration of a project that is one module. */
export interface ModuleConfiguration {
  readonly env: Environment;
  /** The variable `PORT`. */
  readonly port: number | undefined;
}

/**
 * The configuration of a project that is one module: what the module says, then environment variables and service bindings.
 *
 * @param given configuration and profiles of the module
 * @param variables environment variables; default: those of the process
 * @throws ConfigurationError for an unknown or ill-typed key
 */
export function configurationOfModule(
  { env = {}, profiles: own }: ModuleSettings,
  variables: Readonly<Record<string, string>> = Deno.env.toObject(),
): ModuleConfiguration {
  const sources: readonly ConfigurationSource[] = [
    { name: "the module of the project", value: env },
    ...variablesToSources(variables, "CDS"),
    ...variablesToSources(variables),
  ];
  const profiles = profilesOf(variables, own);
  const bound = boundSources(variables, sources, profiles);
  return { env: createEnvironment([...sources, ...bound], profiles), port: portOf(variables.PORT) };
}

/** What a module says about its configuration. */
export interface ModuleSettings {
  /** Configuration below `fw`. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** Names of profiles. */
  readonly profiles?: readonly string[];
}

/** What service bindings say; what the other sources say decides which binding counts. */
function boundSources(
  variables: Readonly<Record<string, string>>,
  sources: readonly ConfigurationSource[],
  profiles: readonly string[],
): readonly ConfigurationSource[] {
  const bindings = readBindings(variables);
  if (bindings.length === 0) return [];
  const pinned = createEnvironment(sources, profiles).requires.auth?.binding;
  return [bindingsToSource(bindings, pinned as string | undefined)!];
}

function portOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new ConfigurationError(`Environment variable PORT must be a port number, but is "${text}"`);
}

function packageName(name: unknown): string | undefined {
  return typeof name === "string" ? name.replace(/^@[^/]+\//, "") : undefined;
}

function readObject(folder: string, file: string): ConfigurationSource | undefined {
  const text = readTextIfExists(`${folder}/${file}`);
  if (text === undefined) return undefined;
  const value = parserOf(file)(text, file);
  if (isPlainObject(value)) return { name: file, value, text };
  throw new ConfigurationError("Expected a JSON object", { file, line: 1 });
}

/** Only the last of two equal keys counts, which nobody means; YAML has no such keys. */
function remarkDoubledKeys(
  { name: file, text }: ConfigurationSource,
  { remarks }: Environment,
  within?: readonly string[],
): void {
  if (text === undefined || /\.ya?ml$/.test(file)) return;
  for (const { path, line } of doubledKeys(text)) {
    if (within && !within.includes(path[0]!)) continue;
    remarks.add(`"${path.join(".")}" stands here twice: only the last one counts`, { file, line });
  }
}

function parserOf(file: string): (text: string, file: string) => unknown {
  if (/\.ya?ml$/.test(file)) return parseYaml;
  return file.startsWith("deno.") ? parseJsonWithComments : parseJson;
}

function asCds(source: ConfigurationSource | undefined): ConfigurationSource | undefined {
  return source && { ...source, dialect: "cds" };
}

/** Variables by name, and the first line of each file that holds none. */
interface Variables {
  readonly variables: Record<string, string>;
  readonly otherLines: ReadonlyMap<string, number>;
}

/** Variables of the process, before those of `.env` and `.<profile>.env`, which are for this machine only. */
function readVariables(folder: string, options: ConfigurationOptions): Variables {
  const process = options.variables ?? Deno.env.toObject();
  const otherLines = new Map<string, number>();
  if (options.isPublished) return { variables: process, otherLines };
  const read = (file: string) =>
    parseDotenv(readTextIfExists(`${folder}/${file}`) ?? "", (line) => {
      if (!otherLines.has(file)) otherLines.set(file, line);
    });
  const first = { ...read(".env"), ...process };
  const profiles = profilesOf(first, options.profiles);
  const variables = {
    ...first,
    ...Object.assign({}, ...profiles.map((profile) => read(`.${profile}.env`))),
    ...process,
  };
  return { variables, otherLines };
}

/** Existing projects name profiles that are always in effect by `profile` and `profiles`. */
function withOwnProfiles(
  profiles: readonly string[],
  sources: readonly ConfigurationSource[],
): readonly string[] {
  const named = sources.filter(({ dialect }) => dialect === "cds")
    .flatMap(({ value }) => [value.profiles ?? value.profile ?? []].flat())
    .filter((name): name is string => typeof name === "string" && name !== "production");
  return [...new Set([...named, ...profiles])];
}

/**
 * What existing projects take for granted: mock users are known by their plain names, queries give bytes as bytes, UUIDs are
 * any texts.
 */
function existingDefaults(
  packages: readonly ConfigurationSource[],
  cdsFiles: readonly ConfigurationSource[],
): readonly ConfigurationSource[] {
  const isExisting = cdsFiles.length > 0 ||
    packages.some((file) => file.value.cds !== undefined || needsCds(file));
  if (!isExisting) return [];
  return [{ name: "defaults of existing projects", dialect: "cds", value: EXISTING }];
}

const EXISTING = {
  requires: { auth: { id_prefix: "" } },
  features: { base64_binaries: false, strict_uuid: false },
};

function needsCds({ value }: ConfigurationSource): boolean {
  return [value.dependencies, value.devDependencies, value.peerDependencies].some((one) =>
    isPlainObject(one) && Object.keys(one).some((name) => /^@(?:sap\/cds$|cap-js\/)/.test(name))
  );
}

/** The packages among the dependencies that have a `cds-plugin.js`. */
function pluginsOf(folder: string, packages: readonly ConfigurationSource[]): readonly Plugin[] {
  const names = packages.flatMap(({ value }) =>
    [value.dependencies, value.devDependencies].filter(isPlainObject).flatMap((one) => Object.keys(one))
  );
  return [...new Set(names)].flatMap((name) => {
    const root = packageFolder(folder, name);
    const file = `${root}/cds-plugin.js`;
    return root !== undefined && isFile(file) ? [{ name, file }] : [];
  });
}

/** What a plugin says as defaults. */
function pluginDefaults({ name, file }: Plugin): readonly ConfigurationSource[] {
  const described = readObject(file.slice(0, file.lastIndexOf("/")), "package.json");
  const defaults = described && memberOf(described, "cds");
  return defaults ? [{ ...asCds(defaults)!, name: `package.json of ${name}`, isForeign: true }] : [];
}

function memberOf(file: ConfigurationSource, key: string): ConfigurationSource | undefined {
  const value = file.value[key];
  return isPlainObject(value) ? { ...file, value } : undefined;
}

function configurationOf(file: ConfigurationSource, key: string): ConfigurationSource | undefined {
  if (file.value[key] === undefined) return undefined;
  const member = memberOf(file, key);
  if (member) return member;
  const line = jsonKeyLine(file.text ?? "", [key]);
  throw new ConfigurationError(`"${key}" must be an object`, { file: file.name, line });
}

function readBindings(variables: Readonly<Record<string, string>>): readonly ServiceBinding[] {
  const bindings = variables.VCAP_SERVICES ? [...parseVcapServices(variables.VCAP_SERVICES)] : [];
  const root = variables.SERVICE_BINDING_ROOT;
  if (!root) return bindings;
  for (const entry of readBindingRoot(root)) {
    if (!entry.isDirectory) continue;
    const files = listFiles(`${root}/${entry.name}`, "")
      .map((file) => [file.slice(file.lastIndexOf("/") + 1), readText(file).trim()] as const)
      .filter(([name]) => !name.startsWith("."));
    const type = files.find(([name]) => name === "type")?.[1];
    const credentials = files.filter(([name]) => name !== "type").map((
      [name, text],
    ) => [name, toMember(text)]);
    bindings.push({
      name: entry.name,
      label: type ?? entry.name,
      credentials: Object.fromEntries(credentials),
    });
  }
  return bindings;
}

/** Lists and objects stand in the files as JSON, everything else as text. */
function toMember(text: string): unknown {
  return /^[[{]/.test(text) ? jsonOr(text, text) : text;
}

function readBindingRoot(root: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(root)];
  } catch (cause) {
    throw new ConfigurationError(`SERVICE_BINDING_ROOT names ${root}, which cannot be read`, {}, { cause });
  }
}
