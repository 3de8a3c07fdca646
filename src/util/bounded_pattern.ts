/**
 * Regular expressions that clients send.
 *
 * @module
 */

/** The longest text to match with a pattern, or why it must not be used. */
type PatternLimit = { readonly maxLength: number } | { readonly reason: string };

/** Steps that matching one text may take in the worst case: a tenth of a second or so. */
const MAX_STEPS = 2e7;
const MAX_LENGTH = 4096;
/** A pattern that is not good for this much text is refused. */
const MIN_LENGTH = 32;
const QUANTIFIER = /^(?:([*+])|(\?)|\{(\d+)(?:(,)(\d*))?\})/;

/**
 * Bounds the time of a backtracking match: patterns that may need exponential time are refused (a repeated group with
 * repetitions or alternatives inside, back references, too many choices), and for the others the length of the text is
 * limited so that polynomial time stays short.
 *
 * @param pattern source of a regular expression
 */
export function limitPattern(pattern: string): PatternLimit {
  const plain = pattern.replace(/\\(?:u\{\w+\}|[^1-9k])/g, "_").replace(/\[(?:[^\]\\]|\\.)*\]/g, "_");
  if (/\\[1-9k]/.test(plain)) return { reason: "has a back reference" };
  const counts = count(plain);
  if (!counts) return { reason: "repeats a group that holds repetitions or alternatives" };
  const isAnchored = plain.startsWith("^") && !plain.includes("|");
  const degree = counts.unbounded + (isAnchored ? 0 : 1);
  const steps = MAX_STEPS / 2 ** counts.choices;
  const maxLength = Math.floor(steps ** (1 / Math.max(1, degree)));
  return maxLength < MIN_LENGTH
    ? { reason: "has too many repetitions or alternatives" }
    : { maxLength: Math.min(maxLength, MAX_LENGTH) };
}

interface Counts {
  /** Repetitions without bound. */
  unbounded: number;
  /** Binary choices in all other repetitions and alternatives. */
  choices: number;
}

/** Undefined if a repeated group is ambiguous in itself. */
function count(plain: string): Counts | undefined {
  const counts: Counts = { unbounded: 0, choices: 0 };
  const groups: { isAmbiguous: boolean }[] = [];
  for (let at = 0; at < plain.length; at++) {
    const char = plain[at];
    if (char === "(") {
      groups.push({ isAmbiguous: false });
      if (plain[at + 1] === "?") at++;
      continue;
    }
    if (char === "|") {
      for (const group of groups) group.isAmbiguous = true;
      counts.choices++;
      continue;
    }
    const closed = char === ")" ? groups.pop() : undefined;
    const quantifier = QUANTIFIER.exec(plain.slice(at + 1));
    if (!quantifier) continue;
    const [low, high] = boundsOf(quantifier);
    if (closed?.isAmbiguous && high > 1) return undefined;
    at += quantifier[0].length;
    if (plain[at + 1] === "?" || plain[at + 1] === "+") at++;
    if (low === high) continue;
    for (const group of groups) group.isAmbiguous = true;
    if (high === Infinity) counts.unbounded++;
    else counts.choices += Math.log2(high - low + 1);
  }
  return counts;
}

function boundsOf([, unbounded, optional, low, comma, high]: RegExpExecArray): [number, number] {
  if (unbounded) return [0, Infinity]; // one at least is as many choices
  if (optional) return [0, 1];
  if (!comma) return [Number(low), Number(low)];
  return [Number(low), high ? Number(high) : Infinity];
}

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
