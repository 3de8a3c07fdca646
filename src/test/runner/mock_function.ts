/**
 * Mock functions as `jest.fn()` and `jest.spyOn()` make them.
 *
 * @module
 */

type AnyFunction = (this: unknown, ...args: readonly unknown[]) => unknown;

/** What was called. */
export interface MockCalls {
  /** The arguments of each call. */
  calls: unknown[][];
  /** What each call gave or threw. */
  results: { readonly type: "return" | "throw"; readonly value: unknown }[];
}

/** A function that notes its calls. */
export interface MockFunction {
  /** Calls it. */
  (...args: readonly unknown[]): unknown;
  /** What was called. */
  readonly mock: MockCalls;
  /** Runs a function instead. */
  mockImplementation(implementation: (...args: never[]) => unknown): MockFunction;
  /** Runs a function at the next call. */
  mockImplementationOnce(implementation: (...args: never[]) => unknown): MockFunction;
  /** Gives a value. */
  mockReturnValue(value: unknown): MockFunction;
  /** Gives a value at the next call. */
  mockReturnValueOnce(value: unknown): MockFunction;
  /** Gives a promise of a value. */
  mockResolvedValue(value: unknown): MockFunction;
  /** Gives a promise of a value at the next call. */
  mockResolvedValueOnce(value: unknown): MockFunction;
  /** Gives a promise that rejects. */
  mockRejectedValue(reason: unknown): MockFunction;
  /** Gives a promise that rejects at the next call. */
  mockRejectedValueOnce(reason: unknown): MockFunction;
  /** Forgets the calls. */
  mockClear(): MockFunction;
  /** Forgets the calls, and what is run instead. */
  mockReset(): MockFunction;
  /** Gives the object its own function back. */
  mockRestore(): void;
}

/** What `jest` offers here. */
export interface Mocks {
  /** A mock function. */
  fn(implementation?: (...args: never[]) => unknown): MockFunction;
  /** A member of an object as mock function, which calls what was there. */
  spyOn(holder: object, name: string): MockFunction;
  /** Gives all objects their own functions back. */
  restoreAllMocks(): void;
  /** Forgets the calls of all mock functions. */
  clearAllMocks(): void;
  /** Forgets the calls of all mock functions, and what they run instead. */
  resetAllMocks(): void;
  /** Does nothing: a test has no time limit. */
  setTimeout(): void;
}

/** Creates the mock functions of a test file. */
export function createMocks(): Mocks {
  const made: MockFunction[] = [];
  const fn = (
    implementation?: (...args: never[]) => unknown,
    restore: () => void = () => {},
  ): MockFunction => {
    const mock = mockFunction(implementation as AnyFunction | undefined, restore);
    made.push(mock);
    return mock;
  };
  return {
    fn: (implementation) => fn(implementation),
    spyOn: (holder, name) => {
      const members = holder as Record<string, unknown>;
      const own = Object.getOwnPropertyDescriptor(holder, name);
      const original = members[name];
      if (typeof original !== "function") throw new TypeError(`Expected a function as "${name}", found none`);
      const restore = () => own ? Object.defineProperty(holder, name, own) : delete members[name];
      const mock = fn(original as AnyFunction, () => void restore());
      Object.defineProperty(holder, name, {
        value: mock,
        configurable: true,
        writable: true,
        enumerable: true,
      });
      return mock;
    },
    restoreAllMocks: () => made.forEach((mock) => mock.mockRestore()),
    clearAllMocks: () => made.forEach((mock) => void mock.mockClear()),
    resetAllMocks: () => made.forEach((mock) => void mock.mockReset()),
    setTimeout: () => {},
  };
}

function mockFunction(initial: AnyFunction | undefined, restore: () => void): MockFunction {
  let implementation = initial;
  const once: AnyFunction[] = [];
  const calls: MockCalls = { calls: [], results: [] };
  const mock = function (this: unknown, ...args: readonly unknown[]) {
    calls.calls.push([...args]);
    try {
      const value = (once.shift() ?? implementation)?.apply(this, [...args]);
      calls.results.push({ type: "return", value });
      return value;
    } catch (error) {
      calls.results.push({ type: "throw", value: error });
      throw error;
    }
  };
  const always = (run: AnyFunction | undefined) => {
    implementation = run;
    return made;
  };
  const next = (run: AnyFunction) => {
    once.push(run);
    return made;
  };
  const clear = () => {
    calls.calls = [];
    calls.results = [];
    return made;
  };
  const made: MockFunction = Object.assign(mock, {
    mock: calls,
    mockImplementation: (run: (...args: never[]) => unknown) => always(run as AnyFunction),
    mockImplementationOnce: (run: (...args: never[]) => unknown) => next(run as AnyFunction),
    mockReturnValue: (value: unknown) => always(() => value),
    mockReturnValueOnce: (value: unknown) => next(() => value),
    mockResolvedValue: (value: unknown) => always(() => Promise.resolve(value)),
    mockResolvedValueOnce: (value: unknown) => next(() => Promise.resolve(value)),
    mockRejectedValue: (reason: unknown) => always(() => Promise.reject(reason)),
    mockRejectedValueOnce: (reason: unknown) => next(() => Promise.reject(reason)),
    mockClear: clear,
    mockReset: () => {
      once.length = 0;
      implementation = undefined;
      return clear();
    },
    mockRestore: () => {
      clear();
      restore();
    },
  });
  return made;
}
