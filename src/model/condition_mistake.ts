import { fromXo } from "../algebra/from_cqn.ts";
import type { Xo } from "../cqn/cqn.ts";

/**
 * What is wrong with the condition of an association, whether or not its names lead somewhere.
 *
 * @param on what stands for it in CSN
 * @returns undefined for a list of operands and operators that is an expression
 */
export function conditionMistake(on: unknown): string | undefined {
  try {
    assertTokens(on);
    fromXo(on);
  } catch (error) {
    return (error as Error).message;
  }
}

function assertTokens(tokens: unknown): asserts tokens is readonly Xo[] {
  if (!Array.isArray(tokens)) throw unexpected("A list of operands and operators", tokens);
  for (const token of tokens) if (typeof token !== "string") assertOperand(token);
}

function assertOperand(operand: unknown): void {
  if (!isObject(operand)) throw unexpected("An operand or operator", operand);
  const { ref, xpr, list } = operand;
  const isPath = Array.isArray(ref) && ref.length > 0 && ref.every(isStep);
  if (ref !== undefined && !isPath) throw unexpected('A list of names as "ref"', ref);
  for (const inner of [xpr, list]) if (inner !== undefined) assertTokens(inner);
}

function isStep(step: unknown): boolean {
  return typeof step === "string" || (isObject(step) && typeof step.id === "string");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function unexpected(expected: string, found: unknown): TypeError {
  return new TypeError(`${expected} is expected, found ${JSON.stringify(found)}`);
}
