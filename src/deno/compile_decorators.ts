/**
 * Decorators as TypeScript had them before the standard: projects whose `tsconfig.json` says `experimentalDecorators` are
 * compiled by the `typescript` that they have, as the platform compiles those of the standard only.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { nodeModule } from "../platform/node_module.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { parseJsonWithComments } from "./parse_json.ts";
import { isFile, readText } from "./text_files.ts";

/** The members of the compiler that are called. */
interface TypeScript {
  convertCompilerOptionsFromJson(options: object, folder: string): { readonly options: object };
  transpileModule(
    text: string,
    how: { readonly compilerOptions: object; readonly fileName: string },
  ): { readonly outputText: string };
}

/** Whether a text may have decorators. */
export function hasDecorator(text: string): boolean {
  return /(?:^|[(,])\s*(?:export\s+(?:default\s+)?)?@[A-Za-z_$(]/m.test(text);
}

/**
 * Compiles a file with such decorators.
 *
 * @param text the file
 * @param file its path
 * @returns undefined where the project does not ask for them
 * @throws ConfigurationError where it does, and has no compiler
 */
export function compileDecorators(text: string, file: string): string | undefined {
  const options = compilerOptionsAbove(file);
  if (options?.experimentalDecorators !== true) return undefined;
  const typescript = compilerOf(file);
  const { options: compilerOptions } = typescript.convertCompilerOptionsFromJson({
    experimentalDecorators: true,
    emitDecoratorMetadata: options.emitDecoratorMetadata === true,
    // fields are what they were when these decorators were made
    useDefineForClassFields: options.useDefineForClassFields === true,
    target: "ES2022",
    module: "ESNext",
    inlineSourceMap: true,
    inlineSources: true,
  }, folderOf(file));
  return typescript.transpileModule(text, { compilerOptions, fileName: file }).outputText;
}

function compilerOf(file: string): TypeScript {
  try {
    return nodeModule("node:module").createRequire(pathToFileURL(file))("typescript");
  } catch (cause) {
    const text =
      '"experimentalDecorators" of tsconfig.json needs the package "typescript", which is not installed';
    throw new ConfigurationError(text, { file }, { cause });
  }
}

/** The options of the nearest `tsconfig.json`. */
function compilerOptionsAbove(file: string): Readonly<Record<string, unknown>> | undefined {
  for (let folder = folderOf(file); folder !== ""; folder = folderOf(folder)) {
    const config = `${folder}/tsconfig.json`;
    if (!isFile(config)) continue;
    const value = parseJsonWithComments(readText(config), config);
    const { compilerOptions } = isPlainObject(value) ? value : {};
    return isPlainObject(compilerOptions) ? compilerOptions : undefined;
  }
  return undefined;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
