/**
 * Which test files run one after the other in one worker.
 *
 * @module
 */

import { sourceFiles } from "./source_files.ts";

/** Files of a group at most: few loads of the framework, and groups enough for all processors. */
const MOST_FILES = 12;

/** Test files that must have a worker of their own, and why. */
const ALONE: Readonly<Record<string, string>> = {
  "tests/deno/packaged_plugins_test.ts": "a plugin registers with OpenTelemetry, which is possible once",
};

/** Test files that share a worker. */
export interface TestGroup {
  /** The folder they are in, and a number. */
  readonly name: string;
  /** Their paths. */
  readonly files: readonly string[];
}

/**
 * Divides the test files of a folder into groups, each of one folder in it.
 *
 * @param paths files and folders that are wanted; all without
 */
export function testGroups(root: string, paths: readonly string[] = []): TestGroup[] {
  const folders = new Map<string, string[]>();
  for (const file of sourceFiles(root)) {
    const isWanted = paths.length === 0 ||
      paths.some((path) => `${file}/`.startsWith(`${path.replace(/\/$/, "")}/`));
    if (!file.endsWith("_test.ts") || !isWanted) continue;
    const [first = ""] = file.slice(root.length + 1).split("/");
    const name = file in ALONE ? `${first}_alone` : first;
    folders.set(name, [...folders.get(name) ?? [], file]);
  }
  return [...folders].flatMap(([name, files]) => {
    const groups = Math.ceil(files.length / MOST_FILES);
    return Array.from({ length: groups }, (_, at) => ({
      name: `${name}_${at + 1}`,
      // neighbours are alike, and so is how long they take
      files: files.filter((_, index) => index % groups === at),
    }));
  });
}

/**
 * Divides the arguments of a test run: all behind the first option belong to `deno test`.
 *
 * @param args as they were typed
 */
export function testArguments(
  args: readonly string[],
): { paths: readonly string[]; options: readonly string[] } {
  const first = args.findIndex((arg) => arg.startsWith("-"));
  return first < 0
    ? { paths: args, options: [] }
    : { paths: args.slice(0, first), options: args.slice(first) };
}
