/**
 * Regular expressions matched in time that grows with the text only: all ways through the expression are followed at once,
 * instead of one after the other.
 *
 * @module
 */

import { BoundedCache } from "./bounded_cache.ts";

/** A step of the machine: characters, a branch, an assertion, or the end. */
type Step =
  | { readonly kind: "char"; readonly accepts: (char: string) => boolean }
  | { readonly kind: "start" | "end" | "done" }
  | { readonly kind: "branch"; to: readonly number[] };

/** What an expression consists of. */
type Part =
  | { readonly kind: "char"; readonly accepts: (char: string) => boolean }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "all"; readonly parts: readonly Part[] }
  | { readonly kind: "any"; readonly parts: readonly Part[] }
  | { readonly kind: "repeat"; readonly part: Part; readonly low: number; readonly high: number };

/** Steps that one expression may have: repetitions with bounds are written out. */
const MAX_STEPS = 2000;
const ATOM =
  /^(?:\[(?:[^\]\\]|\\.)*\]|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[pP]\{[^}]*\}|\\[^bBkcxu1-9]|[^\\|()[\]{}*+?])/iu;
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/;

/**
 * Makes a matcher of an expression without back references and assertions other than `^` and `$`.
 *
 * @param expression what is right by itself
 * @returns tells whether the expression is found in a text, in steps of the length of the text; undefined for expressions
 *   that are not matched this way
 */
export function linearMatcher(expression: RegExp): ((text: string) => boolean) | undefined {
  const parser = { rest: expression.source, flags: expression.flags };
  const part = alternatives(parser);
  if (!part) return undefined;
  const steps: Step[] = [];
  if (!write(part, steps)) return undefined;
  steps.push({ kind: "done" });
  return (text) => isFound(steps, expression.unicode ? [...text] : text.split(""));
}

interface Parser {
  rest: string;
  readonly flags: string;
}

function alternatives(parser: Parser): Part | undefined {
  const parts: Part[] = [];
  do {
    if (parts.length > 0) parser.rest = parser.rest.slice(1);
    const part = sequence(parser);
    if (!part) return undefined;
    parts.push(part);
  } while (parser.rest.startsWith("|"));
  return parts.length === 1 ? parts[0] : { kind: "any", parts };
}

function sequence(parser: Parser): Part | undefined {
  const parts: Part[] = [];
  while (parser.rest !== "" && !/^[|)]/.test(parser.rest)) {
    const part = term(parser);
    if (!part) return undefined;
    parts.push(part);
  }
  return { kind: "all", parts };
}

function term(parser: Parser): Part | undefined {
  const [first] = parser.rest;
  if (first === "^" || first === "$") {
    parser.rest = parser.rest.slice(1);
    return { kind: first === "^" ? "start" : "end" };
  }
  const part = first === "(" ? group(parser) : atom(parser);
  if (!part) return undefined;
  const quantifier = QUANTIFIER.exec(parser.rest);
  if (!quantifier) return part;
  parser.rest = parser.rest.slice(quantifier[0].length);
  const [low, high] = boundsOf(quantifier);
  return { kind: "repeat", part, low, high };
}

function group(parser: Parser): Part | undefined {
  const [opening] = /^\((?:\?(?::|<[A-Za-z_$][\w$]*>))?(?!\?)/.exec(parser.rest) ?? [];
  if (opening === undefined) return undefined;
  parser.rest = parser.rest.slice(opening.length);
  const part = alternatives(parser);
  if (!part || !parser.rest.startsWith(")")) return undefined;
  parser.rest = parser.rest.slice(1);
  return part;
}

function atom(parser: Parser): Part | undefined {
  const [text] = ATOM.exec(parser.rest) ?? [];
  if (text === undefined) return undefined;
  parser.rest = parser.rest.slice(text.length);
  const one = new RegExp(`^(?:${text})$`, parser.flags);
  const known = new BoundedCache<string, boolean>(MAX_STEPS);
  const accepts = (char: string) => {
    let accepted = known.get(char);
    if (accepted === undefined) known.set(char, accepted = one.test(char));
    return accepted;
  };
  return { kind: "char", accepts };
}

function boundsOf([, sign, low, comma, high]: RegExpExecArray): [number, number] {
  if (sign) return [sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity];
  return [Number(low), comma ? high ? Number(high) : Infinity : Number(low)];
}

/** Writes the steps of a part behind the others; false where they get too many. */
function write(part: Part, steps: Step[]): boolean {
  if (steps.length > MAX_STEPS) return false;
  switch (part.kind) {
    case "char":
    case "start":
    case "end":
      steps.push(part);
      return true;
    case "all":
      return part.parts.every((one) => write(one, steps));
    case "any":
      return writeAny(part.parts, steps);
    case "repeat":
      return writeRepeat(part, steps);
    default:
      return part satisfies never;
  }
}

function writeAny(parts: readonly Part[], steps: Step[]): boolean {
  const begin: Step = { kind: "branch", to: [] };
  steps.push(begin);
  const ends: { to: readonly number[] }[] = [];
  for (const part of parts) {
    begin.to = [...begin.to, steps.length];
    if (!write(part, steps)) return false;
    const end: Step = { kind: "branch", to: [] };
    steps.push(end);
    ends.push(end);
  }
  for (const end of ends) end.to = [steps.length];
  return true;
}

function writeRepeat({ part, low, high }: Part & { readonly kind: "repeat" }, steps: Step[]): boolean {
  for (let count = 0; count < low; count++) {
    if (!write(part, steps)) return false;
  }
  const isEndless = high === Infinity;
  const begins: { to: readonly number[] }[] = [];
  for (let count = low; count < (isEndless ? low + 1 : high); count++) {
    const at = steps.length;
    const begin: Step = { kind: "branch", to: [at + 1] };
    steps.push(begin);
    begins.push(begin);
    if (!write(part, steps)) return false;
    if (isEndless) steps.push({ kind: "branch", to: [at] });
  }
  for (const begin of begins) begin.to = [...begin.to, steps.length];
  return true;
}

function isFound(steps: readonly Step[], chars: readonly string[]): boolean {
  let places = new Set<number>();
  for (let at = 0; at <= chars.length; at++) {
    const next = reached(steps, [0, ...places], { isStart: at === 0, isEnd: at === chars.length });
    if (next.has(steps.length - 1)) return true;
    places = new Set();
    for (const place of next) {
      const step = steps[place]!;
      if (step.kind === "char" && step.accepts(chars[at] ?? "")) places.add(place + 1);
    }
  }
  return false;
}

/** All places that are reached without another character. */
function reached(
  steps: readonly Step[],
  from: number[],
  { isStart, isEnd }: { readonly isStart: boolean; readonly isEnd: boolean },
): ReadonlySet<number> {
  const found = new Set<number>();
  while (from.length > 0) {
    const place = from.pop()!;
    if (found.has(place)) continue;
    found.add(place);
    const step = steps[place]!;
    if (step.kind === "branch") from.push(...step.to);
    if (step.kind === "start" && isStart || step.kind === "end" && isEnd) from.push(place + 1);
  }
  return found;
}
