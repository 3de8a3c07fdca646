import type { Expression, Row, Xo } from "./cqn.ts";

/**
 * Joins conditions.
 *
 * @param conditions conditions, each maybe missing
 * @returns all of them, or undefined without any
 */
export function conjunction(
  ...conditions: readonly (readonly Xo[] | undefined)[]
): readonly Xo[] | undefined {
  const present = conditions.filter((condition) => condition !== undefined && condition.length > 0);
  if (present.length < 2) return present[0];
  return present.flatMap((xpr, index) => index === 0 ? [{ xpr: xpr! }] : ["and", { xpr: xpr! }]);
}

/**
 * Joins conditions that are never missing.
 *
 * @param items what they are about
 * @param conditionOf gives the condition of an item
 * @returns `a = 1 and b = 2`; empty without items
 */
export function everyOf<T>(items: readonly T[], conditionOf: (item: T, at: number) => readonly Xo[]): Xo[] {
  return items.flatMap((item, at) => [...(at > 0 ? ["and"] : []), ...conditionOf(item, at)]);
}

/**
 * Compares elements with values, all of which must be equal.
 *
 * @param values by name of the element
 * @returns `a = 1 and b = 2`; empty without values
 */
export function equalities(values: Row): Xo[] {
  const condition: Xo[] = [];
  for (const name of Object.keys(values)) {
    if (condition.length > 0) condition.push("and");
    condition.push({ ref: [name] }, "=", { val: values[name] as string });
  }
  return condition;
}

/**
 * Finds rows by the values of some elements.
 *
 * @param names the elements
 * @param rows rows with these values
 * @returns `a in (1, 2)`, or `(a = 1 and b = 2) or (a = 1 and b = 3)`; empty without rows
 */
export function anyOf(names: readonly string[], rows: readonly Row[]): Xo[] {
  const [first] = names;
  if (first !== undefined && names.length === 1) {
    return [{ ref: [first] }, "in", { list: rows.map((row) => ({ val: row[first] as string })) }];
  }
  return eitherOf(rows.map((row) => equalities(Object.fromEntries(names.map((name) => [name, row[name]])))));
}

/** Halves keep the nesting of large conditions low. */
function eitherOf(conditions: readonly Xo[][]): Xo[] {
  if (conditions.length <= 1) return conditions[0] ?? [];
  const middle = conditions.length >> 1;
  return [
    { xpr: eitherOf(conditions.slice(0, middle)) },
    "or",
    { xpr: eitherOf(conditions.slice(middle)) },
  ];
}

/**
 * Makes one expression of a flat array.
 *
 * @param xos operands and operators
 * @returns the only operand, or an `xpr` of all
 */
export function toExpression(xos: readonly Xo[]): Expression {
  const first = xos[0]; // no destructuring: while the grammar is recorded, `xos` is no array
  return xos.length === 1 && typeof first === "object" ? first : { xpr: xos };
}
