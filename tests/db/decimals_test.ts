/** Calculations with the decimals that numbers stand for (db/README, "Rounding" and "Decimals"). */

import assert from "node:assert/strict";
import {
  decimalAdd,
  decimalMul,
  decimalSub,
  DecimalSum,
  decimalText,
  doubleAdd,
  doubleDiv,
  doubleMul,
  doubleSub,
  remainder,
  roundedWhole,
  scaledTo,
  toDecimal,
} from "../../src/db/decimals.ts";

type Value = number | bigint;

/** Values may be infinite, and of either kind: what is equal is the same. */
function assertSame(found: unknown, expected: unknown, text: string): void {
  assert.ok(Object.is(found, expected), `${text} is ${found} (${typeof found})`);
}

const ROUNDED: readonly (readonly [value: Value, digits: number, result: Value])[] = [
  [2.675, 2, 2.68],
  [-1.005, 2, -1.01],
  [1.004, 2, 1],
  [1.5, 0, 2],
  [-2.5, 0, -3],
  [0.4, 0, 0],
  [-0.4, 0, 0],
  [1.25, 2, 1.25],
  [1.25, 400, 1.25],
  [1250, -2, 1300],
  [1249, -2, 1200],
  [1250, 2, 1250],
  [-15, -1, -20],
  [12, -400, 0],
  [1e-7, 3, 0],
  [1.26e-7, 8, 1.3e-7],
  [0.1 + 0.2, 20, 0.3],
  [Infinity, 2, Infinity],
  [15n, 0, 15n],
  [15n, 2, 15n],
  [15n, -1, 20n],
  [14n, -1, 10n],
  [-15n, -1, -20n],
  [-14n, -1, -10n],
  [50n, -2, 100n],
  [9223372036854775807n, -18, 9000000000000000000n],
  [9223372036854775807n, -20, 0n],
  [9223372036854775807n, -2000000000, 0n],
  // a fraction of digits is rounded the same way
  [12.345, 1.5, 12.35],
  [12.345, 1.4, 12.3],
  [55n, -0.5, 60n],
  [55n, -0.4, 55n],
];

Deno.test("decimals are rounded to digits, a half away from zero", () => {
  for (const [value, digits, result] of ROUNDED) {
    assertSame(scaledTo(value, digits), result, `round(${value}, ${digits})`);
  }
  assert.equal(scaledTo("text", 2), "text");
  for (const [value, whole] of [[0.5, 1], [-0.5, -1], [0.49999999999999994, 0], [7, 7], [-7.2, -7]]) {
    assertSame(roundedWhole(value!), whole, `round(${value})`);
  }
});

const CALCULATED: readonly (readonly [
  run: (left: number, right: number) => number,
  left: number,
  right: number,
  result: number,
])[] = [
  [decimalAdd, 0.1, 0.2, 0.3],
  [decimalAdd, 1, 2, 3],
  [decimalAdd, 0.1, -0.1, 0],
  [decimalAdd, -0.3, 0.1, -0.2],
  [decimalAdd, 1e13, 0.21, 10000000000000.2],
  [decimalAdd, 1e15, 0.25, 1e15],
  [decimalAdd, 2 ** 60, 0.5, 2 ** 60],
  [decimalAdd, 1e-7, 2e-7, 3e-7],
  [decimalSub, 5.78, 5.8, -0.02],
  [decimalSub, 0.3, 0.3, 0],
  [decimalSub, 1e14, 0.51, 99999999999999.5],
  [decimalMul, 1.1, 1.1, 1.21],
  [decimalMul, -0.1, 0.2, -0.02],
  [decimalMul, 3, 4, 12],
  [decimalMul, 0.1, 0, 0],
  [decimalMul, -0.1, 0, 0],
  [decimalMul, 123456789.123, 0.001, 123456.789123],
  [decimalMul, 123456789.12345, 1.00001, 123458023.691341],
];

Deno.test("sums, differences and products of decimals are exact to 15 digits, and zero has no sign", () => {
  for (const [run, left, right, result] of CALCULATED) {
    assertSame(run(left, right), result, `${run.name}(${left}, ${right})`);
  }
});

Deno.test("what is left of a division has the sign of the dividend", () => {
  const cases: readonly (readonly [Value, Value, Value | null])[] = [
    [7, 3, 1],
    [-7, 3, -1],
    [7, -3, 1],
    [-6, 3, 0],
    [5.5, 0.2, 0.1],
    [0.3, 0.1, 0],
    [1, 0, null],
    [1n, 0, null],
    [1n, 0n, null],
    [9007199254740993n, 10, 3n],
    [7, 3n, 1n],
    [-7n, 2n, -1n],
    [7n, 0.5, 0],
    [7.5, 2n, 1.5],
    [1e300, 7, 1e300 % 7],
  ];
  for (const [dividend, divisor, rest] of cases) {
    assertSame(remainder(dividend, divisor), rest, `mod(${dividend}, ${divisor})`);
  }
});

Deno.test("a number stands for the decimal of its 15 digits, whose text has no exponent", () => {
  assertSame(toDecimal(0.1 + 0.2), 0.3, "0.1 + 0.2");
  for (const value of [2 ** 53 + 2, Infinity, "text", null, 5n]) {
    assertSame(toDecimal(value), value, String(value));
  }
  assert.equal(decimalText(1e-7), "0.0000001");
  assert.equal(decimalText(0.1 + 0.2), "0.3");
  assert.equal(decimalText(1e21), "1000000000000000000000");
});

Deno.test("sums of decimals lose no digit on the way, in either direction", () => {
  const sum = new DecimalSum();
  for (const value of [1e15, 0.1, 0.2]) sum.add(value);
  assert.equal(sum.value, 1e15);
  sum.remove(1e15);
  assert.deepEqual([sum.value, sum.count, sum.average], [0.3, 2, 0.15]);
  sum.add(0.001);
  assert.equal(sum.value, 0.301);
  sum.add(Infinity);
  assert.deepEqual([sum.value, sum.count], [Infinity, 4]);
  sum.add(1);
  assert.equal(sum.value, Infinity);
});

Deno.test("floating-point numbers are calculated as IEEE 754 has them, results that are too large are refused (IEEE 754)", () => {
  const results:
    readonly (readonly [run: (left: unknown, right: unknown) => unknown, unknown, unknown, unknown])[] = [
      ...[[doubleAdd, 5, 3, 8], [doubleSub, 5, 3, 2], [doubleMul, 5, 3, 15], [doubleDiv, 5, 2, 2.5]] as const,
      ...[[doubleAdd, "5", "3", 8], [doubleSub, 0.3, 0.1, 0.3 - 0.1]] as const,
      ...[[doubleDiv, 1, 0, Infinity], [doubleDiv, -1, 0, -Infinity], [doubleDiv, 0, 0, "NaN"]] as const,
      ...[[doubleDiv, 1, -0, Infinity], [doubleAdd, Infinity, 1, Infinity]] as const,
      ...[[doubleSub, Infinity, Infinity, "NaN"], [doubleMul, Infinity, 0, "NaN"]] as const,
      ...[[doubleMul, -Infinity, 2, -Infinity], [doubleDiv, 1, Infinity, 0]] as const,
    ];
  for (const [run, left, right, result] of results) {
    assert.deepEqual(run(left, right), result, `${left} ${right}`);
  }
  for (const [run, right] of [[doubleMul, 1e308], [doubleDiv, 1e-308]] as const) {
    assert.throws(() => run(1e308, right), { status: 400, code: "VALUE_OUT_OF_RANGE" });
  }
  assert.throws(() => doubleAdd(1.7e308, 1.7e308), { code: "VALUE_OUT_OF_RANGE" });
  assert.throws(() => doubleSub(-1.7e308, 1.7e308), { code: "VALUE_OUT_OF_RANGE" });
});
