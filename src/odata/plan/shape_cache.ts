/**
 * Plans by the shape of URLs: what differs in literals only is planned once.
 *
 * @module
 */

import type { ValueOf } from "./bindings.ts";
import type { PlanTemplate } from "./template.ts";
import { type Shape, UrlScan } from "./url_shape.ts";

/** A template and the values of the URL at hand. */
export interface Known {
  readonly template: PlanTemplate;
  /** Gives the values of the URL that was looked up last. */
  readonly valueOf: ValueOf;
}

interface Entry extends Known {
  readonly shape: Shape;
  /** When the entry was put behind all others. */
  turn: number;
}

/** Longer shapes are not kept, so that the cache is bounded in bytes, too. */
const LONGEST_SHAPE = 2048;

/**
 * A bounded cache; an entry unused for long goes first. Of the shapes with the same hash, which a thousand shapes hardly
 * ever have among them, the one planned last is kept.
 */
export class ShapeCache {
  readonly #most: number;
  readonly #scan = new UrlScan();
  readonly #entries = new Map<number, Entry>();
  /** How often an entry was put behind all others. */
  #turns = 0;

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
    if (!this.#scan.run(raw)) return undefined;
    const key = this.#key(reads);
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#scan.has(entry.shape)) return undefined;
    // those used lately stay where they are
    if (this.#turns - entry.turn > this.#most >> 2) this.#add(key, entry);
    return entry;
  }

  /**
   * Keeps the template of a URL for others of its shape, if it fits all of them.
   *
   * @param raw the URL
   * @param reads whether the method reads
   * @param template what was planned for it
   */
  keep(raw: string, reads: boolean, template: PlanTemplate): void {
    const scan = this.#scan;
    if (!scan.run(raw)) return;
    const positions = positionsOf(template, scan);
    const shape = scan.shape();
    if (positions === undefined || shape.gaps.length > LONGEST_SHAPE) return;
    const valueOf: ValueOf = (binding) => {
      const position = positions[binding.index];
      return binding.convert(position < 0 ? binding.literal : scan.literal(position));
    };
    this.#add(this.#key(reads), { template, valueOf, shape, turn: 0 });
  }

  #key(reads: boolean): number {
    const hash = this.#scan.hash();
    return reads ? hash : ~hash;
  }

  #add(key: number, entry: Entry): void {
    entry.turn = ++this.#turns;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest);
  }
}

/**
 * Where each binding finds its literal, by its index; -1 where its text is part of the shape. Undefined unless every
 * literal of the shape is the value of a binding.
 */
function positionsOf(template: PlanTemplate, scan: UrlScan): readonly number[] | undefined {
  const literals = Array.from({ length: scan.count }, (_none, index) => scan.literal(index));
  const byOffset = new Map(literals.map((literal, position) => [literal.offset, position]));
  const used = new Set<number>();
  const positions: number[] = [];
  for (const { index, literal } of [...template.bindings, ...template.apart]) {
    while (positions.length <= index) positions.push(-1);
    const position = byOffset.get(literal.offset);
    if (position === undefined || literals[position].text !== literal.text) continue;
    positions[index] = position;
    used.add(position);
  }
  return used.size === literals.length ? positions : undefined;
}
