/**
 * The definitions of all files by their full names.
 *
 * @module
 */

import type { CsnDefinition } from "../csn.ts";
import type { AstDefinition, AstFile, AstStatement } from "./ast.ts";
import type { Problems } from "../problems.ts";

/** What a full name stands for: a definition in CDL, or one from a CSN file. */
export interface Declaration {
  readonly kind: string;
  readonly ast?: AstDefinition;
  readonly csn?: CsnDefinition;
}

/** Full names of definitions. */
export interface Declarations {
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
