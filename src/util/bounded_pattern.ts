/**
 * Regular expressions that clients send.
 *
 * @module
 */

import { limitPattern } from "./limit_pattern.ts";

/** A pattern that matches in bounded time. */
export interface BoundedPattern {
  readonly expression: RegExp;
  /** Characters of the longest text to match. */
  readonly maxLength: number;
}

const PATTERN_LENGTH = 256;
const PATTERN_CACHE = 50;

const patterns = new Map<string, BoundedPattern>();

/**
 * Compiles a pattern.
 *
 * @param pattern a regular expression
 * @returns the expression, or why it must not be used, as predicate of a sentence
 */
export function boundedPattern(pattern: string): BoundedPattern | { readonly reason: string } {
  const known = patterns.get(pattern);
  if (known) return known;
  if (pattern.length > PATTERN_LENGTH) return { reason: "is too long" };
  const limit = limitPattern(pattern);
  if ("reason" in limit) return limit;
  const expression = toRegExp(pattern);
  if (!expression) return { reason: `is no regular expression: "${pattern}"` };
  const made = { expression, maxLength: limit.maxLength };
  if (patterns.size >= PATTERN_CACHE) patterns.delete(patterns.keys().next().value!);
  patterns.set(pattern, made);
  return made;
}

function toRegExp(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
