/**
 * Which rows a condition may hold for: active instances, drafts, or both.
 *
 * @module
 */

import type { QueryParams, Xo } from "../../cqn/cqn.ts";
import type { RowKind } from "./draft_rows.ts";

/** True, false, or not known without the rows. */
type Known = boolean | undefined;

/**
 * The kinds of rows that a condition may hold for. A condition that does not mention them is about active instances.
 *
 * @param where the condition
 * @param params values of its parameters
 */
export function possibleKinds(where: readonly Xo[] | undefined, params: QueryParams): ReadonlySet<RowKind> {
  if (!where || !mentions(where)) return new Set(["active"]);
  return new Set((["active", "draft"] as const).filter((kind) => holds(where, { kind, params }) !== false));
}

function mentions(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentions);
  if (typeof value !== "object" || value === null) return false;
  const { ref } = value as { ref?: readonly unknown[] };
  if (ref) return ref.length === 1 && ref[0] === "IsActiveEntity";
  return Object.values(value).some(mentions);
}

interface Given {
  readonly kind: RowKind;
  readonly params: QueryParams;
}

/** `or` binds weaker than `and`, that weaker than `not`. */
function holds(xpr: readonly Xo[], given: Given): Known {
  const either = split(xpr, "or");
  if (either.length > 1) return any(either.map((one) => holds(one, given)));
  const all = split(xpr, "and");
  if (all.length > 1) return negated(any(all.map((one) => negated(holds(one, given)))));
  if (xpr[0] === "not") return negated(holds(xpr.slice(1), given));
  const [left, operator, right] = xpr;
  if (xpr.length === 1) return truth(left, given);
  const [a, b] = [value(left, given), value(right, given)];
  if (xpr.length === 3 && a !== undefined && b !== undefined) {
    if (operator === "=" || operator === "==") return a === b;
    if (operator === "<>" || operator === "!=") return a !== b;
  }
  if (
    xpr.length === 3 && operator === "in" && a !== undefined && typeof right === "object" && "list" in right
  ) {
    return right.list.some((one) => value(one, given) === a);
  }
  return undefined;
}

function split(xpr: readonly Xo[], word: string): readonly (readonly Xo[])[] {
  const parts: Xo[][] = [[]];
  let isBetween = false;
  for (const item of xpr) {
    if (item === "between") isBetween = true;
    if (item === word && !(isBetween && word === "and")) parts.push([]);
    else {
      if (item === word) isBetween = false;
      parts.at(-1)!.push(item);
    }
  }
  return parts;
}

function truth(item: Xo | undefined, given: Given): Known {
  if (typeof item === "object" && "xpr" in item && !("func" in item)) return holds(item.xpr!, given);
  const known = value(item, given);
  return typeof known === "boolean" ? known : undefined;
}

/** The value of an operand; undefined where rows decide. */
function value(item: Xo | undefined, { kind, params }: Given): unknown {
  if (typeof item !== "object") return undefined;
  if ("val" in item) return item.val;
  if (!("ref" in item)) {
    return "xpr" in item && item.xpr?.length === 1 ? value(item.xpr[0], { kind, params }) : undefined;
  }
  const [name] = item.ref;
  if (item.param) return params[name as string];
  if (item.ref.length > 1) return undefined;
  if (name === "IsActiveEntity") return kind === "active";
  if (name === "HasDraftEntity" && kind === "draft") return false;
  return name === "HasActiveEntity" && kind === "active" ? false : undefined;
}

function any(parts: readonly Known[]): Known {
  if (parts.includes(true)) return true;
  return parts.includes(undefined) ? undefined : false;
}

function negated(known: Known): Known {
  return known === undefined ? undefined : !known;
}
