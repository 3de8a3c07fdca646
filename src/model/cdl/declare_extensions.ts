/**
 * The definitions that `extend service` and `extend context` add, by their full names.
 *
 * @module
 */

import type { AstStatement } from "./ast.ts";
import { declareStatements, qualify } from "./declarations.ts";
import { innerScope, resolveName, type Scope } from "./scope.ts";

/**
 * Enters the definitions inside extensions; those outside must be there already, because extended names are looked up
 * among them.
 *
 * @param statements of a file or block
 * @param prefix full name of what surrounds them
 * @param scope where they stand
 */
export function declareExtensions(
  statements: readonly AstStatement[],
  prefix: string | undefined,
  scope: Scope,
): void {
  for (const statement of statements) {
    if (!("members" in statement) || !statement.members) continue;
    const isDefinition = statement.statement === "definition";
    const name = isDefinition
      ? qualify(prefix, statement.name)
      : resolveName(scope, statement.target, "extended");
    if (!isDefinition) declareStatements(statement.members, name, scope);
    declareExtensions(statement.members, name, innerScope(scope, name));
  }
}
