/**
 * Which rows a condition may hold for: active instances, drafts, or both.
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import type { Expr, TreeSelect } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { QueryParams, Xo } from "../../cqn/cqn.ts";
import type { RowKind } from "./row_kinds.ts";

/** True, false, or not known without the rows. */
type Known = boolean | undefined;

/**
 * The kinds of rows that a condition may hold for. A condition that does not mention them is about active instances.
 *
 * @param where the condition
 * @param params values of its parameters
 */
export function possibleKinds(where: readonly Xo[] | undefined, params: QueryParams): ReadonlySet<RowKind> {
  return kindsOf(fromXo(where), params);
}

/** Whether a condition is about rows that steps of `$apply` before have chosen by a subquery. */
export function choosesRows(where: readonly Xo[] | undefined): boolean {
  const condition = fromXo(where);
  return condition !== undefined && choicesIn(condition).length > 0;
}

function kindsOf(condition: Expr | undefined, params: QueryParams): ReadonlySet<RowKind> {
  const chosen = condition ? choicesIn(condition) : [];
  if (chosen.length > 0) return new Set(chosen.flatMap(({ SELECT }) => [...kindsOf(SELECT.where, params)]));
  if (!condition || !mentions(condition)) return new Set(["active"]);
  return new Set(
    (["active", "draft"] as const).filter((kind) => holds(condition, { kind, params }) !== false),
  );
}

function choicesIn(condition: Expr): readonly TreeSelect[] {
  const found: TreeSelect[] = [];
  walkTree(condition, (one) => {
    if (one.kind === "in" && one.right.kind === "select") found.push(one.right);
    return one.kind !== "select";
  });
  return found;
}

function mentions(condition: Expr): boolean {
  let found = false;
  walkTree(condition, (one) => {
    if (one.kind === "reference" && one.ref.length === 1 && one.ref[0] === "IsActiveEntity") found = true;
    return !found;
  });
  return found;
}

interface Given {
  readonly kind: RowKind;
  readonly params: QueryParams;
}

function holds(condition: Expr, given: Given): Known {
  switch (condition.kind) {
    case "joined": {
      const parts = condition.args.map((one) => holds(one, given));
      return condition.op === "or" ? any(parts) : negated(any(parts.map(negated)));
    }
    case "unary":
      return negated(holds(condition.arg, given));
    case "comparison": {
      const [a, b] = [value(condition.left, given), value(condition.right, given)];
      if (a === undefined || b === undefined) return undefined;
      if (condition.op === "=" || condition.op === "==") return a === b;
      return condition.op === "<>" || condition.op === "!=" ? a !== b : undefined;
    }
    case "in": {
      const { left, right } = condition;
      const a = value(left, given);
      if (a === undefined || right.kind !== "list") return undefined;
      return right.list.some((one) => value(one, given) === a) !== condition.negated;
    }
  }
  const known = value(condition, given);
  return typeof known === "boolean" ? known : undefined;
}

/** The value of an operand; undefined where rows decide. */
function value(operand: Expr, { kind, params }: Given): unknown {
  if (operand.kind === "literal") return operand.val;
  if (operand.kind === "parameter") return params[operand.name];
  if (operand.kind !== "reference" || operand.ref.length > 1) return undefined;
  const [name] = operand.ref;
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
