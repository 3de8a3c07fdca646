/**
 * Parameter aliases → the expressions they stand for (OData 4.01 Part 2, section 5.3).
 *
 * @module
 */

import type { CommonExpr, MemberExpr, MemberStep } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";
import type { Scope } from "../scope.ts";

/**
 * The value of a parameter alias, also of a path behind one: `@p/city` with `@p={"city":"Oslo"}`.
 *
 * @param expr any expression of a URL that has been checked: none of its aliases refers to itself
 * @param scope holds the aliases
 * @returns the value if it is an alias, the expression itself otherwise
 * @throws {ServiceError} 400 if the value has no such member
 */
export function resolveAlias(expr: CommonExpr, scope: Pick<Scope, "aliases">): CommonExpr {
  let actual = expr;
  while (actual.kind === "memberExpr" && actual.root?.[0] === "@") {
    const { offset, steps } = actual;
    // An alias without value is null.
    const value: CommonExpr = scope.aliases.get(actual.root.slice(1)) ??
      { kind: "primitiveLiteral", offset, type: "null", value: null, text: "null" };
    actual = steps.length === 0 ? value : behind(value, steps, actual);
  }
  return actual;
}

function behind(value: CommonExpr, steps: readonly MemberStep[], { offset }: MemberExpr): CommonExpr {
  if (value.kind === "memberExpr") return { ...value, steps: [...value.steps, ...steps] };
  const [step, ...rest] = steps;
  if (step === undefined || (value.kind === "primitiveLiteral" && value.value === null)) return value;
  const member = value.kind === "object" && step.kind === "memberName" && step.parens.length === 0
    ? value.members.find(({ name }) => name === step.name)
    : undefined;
  if (member === undefined) throw badRequest("The value of the parameter alias has no such member", offset);
  return behind(member.value, rest, { kind: "memberExpr", offset, steps: rest });
}
