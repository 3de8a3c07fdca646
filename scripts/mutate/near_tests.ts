/**
 * Which test files stand near a source file: what runs where there is no time for all that reach it.
 *
 * @module
 */

import { roomOf } from "./find_mutants.ts";

/** Where tests about a room are that have another name: how their paths begin. */
const ALSO: Readonly<Record<string, string>> = {
  "src/auth/": "tests/security/",
  "src/test/": "tests/cli/test_command_",
};

/** The tests near a file. */
export interface NearTests {
  /** Those of its room. */
  readonly own: ReadonlySet<string>;
  /** Those of its room and those that changed together with it, nearest first. */
  readonly inOrder: readonly string[];
}

/**
 * Finds the tests near a file. `src/a/b/c.ts` has the tests below `tests/a/b` and those whose names begin so, `tests/a/b_test.ts`;
 * where there are none, those below `tests/a`. Rooms that tests of another folder are about have those, too.
 *
 * @param file its path
 * @param tests paths of all test files
 * @param changedWith test files that changed in a commit that changed the file
 */
export function nearTests(
  file: string,
  tests: readonly string[],
  changedWith: ReadonlySet<string> = new Set(),
): NearTests {
  const nearness = new Map(tests.map((test) => [test, sharedParts(file, test)]));
  const best = Math.max(0, ...nearness.values());
  const least = Math.max(1, Math.min(best, roomOf(file).split("/").length));
  const also = Object.entries(ALSO).flatMap(([room, folder]) => file.startsWith(room) ? folder : []);
  const own = new Set(
    tests.filter((test) => nearness.get(test)! >= least || also.some((folder) => test.startsWith(folder))),
  );
  const rank = (test: string) => nearness.get(test)! + (changedWith.has(test) ? 1 : 0);
  const inOrder = mostWordsFirst(file, tests.filter((test) => own.has(test) || changedWith.has(test)))
    .sort((a, b) => rank(b) - rank(a));
  return { own, inOrder };
}

/** Other tests, those first whose paths have most words in common with that of the file. */
export function mostWordsFirst(file: string, tests: readonly string[]): string[] {
  const words = wordsOf(file);
  const common = new Map(tests.map((test) => [test, wordsOf(test).intersection(words).size]));
  return tests.toSorted((a, b) => common.get(b)! - common.get(a)!);
}

/** Words of a path, in the singular. */
function wordsOf(path: string): Set<string> {
  const words = path.split(/[/_.]/).filter((word) => word !== "" && word !== "ts");
  return new Set(words.map((word) => word.replace(/s$/, "")));
}

/** How many leading parts of its path a test has in common with a file; its name may begin with one, or with that of the file. */
function sharedParts(file: string, test: string): number {
  const [parts, others] = [file, test].map((path) => path.replace(/\.\w+$/, "").split("/").slice(1));
  const name = others.at(-1)!;
  let shared = 0;
  while (shared < parts.length && parts[shared] === others[shared]) shared++;
  const isNamedSo = shared === others.length - 1 &&
    [parts[shared], parts.at(-1)].some((part) => part !== undefined && name.startsWith(part));
  return isNamedSo ? shared + 1 : shared;
}
