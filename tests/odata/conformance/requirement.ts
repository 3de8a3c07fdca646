/**
 * Requirements of the standard, and tests that carry their clauses in their names.
 *
 * @module
 */

/** Clause within the level, obligation, what is asked for; and for requirements that others make up: which. */
export type Requirement = readonly [
  clause: string,
  obligation: "MUST" | "SHOULD" | "MAY",
  text: string,
  sum?: { readonly level: string } | { readonly rows: readonly [level: string, first: number, last: number] },
];

/** A level of conformance, or another group of requirements. */
export interface Level {
  /** Clause of the standard, or short name of another document. */
  readonly clause: string;
  readonly title: string;
  readonly requirements: readonly Requirement[];
}

/** A test of one or more requirements, as far as it has run. */
export interface ClauseTest {
  readonly name: string;
  /** Clauses in the name. */
  readonly clauses: readonly string[];
  /** Name of the file. */
  readonly file: string;
  /** Whether it shows that a requirement is not offered. */
  readonly refuses: boolean;
  state: "not run" | "failed" | "passed";
}

/** What `describeClauses` gives: registers a test whose name holds clauses as `[OData 13.1.1.29]`. */
export interface ClauseRegistrar {
  (name: string, run: () => Promise<void>): void;
  /** Registers a test which shows that something optional is refused as the standard wants it refused. */
  refused(name: string, run: () => Promise<void>): void;
}

/** All tests of requirements, in the order of their registration. */
export const CLAUSE_TESTS: ClauseTest[] = [];

const CLAUSE = /\[OData ([^\]]+)\]/g;

/**
 * Registers tests of requirements for one file.
 *
 * @param url `import.meta.url` of the file
 */
export function describeClauses(url: string): ClauseRegistrar {
  const file = url.slice(url.lastIndexOf("/") + 1);
  const register = (name: string, run: () => Promise<void>, refuses: boolean) => {
    const clauses = [...name.matchAll(CLAUSE)].map((match) => match[1]);
    if (clauses.length === 0) throw new TypeError(`No clause in "${name}"`);
    const test: ClauseTest = {
      name: name.replace(CLAUSE, "").trim(),
      clauses,
      file,
      refuses,
      state: "not run",
    };
    CLAUSE_TESTS.push(test);
    Deno.test(name, async () => {
      test.state = "failed";
      await run();
      test.state = "passed";
    });
  };
  return Object.assign((name: string, run: () => Promise<void>) => register(name, run, false), {
    refused: (name: string, run: () => Promise<void>) => register(name, run, true),
  });
}
