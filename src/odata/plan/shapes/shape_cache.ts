/**
 * Plans by the shape of URLs: what differs in literals only is planned once.
 *
 * @module
 */

import type { PrimitiveLiteral } from "../../url/ast.ts";
import type { Binding, ValueOf } from "./bindings.ts";
import { readLiteral } from "./literal_forms.ts";
import type { PlanTemplate } from "./template.ts";
import { hasShape, type LiteralPlaces, type Shape, urlShape } from "./url_shape.ts";
import { isLetter } from "../../url/lexer.ts";

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
    if (++this.#size > this.#most) this.#removeOldest();
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
    this.#size--;
  }
}

const [DOLLAR, QUESTION] = [0x24, 0x3f];

/** A number that URLs have in common that begin with the same name and option: no literal can stand there. */
function beginning(raw: string): number {
  let hash = 0;
  for (let at = 0; at < raw.length && at < LONGEST_BEGINNING; at++) {
    const code = raw.charCodeAt(at);
    if (!isLetter(code) && code !== DOLLAR && code !== QUESTION) break;
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
