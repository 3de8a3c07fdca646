/**
 * The shape of a URL: its raw text without the literals, found by a scan. The scan need not understand the URL: when a
 * shape is planned for the first time, each literal it took out must be one that the plan uses as a value, with the same
 * place and text; otherwise the shape is not cached (`shape_cache.ts`). Other URLs are not scanned, but compared with
 * known shapes in place.
 *
 * @module
 */

import { PAGE_TOKEN } from "../options/keyset.ts";
import { isEscape, literalEnd, type LiteralForm, quoteLength } from "./literal_forms.ts";

/** A literal of a shape and the text before it. */
export interface ShapeStep {
  readonly gap: string;
  readonly form: LiteralForm;
  /** Characters at the end of the gap that belong to the literal, too. */
  readonly lead: number;
}

/** What URLs have in common that differ in their literals only. */
export interface Shape {
  readonly steps: readonly ShapeStep[];
  /** The text behind the last literal. */
  readonly rest: string;
}

/** Where the literals of a URL are. */
export interface LiteralPlaces {
  readonly starts: number[];
  readonly ends: number[];
}

/**
 * Whether a URL has a shape.
 *
 * @param raw path and query, not decoded
 * @param shape the shape
 * @param places is told where its literals are
 */
export function hasShape(raw: string, { steps, rest }: Shape, { starts, ends }: LiteralPlaces): boolean {
  let at = 0;
  for (let i = 0; i < steps.length; i++) {
    const { gap, form, lead } = steps[i];
    const start = at + gap.length;
    // a part is cut and compared faster than `startsWith` compares
    if (raw.slice(at, start) !== gap) return false;
    at = literalEnd(form, raw, start);
    if (at === 0) return false;
    starts[i] = start - lead;
    ends[i] = at;
  }
  return raw.length - at === rest.length && raw.slice(at) === rest;
}

/** Options whose values have literals. */
const REDUCED: ReadonlySet<string> = new Set(
  ["filter", "orderby", "expand", "compute", "apply", "top", "skip", "skiptoken"],
);
const WORD =
  /(?:[A-Za-z_.~\u0080-\uffff]|%[89A-Fa-f][0-9A-Fa-f])(?:[\w.~\u0080-\uffff-]|%[89A-Fa-f][0-9A-Fa-f])*/y;
const DIGITS = /\d+/y;
/** What may begin with a digit or a minus; the first that fits is taken. */
const NUMERIC: readonly LiteralForm[] = ["integer", "guid", "instant", "date", "decimal", "negative"];

/**
 * Takes the literals out of a URL.
 *
 * @param raw path and query, not decoded
 * @returns its shape, which it has
 */
export function urlShape(raw: string): Shape {
  const mark = raw.indexOf("?");
  const scan: Scan = { raw, query: mark < 0 ? raw.length : mark + 1, steps: [], taken: 0 };
  scanPart(scan, 0, mark < 0 ? raw.length : mark);
  for (let start = scan.query; start < raw.length;) {
    const next = raw.indexOf("&", start);
    const end = next < 0 ? raw.length : next;
    scanOption(scan, start, end);
    start = end + 1;
  }
  return { steps: scan.steps, rest: raw.slice(scan.taken) };
}

interface Scan {
  readonly raw: string;
  /** Where the query begins. */
  readonly query: number;
  readonly steps: ShapeStep[];
  /** End of the literal found last. */
  taken: number;
}

/** Takes a literal if there is one; gives its end or 0. */
function take(scan: Scan, form: LiteralForm, at: number): number {
  const { raw, steps, taken } = scan;
  const end = literalEnd(form, raw, at);
  if (end === 0) return 0;
  steps.push({ gap: raw.slice(taken, at), form, lead: 0 });
  return scan.taken = end;
}

function scanOption(scan: Scan, start: number, end: number): void {
  const option = scan.raw.slice(start, end);
  const equals = option.indexOf("=");
  if (equals < 0) return;
  const name = option.slice(option[0] === "$" ? 1 : 0, equals);
  if (option[0] !== "@" && !REDUCED.has(name)) return;
  const value = start + equals + 1;
  // which values of a page token are null stays in the shape
  const nulls = name === "skiptoken" ? PAGE_TOKEN.exec(option.slice(equals + 1))?.[1] : undefined;
  if (nulls === undefined) return scanPart(scan, value, end);
  scan.steps.push({
    gap: scan.raw.slice(scan.taken, value + nulls.length),
    form: "token",
    lead: nulls.length,
  });
  scan.taken = end;
}

function scanPart(scan: Scan, from: number, to: number): void {
  for (let at = from; at < to;) at = scanNext(scan, at);
}

/** Gives the end of what stands at a place: a literal, or a character or word that is part of the shape. */
function scanNext(scan: Scan, at: number): number {
  const { raw } = scan;
  const first = raw[at];
  const string = at < scan.query ? "pathString" : "string";
  if (quoteLength(raw, at) > 0) return take(scan, string, at) || at + quoteLength(raw, at);
  if (first === "-" || (first >= "0" && first <= "9")) {
    for (const form of NUMERIC) {
      const end = take(scan, form, at);
      if (end > 0) return end;
    }
    return matchEnd(DIGITS, raw, at) || at + 1;
  }
  const word = matchEnd(WORD, raw, at);
  if (word === 0) return isEscape(raw, at) ? at + 3 : at + 1;
  // a string behind a word belongs to it
  return take(scan, "guid", at) || literalEnd(string, raw, word) || word;
}

function matchEnd(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : 0;
}
