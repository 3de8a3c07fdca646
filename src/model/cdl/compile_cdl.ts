/**
 * The CDL compiler: files with all they use to one parsed model. Inference (`infer_model.ts`) is the next step.
 *
 * @module
 */

import type { Csn, CsnDefinition, SourceLocation } from "../csn.ts";
import { buildFile, type CsnDraft } from "./build_csn.ts";
import { setOwn } from "./build_types.ts";
import {
  checkUsings,
  createDeclarations,
  declareCsn,
  declareFile,
  declareStatements,
  fileScope,
  innerScope,
  qualify,
  resolveName,
  type Scope,
  warnOfUsings,
} from "./scope.ts";
import { type LoadedModule, loadModules, type LoadOptions } from "./load_modules.ts";
import { parseCdlText, type ParseOptions } from "./parse_cdl.ts";
import { Problems } from "../problems.ts";
import type { SourceHost } from "../resolve_module.ts";
import type { AstStatement } from "./ast.ts";

/** Settings of the compiler. */
export interface CompileOptions extends LoadOptions {
  /** Takes what is legal but suspicious: text and place. */
  readonly warn?: (text: string, location: SourceLocation) => void;
}

/**
 * Compiles files and everything they use.
 *
 * @param roots paths of the files to begin with
 * @param host access to files
 * @param options whether doc comments are kept, and what takes remarks
 * @returns one parsed model: full names, `extensions` in order of application, positions in `$location`
 * @throws {ConfigurationError} for syntax errors, unknown modules and names, duplicates; at the place of the first, its
 *   message naming the others
 */
export function compileCdl(roots: readonly string[], host: SourceHost, options: CompileOptions = {}): Csn {
  const problems = new Problems();
  const modules = loadModules(roots, host, { options, problems });
  problems.throwIfAny();
  if (modules.length === 1 && modules[0].csn) return modules[0].csn;
  return buildModel(modules, problems, { isPartial: false, warn: options.warn });
}

/**
 * Compiles the text of one file without what it uses. Names that lead nowhere stay as written.
 *
 * @param text CDL
 * @param file its name, for messages
 * @param options whether doc comments are kept
 * @returns its definitions with full names, its extensions, and in `requires` the modules it uses
 * @throws {ConfigurationError} for syntax errors and duplicates
 */
export function parseCdl(text: string, file = "model.cds", options: ParseOptions = {}): Csn {
  const ast = parseCdlText(text, file, options);
  const csn = buildModel([{ path: file, ast }], new Problems(), { isPartial: true });
  const requires = ast.usings.flatMap(({ from }) => from ? [from.name] : []);
  return {
    ...(ast.namespace && { namespace: ast.namespace }),
    ...(requires.length > 0 && { requires }),
    ...csn,
  };
}

function buildModel(
  modules: readonly LoadedModule[],
  problems: Problems,
  { isPartial, warn }: { readonly isPartial: boolean; readonly warn?: CompileOptions["warn"] },
): Csn {
  const declarations = createDeclarations();
  for (const { ast, csn } of modules) {
    if (ast) declareFile(declarations, ast, problems);
    else declareCsn(declarations, csn?.definitions ?? {});
  }
  const shared = { declarations, problems, isPartial };
  for (const { ast } of modules) {
    if (ast) declareExtensions(ast.statements, ast.namespace, fileScope(ast, shared));
  }
  const draft: CsnDraft = { definitions: {}, extensions: [] };
  for (const { path, ast, csn } of modules) {
    if (!ast) {
      addCsn(draft, csn ?? {}, path);
      continue;
    }
    const scope = fileScope(ast, shared);
    if (!isPartial) checkUsings(ast, scope);
    buildFile(draft, ast, scope);
    if (warn) warnOfUsings(ast, scope, warn);
  }
  problems.throwIfAny();
  const { definitions, extensions } = draft;
  return { definitions, ...(extensions.length > 0 && { extensions }) };
}

/** Services get the place of their file: implementations stand beside it. */
function addCsn(draft: CsnDraft, csn: Csn, file: string): void {
  for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
    const place = definition.kind === "service" ? { $location: { file, line: 1, col: 1 } } : {};
    setOwn(draft.definitions, name, { ...place, ...definition } satisfies CsnDefinition);
  }
  draft.extensions.push(...csn.extensions ?? []);
}

/**
 * Enters the definitions inside extensions; those outside must be there already, because extended names are looked up
 * among them.
 *
 * @param statements of a file or block
 * @param prefix full name of what surrounds them
 * @param scope where they stand
 */
function declareExtensions(
  statements: readonly AstStatement[],
  prefix: string | undefined,
  scope: Scope,
): void {
  for (const statement of statements) {
    if (!("members" in statement)) continue;
    const { members = [] } = statement;
    const isDefinition = statement.statement === "definition";
    const name = isDefinition
      ? qualify(prefix, statement.name)
      : resolveName(scope, statement.target, "block");
    if (!isDefinition) declareStatements(members, name, scope);
    declareExtensions(members, name, innerScope(scope, name));
  }
}
