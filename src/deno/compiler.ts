/**
 * The compiler with access to files. Who only reads a compiled model does not load it: see `load_model.ts`.
 *
 * @module
 */

import { compileCdl, type CompileOptions } from "../model/cdl/compile_cdl.ts";
import type { Csn } from "../model/csn.ts";
import type { SourceHost } from "../model/resolve_module.ts";
import { readTextIfExists } from "./text_files.ts";
import { sourceHost } from "./source_host.ts";

/**
 * Compiles files and everything they use.
 *
 * @param files paths of `.cds` files, or of CSN files
 * @param options what takes remarks of the compiler
 * @param host access to files
 * @throws ConfigurationError with file, line and what was expected
 */
export function compileFiles(
  files: readonly string[],
  options: CompileOptions = {},
  host: SourceHost = sourceHost(),
): Csn {
  return compileCdl(files, host, options);
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
  return compileCdl([TEXT_FILE], sourceHost(readFile));
}

/**
 * Compiles texts that find each other by the names of their files.
 *
 * @param texts CDL or CSN by name
 * @throws ConfigurationError with file, line and what was expected
 */
export function compileTexts(texts: Readonly<Record<string, string>>): Csn {
  const readFile = (path: string) => Object.hasOwn(texts, path) ? texts[path] : readTextIfExists(path);
  return compileCdl(Object.keys(texts).filter((name) => !name.startsWith("@")), sourceHost(readFile));
}
