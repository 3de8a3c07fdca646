/**
 * Regular expressions that clients send.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import { boundedPattern } from "../util/bounded_pattern.ts";

/**
 * Whether a text matches a pattern; null if one of them is null.
 *
 * @param text a value
 * @param pattern a regular expression
 * @throws ServiceError 400 for patterns that could take long, for this text or any, or are wrong
 */
export function matchesPattern(text: unknown, pattern: unknown): 0 | 1 | null {
  if (text === null || pattern === null) return null;
  const compiled = boundedPattern(String(pattern));
  if ("reason" in compiled) throw refused(compiled.reason);
  const given = String(text);
  if (given.length > compiled.maxLength) {
    throw refused(`may take too long for a text of ${given.length} characters`);
  }
  return compiled.expression.test(given) ? 1 : 0;
}

function refused(reason: string): ServiceError {
  return new ServiceError({ status: 400, message: `The pattern of matchesPattern ${reason}` });
}
