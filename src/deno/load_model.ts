/**
 * Loading a model from files.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { compileCdl, type CompileOptions } from "../model/cdl/compile_cdl.ts";
import type { Csn } from "../model/csn.ts";
import { readTextIfExists } from "./read_text_if_exists.ts";

/**
 * Compiles `.cds` files, or reads a compiled model.
 *
 * @param files paths of `.cds` files, or of one CSN file
 * @param options what takes remarks of the compiler
 * @returns the parsed model
 * @throws ConfigurationError with file, line and what was expected
 */
export function loadModel(files: readonly string[], options: CompileOptions = {}): Csn {
  const [first] = files;
  if (files.length === 1 && first.endsWith(".json")) return readCsn(first);
  return compileCdl(files, { readFile: readTextIfExists }, options);
}

/** Name of a text without file, in messages. */
const TEXT_FILE = "model.cds";

/**
 * Compiles CDL text; what it uses is looked for from the working directory.
 *
 * @param text CDL
 * @throws ConfigurationError with line and what was expected
 */
export function compileText(text: string): Csn {
  const readFile = (path: string) => path === TEXT_FILE ? text : readTextIfExists(path);
  return compileCdl([TEXT_FILE], { readFile });
}

function readCsn(file: string): Csn {
  const text = Deno.readTextFileSync(file);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = Number(/position (\d+)/.exec(String(cause))?.[1] ?? 0);
    const line = text.slice(0, position).split("\n").length;
    throw new ConfigurationError(`Not valid JSON: ${(cause as Error).message}`, { file, line }, { cause });
  }
}
