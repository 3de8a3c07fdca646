/**
 * Calculations with floating-point numbers as IEEE 754 has them (OData 4.01 Part 2, section 5.1.1.2). What is no number
 * is text, as in columns: SQLite would make it null.
 *
 * @module
 */

/** A floating-point number, or none. */
export type DoubleValue = number | "NaN";

type Calculation = (left: unknown, right: unknown) => DoubleValue;

function calculation(run: (left: number, right: number) => number): Calculation {
  return (left, right) => {
    const result = run(Number(left), Number(right));
    return Number.isNaN(result) ? "NaN" : result;
  };
}

/** The sum. */
export const doubleAdd: Calculation = calculation((left, right) => left + right);
/** The difference. */
export const doubleSub: Calculation = calculation((left, right) => left - right);
/** The product. */
export const doubleMul: Calculation = calculation((left, right) => left * right);
/** The quotient; zero has no sign as a divisor: what is greater than zero gives `INF`, zero gives `NaN`. */
export const doubleDiv: Calculation = calculation((left, right) => left / (right + 0));
