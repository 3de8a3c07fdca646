import { nearestName } from "../../util/nearest_name.ts";
import type { ArgumentList, CommonExpr, MemberName, MemberStep } from "./ast.ts";
import { CANONICAL_FUNCTIONS, canonicalFunction } from "./words.ts";
import { syntaxError } from "./syntax_error.ts";
import { counted } from "../../util/counted.ts";

/**
 * Makes the node of a path or call.
 *
 * @param path what was read: a root or none, and the steps
 * @returns a method call if the first step is a canonical function with arguments by position
 * @throws {ServiceError} 400 for an unknown function or a wrong number of arguments
 */
export function callOrMember(
  path: { readonly offset: number; readonly root: string | undefined; readonly steps: readonly MemberStep[] },
): CommonExpr {
  const { offset, root, steps } = path;
  // An annotation has a namespace, a parameter alias has none.
  if (root?.[0] === "@" && root.includes(".")) {
    return callOrMember({
      offset,
      root: undefined,
      steps: [{ kind: "annotationExpr", offset, name: root }, ...steps],
    });
  }
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (step.kind !== "memberName") continue;
    if (step.parens.length === 0) continue;
    if (i === 0 && root === undefined && steps.length === 1) {
      const call = methodCall(step);
      if (call !== undefined) return call;
    }
    for (const list of step.parens) checkArguments(step, list);
  }
  return root === undefined
    ? { kind: "memberExpr", offset, steps }
    : { kind: "memberExpr", offset, root, steps };
}

function methodCall(step: MemberName): CommonExpr | undefined {
  const name = canonicalFunction(step.name);
  if (name === undefined || step.parens.length > 1) return undefined;
  const [{ items }] = step.parens;
  if (items.some((item) => item.name !== undefined)) return undefined;
  const [least, most] = CANONICAL_FUNCTIONS.get(name)!.count;
  if (items.length < least || items.length > most) {
    const expected = least === most ? `${least}` : `${least} to ${most}`;
    throw syntaxError({
      offset: step.offset,
      found: `${step.name} with ${counted(items.length, "argument")}`,
      expected: `${expected} ${most === 1 ? "argument" : "arguments"}`,
    });
  }
  return { kind: "methodCallExpr", offset: step.offset, name, args: items.map((item) => item.value) };
}

/** Parentheses hold one key value, or pairs; several values by position are arguments of a canonical function only. */
function checkArguments(step: MemberName, list: ArgumentList): void {
  const { items } = list;
  if (items.length > 1 && items.some((item) => item.name === undefined)) {
    throw syntaxError({
      offset: step.offset,
      found: step.name,
      expected: "a known function",
      nearest: nearestName(step.name, CANONICAL_FUNCTIONS.keys()),
    });
  }
}

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
