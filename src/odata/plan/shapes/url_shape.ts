/**
 * The shape of a URL: its raw text without the literals that its plan uses as values, where the lexer found them. Other
 * URLs are compared with known shapes in place.
 *
 * @module
 */

import { PAGE_TOKEN } from "../options/keyset.ts";
import type { PrimitiveLiteral } from "../../url/ast.ts";
import { literalEnd, type LiteralForm, quoteLength, readLiteral } from "./literal_forms.ts";

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

/** What may begin with a digit or a minus; the first that fits is taken. */
const NUMERIC: readonly LiteralForm[] = [
  "integer",
  "guid",
  "instant",
  "millisecond",
  "date",
  "decimal",
  "negative",
];

/**
 * Takes literals out of a URL.
 *
 * @param raw path and query, not decoded
 * @param literals what the parser found and the plan uses as values, at any order, maybe several times
 * @returns its shape, which it has; a literal of a form that cannot be told in place stays in the text
 */
export function urlShape(raw: string, literals: Iterable<PrimitiveLiteral>): Shape {
  const mark = raw.indexOf("?");
  const byOffset = new Map([...literals].map((literal) => [literal.offset, literal]));
  const steps: ShapeStep[] = [];
  let taken = 0;
  for (const literal of [...byOffset.values()].sort((one, other) => one.offset - other.offset)) {
    const found = literal.offset < taken
      ? undefined
      : stepOf(raw, literal, mark < 0 || literal.offset < mark);
    if (found === undefined) continue;
    const { form, lead, end } = found;
    steps.push({ gap: raw.slice(taken, literal.offset + lead), form, lead });
    taken = end;
  }
  return { steps, rest: raw.slice(taken) };
}

/** The form of a literal in the raw text, characters before what the form tells, and its end. */
function stepOf(
  raw: string,
  literal: PrimitiveLiteral,
  inPath: boolean,
): { readonly form: LiteralForm; readonly lead: number; readonly end: number } | undefined {
  const { offset, text, type } = literal;
  // which values of a page token are null stays in the shape
  const lead = PAGE_TOKEN.exec(text)?.[1]?.length ?? 0;
  const forms = lead > 0 ? TOKEN : quoteLength(raw, offset) === 0 ? NUMERIC : inPath ? PATH_STRING : STRING;
  for (const form of forms) {
    const end = literalEnd(form, raw, offset + lead);
    if (end === 0) continue;
    const read = readLiteral(form, raw.slice(offset, end), offset);
    return read.text === text && read.type === type ? { form, lead, end } : undefined;
  }
  return undefined;
}

const TOKEN: readonly LiteralForm[] = ["token"];
const STRING: readonly LiteralForm[] = ["string"];
const PATH_STRING: readonly LiteralForm[] = ["pathString"];
