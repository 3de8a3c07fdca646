import type { PrimitiveLiteral } from "../../url/ast.ts";
import type { Binding, ValueOf } from "./bindings.ts";
import { literalEnd, type LiteralForm, quoteLength, readLiteral } from "./literal_forms.ts";
import type { PlanTemplate } from "./template.ts";
import { isLetter } from "../../url/lexer.ts";
import { PAGE_TOKEN } from "../options/keyset.ts";

/** A template and the values of the URL at hand. */
export interface Known {
  readonly template: PlanTemplate;
  /** Gives the values of the URL that was looked up last. */
  readonly valueOf: ValueOf;
}

interface Entry extends Known {
  readonly shape: Shape;
  readonly reads: boolean;
  /** When it was used last. */
  turn: number;
}

/** Longer URLs are not kept, so that the cache is bounded in bytes, too. */
const LONGEST_URL = 2048;
// A URL is compared with all shapes that begin as it does, so that these bound the time, too.
const MOST_LITERALS = 100;
const MOST_OF_BEGINNING = 64;
const LONGEST_BEGINNING = 48;

/** A bounded cache; what is used least of those that begin alike, and the entry unused for longest, go first. */
export class ShapeCache {
  readonly #most: number;
  /** By the beginning of URLs; each use of an entry brings it forward. */
  readonly #entries = new Map<number, Entry[]>();
  #size = 0;
  #turn = 0;
  #raw = "";
  readonly #places: LiteralPlaces = { starts: [], ends: [] };

  /** @param most templates to keep */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Finds the template of a URL.
   *
   * @param raw the URL
   * @param reads whether the method reads; such URLs have plans of their own
   * @returns template and values; the values are to be taken before the next URL is looked up
   */
  find(raw: string, reads: boolean): Known | undefined {
    const entries = this.#entries.get(beginning(raw));
    if (entries === undefined) return undefined;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      if (entry.reads !== reads || !hasShape(raw, entry.shape, this.#places)) continue;
      this.#raw = raw;
      entry.turn = ++this.#turn;
      entries[i] = entries[i >> 1];
      entries[i >> 1] = entry;
      return entry;
    }
    return undefined;
  }

  /**
   * Keeps the template of a URL for others of its shape, if it fits all of them.
   *
   * @param raw the URL
   * @param reads whether the method reads
   * @param template what was planned for it
   */
  keep(raw: string, reads: boolean, template: PlanTemplate): void {
    if (raw.length > LONGEST_URL) return;
    const bindings = [...template.bindings, ...template.apart];
    const shape = urlShape(raw, bindings.map(({ literal }) => literal));
    if (shape.steps.length > MOST_LITERALS || !hasShape(raw, shape, this.#places)) return;
    const positions = positionsOf(bindings, this.#places.starts.slice(0, shape.steps.length));
    const valueOf: ValueOf = (binding) => {
      const position = positions[binding.index];
      return binding.convert(position < 0 ? binding.literal : this.#literal(this.#raw, shape, position));
    };
    this.#add(beginning(raw), { template, valueOf, shape, reads, turn: ++this.#turn });
  }

  #literal(raw: string, { steps }: Shape, index: number): PrimitiveLiteral {
    const { starts, ends } = this.#places;
    return readLiteral(steps[index].form, raw.slice(starts[index], ends[index]), starts[index]);
  }

  #add(key: number, entry: Entry): void {
    const entries = this.#entries.get(key);
    if (entries?.length === MOST_OF_BEGINNING) {
      entries[MOST_OF_BEGINNING - 1] = entry;
      return;
    }
    if (entries === undefined) this.#entries.set(key, [entry]);
    else entries.push(entry);
    if (this.#size === this.#most) this.#removeOldest();
    else this.#size++;
  }

  #removeOldest(): void {
    let oldest: Entry | undefined;
    let name = 0;
    for (const [key, entries] of this.#entries) {
      for (const entry of entries) {
        if (oldest === undefined || entry.turn < oldest.turn) [oldest, name] = [entry, key];
      }
    }
    const others = this.#entries.get(name)!.filter((entry) => entry !== oldest);
    if (others.length > 0) this.#entries.set(name, others);
    else this.#entries.delete(name);
  }
}

/** A number that URLs have in common that begin with the same name and option: no literal can stand there. */
function beginning(raw: string): number {
  let hash = 0;
  for (let at = 0; at < raw.length && at < LONGEST_BEGINNING; at++) {
    const code = raw.charCodeAt(at);
    if (!isLetter(code) && code !== 0x24 && code !== 0x3f) break; // `$` and `?`
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  return hash;
}

/** Where each binding finds its literal among those of the shape, by its index; -1 where its text is part of the shape. */
function positionsOf(bindings: readonly Binding[], starts: readonly number[]): readonly number[] {
  const positions: number[] = [];
  for (const { index, literal } of bindings) positions[index] = starts.indexOf(literal.offset);
  return positions;
}

/** A literal of a shape and the text before it. */
export interface ShapeStep {
  readonly gap: string;
  readonly form: LiteralForm;
  /** Characters at the end of the gap that belong to the literal, too. */
  readonly lead: number;
}

/** What URLs have in common that differ in their literals only. */
interface Shape {
  readonly steps: readonly ShapeStep[];
  /** The text behind the last literal. */
  readonly rest: string;
}

/** Where the literals of a URL are. */
interface LiteralPlaces {
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
function hasShape(raw: string, { steps, rest }: Shape, { starts, ends }: LiteralPlaces): boolean {
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
function urlShape(raw: string, literals: Iterable<PrimitiveLiteral>): Shape {
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
