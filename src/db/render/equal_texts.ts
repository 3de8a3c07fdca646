import { ASIDE } from "../sql_name.ts";
import type { Binding } from "./binding.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Expr } from "../../algebra/tree.ts";

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

/** Characters of a statement that may be repetitions. */
const MOST = 100_000;
/** The same of a view, which the model declares: no client makes it longer. */
const MOST_OF_VIEW = 2_000_000;

/** Counts the repetitions in a statement. */
export class RepeatedText {
  readonly #most: number;
  #length = 0;

  /** @param isView whether the statement is that of a view */
  constructor(isView: boolean) {
    this.#most = isView ? MOST_OF_VIEW : MOST;
  }

  /**
   * Watches the arguments of a call.
   *
   * @returns gets each use of an argument with its text, which it gives back; throws ServiceError 400 when the statement
   *   repeats too much
   */
  watch(): (argument: string, text: string) => string {
    const used = new Set<string>();
    return (argument, text) => {
      if (used.has(argument)) this.#length += text.length;
      if (this.#length > this.#most) {
        throw new ServiceError({
          status: 400,
          code: "400",
          message: "Calls of functions are nested too deeply",
        });
      }
      used.add(argument);
      return text;
    };
  }
}

const OPERATORS = { or: 1, and: 2, not: 3, "||": 5, "+": 6, "-": 6, "*": 7, "/": 7 } as const;
const COMPARISON = 4;
const SIGN = 8;
/** What stands in no parentheses anywhere. */
export const PRIMARY = Infinity;

/** How strongly an expression binds. */
export function precedenceOf(expression: Expr): number {
  switch (expression.kind) {
    case "joined":
    case "arithmetic":
      return OPERATORS[expression.op];
    case "comparison":
    case "in":
    case "like":
    case "between":
      return COMPARISON;
    case "unary":
      return expression.op === "not" ? OPERATORS.not : SIGN;
  }
  return PRIMARY;
}
