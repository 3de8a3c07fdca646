import assert from "node:assert/strict";
import { divide } from "../../../src/db/memory/operators.ts";
import { compare, exactInteger, unsupported } from "../../../src/db/memory/values.ts";

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
