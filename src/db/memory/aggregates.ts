/**
 * Functions over the rows of a group.
 *
 * @module
 */

import type { Call, Expr } from "../../algebra/tree.ts";
import { someOf } from "../../algebra/walk_tree.ts";
import { DecimalSum } from "../decimals.ts";
import { OPERATORS } from "./operators.ts";
import { compare, identity, toNumber } from "./values.ts";

/** What a function gives for the values that it was given so far, none of them null. */
export interface Aggregate {
  /** @param value one more */
  add(value: unknown): void;
  /** The result so far. */
  readonly value: unknown;
}

/** A value so far that stands for all values before. */
class Folded implements Aggregate {
  readonly #fold: (former: unknown, value: unknown) => unknown;
  #count = 0;
  #value: unknown = null;

  constructor(fold: (former: unknown, value: unknown) => unknown) {
    this.#fold = fold;
  }

  get count(): number {
    return this.#count;
  }

  add(value: unknown): void {
    this.#value = this.#count++ === 0 ? value : this.#fold(this.#value, value);
  }

  get value(): unknown {
    return this.#value;
  }
}

type Addition = (total: unknown, value: unknown) => unknown;

const addNumbers: Addition = (total, value) => OPERATORS["+"](total, () => value);
/** Floating-point numbers are whole by chance: they have no more digits then. */
const addDoubles: Addition = (total, value) => Number(total) + Number(value);

class Sum extends Folded {
  constructor(add: Addition) {
    super(add);
  }

  override add(value: unknown): void {
    super.add(toNumber(value));
  }
}

class Average extends Sum {
  override get value(): unknown {
    return this.count === 0 ? null : Number(super.value) / this.count;
  }
}

class Decimals implements Aggregate {
  readonly #sum = new DecimalSum();
  readonly #result: (sum: DecimalSum) => number;

  constructor(result: (sum: DecimalSum) => number) {
    this.#result = result;
  }

  add(value: unknown): void {
    this.#sum.add(Number(value));
  }

  get value(): unknown {
    return this.#sum.count === 0 ? null : this.#result(this.#sum);
  }
}

class Count implements Aggregate {
  value = 0;

  add(): void {
    this.value++;
  }
}

class DistinctCount implements Aggregate {
  readonly #known = new Set<string>();

  add(value: unknown): void {
    this.#known.add(identity([value]));
  }

  get value(): number {
    return this.#known.size;
  }
}

/** Aggregate functions, by lower-case name. */
export const AGGREGATES: Readonly<Record<string, (add: Addition) => Aggregate>> = {
  sum: (add) => new Sum(add),
  avg: (add) => new Average(add),
  average: (add) => new Average(add),
  $decimal_sum: () => new Decimals((sum) => sum.value),
  $decimal_avg: () => new Decimals((sum) => sum.average),
  min: () => new Folded((a, b) => compare(a, b) <= 0 ? a : b),
  max: () => new Folded((a, b) => compare(a, b) >= 0 ? a : b),
  count: () => new Count(),
  countdistinct: () => new DistinctCount(),
};

/**
 * What makes the aggregate of a call.
 *
 * @param call the call, lowered
 * @returns undefined for other functions
 */
export function aggregateOf({ func, args: [arg] = [] }: Call): (() => Aggregate) | undefined {
  const name = func.toLowerCase();
  if (!Object.hasOwn(AGGREGATES, name)) return undefined;
  const isDouble = typeof arg === "object" && arg.type === "cds.Double";
  return () => AGGREGATES[name]!(isDouble ? addDoubles : addNumbers);
}

/** Whether a function gives one value for all rows of a group. */
export function isAggregate({ func, args = [], over }: Call): boolean {
  const name = func.toLowerCase();
  return over === undefined &&
    (name === "$json_array" || (Object.hasOwn(AGGREGATES, name) && args.length <= 1));
}

/** Whether expressions hold an aggregate function, outside of subqueries. */
export function holdsAggregate(expressions: readonly Expr[]): boolean {
  return expressions.some((one) => someOf(one, (inner) => inner.kind === "call" && isAggregate(inner)));
}
