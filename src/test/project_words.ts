/**
 * What the words of `fw.test(…)` mean.
 *
 * @module
 */

import { createRequire } from "node:module";
import { listFiles } from "../deno/text_files.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { normalizePath } from "../util/normalize_path.ts";

/**
 * The folder of a project.
 *
 * @param words a folder or the name of a package, and folders in it
 * @param base where relative folders count from
 * @throws ConfigurationError when there is none
 */
export function projectFolder([first, ...more]: readonly string[], base: string): string {
  const inBase = (path: string) => normalizePath(path.startsWith("/") ? path : `${base}/${path}`);
  const path = inBase([first, ...more].join("/"));
  if (isFolder(path)) return path;
  const root = packageFolder(first, base);
  const inPackage = root && normalizePath([root, ...more].join("/"));
  if (inPackage && isFolder(inPackage)) return inPackage;
  throw new ConfigurationError(`Expected a folder or package to test, but there is no "${first}"`, {
    file: base,
  });
}

/** The folder of a package that is installed, or part of the workspace around a folder. */
function packageFolder(name: string, base: string): string | undefined {
  try {
    const file = createRequire(`${base}/package.json`).resolve(`${name}/package.json`);
    return file.slice(0, file.lastIndexOf("/"));
  } catch {
    return workspaceFolder(name, base);
  }
}

/** The folder of a workspace whose `package.json` has a name. */
function workspaceFolder(name: string, base: string): string | undefined {
  for (let at = base; at.includes("/"); at = at.slice(0, at.lastIndexOf("/"))) {
    for (const folder of [at, ...foldersIn(at)]) {
      if (nameOf(`${folder}/package.json`) === name) return folder;
    }
  }
  return undefined;
}

function foldersIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory && !entry.name.startsWith("."))
      .map((entry) => `${folder}/${entry.name}`);
  } catch {
    return [];
  }
}

function nameOf(file: string): unknown {
  try {
    return JSON.parse(Deno.readTextFileSync(file)).name;
  } catch {
    return undefined;
  }
}

/** Options of the command that take a value; it says nothing here. */
const WITH_VALUE: readonly string[] = ["--port", "--project", "--from", "--to", "--at", "--service"];

/**
 * The model files that words of the command `serve` name.
 *
 * @param words the words behind the command
 * @param folder root of the project
 * @returns their paths; undefined for those of the project
 */
export function modelFilesIn(words: readonly string[], folder: string): readonly string[] | undefined {
  const named = words.filter((word, at) => !word.startsWith("-") && !WITH_VALUE.includes(words[at - 1]));
  const from = words.indexOf("--from");
  if (from >= 0) named.push(...words[from + 1].split(","));
  const files = named.flatMap((word) => {
    const found = filesOf(word, folder);
    const root = found.length > 0 ? undefined : packageFolder(word, folder);
    return root ? filesOf(root, folder) : found;
  });
  return files.length > 0 ? files : undefined;
}

function filesOf(word: string, folder: string): string[] {
  const path = normalizePath(word.startsWith("/") ? word : `${folder}/${word}`);
  for (const file of [path, `${path}.cds`, `${path}/index.cds`]) if (isFile(file)) return [file];
  return isFolder(path) ? listFiles(path, ".cds") : [];
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile === true;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory === true;
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
