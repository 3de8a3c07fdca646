/**
 * Loading a model from files. The compiler is imported by the first who needs it, so that a server over a compiled model
 * starts without it.
 *
 * @module
 */

import { assertCsn } from "../model/assert_csn.ts";
import type { CompileOptions } from "../model/cdl/compile_cdl.ts";
import type { Csn } from "../model/csn.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { keepingCompiler } from "./kept_models.ts";
import { parseJson } from "./parse_json.ts";
import { readText } from "./text_files.ts";

/** The compiler with access to files. */
export type Compiler = typeof import("./compiler.ts");

/** Reads model files: compiles them, or reads one that is compiled already. */
export type ReadModel = (files: readonly string[], options?: CompileOptions) => Csn;

let compiler: Compiler | undefined;

/**
 * The compiler, at once if it is loaded.
 *
 * @returns the compiler, or the promise of it
 */
export function loadCompiler(): MaybePromise<Compiler> {
  return compiler ?? importCompiler();
}

async function importCompiler(): Promise<Compiler> {
  return holdCompiler(await import("./compiler.ts"));
}

/**
 * Holds the compiler for all who need it from now on.
 *
 * @param loaded the compiler, of who imported it
 * @returns the same
 */
export function holdCompiler(loaded: Compiler): Compiler {
  return compiler = loaded;
}

/**
 * What reads some models; loads the compiler if one of them is no compiled model.
 *
 * @param models paths of the files of each model
 * @param root of the project that keeps its models for the next start
 * @returns reads these models
 */
export async function modelReader(
  models: readonly (readonly string[])[],
  root?: string,
): Promise<ReadModel> {
  if (models.every(isCompiled)) return readCompiled;
  const compiler = await loadCompiler();
  return readModelWith(root === undefined ? compiler : keepingCompiler(root, compiler));
}

/**
 * What reads any model.
 *
 * @param compiler the compiler
 * @returns reads models
 */
export function readModelWith({ compileFiles }: Pick<Compiler, "compileFiles">): ReadModel {
  return (files, options) => isCompiled(files) ? readCompiled(files) : compileFiles(files, options);
}

/**
 * Compiles `.cds` files, or reads a compiled model.
 *
 * @param files paths of `.cds` files, or of one CSN file
 * @param options what takes remarks of the compiler
 * @returns the parsed model
 * @throws ConfigurationError with file, line and what was expected
 */
export async function loadModel(files: readonly string[], options: CompileOptions = {}): Promise<Csn> {
  return (await modelReader([files]))(files, options);
}

function isCompiled(files: readonly string[]): boolean {
  return files.length === 1 && files[0].endsWith(".json");
}

function readCompiled([file]: readonly string[]): Csn {
  const text = readText(file);
  const model = parseJson(text, file);
  assertCsn(model, { file, text });
  return model;
}
