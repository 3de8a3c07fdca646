/**
 * Files and the files they use, in the order in which they apply: what is used comes before its user.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { normalizePath } from "../../util/normalize_path.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { assertCsn } from "../assert_csn.ts";
import type { Csn, SourceLocation } from "../csn.ts";
import type { AstFile } from "./ast.ts";
import { ownModule, ownModuleNames, ownModuleText, yieldsToPackage } from "./own_modules.ts";
import { parseCdlText, type ParseOptions } from "./parse_cdl.ts";
import type { Problems } from "../problems.ts";
import { findFile, nearestModule, resolveModule, type SourceHost } from "../resolve_module.ts";

/** A loaded file: a syntax tree of CDL, or a model in CSN. */
export interface LoadedModule {
  readonly path: string;
  readonly ast?: AstFile;
  readonly csn?: Csn;
}

/** Files as they were parsed the last time, by their paths: whoever compiles again parses only what has changed. */
export type ParsedModules = Map<string, { readonly text: string; readonly module: LoadedModule }>;

/** How files are loaded. */
export interface LoadOptions extends ParseOptions {
  /** What was parsed before with the same options; takes what is parsed now. */
  readonly parsed?: ParsedModules;
}

interface Loading {
  readonly host: SourceHost;
  readonly options: LoadOptions;
  readonly problems: Problems;
  readonly seen: Set<string>;
  readonly result: LoadedModule[];
}

/**
 * Loads files and all they use.
 *
 * @param roots paths to begin with
 * @param host access to files
 * @param context parse options, and what takes the mistakes found
 * @returns the files in order of application
 * @throws {ConfigurationError} for a root that does not exist
 */
export function loadModules(
  roots: readonly string[],
  host: SourceHost,
  context: Pick<Loading, "options" | "problems">,
): LoadedModule[] {
  const loading: Loading = { ...context, host, seen: new Set(), result: [] };
  for (const root of roots) {
    // one file has one path, whether it is a root or used by another
    const normal = normalizePath(root);
    const path = findRoot(normal, host);
    if (path === undefined) throw new ConfigurationError(`Model file "${root}" does not exist`);
    load(path, loading);
  }
  return loading.result;
}

function findRoot(path: string, host: SourceHost): string | undefined {
  return host.readFile(path) === undefined ? findFile(path, host) : path;
}

/** Loads a file once, by whatever links it is reached; it keeps the path by which it was reached first. */
function load(path: string, loading: Loading): void {
  const { seen, host } = loading;
  const own = ownModuleText(path);
  const real = own === undefined ? host.realPath?.(path) ?? path : path;
  if (seen.has(real)) return;
  seen.add(real);
  const text = own ?? host.readFile(path);
  try {
    const module = parseModule(path, text ?? "", loading.options);
    for (const { name, location } of importsOf(module)) loadImport(name, location, loading);
    loading.result.push(module);
  } catch (error) {
    loading.problems.catch(error);
  }
}

function loadImport(name: string, location: SourceLocation, loading: Loading): void {
  const own = ownModule(name);
  if (own !== undefined && !yieldsToPackage(own)) return load(own, loading);
  const path = resolveModule(name, location.file, loading.host) ?? own;
  if (path === undefined) loading.problems.add(unknownModule(name, location.file, loading.host), location);
  else load(path, loading);
}

function unknownModule(name: string, fromFile: string, host: SourceHost): string {
  const near = nearestModule(name, fromFile, host) ?? nearestName(name, ownModuleNames());
  if (near !== undefined) return `Unknown module "${name}" (did you mean "${near}"?)`;
  const expected = /^(?:\.\.?)?\//.test(name)
    ? "expected a .cds, .csn or .json file there, or a folder with an index file"
    : 'found in no folder "node_modules" here or above; is the package installed?';
  return `Unknown module "${name}": ${expected}`;
}

function importsOf({ path, ast, csn }: LoadedModule): { name: string; location: SourceLocation }[] {
  if (ast) return ast.usings.flatMap(({ from }) => from ? [from] : []);
  return (csn?.requires ?? []).map((name) => ({ name, location: { file: path, line: 1, col: 1 } }));
}

function parseModule(path: string, text: string, options: LoadOptions): LoadedModule {
  const known = options.parsed?.get(path);
  if (known?.text === text) return known.module;
  const module = parseText(path, text, options);
  options.parsed?.set(path, { text, module });
  return module;
}

function parseText(path: string, text: string, options: ParseOptions): LoadedModule {
  if (!path.endsWith(".csn") && !path.endsWith(".json")) {
    return { path, ast: parseCdlText(text, path, options) };
  }
  return { path, csn: parseCsn(path, text) };
}

function parseCsn(path: string, text: string): Csn {
  let csn: unknown;
  try {
    csn = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const before = text.slice(0, Number(/position (\d+)/.exec(message)?.[1] ?? 0)).split("\n");
    const place = { file: path, line: before.length, column: before.at(-1)!.length + 1 };
    throw new ConfigurationError(`Found no JSON: ${message}`, place, { cause: error });
  }
  assertCsn(csn, { file: path, text });
  return csn;
}
