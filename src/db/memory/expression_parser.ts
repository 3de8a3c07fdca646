/**
 * Flat expression arrays as functions, by precedence climbing.
 *
 * @module
 */

import type { Expression, SelectQuery, SetQuery, Xo } from "../../cqn/cqn.ts";
import { listOf } from "../bind_values.ts";
import type { FormedReference } from "../passes/stored_form.ts";
import type { Aliases, Compiler, Evaluate } from "./evaluation.ts";
import { givenValue } from "./expression.ts";
import { unsupported } from "./unsupported.ts";
import { like } from "./like.ts";
import { OPERATORS } from "./operators.ts";
import { compare, toFlag, toNumber, truth } from "./values.ts";

const COMPARISON = 4;

/** Reads operands and operators from left to right. */
export class ExpressionParser {
  #index = 0;
  readonly #compiler: Compiler;
  readonly #tokens: readonly Xo[];
  readonly #aliases: Aliases;

  /**
   * @param compiler compiles the operands
   * @param tokens operands and operators
   * @param aliases the sources in reach
   */
  constructor(compiler: Compiler, tokens: readonly Xo[], aliases: Aliases) {
    this.#compiler = compiler;
    this.#tokens = tokens;
    this.#aliases = aliases;
  }

  /** The function of all tokens. */
  parseAll(): Evaluate {
    const result = this.#parse(0);
    if (this.#index < this.#tokens.length) {
      throw unsupported(`the operator ${JSON.stringify(this.#tokens[this.#index])}`);
    }
    return result;
  }

  #peek(): string | undefined {
    const next = this.#tokens[this.#index];
    return typeof next === "string" ? next : undefined;
  }

  #accept(word: string): boolean {
    if (this.#peek() !== word) return false;
    this.#index++;
    return true;
  }

  #parse(precedence: number): Evaluate {
    let left = this.#prefix();
    for (;;) {
      const word = this.#peek();
      const operator = word === undefined || !Object.hasOwn(OPERATORS, word) ? undefined : OPERATORS[word];
      if (operator && operator.precedence >= precedence) {
        this.#index++;
        const [first, second] = [left, this.#parse(operator.precedence + 1)];
        left = (env, run) => operator.apply(first(env, run), () => second(env, run));
        continue;
      }
      const special = precedence <= COMPARISON ? this.#special(left) : undefined;
      if (!special) return left;
      left = special;
    }
  }

  #prefix(): Evaluate {
    if (this.#accept("not")) return negate(this.#parse(3));
    if (this.#accept("exists")) return this.#exists();
    if (this.#accept("case")) return this.#case();
    if (this.#accept("null")) return () => null;
    if (this.#accept("+")) return this.#parse(8);
    if (this.#accept("-")) {
      const operand = this.#parse(8);
      return (env, run) => {
        const value = operand(env, run);
        return value === null ? null : -toNumber(value);
      };
    }
    return this.#compiler.expression(this.#operand(), this.#aliases);
  }

  #operand(): Expression {
    const token = this.#tokens[this.#index++];
    if (token === undefined || typeof token === "string") throw unsupported(`the operator "${token}"`);
    return token;
  }

  #exists(): Evaluate {
    const { rows } = this.#compiler.query(this.#operand() as SelectQuery | SetQuery, this.#aliases);
    return (env, run) => toFlag(rows(env, run).length > 0);
  }

  #case(): Evaluate {
    const subject = this.#peek() === "when" ? undefined : this.#parse(1);
    const branches: { when: Evaluate; then: Evaluate }[] = [];
    while (this.#accept("when")) {
      const when = this.#parse(1);
      this.#accept("then");
      branches.push({ when, then: this.#parse(1) });
    }
    const otherwise: Evaluate = this.#accept("else") ? this.#parse(1) : () => null;
    this.#accept("end");
    return (env, run) => {
      const value = subject?.(env, run);
      const found = branches.find(({ when }) => {
        const tested = when(env, run);
        if (!subject) return truth(tested) === true;
        return value !== null && tested !== null && compare(value, tested) === 0;
      });
      return (found?.then ?? otherwise)(env, run);
    };
  }

  /** `is [not] null`, `[not] in`, `[not] like`, `[not] between`. */
  #special(left: Evaluate): Evaluate | undefined {
    const start = this.#index;
    const is = this.#accept("is");
    const negated = this.#accept("not");
    const test = is ? this.#is(left) : this.#membership(left);
    if (!test) this.#index = start;
    return test && (negated ? negate(test) : test);
  }

  #is(left: Evaluate): Evaluate {
    const right = this.#parse(COMPARISON + 1);
    return (env, run) => OPERATORS["=="].apply(left(env, run), () => right(env, run));
  }

  #membership(left: Evaluate): Evaluate | undefined {
    if (this.#accept("in")) return isIn(left, this.#list());
    if (this.#accept("like")) {
      const pattern = this.#parse(COMPARISON + 1);
      if (!this.#accept("escape")) return (env, run) => like(left(env, run), pattern(env, run));
      const escape = this.#parse(COMPARISON + 1);
      return (env, run) => like(left(env, run), pattern(env, run), escape(env, run));
    }
    if (!this.#accept("between")) return undefined;
    const low = this.#parse(COMPARISON + 1);
    this.#accept("and");
    const high = this.#parse(COMPARISON + 1);
    return (env, run) => {
      const value = left(env, run);
      const atLeast = () => OPERATORS[">="].apply(value, () => low(env, run));
      return OPERATORS.and.apply(atLeast(), () => OPERATORS["<="].apply(value, () => high(env, run)));
    };
  }

  /** The right side of `in` as function that gives a list. */
  #list(): (...args: Parameters<Evaluate>) => readonly unknown[] {
    const operand = this.#operand();
    if ("SELECT" in operand || "SET" in operand) {
      const { columns, rows } = this.#compiler.query(operand, this.#aliases);
      return (env, run) =>
        rows(env, run).map((row) => columns.length > 1 ? columns.map((name) => row[name]) : row[columns[0]]);
    }
    if ("func" in operand && operand.func === "$values") {
      const lists = operand.args as readonly Expression[];
      return (_env, run) =>
        lists.flatMap((list) => {
          const value = "val" in list ? list.val : "ref" in list ? givenValue(list, run) : null;
          return listOf(value, (list as FormedReference).form);
        });
    }
    const evaluate = this.#compiler.expression(operand, this.#aliases);
    return (env, run) => [evaluate(env, run)].flat();
  }
}

function negate(operand: Evaluate): Evaluate {
  return (env, run) => {
    const value = truth(operand(env, run));
    return value === null ? null : toFlag(!value);
  };
}

function isIn(left: Evaluate, list: (...args: Parameters<Evaluate>) => readonly unknown[]): Evaluate {
  return (env, run) => {
    const value = left(env, run);
    let unknown = false;
    for (const item of list(env, run)) {
      const same = isEqual(value, item);
      if (same === true) return 1;
      if (same === null) unknown = true;
    }
    return unknown ? null : 0;
  };
}

function isEqual(left: unknown, right: unknown): boolean | null {
  if (Array.isArray(left) && Array.isArray(right)) {
    const parts = left.map((value, index) => isEqual(value, right[index]));
    return parts.includes(false) ? false : parts.includes(null) ? null : true;
  }
  if (left === null || right === null) return null;
  return compare(left, right) === 0;
}
