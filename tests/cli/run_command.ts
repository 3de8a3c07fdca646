/**
 * The command line in the process of a test: without the time that a process takes to start.
 *
 * @module
 */

import { main } from "../../src/cli/mod.ts";
import { type Ended, printedBy } from "../deno/project.ts";

/**
 * Runs a command; gives its exit code and what it prints. `--profile` needs a process of its own: it becomes a variable of
 * the environment, which all test files that run side by side have in common.
 */
export function runCommand(...args: readonly string[]): Promise<Ended> {
  return printedBy(() => main(args));
}
