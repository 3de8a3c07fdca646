/**
 * Regular expressions that clients send.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import { limitPattern } from "../util/limit_pattern.ts";

const PATTERN_LENGTH = 256;
const PATTERN_CACHE = 50;

interface Pattern {
  readonly expression: RegExp;
  readonly maxLength: number;
}

const patterns = new Map<string, Pattern>();

/**
 * Whether a text matches a pattern; null if one of them is null.
 *
 * @param text a value
 * @param pattern a regular expression
 * @throws ServiceError 400 for patterns that could take long, for this text or any, or are wrong
 */
export function matchesPattern(text: unknown, pattern: unknown): 0 | 1 | null {
  if (text === null || pattern === null) return null;
  const { expression, maxLength } = compiled(String(pattern));
  const given = String(text);
  if (given.length > maxLength) throw refused(`may take too long for a text of ${given.length} characters`);
  return expression.test(given) ? 1 : 0;
}

function compiled(pattern: string): Pattern {
  const known = patterns.get(pattern);
  if (known) return known;
  if (pattern.length > PATTERN_LENGTH) throw refused("is too long");
  const limit = limitPattern(pattern);
  if ("reason" in limit) throw refused(limit.reason);
  const made = { expression: toRegExp(pattern), maxLength: limit.maxLength };
  if (patterns.size >= PATTERN_CACHE) patterns.delete(patterns.keys().next().value!);
  patterns.set(pattern, made);
  return made;
}

function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (cause) {
    throw new ServiceError({ status: 400, message: `"${pattern}" is no regular expression`, cause });
  }
}

function refused(reason: string): ServiceError {
  return new ServiceError({ status: 400, message: `The pattern of matchesPattern ${reason}` });
}
