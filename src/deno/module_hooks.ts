/**
 * How modules of projects find each other: as the tools find them that their authors use. Where the platform finds a
 * module itself, nothing changes.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { isPlainObject } from "../util/is_plain_object.ts";
import { activateAnswers, answerOf, answerOfAbsent, isModule, packageEntry } from "./answered_modules.ts";
import { hasRuntime } from "../fw/current.ts";
import { compileDecorators, hasDecorator } from "./compile_decorators.ts";
import { isFile, readTextIfExists } from "./text_files.ts";
import { modelledFolder, modelledNames, modelNumber } from "./modelled_names.ts";
import { nodeModule } from "../platform/node_module.ts";
import { parseJsonWithComments } from "./parse_json.ts";

interface Context {
  readonly parentURL?: string;
  readonly conditions?: readonly string[];
  readonly importAttributes?: { readonly type?: string };
}

interface Resolved {
  readonly url: string;
  readonly format?: string;
  readonly shortCircuit?: boolean;
}

interface Loaded {
  readonly format?: string;
  readonly source?: unknown;
  readonly shortCircuit?: boolean;
}

type Resolve = (specifier: string, context: Context) => Resolved;
type Load = (url: string, context: Context) => Loaded;

/** Members of the platform that its types leave out. */
interface Hooks {
  readonly registerHooks?: (hooks: {
    resolve(specifier: string, context: Context, next: Resolve): Resolved;
    load(url: string, context: Context, next: Load): Loaded;
  }) => void;
}

/** Scheme of modules that are made of values. */
const SCHEME = "fw-answer:";

/** What files are called whose names are written without ending; names of compiled files mean their sources. */
const ENDINGS = [".ts", ".js", ".mjs", ".cjs", ".mts", ".json", "/index.ts", "/index.js"];

/** What only modules in CommonJS have. */
const COMMON_JS = /\brequire\s*\(|\bmodule\.exports\b|\b__(?:dir|file)name\b/;
const OWN_COMMON_JS = /\bimport\.meta\b|\b(?:const|let|var)\s+(?:require|module|__dirname|__filename)\b/;

/** Values of modules that are made of them, by URL. */
const values: Map<string, unknown> = new Map();

/** Names that such modules export without value. */
const absentNames: Map<string, readonly string[]> = new Map();

let isActive = false;

/** Begins to find modules of projects. */
export function activateHooks(): void {
  if (isActive) return;
  isActive = true;
  activateAnswers();
  Object.defineProperty(globalThis, Symbol.for("fw.answeredModules"), { value: values });
  (nodeModule("node:module") as unknown as Hooks).registerHooks?.({ resolve, load });
}

function resolve(specifier: string, context: Context, next: Resolve): Resolved {
  const { parentURL: parent = "", conditions = [] } = context;
  if (
    conditions.includes("require") || !parent.startsWith("file:") ||
    nodeModule("node:module").isBuiltin(specifier)
  ) {
    return next(specifier, context);
  }
  const answer = specifier === "@fw/runtime" ? undefined : answerOf(specifier);
  if (answer) return answered(specifier, answer.exports());
  if (!isReadable(parent)) return next(specifier, context);
  const importing = { specifier, parent };
  // generated files may be older than the model
  const types = typesNamed(specifier, importing);
  if (types) return types;
  const found = next(specifier, context);
  if (specifier.startsWith("#")) return elsewhere(specifier, parent) ?? found;
  if (!found.url.startsWith("file:") || !isReadable(found.url)) return found;
  if (isFile(new URL(found.url))) return ofPackage(found, importing);
  const isPath = /^(?:\.{0,2}\/|\.\.?$|file:)/.test(specifier);
  const file = isPath ? existing(found.url) : undefined;
  if (file !== undefined) return ofPackage({ url: file, shortCircuit: true }, importing);
  return (isPath ? undefined : elsewhere(specifier, parent)) ?? found;
}

/** Whether this process may look at a file: packages in the cache of Deno are loaded without permission. */
function isReadable(url: string): boolean {
  return Deno.permissions.querySync({ name: "read", path: pathOf(url) }).state === "granted";
}

/** A name that the project gives its own files, or a package. */
function elsewhere(specifier: string, parent: string): Resolved | undefined {
  const own = ownFile(specifier, parent);
  if (own) return own;
  const folder = pathOf(new URL(".", parent).href).replace(/\/$/, "");
  const entry = packageEntry(specifier, folder, ["node", "require"]) ??
    packageEntry(specifier, folder, ["node", "import"]);
  if (entry !== undefined) {
    return ofPackage({ url: pathToFileURL(entry).href, shortCircuit: true }, { specifier, parent });
  }
  const absent = answerOfAbsent(specifier);
  if (absent) return answered(specifier, absent.exports());
  if (/^[\w-]+:/.test(specifier)) return undefined;
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  throw new Error(
    `The package "${name}" is not installed: deno add npm:${name}, or npm install ${name}${
      importedAt(specifier, parent)
    }`,
  );
}

/** Where a module imports a name, as the platform says it at the end of its messages. */
function importedAt(specifier: string, parent: string): string {
  const text = readTextIfExists(pathOf(parent)) ?? "";
  const at = Math.max(text.indexOf(`"${specifier}"`), text.indexOf(`'${specifier}'`));
  const before = text.slice(0, at).split("\n");
  return at < 0 ? "" : `\n    at ${parent}:${before.length}:${before.at(-1)!.length + 1}`;
}

/** A file of a package that is in CommonJS is loaded by `require`; the platform would take it for ESM. */
function ofPackage(found: Resolved, importing: Importing): Resolved {
  if (!found.url.includes("/node_modules/")) return found;
  const file = pathOf(found.url);
  if (isModule(file)) return found;
  const value = nodeModule("node:module").createRequire(found.url)(file);
  return /\.m?ts$/.test(importing.parent) ? answered(file, value, importing) : answered(file, value);
}

/**
 * The module of a value: its members are what the module exports, and undefined those that are imported beside them: types
 * that decorators ask for, and names that generated types lack.
 */
function answered(name: string, value: unknown, importing?: Importing): Resolved {
  const known = new Set(namesOf(value));
  const absent = importing ? importedNames(importing).filter((one) => !known.has(one)) : [];
  const url = SCHEME + encodeURIComponent([name, ...absent].join("&"));
  values.set(url, value);
  absentNames.set(url, absent);
  return { url, format: "module", shortCircuit: true };
}

function load(url: string, context: Context, next: Load): Loaded {
  if (url.startsWith(SCHEME)) return { format: "module", source: moduleOf(url), shortCircuit: true };
  if (context.conditions?.includes("require")) return required(url, context, next);
  if (!isOfProject(url)) return next(url, context);
  const text = readTextIfExists(pathOf(url)) ?? "";
  if (url.endsWith(".json")) {
    const isDeclared = context.importAttributes?.type === "json";
    return isDeclared
      ? next(url, context)
      : { format: "module", source: `export default ${text}`, shortCircuit: true };
  }
  const isTypeScript = /\.m?ts$/.test(url);
  const compiled = isTypeScript && hasDecorator(text) ? compileDecorators(text, pathOf(url)) : undefined;
  const loaded = compiled === undefined ? next(url, context) : { format: "module", source: compiled };
  if (typeof loaded.source !== "string") return loaded;
  const source = isTypeScript ? withoutTypes(asModule(loaded.source), url) : loaded.source;
  const isCommonJs = COMMON_JS.test(source) && !OWN_COMMON_JS.test(text);
  if (!isCommonJs && source === loaded.source && compiled === undefined) return loaded;
  return { ...loaded, source: isCommonJs ? withCommonJs(source) : source, shortCircuit: true };
}

/** What TypeScript exports and imports as a whole, where it imports in the way of ES modules as well. */
function asModule(source: string): string {
  return source.replace(/^export\s*=(?!=)/m, "export default")
    .replace(/^import\s+([\w$]+)\s*=\s*require\s*\(/gm, "const $1 = require(");
}

const RE_EXPORT = /\bexport\s*\{([^}]*)\}\s*from\s*(["'])(\.{1,2}\/[^"'\n]+)\2/g;
const EXPORTED_TYPE = /^\s*export\s+(?:declare\s+)?(?:interface|type)\s+([A-Za-z_$][\w$]*)/gm;

/** Types that a module passes on like values: who compiles a file alone cannot tell, and leaves names without values. */
function withoutTypes(source: string, url: string): string {
  return source.replace(RE_EXPORT, (...[whole, names, quote, from]: string[]) => {
    const types = typesIn(new URL(from, url).href, new Set());
    const list = names.split(",").map((name) => name.trim()).filter((name) => name !== "");
    const values = list.filter((name) => !types.has(name.split(/\s+as\s+/)[0]!));
    return values.length === list.length
      ? whole
      : `export { ${values.join(", ")} } from ${quote}${from}${quote}`;
  });
}

/** The names of the types that a file exports, its own and those that it passes on. */
function typesIn(url: string, seen: Set<string>): ReadonlySet<string> {
  const file = isFile(new URL(url)) ? url : existing(url);
  if (file === undefined || seen.has(file)) return new Set();
  seen.add(file);
  const text = readTextIfExists(pathOf(file)) ?? "";
  const passedOn = [...text.matchAll(RE_EXPORT)].flatMap(([, names, , from]) => {
    const types = typesIn(new URL(from!, file).href, seen);
    return names!.split(",").map((name) => name.trim().split(/\s+as\s+/)).filter(([name]) =>
      types.has(name!)
    );
  });
  return new Set([
    ...[...text.matchAll(EXPORTED_TYPE)].map(([, name]) => name!),
    ...passedOn.map((names) => names.at(-1)!),
  ]);
}

/** What the platform would load by its ending, it takes for code where there are hooks. */
function required(url: string, context: Context, next: Load): Loaded {
  if (url.endsWith(".json")) return { ...next(url, context), format: "json" };
  if (!url.endsWith(".node")) return next(url, context);
  const source = `process.dlopen(module, ${JSON.stringify(pathOf(url))})`;
  return { format: "commonjs", source, shortCircuit: true };
}

/** Packages, and what is published of this runtime, are loaded as they are. */
function isOfProject(url: string): boolean {
  return url.startsWith("file:") && /\.(?:ts|mts|js|json)$/.test(url) && !url.includes("/node_modules/") &&
    !url.startsWith(PUBLISHED) && isReadable(url);
}

const PUBLISHED = new URL("../", import.meta.url).href;

/** Modules that a compiler would have turned into CommonJS; lines stay where they are. */
function withCommonJs(text: string): string {
  const isExporting = /\bmodule\.exports\b/.test(text) && !/^\s*export\s+default\b/m.test(text);
  return 'import { createRequire as $createRequire } from "node:module"; ' +
    "const require = $createRequire(import.meta.url), __filename = import.meta.filename, " +
    `__dirname = import.meta.dirname, module = { exports: {} }, exports = module.exports; ${text}\n` +
    (isExporting ? "export default module.exports;\n" : "");
}

function moduleOf(url: string): string {
  const value = values.get(url);
  const tag = Object.prototype.toString.call(value);
  const hasDefault = tag === "[object Module]" || (value as { __esModule?: unknown } | undefined)?.__esModule;
  const names = [...namesOf(value), ...absentNames.get(url) ?? []].filter((one) =>
    /^[A-Za-z_$][\w$]*$/.test(one) && one !== "default"
  );
  return `const value = globalThis[Symbol.for("fw.answeredModules")].get(${JSON.stringify(url)});
const member = (name) => { try { return value[name]; } catch { return undefined; } };
export default ${hasDefault ? "value.default ?? value" : "value"};
${
    names.map((one, index) => `const $${index} = member("${one}"); export { $${index} as ${one} };`).join(
      "\n",
    )
  }`;
}

function namesOf(value: unknown): readonly string[] {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return [];
  const names = new Set(Object.keys(value));
  for (let at: object | null = value; at && !PLAIN.has(at); at = Object.getPrototypeOf(at)) {
    if (at === value && typeof value === "function") continue;
    for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") names.add(name);
  }
  return [...names];
}

const PLAIN: ReadonlySet<object> = new Set([Object.prototype, Function.prototype]);

function pathOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
}

/** A file by its name, with or without ending, or by the name of what it is compiled to. */
function existing(url: string): string | undefined {
  const source = url.replace(/\.([cm]?)js$/, ".$1ts");
  const candidates = [...(source === url ? [] : [source]), ...ENDINGS.map((ending) => url + ending)];
  return candidates.find((one) => isFile(new URL(one)));
}

/** Names that `tsconfig.json` and `imports` of `package.json` give to files of the project. */
function ownFile(specifier: string, parent: string): Resolved | undefined {
  for (const pattern of aliasesAround(parent)) {
    const rest = matched(specifier, pattern.from);
    if (rest === undefined) continue;
    const url = new URL(pattern.to.replace("*", rest), pattern.base).href;
    const types = typesNamed(url, { specifier, parent });
    if (types) return types;
    const file = isFile(new URL(url)) ? url : existing(url);
    if (file !== undefined) return { url: file, shortCircuit: true };
  }
  return undefined;
}

/** An import, and who has it. */
interface Importing {
  readonly specifier: string;
  readonly parent: string;
}

/** The module that generated types of the model would be. Names that the model does not have are undefined there. */
function typesNamed(name: string, importing: Importing): Resolved | undefined {
  const folder = modelledFolder(name);
  if (folder === undefined || !hasRuntime()) return undefined;
  return answered(`#cds-models/${folder}?${modelNumber()}`, modelledNames(folder), importing);
}

/** The names that a module imports by a specifier; some may be types. */
function importedNames({ specifier, parent }: Importing): readonly string[] {
  const text = readTextIfExists(pathOf(parent)) ?? "";
  return [...text.matchAll(/\bimport\s[^;"'{}]*\{([^}]*)\}\s*from\s*(["'])([^"'\n]+)\2/g)]
    .filter(([, , , from]) => from === specifier)
    .flatMap(([, names]) => names!.split(",").map((one) => one.trim().split(/\s+as\s+/)[0]!))
    .filter((one) => /^[A-Za-z_$][\w$]*$/.test(one));
}

function matched(specifier: string, from: string): string | undefined {
  const star = from.indexOf("*");
  if (star < 0) return specifier === from ? "" : undefined;
  const head = from.slice(0, star);
  const tail = from.slice(star + 1);
  const fits = specifier.startsWith(head) && specifier.endsWith(tail) &&
    specifier.length >= head.length + tail.length;
  return fits ? specifier.slice(head.length, specifier.length - tail.length) : undefined;
}

interface Alias {
  readonly from: string;
  readonly to: string;
  /** The folder that counts, as URL. */
  readonly base: string;
}

const known: Map<string, readonly Alias[]> = new Map();

function aliasesAround(parent: string): readonly Alias[] {
  const folder = new URL(".", parent).href;
  let found = known.get(folder);
  if (found === undefined) {
    const above = new URL("..", folder).href; // the root stands above itself
    found = [...aliasesIn(folder), ...(above === folder ? [] : aliasesAround(above))];
    known.set(folder, found);
  }
  return found;
}

function aliasesIn(folder: string): readonly Alias[] {
  const result: Alias[] = [];
  const { compilerOptions } = readObject(folder, "tsconfig.json");
  if (isPlainObject(compilerOptions)) {
    const { baseUrl, paths } = compilerOptions;
    const base = new URL(`${String(baseUrl ?? ".").replace(/\/?$/, "/")}`, folder).href;
    for (const [from, targets] of Object.entries(isPlainObject(paths) ? paths : {})) {
      for (const to of [targets].flat()) if (typeof to === "string") result.push({ from, to, base });
    }
    if (baseUrl !== undefined) result.push({ from: "*", to: "*", base });
  }
  const { imports } = readObject(folder, "package.json");
  if (isPlainObject(imports)) {
    for (const [from, to] of Object.entries(imports)) {
      if (from.startsWith("#") && typeof to === "string") result.push({ from, to, base: folder });
    }
  }
  return result;
}

function readObject(folder: string, name: string): Record<string, unknown> {
  const path = pathOf(new URL(name, folder).href);
  // what a process may not look at, as above its project, is not there for it
  const text = isFile(path) ? readTextIfExists(path) : undefined;
  if (text === undefined) return {};
  try {
    const value = parseJsonWithComments(text, path);
    return isPlainObject(value) ? value : {};
  } catch {
    // tools that are not used here read this file as well
    return {};
  }
}
