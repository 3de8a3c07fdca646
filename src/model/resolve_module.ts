/**
 * Module names of `using … from '…'` to files (csn-cqn 8).
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";
import { normalizePath } from "../util/normalize_path.ts";

/** Access to files for the compiler; paths use `/`. Synchronous, because a model is compiled in one go. */
export interface SourceHost {
  /**
   * Reads a file.
   *
   * @param path its path
   * @returns its text; undefined when there is no such file
   */
  readFile(path: string): string | undefined;
  /**
   * Whether there is such a file; asked instead of reading where only this matters.
   *
   * @param path its path
   */
  isFile?(path: string): boolean;
  /**
   * The path of a file without links on the way; who leaves it out has none.
   *
   * @param path its path
   */
  realPath?(path: string): string | undefined;
  /**
   * What a folder holds, to propose names; who leaves it out proposes none.
   *
   * @param folder its path
   * @returns the names of its files and folders; none where it cannot be read
   */
  namesIn?(folder: string): readonly string[];
  /** The absolute path of the folder that relative paths start from: packages may be in the folders above. */
  readonly folder?: string;
}

const SUFFIXES = [".cds", ".csn", ".json"];

/**
 * Finds the file of a module.
 *
 * @param name a path beginning with `./`, `../` or `/`, or the name of a package with a path in it
 * @param fromFile the file that uses it
 * @param host access to files
 * @returns the path; undefined when nothing is found
 */
export function resolveModule(name: string, fromFile: string, host: SourceHost): string | undefined {
  const folder = folderOf(fromFile);
  if (name.startsWith("/")) return findFile(normalizePath(name), host);
  const real = host.realPath?.(fromFile);
  const realFolder = real === undefined ? undefined : folderOf(real);
  if (/^\.\.?(\/|$)/.test(name)) {
    return findFile(normalizePath(folder + name), host) ??
      (realFolder === undefined ? undefined : findFile(normalizePath(realFolder + name), host));
  }
  const above = host.folder === undefined || folder.startsWith("/") ? [] : [`${host.folder}/${folder}`];
  for (const start of [folder, ...above, ...(realFolder === undefined ? [] : [realFolder])]) {
    const found = findPackage(name, start, host);
    if (found !== undefined) return found;
  }
  return undefined;
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1);
}

/** Looks for a package in a folder and in those above it. */
function findPackage(name: string, folder: string, host: SourceHost): string | undefined {
  for (const packages of packageFolders(folder)) {
    const found = findFile(normalizePath(packages + name), host);
    if (found !== undefined) return found;
  }
  return undefined;
}

function* packageFolders(folder: string): Iterable<string> {
  for (let base = folder;; base = folderOf(base.slice(0, -1))) {
    yield `${base}node_modules/`;
    if (base === "" || base === "/") return;
  }
}

/**
 * The module whose name is most like one that leads to no file.
 *
 * @param name as models write it
 * @param fromFile the file that uses it
 * @param host access to files
 * @returns a name that leads to a file; undefined when none is near
 */
export function nearestModule(name: string, fromFile: string, host: SourceHost): string | undefined {
  const [, start, path] = /^((?:\.{0,2}\/)*)(.*)$/s.exec(name)!;
  const folder = start.startsWith("/") ? start : folderOf(fromFile) + start;
  for (const place of start === "" ? packageFolders(folder) : [folder]) {
    const near = nearestPath(place, path.split("/"), host);
    if (near !== undefined && findFile(normalizePath(place + near), host)) return start + near;
  }
  return undefined;
}

/** A path in which each step is one that its folder holds, files as they are written in the given one. */
function nearestPath(place: string, steps: readonly string[], host: SourceHost): string | undefined {
  let near = "";
  for (const [index, step] of steps.entries()) {
    const names = host.namesIn?.(normalizePath(place + near)) ?? [];
    const isBare = index === steps.length - 1 && !hasSuffix(step);
    const known = isBare ? names.map((one) => one.replace(/\.(?:cds|csn|json)$/, "")) : names;
    const found = known.includes(step) ? step : nearestName(step, known);
    if (found === undefined) return undefined;
    near += index === 0 ? found : `/${found}`;
  }
  return near;
}

function hasSuffix(path: string): boolean {
  return SUFFIXES.some((suffix) => path.endsWith(suffix));
}

/**
 * Finds a model file by a path that may lack its suffix or name a folder.
 *
 * @param path the path
 * @param host access to files
 * @returns the path of the file; undefined when nothing is found
 */
export function findFile(path: string, host: SourceHost): string | undefined {
  const candidates = [
    ...(hasSuffix(path) ? [path] : []),
    ...SUFFIXES.map((suffix) => path + suffix),
    ...SUFFIXES.map((suffix) => joined(path, `index${suffix}`)),
  ];
  const found = candidates.find((candidate) => isFile(candidate, host));
  return found ?? mainOfPackage(path, host);
}

/** The `cds.main` of a folder's `package.json`. */
function mainOfPackage(path: string, host: SourceHost): string | undefined {
  const text = host.readFile(joined(path, "package.json"));
  if (text === undefined) return undefined;
  const main = cdsMain(text);
  return main === undefined ? undefined : findFile(normalizePath(joined(path, main)), host);
}

function cdsMain(text: string): string | undefined {
  try {
    const main = (JSON.parse(text) as { cds?: { main?: unknown } } | null)?.cds?.main;
    return typeof main === "string" ? main : undefined;
  } catch {
    return undefined; // a package file that is no JSON names no model
  }
}

function isFile(path: string, host: SourceHost): boolean {
  return host.isFile ? host.isFile(path) : host.readFile(path) !== undefined;
}

function joined(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
