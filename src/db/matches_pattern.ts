/**
 * Regular expressions that clients send.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

const PATTERN_LENGTH = 256;
const TEXT_LENGTH = 4096;
const PATTERN_CACHE = 50;

const patterns = new Map<string, RegExp>();

/**
 * Whether a text matches a pattern; null if one of them is null.
 *
 * @param text a value
 * @param pattern a regular expression
 * @throws ServiceError 400 for patterns that could take long, or are wrong
 */
export function matchesPattern(text: unknown, pattern: unknown): 0 | 1 | null {
  if (text === null || pattern === null) return null;
  return compiled(String(pattern)).test(String(text).slice(0, TEXT_LENGTH)) ? 1 : 0;
}

function compiled(pattern: string): RegExp {
  let known = patterns.get(pattern);
  if (known) return known;
  assertHarmless(pattern);
  try {
    known = new RegExp(pattern, "u");
  } catch (cause) {
    throw new ServiceError({ status: 400, message: `"${pattern}" is no regular expression`, cause });
  }
  if (patterns.size >= PATTERN_CACHE) patterns.delete(patterns.keys().next().value!);
  patterns.set(pattern, known);
  return known;
}

/**
 * Refuses patterns whose matching can take more than polynomial time of low degree: repetition of a group that holds a
 * repetition or alternatives, back references, look-around, and more than three unbounded repetitions.
 */
function assertHarmless(pattern: string): void {
  if (pattern.length > PATTERN_LENGTH) throw refused("is too long");
  const plain = pattern.replace(/\\[^1-9k]/g, "_").replace(/\[(?:[^\]\\]|\\.)*\]/g, "_");
  if (/\\[1-9k]/.test(plain)) throw refused("has a back reference");
  if (/\(\?(?!:)/.test(plain)) throw refused("has a look-around or a named group");
  const groups: boolean[] = [];
  let unbounded = 0;
  for (let index = 0; index < plain.length; index++) {
    const char = plain[index];
    if (char === "(") groups.push(false);
    else if (char === "|" && groups.length > 0) groups[groups.length - 1] = true;
    else if (char === "*" || char === "+" || char === "{") {
      if (/^(?:[*+]|\{\d+,\})/.test(plain.slice(index))) unbounded++;
      if (groups.length > 0) groups[groups.length - 1] = true;
    } else if (char === ")") {
      const risky = groups.pop() ?? false;
      if (risky && /^[*+{]/.test(plain.slice(index + 1))) {
        throw refused("repeats a group with repetitions or alternatives");
      }
      if (risky && groups.length > 0) groups[groups.length - 1] = true;
    }
  }
  if (unbounded > 3) throw refused("has more than three unbounded repetitions");
}

function refused(reason: string): ServiceError {
  return new ServiceError({ status: 400, message: `The pattern of matchesPattern ${reason}` });
}
