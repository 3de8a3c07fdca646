/**
 * Collecting tests: `describe`, `it` and hooks in the styles of jest, mocha and `node:test`.
 *
 * @module
 */

/** A test or hook. Where it takes an argument, that is `done`, or the context of `node:test`. */
export type TestBody = (argument?: never) => unknown;

/** What becomes of a test or suite. */
export type Mode = "run" | "skip" | "only" | "todo";

/** What becomes of a test or suite, and why. */
export type Outcome = Pick<TestCase, "mode" | "reason">;

/** A test. */
export interface TestCase {
  /** Name. */
  readonly name: string;
  /** What becomes of it. */
  readonly mode: Mode;
  /** Why it does not run, where its options say so (`{ skip: "why" }`). */
  readonly reason?: string;
  /** What it does. */
  readonly body: TestBody;
}

/** When hooks run. */
export type HookName = "beforeAll" | "afterAll" | "beforeEach" | "afterEach";

/** Tests and suites in the order of the file. */
export class Suite {
  /** Name. */
  readonly name: string;
  /** What becomes of it. */
  readonly mode: Mode;
  /** Why it does not run, where its options say so. */
  readonly reason: string | undefined;
  /** The suite that holds it. */
  readonly parent: Suite | undefined;
  /** Tests and suites in it. */
  readonly entries: (Suite | TestCase)[] = [];
  /** Hooks. */
  readonly hooks: Readonly<Record<HookName, TestBody[]>> = {
    beforeAll: [],
    afterAll: [],
    beforeEach: [],
    afterEach: [],
  };

  /**
   * Begins a suite.
   *
   * @param name name
   * @param outcome what becomes of it, and why
   * @param parent the suite that holds it
   */
  constructor(name: string, { mode, reason }: Outcome = { mode: "run" }, parent?: Suite) {
    this.name = name;
    this.mode = mode;
    this.reason = reason;
    this.parent = parent;
  }

  /** Whether this or anything in it is to run alone. */
  get hasOnly(): boolean {
    return this.entries.some((entry) => entry.mode === "only" || (entry instanceof Suite && entry.hasOnly));
  }
}

/** Registers a test or suite: name, options of `node:test`, body. */
export interface Register {
  /** Registers one. */
  (...given: readonly unknown[]): void;
  /** Registers one that does not run. */
  readonly skip: Register;
  /** Registers one that runs alone. */
  readonly only: Register;
  /** Registers one that is yet to be written. */
  readonly todo: Register;
  /** Registers one for each row of a table, whose values take the places of `%s`, `%i`, `%j`, `$name`. */
  each(rows: readonly unknown[]): (name: string, body: (...values: never[]) => unknown) => void;
}

/** What test files call. */
export interface SuiteFunctions {
  /** Registers a suite. */
  readonly describe: Register;
  /** Registers a test. */
  readonly it: Register;
  /** Registers a hook. */
  readonly hook: (name: HookName) => (...given: readonly unknown[]) => void;
  /** Ends when all suites were collected. */
  readonly collected: () => Promise<void>;
}

/**
 * The functions that fill a suite.
 *
 * @param root the suite of a file
 */
export function suiteFunctions(root: Suite): SuiteFunctions {
  let current = root;
  const waiting: Promise<unknown>[] = [];
  const describe = registerer((name, outcome, body) => {
    const suite = new Suite(name, outcome, current);
    current.entries.push(suite);
    const outer = current;
    current = suite;
    try {
      const result = (body as () => unknown)();
      if (result instanceof Promise) waiting.push(result);
    } finally {
      current = outer;
    }
  });
  const it = registerer((name, outcome, body) => void current.entries.push({ name, ...outcome, body }));
  return {
    describe,
    it,
    hook: (name) => (...given) => {
      const body = given.find((one) => typeof one === "function");
      if (!body) throw new TypeError(`Expected a function for ${name}`);
      current.hooks[name].push(body as TestBody);
    },
    collected: async () => {
      while (waiting.length > 0) await waiting.shift();
    },
  };
}

type Add = (name: string, outcome: Outcome, body: TestBody) => void;

function registerer(add: Add, mode: Mode = "run"): Register {
  const register = (...given: readonly unknown[]) => {
    const [name, body, settings] = argumentsOf(given);
    add(name, outcomeOf(settings, mode), body);
  };
  const each = (rows: readonly unknown[]) => (name: string, body: (...values: never[]) => unknown) => {
    rows.forEach((row, at) => {
      const values = Array.isArray(row) ? row : [row];
      add(titled(name, values, at), { mode }, () => body(...values as never[]));
    });
  };
  const variant = (mode: Mode) => ({ get: () => registerer(add, mode) });
  return Object.defineProperties(Object.assign(register, { each }), {
    skip: variant("skip"),
    only: variant("only"),
    todo: variant("todo"),
  }) as Register; // with the members just defined
}

interface Settings {
  readonly skip?: unknown;
  readonly only?: unknown;
  readonly todo?: unknown;
}

function outcomeOf({ skip, only, todo }: Settings, mode: Mode): Outcome {
  const why = skip || todo;
  const reason = typeof why === "string" ? why : undefined;
  return { mode: skip ? "skip" : only ? "only" : todo ? "todo" : mode, ...(reason && { reason }) };
}

function argumentsOf(given: readonly unknown[]): readonly [string, TestBody, Settings] {
  const body = given.find((one) => typeof one === "function") as
    | TestBody & { readonly name: string }
    | undefined;
  const named = given.find((one) => typeof one === "string") as string | undefined;
  const settings = given.find((one) => typeof one === "object" && one !== null) as Settings | undefined;
  return [named ?? body?.name ?? "", body ?? (() => {}), settings ?? (body ? {} : { todo: true })];
}

/** A name with the values of a row in the places of its marks. */
function titled(name: string, values: readonly unknown[], at: number): string {
  let next = 0;
  const text = name.replace(/%[sdifjop#%]/g, (mark) => {
    if (mark === "%%") return "%";
    if (mark === "%#") return String(at);
    const value = values[next++];
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
  const [row] = values;
  return text.replace(/\$(\w+)/g, (mark, member) => {
    const value = (Object(row) as Record<string, unknown>)[member];
    return value === undefined ? mark : String(value);
  });
}
