/**
 * Comparisons of structures, and of associations with several foreign keys: all of their parts are compared.
 *
 * @module
 */

import { compare, isNull, join, reference } from "../../algebra/build.ts";
import type { Comparison, Expr, TreeStep } from "../../algebra/tree.ts";
import type { ResolvedPath } from "./scope.ts";

/** Where the path of an operand leads; undefined where it is bound to a value. */
export type Resolve = (ref: readonly TreeStep[]) => ResolvedPath | undefined;

/** The parts of a structure by their names within it. */
type Parts = ReadonlyMap<string, Expr>;

const EQUAL: ReadonlySet<unknown> = new Set(["=", "=="]);
const UNEQUAL: ReadonlySet<unknown> = new Set(["<>", "!="]);

/**
 * A comparison of structures as comparisons of their parts.
 *
 * @param given a comparison, not lowered
 * @param resolve finds out where paths lead
 * @returns undefined for comparisons of other values
 * @throws TypeError for structures that differ in their parts
 */
export function withStructureComparison(given: Comparison, resolve: Resolve): Expr | undefined {
  const { left, op, right } = given;
  if (left.kind !== "reference") return undefined;
  if (right.kind === "literal" && right.val === null && (op === "is" || op === "is not")) {
    const parts = partsOf(left, resolve);
    const tests = parts && [...parts.values()].map((part) => isNull(part, op === "is not"));
    return tests && join(op === "is" ? "and" : "or", tests);
  }
  const isEqual = EQUAL.has(op);
  if ((!isEqual && !UNEQUAL.has(op)) || right.kind !== "reference") return undefined;
  const parts = partsOf(left, resolve);
  const others = parts && partsOf(right, resolve);
  if (!others) return undefined;
  if (parts.size !== others.size || [...parts.keys()].some((name) => !others.has(name))) {
    const names = [parts, others].map((side) => [...side.keys()].join(", ")).join("; ");
    throw new TypeError(`Structures with different elements cannot be compared: ${names}`);
  }
  const pairs = [...parts].map(([name, part]) => compare(part, op, others.get(name)!)); // both have it
  return join(isEqual ? "and" : "or", pairs);
}

function partsOf({ ref }: Extract<Expr, { kind: "reference" }>, resolve: Resolve): Parts | undefined {
  const found = resolve(ref);
  return found && partsOfPath(ref, found);
}

/**
 * The parts of a structure, or of an association with several foreign keys.
 *
 * @param ref the path
 * @param found where it leads
 * @returns paths by names within the structure; undefined for what is a value itself
 */
export function partsOfPath(ref: readonly TreeStep[], found: ResolvedPath): Parts | undefined {
  const names = found.kind === "structure"
    ? [...found.anchor.entity.$flat.keys()].filter((name) => name.startsWith(`${found.flat}_`))
      .map((name) => name.slice(found.flat.length + 1))
    : found.kind === "association"
    ? (found.association.$foreignKeys ?? []).map(({ target }) => target)
    : [];
  if (names.length === 0 || (names.length === 1 && found.kind === "association")) return undefined;
  return new Map(names.map((name) => [name, reference([...ref, name])]));
}
