/**
 * `like` in memory.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { toFlag } from "./values.ts";

/** A character of a pattern: one that stands for itself, or for one or any others. */
interface PatternPart {
  readonly character: string;
  readonly isWildcard: boolean;
}

/**
 * Whether a text is like a pattern; letters from `A` to `Z` have no case, others have.
 *
 * @param value any value, taken as text
 * @param pattern `%` stands for any text, `_` for one character
 * @param escape the character behind which they stand for themselves, if there is one
 * @throws ServiceError 400 for an escape that is no single character
 */
export function like(value: unknown, pattern: unknown, escape?: unknown): 0 | 1 | null {
  if (value === null || pattern === null || escape === null) return null;
  const sign = escape === undefined ? undefined : String(escape);
  if (sign !== undefined && [...sign].length !== 1) {
    throw new ServiceError({ status: 400, message: "The escape of like is a single character" });
  }
  const parts = partsOf([...String(pattern)], sign);
  return toFlag(parts !== undefined && matches([...String(value)].map(lowerLatin), parts));
}

/** The parts of a pattern; undefined where it ends with the escape, which no text is like. */
function partsOf(pattern: readonly string[], escape: string | undefined): PatternPart[] | undefined {
  const parts: PatternPart[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const isEscaped = pattern[at] === escape;
    if (isEscaped && ++at === pattern.length) return undefined;
    const character = lowerLatin(pattern[at]!);
    parts.push({ character, isWildcard: !isEscaped && (character === "%" || character === "_") });
  }
  return parts;
}

function lowerLatin(character: string): string {
  return character >= "A" && character <= "Z" && character.length === 1 ? character.toLowerCase() : character;
}

/** Linear in text times pattern. */
function matches(value: readonly string[], pattern: readonly PatternPart[]): boolean {
  const isAny = (at: number) => pattern[at]?.isWildcard === true && pattern[at].character === "%";
  const stands = ({ character, isWildcard }: PatternPart, one: string) =>
    isWildcard ? character === "_" : character === one;
  let [t, p, star, mark] = [0, 0, -1, 0];
  while (t < value.length) {
    if (isAny(p)) [star, mark, p] = [p, t, p + 1];
    else if (p < pattern.length && stands(pattern[p]!, value[t]!)) [t, p] = [t + 1, p + 1];
    else if (star >= 0) [p, mark, t] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  while (isAny(p)) p++;
  return p === pattern.length;
}
