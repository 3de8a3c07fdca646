/**
 * The file that a package gives for a name.
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";
import { isFile } from "./is_file.ts";
import { packageFolder } from "./package_folder.ts";
import { readTextIfExists } from "./read_text.ts";

/**
 * Finds the file of an installed package: what its `exports`, `module` or `main` name.
 *
 * @param name of the package, maybe with a path in it
 * @param folder where it is asked for
 * @param conditions that hold, for example `import` or `require`
 * @returns its path; undefined where it is not installed, or gives nothing under that name
 */
export function packageEntry(
  name: string,
  folder: string,
  conditions: readonly string[],
): string | undefined {
  const [, packageName, path] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(name) ?? [];
  const root = packageName === undefined ? undefined : packageFolder(folder, packageName);
  if (root === undefined) return undefined;
  const described = describe(root);
  const named = described.exports === undefined
    ? path ?? text(conditions.includes("import") ? described.module : undefined) ?? text(described.main) ??
      "index"
    : exported(described.exports, `.${path ?? ""}`, conditions);
  if (named === undefined) return undefined;
  const base = `${root}/${named.replace(/^\.?\//, "").replace(/\/$/, "")}`;
  return ["", ".js", ".cjs", ".mjs", ".json", "/index.js"].map((ending) => base + ending).find(isFile);
}

/**
 * Whether a file of a package is a module of ESM.
 *
 * @param file its path
 */
export function isModule(file: string): boolean {
  if (!/\.[jt]s$/.test(file)) return /\.m[jt]s$/.test(file);
  for (let at = parentOf(file); at !== "" && !at.endsWith("/node_modules"); at = parentOf(at)) {
    if (isFile(`${at}/package.json`)) return describe(at).type === "module";
  }
  return false;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function exported(exports: unknown, path: string, conditions: readonly string[]): string | undefined {
  if (!isPlainObject(exports) || !Object.keys(exports).some((key) => key.startsWith("."))) {
    return path === "." ? target(exports, conditions) : undefined;
  }
  if (Object.hasOwn(exports, path)) return target(exports[path], conditions);
  for (const [key, value] of Object.entries(exports)) {
    const [head, tail] = key.split("*");
    if (tail === undefined || !path.startsWith(head) || !path.endsWith(tail)) continue;
    return target(value, conditions)?.replaceAll("*", path.slice(head.length, path.length - tail.length));
  }
  return undefined;
}

function target(value: unknown, conditions: readonly string[]): string | undefined {
  if (Array.isArray(value)) {
    return value.map((one) => target(one, conditions)).find((one) => one !== undefined);
  }
  if (!isPlainObject(value)) return text(value);
  return Object.entries(value).filter(([key]) => key === "default" || conditions.includes(key))
    .map(([, one]) => target(one, conditions)).find((one) => one !== undefined);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function describe(folder: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readTextIfExists(`${folder}/package.json`) ?? "{}");
  return isPlainObject(value) ? value : {};
}
