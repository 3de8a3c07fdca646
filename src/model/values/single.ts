/**
 * `Edm.Single`: numbers of 24 binary digits. Rows and columns hold the shortest decimal number that gives the same one,
 * so that a value is equal to what clients wrote.
 *
 * @module
 */

/**
 * The shortest number that stands for the same value of single precision.
 *
 * @param value any number
 * @returns undefined when it is too great
 */
export function singleValue(value: number): number | undefined {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return Number.isFinite(value) ? undefined : value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return Number(single.toPrecision(9));
}
