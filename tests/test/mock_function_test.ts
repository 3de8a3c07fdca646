/**
 * Mock functions of test files (api 10).
 *
 * @module
 */

import assert from "node:assert/strict";
import { createMocks, type MockFunction } from "../../src/test/runner/mock_function.ts";

const { fn, spyOn, clearAllMocks, resetAllMocks, restoreAllMocks, setTimeout } = createMocks();

Deno.test("a mock function notes arguments, what it gave and what it threw", () => {
  const error = new Error("no");
  const mock = fn((n: number) => {
    if (n < 0) throw error;
    return 2 * n;
  });
  assert.deepEqual([mock(2, "more"), mock(3)], [4, 6]);
  assert.throws(() => mock(-1), error);
  assert.deepEqual(mock.mock, {
    calls: [[2, "more"], [3], [-1]],
    results: [
      { type: "return", value: 4 },
      { type: "return", value: 6 },
      { type: "throw", value: error },
    ],
  });
  assert.equal(fn()(1), undefined);
});

Deno.test("a mock function runs with the object it is a member of", () => {
  const holder = {
    factor: 3,
    times: fn(function (this: { readonly factor: number }, n: number) {
      return this.factor * n;
    } as never),
  };
  assert.equal(holder.times(2), 6);
});

Deno.test("a mock function gives what it is told to, once in the order it was told", async () => {
  const mock = fn(() => 1);
  const told = mock.mockReturnValueOnce(2).mockImplementationOnce((n: number) => n);
  assert.equal(told, mock);
  assert.deepEqual([mock(5), mock(5), mock(5)], [2, 5, 1]);
  assert.equal(mock.mockReturnValue(7), mock);
  assert.deepEqual([mock(), mock()], [7, 7]);
  mock.mockImplementation((n: number) => n + 1);
  assert.deepEqual([mock(1), mock(2)], [2, 3]);
  mock.mockResolvedValue(8).mockResolvedValueOnce(9);
  assert.deepEqual([await mock(), await mock(), await mock()], [9, 8, 8]);
  mock.mockRejectedValue(new Error("always")).mockRejectedValueOnce(new Error("once"));
  await assert.rejects(mock() as Promise<unknown>, /once/);
  await assert.rejects(mock() as Promise<unknown>, /always/);
  await assert.rejects(mock() as Promise<unknown>, /always/);
});

Deno.test("what is cleared forgets calls, what is reset also what it gives", () => {
  const called = (mock: MockFunction) => {
    mock();
    return [mock.mock.calls.length, mock.mock.results.length];
  };
  const mock = fn(() => 1).mockReturnValueOnce(2).mockReturnValueOnce(3);
  assert.deepEqual(called(mock), [1, 1]);
  assert.equal(mock.mockClear(), mock);
  assert.deepEqual(mock.mock, { calls: [], results: [] });
  assert.equal(mock(), 3);
  mock.mockReturnValueOnce(4);
  assert.equal(mock.mockReset(), mock);
  assert.deepEqual(mock.mock, { calls: [], results: [] });
  assert.equal(mock(), undefined);
});

class Base {
  name(): string {
    return `name of ${this.constructor.name}`;
  }
}
class Derived extends Base {}

Deno.test("spyOn() calls what was there, and gives it back as it was", () => {
  const inherited = new Derived();
  const spy = spyOn(inherited, "name");
  assert.equal(inherited.name, spy);
  assert.equal(inherited.name(), "name of Derived");
  assert.deepEqual(Object.getOwnPropertyDescriptor(inherited, "name"), {
    value: spy,
    configurable: true,
    writable: true,
    enumerable: true,
  });
  spy.mockRestore();
  assert.deepEqual([Object.keys(inherited), spy.mock.calls], [[], []]);
  assert.equal(inherited.name(), "name of Derived");

  const double = (n: number) => 2 * n;
  const own = Object.defineProperty({}, "double", { value: double, configurable: true });
  const before = Object.getOwnPropertyDescriptor(own, "double");
  spyOn(own, "double").mockRestore();
  assert.deepEqual(Object.getOwnPropertyDescriptor(own, "double"), before);
  assert.throws(() => spyOn({ one: 1 }, "one"), {
    name: "TypeError",
    message: 'Expected a function as "one", found none',
  });
  assert.throws(() => spyOn({}, "none"), TypeError);
});

Deno.test("all mock functions are cleared, reset and restored together, those of another file are not", () => {
  const holder = { one: () => 1 };
  const { one } = holder;
  const spy = spyOn(holder, "one");
  const mock = fn(() => 2);
  const other = createMocks().fn(() => 3);
  const countsOf = () => {
    return [spy, mock, other].map((made) => made.mock.calls.length);
  };
  const call = () => [holder.one(), mock(), other()];
  assert.deepEqual(call(), [1, 2, 3]);
  clearAllMocks();
  assert.deepEqual(countsOf(), [0, 0, 1]);
  assert.deepEqual(call(), [1, 2, 3]);
  restoreAllMocks();
  assert.deepEqual(countsOf(), [0, 0, 2]);
  assert.equal(holder.one, one);
  resetAllMocks();
  assert.deepEqual(call(), [1, undefined, 3]);
  assert.equal(setTimeout(), undefined);
});
