/**
 * Following associations from a row.
 *
 * @module
 */

import type { RefStep, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { EvaluationContext } from "./scope.ts";

/** Compiles a condition over an entity; handed in, because conditions hold paths again. */
export type ConditionCompiler = (
  entity: LinkedEntity,
  where: readonly Xo[],
) => (row: Row, context: EvaluationContext) => boolean;

/** Gives the target rows of an association for a source row. */
export type Navigator = (row: Row, context: EvaluationContext) => readonly Row[];

/**
 * Compiles the step along an association.
 *
 * @param association the element
 * @param step the step of the path, which may hold a filter
 * @param compile compiles the filter
 */
export function compileNavigation(
  association: LinkedElement,
  step: RefStep,
  compile: ConditionCompiler,
): Navigator {
  const target = association.$target!;
  const pairs = joinPairs(association, target);
  const filter = typeof step !== "string" && step.where ? compile(target, step.where) : undefined;
  return (row, context) => {
    const found = context.rows(target).filter((candidate) =>
      pairs.every(({ source, target: name }) => equal(valueOf(source, row), candidate[name]))
    );
    return filter ? found.filter((candidate) => filter(candidate, context)) : found;
  };
}

/** Equality of a source value (column or literal) and a target column. */
export interface JoinPair {
  readonly source: { readonly column: string } | { readonly val: unknown };
  readonly target: string;
}

/** The value of the source side for a row. */
export function valueOf(source: JoinPair["source"], row: Row): unknown {
  return "column" in source ? row[source.column] : source.val;
}

function equal(a: unknown, b: unknown): boolean {
  return a !== null && a !== undefined && b !== null && b !== undefined &&
    (a === b || String(a) === String(b));
}

/**
 * The equalities that join source and target of an association.
 *
 * @throws ServiceError 501 for conditions that are more than equalities
 */
export function joinPairs(association: LinkedElement, target: LinkedEntity): JoinPair[] {
  if (association.$foreignKeys) {
    return association.$foreignKeys.map(({ name, target }) => ({ source: { column: name }, target }));
  }
  const on = association.on ?? [];
  const pairs: JoinPair[] = [];
  for (let i = 0; i < on.length; i += 4) {
    const [left, operator, right, and] = on.slice(i, i + 4);
    if (operator !== "=" || (and !== undefined && and !== "and")) throw unsupported(association);
    pairs.push(...pairsOf(association, target, [left, right]));
  }
  return pairs;
}

function pairsOf(association: LinkedElement, target: LinkedEntity, sides: readonly Xo[]): JoinPair[] {
  const refs = sides.map((side) =>
    typeof side === "object" && "ref" in side ? side.ref.map(String) : undefined
  );
  const targetSide = refs.findIndex((ref) => ref?.[0] === association.name && ref.length > 1);
  if (targetSide < 0) throw unsupported(association);
  const path = refs[targetSide]!.slice(1);
  const other = sides[1 - targetSide];
  const source = refs[1 - targetSide];
  if (source?.length === 1 && source[0] === "$self") {
    const back = target.elements[path[0]];
    return back.$foreignKeys!.map(({ name, target: column }) => ({ source: { column }, target: name }));
  }
  const name = path.join("_");
  if (source) {
    return [{ source: { column: source.filter((one) => one !== "$self").join("_") }, target: name }];
  }
  if (typeof other === "object" && "val" in other) return [{ source: { val: other.val }, target: name }];
  throw unsupported(association);
}

function unsupported(association: LinkedElement): ServiceError {
  return new ServiceError({
    status: 501,
    message: `The memory database does not evaluate the condition of "${association.name}"`,
  });
}
