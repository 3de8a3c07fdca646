/**
 * Access to model files.
 *
 * @module
 */

import type { SourceHost } from "../model/resolve_module.ts";
import { readTextIfExists } from "./text_files.ts";

/**
 * The files that the working directory and absolute paths lead to.
 *
 * @param readFile reads a file; undefined when there is none
 * @returns access for the compiler
 */
export function sourceHost(readFile: SourceHost["readFile"] = readTextIfExists): SourceHost {
  return { readFile, realPath, namesIn, folder: Deno.cwd() };
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder || ".")].map(({ name }) => name);
  } catch {
    return []; // there is nothing to propose
  }
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined; // whoever reads the file says what is wrong with it
  }
}
