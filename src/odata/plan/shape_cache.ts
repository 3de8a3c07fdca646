/**
 * Plans by the shape of URLs: what differs in literals only is planned once.
 *
 * @module
 */

import type { PrimitiveLiteral } from "../url/ast.ts";
import type { Binding, ValueOf } from "./bindings.ts";
import type { PlanTemplate } from "./template.ts";
import { urlShape } from "./url_shape.ts";

/** A template and the values of the URL at hand. */
export interface Lookup {
  readonly template: PlanTemplate;
  readonly valueOf: ValueOf;
}

interface Entry {
  readonly template: PlanTemplate;
  /** Position of the literal of each binding; bindings whose text is part of the shape are missing. */
  readonly positions: ReadonlyMap<Binding, number>;
  /** When the entry was put behind all others. */
  turn: number;
}

// deno-lint-ignore no-control-regex
const PLACEHOLDER = /[\u0001\u0002]/;
/** Longer shapes are not kept, so that the cache is bounded in bytes, too. */
const LONGEST_SHAPE = 2048;

/** A bounded cache; an entry unused for long goes first. */
export class ShapeCache {
  readonly #most: number;
  readonly #entries = new Map<string, Entry>();
  /** How often an entry was put behind all others. */
  #turns = 0;

  /** @param most templates to keep */
  constructor(most: number) {
    this.#most = most;
  }

  /** Number of templates kept. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Finds or makes the template of a URL.
   *
   * @param raw the URL
   * @param reads whether the method reads; such URLs have plans of their own
   * @param create plans the URL
   * @returns template and values
   */
  lookup(raw: string, reads: boolean, create: () => PlanTemplate): Lookup {
    // A raw URL holds no control characters, which mark placeholders; one that does is not cached.
    if (PLACEHOLDER.test(raw)) return fresh(create());
    const { shape, literals } = urlShape(raw);
    const key = reads ? shape : `\u0002${shape}`;
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      // those used lately stay where they are
      if (this.#turns - entry.turn > this.#most >> 2) this.#add(key, entry);
      return { template: entry.template, valueOf: valuesFrom(entry, literals) };
    }
    const template = create();
    const positions = key.length <= LONGEST_SHAPE ? positionsOf(template, literals) : undefined;
    if (positions !== undefined) this.#add(key, { template, positions, turn: 0 });
    return fresh(template);
  }

  #add(key: string, entry: Entry): void {
    entry.turn = ++this.#turns;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest);
  }
}

function fresh(template: PlanTemplate): Lookup {
  return { template, valueOf: (binding) => binding.convert(binding.literal) };
}

function valuesFrom({ positions }: Entry, literals: readonly PrimitiveLiteral[]): ValueOf {
  return (binding) => {
    const position = positions.get(binding);
    return binding.convert(position === undefined ? binding.literal : literals[position]);
  };
}

/** Where each binding finds its literal; undefined unless every literal of the shape is the value of a binding. */
function positionsOf(
  template: PlanTemplate,
  literals: readonly PrimitiveLiteral[],
): ReadonlyMap<Binding, number> | undefined {
  const byOffset = new Map(literals.map((literal, position) => [literal.offset, position]));
  const used = new Set<number>();
  const positions = new Map<Binding, number>();
  for (const binding of [...template.bindings, ...template.apart]) {
    const position = byOffset.get(binding.literal.offset);
    if (position === undefined || literals[position].text !== binding.literal.text) continue;
    positions.set(binding, position);
    used.add(position);
  }
  return used.size === literals.length ? positions : undefined;
}
