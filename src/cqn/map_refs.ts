/**
 * Other paths in an expression.
 *
 * @module
 */

import type { Xo } from "./cqn.ts";

/**
 * Replaces the paths in an expression, also inside nested expressions; subqueries stay as they are.
 *
 * @param xpr a flat expression
 * @param replace gives the new path
 */
export function mapRefs(xpr: readonly Xo[], replace: (ref: readonly unknown[]) => readonly unknown[]): Xo[] {
  return xpr.map((item) => mapRefsOf(item, replace) as Xo);
}

function mapRefsOf(item: unknown, replace: (ref: readonly unknown[]) => readonly unknown[]): unknown {
  if (typeof item !== "object" || item === null) return item;
  if ("SELECT" in item || "SET" in item) return item;
  if ("ref" in item) {
    const { ref, param } = item as { ref: readonly unknown[]; param?: boolean };
    return param ? item : withPlace({ ...item, ref: replace(ref) }, item);
  }
  const copy: Record<string, unknown> = { ...item };
  for (const part of ["xpr", "list", "args"]) {
    const value = copy[part];
    if (Array.isArray(value)) copy[part] = value.map((inner) => mapRefsOf(inner, replace));
    else if (typeof value === "object" && value !== null) {
      copy[part] = Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, mapRefsOf(inner, replace)]),
      );
    }
  }
  return copy;
}

/** Keeps the place in the source, which is not enumerable. */
function withPlace(copy: object, item: object): object {
  const place = Object.getOwnPropertyDescriptor(item, "$location");
  return place ? Object.defineProperty(copy, "$location", place) : copy;
}
