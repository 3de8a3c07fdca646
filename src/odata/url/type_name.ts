/**
 * Type names that were read as expressions.
 *
 * @module
 */

import type { CommonExpr } from "./ast.ts";

/**
 * The type an expression names: `Edm.String`, `Collection(Model.Address)`.
 *
 * @param expr an argument of `cast` or `isof`
 * @returns the name, or undefined if it is no name
 */
export function typeNameOf(expr: CommonExpr): string | undefined {
  // version 3 wrote the names of types in quotes, and clients still do
  if (expr.kind === "primitiveLiteral" && expr.type === "Edm.String") {
    return QUALIFIED_NAME.test(String(expr.value)) ? String(expr.value) : undefined;
  }
  if (expr.kind !== "memberExpr" || expr.root !== undefined || expr.steps.length !== 1) return undefined;
  const [step] = expr.steps;
  if (step.kind !== "memberName") return undefined;
  if (step.parens.length === 0) return step.name;
  const [{ items }] = step.parens;
  if (step.name !== "Collection" || step.parens.length !== 1 || items.length !== 1) return undefined;
  const inner = items[0].name === undefined ? typeNameOf(items[0].value) : undefined;
  return inner === undefined || inner.includes("(") ? undefined : `Collection(${inner})`;
}

const QUALIFIED_NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}_]*(?:\.[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}_]*)+$/u;
