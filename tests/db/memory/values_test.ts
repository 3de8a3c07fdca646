import assert from "node:assert/strict";
import { divide } from "../../../src/db/memory/operators.ts";
import {
  compare,
  exactInteger,
  identity,
  integerOf,
  lookupKey,
  narrow,
  sorting,
  toFlag,
  toNumber,
  truth,
  unsupported,
} from "../../../src/db/memory/values.ts";

Deno.test("divide() is exact for whole numbers that a number cannot hold, and cuts the fraction (SQL)", () => {
  const large = 2n ** 53n + 1n;
  assert.equal(divide(large, 1), large);
  assert.equal(divide(large, -2), -(2 ** 52));
  assert.equal(divide(1, large), 0);
  assert.equal(divide(7, -2), -3);
  assert.ok(Object.is(divide(-1, 2), 0), "zero has no sign");
  assert.equal(divide(7.5, 2), 3.75);
  assert.equal(divide(1.5, large), 1.5 / 2 ** 53);
  assert.equal(divide(large, 0), null);
});

Deno.test("exactInteger() makes whole numbers of 64 bits exact, both ends included", () => {
  assert.equal(exactInteger(-(2 ** 63)), -(2n ** 63n));
  assert.equal(exactInteger(2 ** 53), 2n ** 53n);
  assert.equal(exactInteger(2 ** 64), 2 ** 64);
  assert.equal(exactInteger(5n), 5);
  assert.equal(exactInteger(2 ** 53 - 1), 2 ** 53 - 1);
  assert.equal(exactInteger(0.5), 0.5);
  assert.equal(exactInteger(null), null);
});

Deno.test("compare() orders numbers, texts and bytes, and texts that are numbers among numbers", () => {
  const bytes = new Uint8Array([1]);
  const table: readonly (readonly [less: unknown, more: unknown])[] = [
    [9, "10"],
    ["9", 10],
    ["9007199254740992", 2n ** 53n + 1n],
    [10, "a"],
    ["b", bytes],
    [10, bytes],
    ["10", "9"],
    [new Uint8Array([1, 5]), new Uint8Array([2, 1])],
    [bytes, new Uint8Array([1, 0])],
    [new Uint8Array([]), bytes],
    [new Uint8Array([7, 3]), new Uint8Array([7, 250])],
  ];
  for (const [less, more] of table) {
    assert.ok(compare(less, more) < 0, `${less} ${more}`);
    assert.ok(compare(more, less) > 0, `${more} ${less}`);
  }
  assert.equal(compare("10", 10), 0);
});

Deno.test("unsupported() is 501, with what is not there", () => {
  const { status, message } = unsupported("right joins");
  assert.deepEqual([status, message], [501, "The memory database does not support right joins"]);
});

Deno.test("numbers other than zero are true, texts as the numbers they are, and null is unknown", () => {
  const table: readonly (readonly [value: unknown, is: boolean | null])[] = [
    ...[[1, true], [-1, true], [0.5, true], [0, false], [NaN, false], [0n, false], [1n, true]] as const,
    ...[["1", true], ["0", false], ["", false], ["a", false], [null, null], [undefined, null]] as const,
  ];
  for (const [value, is] of table) assert.equal(truth(value), is, `${value} (${typeof value})`);
  assert.deepEqual([true, false, null].map(toFlag), [1, 0, null]);
});

Deno.test("values that compare as equal have the same key to look them up, and others another", () => {
  const same = [[1, "1"], [1, 1n], [1.5, "1.50"], ["+1", 1], [".5", 0.5], ["-2", -2], ["a", "a"], [
    "1a",
    "1a",
  ]];
  for (const [one, other] of same) assert.equal(lookupKey(one), lookupKey(other), `${one} ${other}`);
  const bytes = (...given: number[]) => new Uint8Array(given);
  assert.equal(lookupKey(bytes(1, 2)), lookupKey(bytes(1, 2)));
  const keys = [1, 2, "a", "A", " 1", "Infinity", "0 1", bytes(1), bytes(12), bytes(1, 2)].map(lookupKey);
  assert.equal(new Set(keys).size, keys.length);
});

Deno.test("identity() tells values apart, also numbers that JSON has not and integers beyond those of numbers", () => {
  const large = 2n ** 53n;
  const bytes = (...given: number[]) => new Uint8Array(given);
  const different = [
    ...[[1], ["1"], [null], ["null"], [1.5], [Infinity], [-Infinity], [NaN], ["NaN"], [bytes(1)], [
      bytes(1, 2),
    ]],
    ...[[large], [large + 1n], [-large], [2 ** 53 - 1], [1, 2], [12], [1, null], [true]],
  ].map((values) => identity(values));
  assert.equal(new Set(different).size, different.length);
  assert.equal(identity([5n]), identity([5]));
  assert.equal(identity([large]), identity([2 ** 53]));
  assert.equal(identity([bytes(1, 2)]), identity([bytes(1, 2)]));
});

Deno.test("numbers of values are those that texts begin with, and narrow where they can be", () => {
  const numbers: readonly (readonly [value: unknown, number: number | bigint])[] = [
    ...[[5, 5], [5n, 5n], ["5.5x", 5.5], ["x", 0], ["", 0], ["-2", -2], [null, 0], [
      Infinity,
      Infinity,
    ]] as const,
  ];
  for (const [value, number] of numbers) assert.equal(toNumber(value), number, String(value));
  const large = 2n ** 53n + 1n;
  const whole: readonly (readonly [value: unknown, held: unknown])[] = [
    ...[["5", 5], ["-5", -5], ["+5", 5], [String(large), large], ["5.0", "5.0"], ["x", "x"], [
      "",
      "",
    ]] as const,
    ...[[5, 5], [1.5, 1.5], [null, null], [5n, 5], [2 ** 53, 2n ** 53n], ["5a", "5a"], ["a5", "a5"]] as const,
  ];
  for (const [value, held] of whole) assert.equal(integerOf(value), held, String(value));
  assert.deepEqual([narrow(5n), narrow(large), narrow(1.5), narrow(2n ** 53n - 1n)], [
    5,
    large,
    1.5,
    2 ** 53 - 1,
  ]);
});

Deno.test("null comes first ascending and last descending, unless the order says otherwise (csn-cqn 3)", () => {
  const compiler = { expression: (term: { n: string }) => (row: Record<string, unknown>) => row[term.n] };
  const rows = [[2, "b"], [null, "a"], [1, "b"], [2, "a"], [null, "b"]].map(([a, b]) => ({ a, b }));
  const sorted = (...terms: readonly object[]) => {
    let checks = 0;
    const run = { clock: { check: () => checks++ } };
    const found = sorting(compiler as never, terms as never)?.(rows, run as never);
    if (found) assert.ok(checks > 0, "the clock is looked at");
    return found?.map(({ a, b }) => `${a ?? "-"}${b}`).join(" ");
  };
  assert.equal(sorted(), undefined);
  assert.equal(sorting(compiler as never, undefined), undefined);
  assert.equal(sorted({ n: "a" }), "-a -b 1b 2b 2a");
  assert.equal(sorted({ n: "a", sort: "desc" }), "2b 2a 1b -a -b");
  assert.equal(sorted({ n: "a", sort: "desc" }, { n: "b", sort: "desc" }), "2b 2a 1b -b -a");
  assert.equal(sorted({ n: "a", nulls: "last" }, { n: "b" }), "1b 2a 2b -a -b");
  assert.equal(sorted({ n: "a", sort: "asc", nulls: "first" }, { n: "b" }), "-a -b 1b 2a 2b");
  assert.equal(sorted({ n: "a", sort: "desc", nulls: "first" }, { n: "b" }), "-a -b 2a 2b 1b");
  assert.equal(sorted({ n: "a", sort: "desc", nulls: "last" }, { n: "b" }), "2a 2b 1b -a -b");
  assert.equal(sorted({ n: "b" }, { n: "a" }), "-a 2a -b 1b 2b");
});
