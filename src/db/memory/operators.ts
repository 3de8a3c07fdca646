/**
 * Operators with the null logic of SQL.
 *
 * @module
 */

/** A binary operator; the right side is computed on demand. */
export interface Operator {
  readonly precedence: number;
  apply(left: unknown, right: () => unknown): unknown;
}

/**
 * Orders two values that are not null: numbers (also as text) by value, text by code points, `false` before `true`.
 *
 * @returns negative, zero or positive
 */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" || typeof b === "number" || typeof a === "bigint" || typeof b === "bigint") {
    return Number(a) - Number(b);
  }
  if (typeof a === "boolean" || typeof b === "boolean") return Number(a) - Number(b);
  const [left, right] = [toText(a), toText(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether two values that are not null are equal. A list on one side counts as any of its entries. */
export function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(b)) return b.some((item) => same(a, item));
  if (a === null || b === null || a === undefined || b === undefined) return false;
  return a === b || compare(a, b) === 0;
}

/** Orders values with null first. */
export function compareNullsFirst(a: unknown, b: unknown): number {
  if (isNull(a) || isNull(b)) return Number(isNull(b)) - Number(isNull(a));
  return compare(a, b);
}

function toText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function strict(precedence: number, apply: (left: unknown, right: unknown) => unknown): Operator {
  return {
    precedence,
    apply: (left, right) => {
      if (isNull(left)) return null;
      const other = right();
      return isNull(other) ? null : apply(left, other);
    },
  };
}

function nullSafeEqual(left: unknown, right: unknown): boolean {
  return isNull(left) || isNull(right) ? isNull(left) && isNull(right) : same(left, right);
}

/** Operators by their lower-case word. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  or: {
    precedence: 1,
    apply: (left, right) => {
      if (left === true) return true;
      const other = right();
      return other === true ? true : left === null || other === null ? null : false;
    },
  },
  and: {
    precedence: 2,
    apply: (left, right) => {
      if (left === false) return false;
      const other = right();
      return other === false
        ? false
        : left === null || other === null
        ? null
        : left === true && other === true;
    },
  },
  "=": strict(4, same),
  "<>": strict(4, (left, right) => !same(left, right)),
  "==": { precedence: 4, apply: (left, right) => nullSafeEqual(left, right()) },
  "!=": { precedence: 4, apply: (left, right) => !nullSafeEqual(left, right()) },
  "<": strict(4, (left, right) => compare(left, right) < 0),
  "<=": strict(4, (left, right) => compare(left, right) <= 0),
  ">": strict(4, (left, right) => compare(left, right) > 0),
  ">=": strict(4, (left, right) => compare(left, right) >= 0),
  "+": strict(5, (left, right) => Number(left) + Number(right)),
  "-": strict(5, (left, right) => Number(left) - Number(right)),
  "||": strict(5, (left, right) => `${left}${right}`),
  "*": strict(6, (left, right) => Number(left) * Number(right)),
  "/": strict(6, (left, right) => Number(right) === 0 ? null : Number(left) / Number(right)),
};
