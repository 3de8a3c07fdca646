/**
 * One text for equal expressions whose values have numbered placeholders: to the database `price * $1` and `price * $2` differ,
 * whatever the values are, so that a column would not be the one that rows are grouped by.
 *
 * @module
 */

import { ASIDE } from "../plain_sql.ts";
import type { Binding } from "./binding.ts";

/** A placeholder alone. */
const PLACEHOLDER = /^\$\d+$/;
/** What a text declares, literals and names, placeholders. */
const PARTS = new RegExp(String.raw`( AS )("(?:[^"]|"")*")|${ASIDE}|\$(\d+)`, "g");

/** Texts of expressions, of a part of a statement. */
export class EqualTexts {
  readonly #bindings: Binding[];
  /** Texts by what equal ones have in common, and how many values the statement had with each. */
  readonly #texts: Map<string, { readonly text: string; readonly values: number }> = new Map();

  /** @param bindings the values of the statement */
  constructor(bindings: Binding[]) {
    this.#bindings = bindings;
  }

  /**
   * The text of an equal expression that was written before, or the text itself. A placeholder alone is not shared: its type
   * follows from what stands beside it, and may be another one elsewhere.
   *
   * @param text the text of an expression
   * @param known how many values the statement had before it; those of an equal expression are dropped
   */
  textOf(text: string, known: number): string {
    const isPlain = this.#bindings.length === known && !text.includes(" AS ");
    if (isPlain || PLACEHOLDER.test(text)) return text;
    const key = this.#keyOf(text);
    const first = this.#texts.get(key)?.text;
    if (first === undefined || first === text) {
      this.#texts.set(key, { text, values: this.#bindings.length });
      return text;
    }
    this.#drop(known);
    return first;
  }

  /** Drops values, and the texts with them. */
  #drop(known: number): void {
    this.#bindings.length = known;
    for (const [key, { values }] of this.#texts) if (values > known) this.#texts.delete(key);
  }

  /** The text with its values for placeholders, and numbers for the names that it declares: those of subqueries differ. */
  #keyOf(text: string): string {
    const names = new Map<string, string>();
    for (const [, , name] of text.matchAll(PARTS)) {
      if (name !== undefined && !names.has(name)) names.set(name, `""${names.size}`);
    }
    return text.replace(PARTS, (part, ...[as, name, number]) => {
      if (number !== undefined) return `$${keyOf(this.#bindings[number - 1]!)}$`;
      return as === undefined ? names.get(part) ?? part : `${as}${names.get(name)}`;
    });
  }
}

/** What equal bindings have in common. */
function keyOf(binding: Binding): string {
  return JSON.stringify(binding, (_, value) => {
    const isJson = typeof value === "number" ? Number.isFinite(value) : typeof value !== "bigint";
    return isJson ? value : { [typeof value]: String(value) };
  });
}
