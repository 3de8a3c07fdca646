import { nearestName } from "../../util/nearest_name.ts";
import { builtinTypeNames, isBuiltinType } from "../builtin_types.ts";
import type { CsnDefinition, SourceLocation } from "../csn.ts";
import type { AstDefinition, AstFile, AstName, AstStatement } from "./ast.ts";
import type { Problems } from "../problems.ts";

/** What a name is needed for; it says so in the message. */
export type NameRole = "type" | "include" | "target" | "source" | "extended" | "block" | "annotated";

/** Names visible at a place. */
export interface Scope {
  readonly declarations: Declarations;
  readonly problems: Problems;
  readonly namespace: string | undefined;
  readonly aliases: ReadonlyMap<string, string>;
  /** The aliases that names of the file have needed. */
  readonly usedAliases: Set<string>;
  /** Full names of the services and contexts around, innermost first. */
  readonly blocks: readonly string[];
  /** Whether names that lead nowhere stay as they are, because not all files are there. */
  readonly isPartial: boolean;
}

/**
 * The scope of a file.
 *
 * @param file the file
 * @param context what all files share
 * @returns its outermost scope
 */
export function fileScope(
  file: AstFile,
  context: Pick<Scope, "declarations" | "problems" | "isPartial">,
): Scope {
  const aliases = new Map<string, string>();
  for (const { name, alias } of file.usings.flatMap(({ names }) => names)) aliases.set(alias, name);
  return { ...context, namespace: file.namespace, aliases, usedAliases: new Set(), blocks: [] };
}

/**
 * Notes the names of `using` that are not there, and aliases for several things.
 *
 * @param file the file
 * @param scope its outermost scope
 */
export function checkUsings(file: AstFile, { declarations, problems, aliases }: Scope): void {
  const imports = file.usings.flatMap(({ names, from }) =>
    names.map((one) => ({ ...one, hasFile: from !== undefined }))
  );
  for (const { name, alias, location, hasFile } of imports) {
    if (aliases.get(alias) !== name) {
      problems.add(`Duplicate alias "${alias}" in using, also for "${aliases.get(alias)}"`, location);
    } else if (!isDeclared(declarations, name)) {
      const near = nearestName(name, declarations.prefixes);
      const where = hasFile ? "" : ": a file is named behind it, using … from './file'";
      const hint = near === undefined ? where : ` (did you mean "${near}"?)`;
      problems.add(`Unknown definition "${name}" in using${hint}`, location);
    }
  }
}

/**
 * What is suspicious about the aliases of a file: those that nothing needs, and those that hide a definition.
 *
 * @param file the file
 * @param scope its outermost scope, after all its names were resolved
 * @param warn takes text and place
 */
export function warnOfUsings(
  file: AstFile,
  { declarations, namespace, aliases, usedAliases }: Scope,
  warn: (text: string, location: SourceLocation) => void,
): void {
  for (const { name, alias, location } of file.usings.flatMap(({ names }) => names)) {
    if (aliases.get(alias) !== name) continue;
    const hidden = namespace ? `${namespace}.${alias}` : alias;
    if (hidden !== name && declarations.byName.has(hidden)) {
      warn(`"${alias}" of using hides the definition "${hidden}"`, location);
    } else if (!usedAliases.has(alias)) warn(`"${alias}" of using is not used`, location);
  }
}

/**
 * The scope inside a service or context.
 *
 * @param scope the scope around
 * @param name its full name
 * @returns the inner scope
 */
export function innerScope(scope: Scope, name: string): Scope {
  return { ...scope, blocks: [name, ...scope.blocks] };
}

/**
 * The full name for a name as written. What leads nowhere is noted as a problem, except for annotated and extended
 * names: models may annotate what is not there, and the model room checks the extended ones.
 *
 * @param scope where the name stands
 * @param name the name
 * @param role what it is needed for
 * @returns the full name; the name itself when it leads nowhere
 */
export function resolveName(scope: Scope, name: AstName, role: NameRole): string {
  const candidates = candidatesFor(scope, name.name);
  const { byName } = scope.declarations;
  const found = candidates.find((candidate) => byName.has(candidate));
  if (found !== undefined) return found;
  if (role === "type") {
    const builtin = name.name.startsWith("cds.") ? name.name : `cds.${name.name}`;
    if (name.name === "$self" || isBuiltinType(builtin)) return name.name === "$self" ? "$self" : builtin;
  }
  const generated = candidates.find((candidate) => mayBeGenerated(scope.declarations, candidate));
  if (generated !== undefined) return generated;
  if (role !== "annotated" && role !== "extended" && !scope.isPartial && !isUnknownAlias(scope, name.name)) {
    scope.problems.add(unknownName(scope, name.name, role), name.location);
  }
  return candidates[0] ?? name.name;
}

/** All full names a name may mean, the nearest first. */
function candidatesFor(scope: Scope, name: string): string[] {
  const { declarations: { prefixes }, namespace, aliases, usedAliases, blocks } = scope;
  const first = name.split(".", 1)[0];
  const rest = name.slice(first.length);
  const candidates: string[] = [];
  for (const block of blocks) {
    if (prefixes.has(`${block}.${first}`)) candidates.push(`${block}.${name}`);
  }
  const alias = aliases.get(first);
  if (alias !== undefined) {
    usedAliases.add(first);
    candidates.push(alias + rest);
  }
  if (namespace && prefixes.has(`${namespace}.${first}`)) candidates.push(`${namespace}.${name}`);
  if (prefixes.has(first)) candidates.push(name);
  // the last word of the namespace stands for the whole of it
  if (namespace?.endsWith(`.${first}`)) candidates.push(namespace + rest);
  return candidates;
}

/** Whether definitions have the name, or begin with it. */
function isDeclared(declarations: Declarations, name: string): boolean {
  return declarations.prefixes.has(name) || mayBeGenerated(declarations, name);
}

/** Whether a name begins with an alias of what is not there, which was told at its `using`. */
function isUnknownAlias({ aliases, declarations }: Scope, name: string): boolean {
  const named = aliases.get(name.split(".", 1)[0]);
  return named !== undefined && !isDeclared(declarations, named);
}

/** Entities that inference adds: texts, targets of compositions of aspects, and what services expose of them. */
function mayBeGenerated({ byName }: Declarations, name: string): boolean {
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    const owner = byName.get(name.slice(0, end));
    if (!owner) continue;
    const step = name.slice(end + 1).split(".")[0];
    return step === "texts" || hasComposition(owner, step);
  }
  return false;
}

function hasComposition({ ast, csn, kind }: Declaration, step: string): boolean {
  if (csn) return true;
  if (kind !== "entity" && kind !== "aspect") return false;
  if (ast?.query || ast?.projection || ast?.includes) return true;
  return ast?.elements?.some(({ name, type }) => name === step && type?.association?.isComposition) ?? false;
}

const ROLE_WORDS: Readonly<Record<NameRole, string>> = {
  type: "type",
  include: "aspect",
  target: "association target",
  source: "query source",
  extended: "definition",
  block: "service or context",
  annotated: "definition",
};

/** Built-in types by what SQL and programming languages call them. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  ...{ varchar: "String", nvarchar: "String", char: "String", text: "LargeString", clob: "LargeString" },
  ...{ int: "Integer", smallint: "Int16", bigint: "Integer64", long: "Integer64", number: "Decimal" },
  ...{ numeric: "Decimal", real: "Double", float: "Double", bool: "Boolean", bit: "Boolean" },
  ...{ blob: "LargeBinary", bytes: "Binary", bytea: "LargeBinary", guid: "UUID", json: "Map", object: "Map" },
};

function unknownName(scope: Scope, name: string, role: NameRole): string {
  const other = role === "type" ? name.toLowerCase() : "";
  const near = Object.hasOwn(OTHER_TYPES, other)
    ? OTHER_TYPES[other]
    : nearestName(name, knownNames(scope, role));
  const otherwise = role === "type" ? ", expected one of the model, or one like String, Integer or Date" : "";
  const hint = near === undefined ? otherwise : ` (did you mean "${near}"?)`;
  return `Unknown ${ROLE_WORDS[role]} "${name}"${hint}`;
}

/** The names as they could be written here. */
function* knownNames(scope: Scope, role: NameRole): Iterable<string> {
  const prefixes = [...scope.blocks, ...(scope.namespace ? [scope.namespace] : [])];
  if (role === "type") { for (const name of builtinTypeNames()) yield name.slice("cds.".length); }
  for (const [alias, name] of scope.aliases) if (isDeclared(scope.declarations, name)) yield alias;
  for (const name of scope.declarations.byName.keys()) {
    const prefix = prefixes.find((start) => name.startsWith(`${start}.`));
    yield prefix === undefined ? name : name.slice(prefix.length + 1);
  }
}

/** What a full name stands for: a definition in CDL, or one from a CSN file. */
interface Declaration {
  readonly kind: string;
  readonly ast?: AstDefinition;
  readonly csn?: CsnDefinition;
}

/** Full names of definitions. */
interface Declarations {
  readonly byName: Map<string, Declaration>;
  /** All names and all their beginnings up to a dot. */
  readonly prefixes: Set<string>;
}

/**
 * An empty table.
 *
 * @returns the table, to be filled by `declareFile` and `declareCsn`
 */
export function createDeclarations(): Declarations {
  return { byName: new Map(), prefixes: new Set() };
}

/**
 * Enters the definitions of a file.
 *
 * @param declarations the table
 * @param file the parsed file
 * @param problems takes duplicate definitions
 */
export function declareFile(declarations: Declarations, file: AstFile, problems: Problems): void {
  declareStatements(file.statements, file.namespace, { declarations, problems });
}

/**
 * Enters the definitions of a CSN file.
 *
 * @param declarations the table
 * @param definitions its definitions
 */
export function declareCsn(
  declarations: Declarations,
  definitions: Readonly<Record<string, CsnDefinition>>,
): void {
  for (const [name, csn] of Object.entries(definitions)) {
    enter(declarations, name, { kind: csn.kind ?? "type", csn });
  }
}

/**
 * A name inside a namespace, service or context.
 *
 * @param prefix full name of what surrounds it, if anything
 * @param name the name as written
 * @returns the full name
 */
export function qualify(prefix: string | undefined, name: string): string {
  return prefix ? `${prefix}.${name}` : name;
}

/** Where definitions are entered, and what takes the mistakes. */
export interface Declaring {
  readonly declarations: Declarations;
  readonly problems: Problems;
}

/**
 * Enters the definitions of a file or block and those inside them.
 *
 * @param statements in order
 * @param prefix full name of what surrounds them
 * @param context where they are entered
 */
export function declareStatements(
  statements: readonly AstStatement[],
  prefix: string | undefined,
  context: Declaring,
): void {
  const { declarations, problems } = context;
  for (const statement of statements) {
    if (statement.statement !== "definition") continue;
    const name = qualify(prefix, statement.name);
    const other = declarations.byName.get(name);
    if (other?.ast && !(isContainer(statement) && other.kind === "context")) {
      const { file, line, col } = other.ast.location;
      problems.add(
        `Duplicate definition "${name}", which is also in ${file}:${line}:${col}`,
        statement.location,
      );
    } else {
      enter(declarations, name, { kind: statement.kind, ast: statement });
    }
    declareStatements(statement.members ?? [], name, context);
  }
}

/** A context may be written in several pieces. */
function isContainer(definition: AstDefinition): boolean {
  return definition.kind === "context";
}

function enter(declarations: Declarations, name: string, declaration: Declaration): void {
  declarations.byName.set(name, declaration);
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    declarations.prefixes.add(name.slice(0, end));
  }
}
