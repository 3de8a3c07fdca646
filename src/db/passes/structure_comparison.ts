/**
 * Comparisons of structures, and of associations with several foreign keys: all of their parts are compared.
 *
 * @module
 */

import type { Expression, RefStep, Xo } from "../../cqn/cqn.ts";
import type { ResolvedPath } from "./scope.ts";

/** Where the path of an operand leads; undefined where it is bound to a value. */
export type Resolve = (ref: readonly RefStep[]) => ResolvedPath | undefined;

/** The parts of a structure by their names within it. */
type Parts = ReadonlyMap<string, Expression>;

const EQUAL: ReadonlySet<unknown> = new Set(["=", "=="]);
const UNEQUAL: ReadonlySet<unknown> = new Set(["<>", "!="]);

/**
 * Writes comparisons of structures as comparisons of their parts.
 *
 * @param tokens operands and operators
 * @param resolve finds out where paths lead
 * @returns the same tokens where there is none
 * @throws TypeError for structures that differ in their parts
 */
export function withStructureComparisons(tokens: readonly Xo[], resolve: Resolve): readonly Xo[] {
  let result: Xo[] | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const found = isPath(tokens[index]) ? comparisonAt(tokens, index, resolve) : undefined;
    if (found) {
      result ??= tokens.slice(0, index);
      result.push(found.expression);
      index += found.length - 1;
    } else result?.push(tokens[index]);
  }
  return result ?? tokens;
}

function comparisonAt(
  tokens: readonly Xo[],
  index: number,
  resolve: Resolve,
): { readonly expression: Expression; readonly length: number } | undefined {
  const [left, operator, right] = tokens.slice(index, index + 3);
  if (operator === "is" && (right === "null" || right === "not")) {
    const test = right === "not" ? ["is", "not", "null"] : ["is", "null"];
    const parts = partsOf(left, resolve);
    if (!parts) return undefined;
    const tests = [...parts.values()].map((part) => [part, ...test]);
    return { expression: joined(tests, right === "not" ? "or" : "and"), length: 1 + test.length };
  }
  const isEqual = EQUAL.has(operator);
  if ((!isEqual && !UNEQUAL.has(operator)) || !isPath(right)) return undefined;
  const parts = partsOf(left, resolve);
  const others = parts && partsOf(right, resolve);
  if (!others) return undefined;
  if (parts.size !== others.size || [...parts.keys()].some((name) => !others.has(name))) {
    const names = [parts, others].map((side) => [...side.keys()].join(", ")).join("; ");
    throw new TypeError(`Structures with different elements cannot be compared: ${names}`);
  }
  const pairs = [...parts].map(([name, part]): Xo[] => [part, operator, others.get(name)!]); // both have it
  return { expression: joined(pairs, isEqual ? "and" : "or"), length: 3 };
}

function isPath(token: Xo | undefined): boolean {
  return typeof token === "object" && "ref" in token && !token.param;
}

function partsOf(operand: Xo, resolve: Resolve): Parts | undefined {
  if (typeof operand !== "object" || !("ref" in operand)) return undefined;
  const found = resolve(operand.ref);
  return found && partsOfPath(operand.ref, found);
}

/**
 * The parts of a structure, or of an association with several foreign keys.
 *
 * @param ref the path
 * @param found where it leads
 * @returns paths by names within the structure; undefined for what is a value itself
 */
export function partsOfPath(ref: readonly RefStep[], found: ResolvedPath): Parts | undefined {
  const names = found.kind === "structure"
    ? [...found.anchor.entity.$flat.keys()].filter((name) => name.startsWith(`${found.flat}_`))
      .map((name) => name.slice(found.flat.length + 1))
    : found.kind === "association"
    ? (found.association.$foreignKeys ?? []).map(({ target }) => target)
    : [];
  if (names.length === 0 || (names.length === 1 && found.kind === "association")) return undefined;
  return new Map(names.map((name) => [name, { ref: [...ref, name] }]));
}

function joined(comparisons: readonly (readonly Xo[])[], operator: "and" | "or"): Expression {
  return { xpr: comparisons.flatMap((one, at) => at > 0 ? [operator, ...one] : one) };
}
