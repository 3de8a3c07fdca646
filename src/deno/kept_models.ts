/**
 * Models that servers from sources keep for their next start, of which parsing them takes a fifth. One is taken where the
 * compiler is the same and would read what it read then.
 *
 * @module
 */

import type { Csn } from "../model/csn.ts";
import type { SourceHost } from "../model/resolve_module.ts";
import { contentTag } from "../util/content_tag.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { compileFiles } from "./compiler.ts";
import { sourceHost } from "./source_host.ts";

/** How many projects are kept; then the one goes that was written first. */
const KEPT_PROJECTS = 50;
/** The rooms of the compiler. */
const COMPILER_ROOMS = ["config", "cqn", "errors", "model", "util"];

/** What the compiler was told by files, each by its path: null where there was none. */
type Answers = Record<string, string | null>;

interface KeptModel {
  readonly texts: Answers;
  readonly realPaths: Answers;
  readonly model: Csn;
}

/** What compiles files. */
interface FileCompiler {
  readonly compileFiles: typeof compileFiles;
}

/** The file of a project. */
interface KeptProject {
  /** Compiler and working directory. */
  readonly made: string;
  /** Models by the files that were asked for. */
  readonly models: Readonly<Record<string, KeptModel>>;
}

/**
 * A compiler that compiles what has changed since the last start. Where nothing can be kept, it compiles all.
 *
 * @param root of the project, absolute
 * @param compiler compiles
 * @param folder for what is kept
 */
export function keepingCompiler(
  root: string,
  compiler: FileCompiler,
  folder: string | undefined = keptFolder(),
): FileCompiler {
  const made = folder === undefined ? undefined : compilerVersion();
  if (made === undefined || folder === undefined) return compiler;
  const file = `${folder}/${contentTag(root)}.json`;
  const known = readKept(file, made);
  const models: Record<string, KeptModel> = {};
  return {
    compileFiles(files, options) {
      if (options !== undefined) return compiler.compileFiles(files, options);
      const name = files.join("\n");
      const kept = known[name];
      if (kept && isFresh(kept)) return (models[name] = kept).model;
      const texts: Answers = {};
      const realPaths: Answers = {};
      const model = compiler.compileFiles(files, undefined, writtenDown(sourceHost(), { texts, realPaths }));
      models[name] = { texts, realPaths, model };
      write(folder, file, JSON.stringify({ made, models } satisfies KeptProject, withPlace));
      return model;
    },
  };
}

function writtenDown(
  host: SourceHost,
  { texts, realPaths }: Pick<KeptModel, "texts" | "realPaths">,
): SourceHost {
  return {
    ...host,
    readFile(path) {
      const text = host.readFile(path);
      texts[path] = text ?? null;
      return text;
    },
    realPath(path) {
      const real = host.realPath?.(path);
      realPaths[path] = real ?? null;
      return real;
    },
  };
}

function isFresh({ texts, realPaths }: KeptModel): boolean {
  const { readFile, realPath } = sourceHost();
  return Object.entries(texts).every(([path, text]) => (readFile(path) ?? null) === text) &&
    Object.entries(realPaths).every(([path, real]) => (realPath?.(path) ?? null) === real);
}

/** The name that a hidden position has in the file; none of a model has a blank at its start. */
const PLACE = " $location";

/** Shows a position, which is not enumerable. */
function withPlace(_key: string, value: unknown): unknown {
  const place = isPlainObject(value) ? Object.getOwnPropertyDescriptor(value, "$location") : undefined;
  return place && !place.enumerable ? { ...value as object, [PLACE]: place.value } : value;
}

/** Hides it again. */
function placed(_key: string, value: unknown): unknown {
  if (!isPlainObject(value) || !Object.hasOwn(value, PLACE)) return value;
  const { [PLACE]: place, ...rest } = value;
  return Object.defineProperty(rest, "$location", { value: place, configurable: true });
}

/** Which compiler it is, and where; undefined where its files cannot be looked at. */
function compilerVersion(): string | undefined {
  const source = new URL("../", import.meta.url);
  const place = `${source.href}\n${Deno.cwd()}`;
  if (source.protocol !== "file:") return place;
  // what people work at changes without a new version
  const seen = { files: 0, bytes: 0, changed: 0 };
  try {
    for (const room of COMPILER_ROOMS) look(new URL(`${room}/`, source), seen);
  } catch {
    return undefined;
  }
  return `${place}\n${Object.values(seen).join()}`;
}

function look(folder: URL, seen: { files: number; bytes: number; changed: number }): void {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) {
      look(new URL(`${name}/`, folder), seen);
      continue;
    }
    const { size, mtime } = Deno.statSync(new URL(name, folder));
    seen.files++;
    seen.bytes += size;
    seen.changed += Number(mtime);
  }
}

/** The folder for what users can do without, where this process may write to it without being asked. */
function keptFolder(): string | undefined {
  const caches = variable("XDG_CACHE_HOME") ?? variable("LOCALAPPDATA");
  const home = variable("HOME");
  const parent = caches ?? (home === undefined ? undefined : `${home}/.cache`);
  if (parent === undefined) return undefined;
  const path = `${parent}/fw/models`;
  return (["read", "write"] as const).every((name) => isGranted({ name, path })) ? path : undefined;
}

function variable(name: string): string | undefined {
  return isGranted({ name: "env", variable: name }) ? Deno.env.get(name) || undefined : undefined;
}

function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

function readKept(file: string, made: string): KeptProject["models"] {
  try {
    const kept: unknown = JSON.parse(Deno.readTextFileSync(file), placed);
    return isPlainObject(kept) && kept.made === made ? (kept as unknown as KeptProject).models : {};
  } catch {
    return {}; // none yet, or one that cannot be read: the model is compiled
  }
}

function write(folder: string, file: string, text: string): void {
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const files = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
    if (files.length >= KEPT_PROJECTS && !files.includes(file)) Deno.removeSync(oldest(files));
    // whoever starts meanwhile reads all of it, or what was there before
    const whole = `${file}.${Deno.pid}`;
    Deno.writeTextFileSync(whole, text);
    Deno.renameSync(whole, file);
  } catch {
    // the next start compiles again
  }
}

function oldest(files: readonly string[]): string {
  const changed = files.map((file) => ({ file, at: Number(Deno.statSync(file).mtime) }));
  return changed.reduce((first, one) => one.at < first.at ? one : first).file;
}
